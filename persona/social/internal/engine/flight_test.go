package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhoWaitsIsFirst: a talk of the background that gives way and is held anew at once, before the one who waits gets to
// wait for the mind, is behind them all the same.
func TestWhoWaitsIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Scope{})
		require.NoError(t, r.Turn.Lock(t.Context()))
		var order []string
		talk := &Turn{Job: &Job{Chat: r}}
		end := r.think(talk)
		talk.cancel = func(error) {
			end()
			r.Turn.Unlock()
			go func() {
				assert.NoError(t, r.LetIn(context.Background()))
				assert.NoError(t, r.Turn.Lock(context.Background()))
				order = append(order, "the talk")
				r.Turn.Unlock()
			}()
			synctest.Wait() // it has the mind, or waits
		}
		require.NoError(t, r.enter(t.Context(), true))
		order = append(order, "who waits")
		r.Turn.Unlock()
		synctest.Wait()
		assert.Equal(t, []string{"who waits", "the talk"}, order)
	})
}
