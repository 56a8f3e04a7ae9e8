package statetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Dying is what random use is compared on, with what a list on paper would say: rows that let the program die at any Apply.
type Dying struct {
	T       *testing.T
	R       *rand.Rand
	Store   *Store
	Now     time.Time
	Dies    int  // Applies until one fails; 0 or less: none does
	Written bool // the one that failed was written
}

func NewDying(t *testing.T, seed, stream uint64) *Dying {
	p := &Dying{T: t, R: rand.New(rand.NewPCG(seed, stream)), Store: New(nil), Now: T0, Dies: -1}
	p.Store.After = func(int) (bool, error) {
		if p.Dies--; p.Dies != 0 {
			return true, nil
		}
		p.Written = p.R.IntN(2) == 0
		return p.Written, ErrCrash
	}
	return p
}

// Wrote reports whether what a call was to write is in the rows, and asks for nothing but a crash of its error.
func (p *Dying) Wrote(err error) bool {
	if err != nil {
		require.ErrorIs(p.T, err, ErrCrash)
		return p.Written
	}
	return true
}
