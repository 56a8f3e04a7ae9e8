package hfc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lived plays two hours of talk at a speed, with a restart in between, and returns what changed and when, in the time of
// the flow.
func lived(t *testing.T, speed float64) (changes []string, at []time.Duration) {
	t.Helper()
	real := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	o := Options{
		Speed: speed, AnswerQuestion: yes, Topics: []string{"爬山", "猫"},
		Attention: heartflow.Options{Seed: 3, MaxAge: time.Hour, ActiveFor: real(2 * time.Minute), Caps: heartflow.Caps{Window: real(5 * time.Minute)}, Energy: heartflow.Energy{MinuteGain: min(1, .1*speed), DayGain: -1}},
	}
	f := newFlow[string](o)
	f.Due(noon) // both times are equal
	last := noon
	play := func(until time.Time) {
		for n := 0; ; n++ {
			require.Less(t, n, 1000, "Due does not advance Next")
			next, ok := f.Next()
			if !ok || next.After(until) {
				last = until
				return
			}
			if next.Before(last) { // it may be in the past
				next = last
			}
			last = next
			for _, e := range f.Due(next) {
				if e.Kind != AttentionChanged {
					changes = append(changes, fmt.Sprintf("%v %s %v→%v %v→%v %s", e.Kind, e.Chat, e.GlobalFrom, e.GlobalTo, e.From, e.To, e.Why))
					at = append(at, time.Duration(float64(e.At.Sub(noon))*speed))
				}
				if e.Kind == TurnWanted {
					f.BeginTurn(next, e.Chat, e.Why)
				}
			}
			for chat := range f.chats.byKey {
				for s, ok := f.NextStep(next, chat); ok; s, ok = f.NextStep(next, chat) {
					assert.WithinDuration(t, next.Add(100*time.Second), s.Expires, time.Microsecond, "a model is not faster")
					f.FinishStep(next, chat, s.ID, StepResult{Plan: Plan{Action: NoReply}})
				}
			}
		}
	}
	for i := range 720 {
		now := noon.Add(real(time.Duration(i)*10*time.Second + 7*time.Second)) // no message at the time of a draw
		play(now)
		chat := fmt.Sprint(max(0, i%6-3))
		f.Observe(now, chat, heartflow.Message{ID: fmt.Sprint(i), From: "a", Text: "周末去爬山吗，我家的猫也想去", At: now})
		f.Judge(now, chat)
		if i == 360 {
			saved := must(f.Snapshot())
			f = newFlow[string](o)
			require.NoError(t, f.Restore(saved))
			f.Due(now)
		}
	}
	return changes, at
}

// A fast flow lives through the same as a slow one, in less time, also over a restart.
func TestOptions_Speed(t *testing.T) {
	want, wantAt := lived(t, 1)
	require.Greater(t, len(want), 20)
	require.Contains(t, strings.Join(want, "\n"), "→focused", "a chat was focused")
	for _, speed := range []float64{5, 60, 1440} {
		got, at := lived(t, speed)
		require.Equal(t, want, got, "speed %v", speed)
		for i := range at {
			assert.InDelta(t, wantAt[i], at[i], float64(time.Millisecond), "speed %v: %s", speed, got[i])
		}
	}
	_, err := New[string](Options{Speed: -1})
	require.ErrorContains(t, err, "Speed")
}

// A mute ends at its wall time, whatever the speed.
func TestOptions_SpeedMute(t *testing.T) {
	f := fixed(Options{Speed: 60})
	f.Mute(noon, "a", at(time.Minute))
	for _, m := range []struct {
		at    time.Duration
		muted bool
	}{{59 * time.Second, true}, {61 * time.Second, false}} {
		f.Due(at(m.at))
		assert.Equal(t, m.muted, f.chats.byKey["a"] != nil && f.chats.byKey["a"].blocked(f.shared.now), m.at)
	}
}
