package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A background turn that is preempted and retried at once runs after the turn that preempted it, even if that turn does not
// wait for the lock yet.
func TestChat_LetInWaitsForQueuedTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Scope{})
		require.NoError(t, c.TurnMu.Lock(t.Context()))
		var order []string
		background := &Turn{Job: &Job{Chat: c}}
		end := c.setBackground(background)
		background.cancel = func(error) {
			end()
			c.TurnMu.Unlock()
			go func() {
				assert.NoError(t, c.AwaitQueued(context.Background()))
				assert.NoError(t, c.TurnMu.Lock(context.Background()))
				order = append(order, "background")
				c.TurnMu.Unlock()
			}()
			synctest.Wait() // it has the lock, or waits
		}
		require.NoError(t, c.lockTurn(t.Context(), true))
		order = append(order, "answer")
		c.TurnMu.Unlock()
		synctest.Wait()
		assert.Equal(t, []string{"answer", "background"}, order)
	})
}
