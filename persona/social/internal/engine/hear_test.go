package engine

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opening does something of another goroutine's before the account is opened.
type opening struct {
	Attention
	first func()
}

func (o *opening) UnmuteAll(now time.Time) {
	o.first()
	o.Attention.UnmuteAll(now)
}

// TestLinkedOnceItIsOpen: what waits for the link after a start, such as a timer that is due, finds the account open that
// was logged out before: it is let go only when the connection has been taken note of. What is heard of one chat may come
// before that, and shows as well that there is one.
func TestLinkedOnceItIsOpen(t *testing.T) {
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	for name, event := range map[string]persona.Event{"connected": persona.Connected{}, "joined": persona.BotJoined{Chat: chat}} {
		t.Run(name, func(t *testing.T) {
			being, err := New(Options{Profile: persona.Profile{Name: "a"}, Model: modeltest.New(), Link: struct{ Link }{}})
			require.NoError(t, err)
			linked := func() bool {
				select {
				case <-being.Linked:
					return true
				default:
					return false
				}
			}
			being.Attention.MuteAll(time.Now(), time.Time{})
			being.Attention = &opening{being.Attention, func() { assert.False(t, linked(), "it would find it closed") }}
			being.hear(context.Background(), event)
			assert.True(t, linked())
			assert.NoError(t, being.Attention.Speak(time.Now(), chat, "在", whyOwner))
		})
	}
}
