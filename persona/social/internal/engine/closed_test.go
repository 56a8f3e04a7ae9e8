package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
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
	for name, event := range map[string]persona.Event{"connected": persona.Connected{}, "joined": persona.Joined{Chat: chat}} {
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
			assert.NoError(t, being.Attention.Volunteer(time.Now(), chat, "在", whyOwner))
		})
	}
}

// slowly lets others write before it does.
type slowly struct {
	Store
	first func()
}

func (s *slowly) Apply(ctx context.Context, rows map[string][]byte) error {
	if f := s.first; f != nil {
		s.first = nil
		f()
	}
	return s.Store.Apply(ctx, rows)
}

// TestForgottenTwiceAtOnce: of two who forget the same person the later one counts, whichever of them writes last.
func TestForgottenTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noon, later := time.Unix(1.8e9, 0), time.Unix(1.8e9+60, 0)
		store := &slowly{Store: memory.NewStore()}
		g := tombstones{writing: NewLatch()}
		second := make(chan error, 1)
		store.first = func() {
			go func() { second <- g.add(t.Context(), store, later, "who") }()
			synctest.Wait() // it has written, or waits
		}
		require.NoError(t, g.add(t.Context(), store, noon, "who"))
		require.NoError(t, <-second)
		assert.True(t, later.Equal(g.at("who")))
		var again tombstones
		require.NoError(t, again.load(t.Context(), store))
		assert.True(t, later.Equal(again.at("who")))
	})
}
