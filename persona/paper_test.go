package persona_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A paper is what random use is compared on, with what a list on paper would say: rows that let the program die at any Apply.
type paper struct {
	t       *testing.T
	r       *rand.Rand
	rows    *rows
	now     time.Time
	dies    int  // Applies until one fails; 0 or less: none does
	written bool // the one that failed was written
}

func newPaper(t *testing.T, seed, stream uint64) *paper {
	p := &paper{t: t, r: rand.New(rand.NewPCG(seed, stream)), rows: newRows(nil), now: t0, dies: -1}
	p.rows.after = func(int) (bool, error) {
		if p.dies--; p.dies != 0 {
			return true, nil
		}
		p.written = p.r.IntN(2) == 0
		return p.written, errCrash
	}
	return p
}

// wrote reports whether what a call was to write is in the rows, and asks for nothing but a crash of its error.
func (p *paper) wrote(err error) bool {
	if err != nil {
		require.ErrorIs(p.t, err, errCrash)
		return p.written
	}
	return true
}
