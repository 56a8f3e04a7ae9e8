package hfc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A step that is given back, at any place in the cycle, leads to a new thought at once that sees all that was not dealt
// with, and counts as no silence.
func TestWithdrawnStepIsThoughtAnew(t *testing.T) {
	for _, at := range []Kind{Think, Choose, Act} {
		now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
		c := newCycle(now, 1, CycleOptions{})
		c.Heard(now)
		for withdrawn := 0; ; {
			ask, ok := c.Due(now, Feeling{})
			require.True(t, ok, "at once")
			if withdrawn > 0 && ask.Kind == Think {
				assert.True(t, ask.Again)
				want := 1
				if at == Think {
					want = 2
				}
				assert.Equal(t, want, ask.New)
				assert.Zero(t, ask.Silent)
				assert.Equal(t, 1, ask.Cycle)
				break
			}
			now = now.Add(time.Second)
			answer := CycleAnswer{Thought: "嗯", Plan: Plan{Action: TextReply}}
			if ask.Kind == at {
				withdrawn++
				c.Heard(now)
				answer = CycleAnswer{Err: ErrWithdrawn}
			}
			require.True(t, c.Answer(now, ask.ID, answer))
		}
		assert.Empty(t, c.Records())
	}
}
