package hfc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A withdrawn step of any kind leads to a new thought at once. The thought sees all messages, and there is no
// silence.
func TestCycle_WithdrawnStep(t *testing.T) {
	for _, at := range []StepKind{Think, MakePlan, Act} {
		now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
		c := newCycle(now, 1, CycleOptions{})
		c.Observe(now)
		for withdrawn := 0; ; {
			step, ok := c.NextStep(now, Feeling{})
			require.True(t, ok, "at once")
			if withdrawn > 0 && step.Kind == Think {
				assert.True(t, step.Rethink)
				want := 1
				if at == Think {
					want = 2
				}
				assert.Equal(t, want, step.NewMessages)
				assert.Zero(t, step.ConsecutiveSilences)
				assert.Equal(t, 1, step.Cycle)
				break
			}
			now = now.Add(time.Second)
			answer := StepResult{Thought: "嗯", Plan: Plan{Action: TextReply}}
			if step.Kind == at {
				withdrawn++
				c.Observe(now)
				answer = StepResult{Err: ErrWithdrawn}
			}
			require.True(t, c.FinishStep(now, step.ID, answer))
		}
		assert.Empty(t, c.Records())
	}
}
