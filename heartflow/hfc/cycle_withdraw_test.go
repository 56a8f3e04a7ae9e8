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
	for _, at := range []StepKind{Think, MakePlan, Act} {
		now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
		c := newCycle(now, 1, CycleOptions{})
		c.Observe(now)
		for withdrawn := 0; ; {
			ask, ok := c.NextStep(now, Feeling{})
			require.True(t, ok, "at once")
			if withdrawn > 0 && ask.Kind == Think {
				assert.True(t, ask.Rethink)
				want := 1
				if at == Think {
					want = 2
				}
				assert.Equal(t, want, ask.NewMessages)
				assert.Zero(t, ask.ConsecutiveSilences)
				assert.Equal(t, 1, ask.Cycle)
				break
			}
			now = now.Add(time.Second)
			answer := StepResult{Thought: "嗯", Plan: Plan{Action: TextReply}}
			if ask.Kind == at {
				withdrawn++
				c.Observe(now)
				answer = StepResult{Err: ErrWithdrawn}
			}
			require.True(t, c.FinishStep(now, ask.ID, answer))
		}
		assert.Empty(t, c.Records())
	}
}
