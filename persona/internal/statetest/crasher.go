package statetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Crasher runs a random test against a reference model. Its Store simulates a crash of the program in a chosen Apply.
type Crasher struct {
	T       *testing.T
	R       *rand.Rand
	Store   *Store
	Now     time.Time
	CrashIn int  // crash in this many Applies; 0 or less means never
	Written bool // the failed Apply has written its rows
}

func NewCrasher(t *testing.T, seed, stream uint64) *Crasher {
	p := &Crasher{T: t, R: rand.New(rand.NewPCG(seed, stream)), Store: New(nil), Now: T0, CrashIn: -1}
	p.Store.After = func(int) (bool, error) {
		if p.CrashIn--; p.CrashIn != 0 {
			return true, nil
		}
		p.Written = p.R.IntN(2) == 0
		return p.Written, ErrCrash
	}
	return p
}

// Wrote reports whether the rows of a call were written. It fails the test for every error except ErrCrash.
func (p *Crasher) Wrote(err error) bool {
	if err != nil {
		require.ErrorIs(p.T, err, ErrCrash)
		return p.Written
	}
	return true
}
