package heartflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// AllowNext permits further parts of a reply until the chat is blocked. It ignores the caps.
func TestAllowNext_UntilBlocked(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*Attention[int], time.Time)
		why     Code
	}{
		"nothing":     {func(*Attention[int], time.Time) {}, ""},
		"it is full":  {func(a *Attention[int], now time.Time) { require.NoError(t, a.Speak(now, 1, "二", "owner")) }, ""},
		"others talk": {func(a *Attention[int], now time.Time) { a.Observe(now, 1, Message{ID: "2", From: "b", Text: "哦"}) }, ""},
		"muted":       {func(a *Attention[int], now time.Time) { a.Mute(now, 1, now.Add(time.Minute)) }, WhyMuted},
		"all muted":   {func(a *Attention[int], now time.Time) { a.MuteAll(now, time.Time{}) }, WhyMutedAll},
		"asleep":      {func(a *Attention[int], now time.Time) { a.Sleep(now, time.Time{}) }, WhyOffline},
		"off":         {func(a *Attention[int], _ time.Time) { require.NoError(t, a.Configure(1, Settings{Off: true})) }, WhyOff},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAttention[int](Options{Caps: Caps{Replies: 2}})
			a.Observe(t0, 1, Message{ID: "1", From: "a", AtMe: true})
			require.Equal(t, Ask, a.Judge(t0, 1).Do)
			require.NoError(t, a.Speak(t0, 1, "一"))
			now := t0.Add(time.Second)
			c.happens(a, now)
			err := a.AllowNext(now, 1)
			if c.why == "" {
				require.NoError(t, err)
				return
			}
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.why, refused.Code)
			before := len(a.Traces(1))
			a.LogUnsent(now, 1, "二", refused.Code)
			trace := a.Traces(1)[before]
			assert.Equal(t, []Code{WhyUnsent, c.why}, trace.Why)
			assert.Equal(t, Silent, trace.Do)
			assert.Equal(t, "二", trace.Text)
		})
	}
}
