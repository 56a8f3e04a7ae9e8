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

// opening calls first before UnmuteAll.
type opening struct {
	Attention
	first func()
}

func (o *opening) UnmuteAll(now time.Time) {
	o.first()
	o.Attention.UnmuteAll(now)
}

// A goroutine that waits for the link after a start, such as the one of timers, must find the account unmuted. So Linked is
// closed only after the connection was handled. An event of a chat may come before Connected and closes Linked as well.
func TestLinked_ClosesAfterUnmute(t *testing.T) {
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	for name, event := range map[string]persona.Event{"connected": persona.Connected{}, "joined": persona.BotJoined{Chat: chat}} {
		t.Run(name, func(t *testing.T) {
			e, err := New(Options{Profile: persona.Profile{Name: "a"}, Model: modeltest.New(), Link: struct{ Link }{}})
			require.NoError(t, err)
			linked := func() bool {
				select {
				case <-e.Link.Ready:
					return true
				default:
					return false
				}
			}
			e.Attention.MuteAll(time.Now(), time.Time{})
			e.Attention = &opening{e.Attention, func() { assert.False(t, linked(), "the account is still muted") }}
			e.handleEvent(context.Background(), event)
			assert.True(t, linked())
			assert.NoError(t, e.Attention.Speak(time.Now(), chat, "在", whyOwner))
		})
	}
}
