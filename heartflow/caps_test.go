package heartflow

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// eager always wants to speak.
type eager struct{}

func (eager) Judge(*PolicyInput) Verdict { return Verdict{Do: Speak, Score: 1, Why: []Code{"eager"}} }

// turnNow judges and speaks, and reports whether both were allowed.
func turnNow(a *Attention[int], now time.Time, text string) bool {
	return a.Judge(now, 1).Do != Silent && a.Speak(now, 1, text) == nil
}

func TestCaps_TwoBotsStop(t *testing.T) {
	for _, policy := range []Policy{MentionOnly{}, Interject{Base: 1}, eager{}} {
		t.Run(fmt.Sprintf("%T", policy), func(t *testing.T) {
			bots := [2]*Attention[int]{newAttention[int](Options{Policy: policy, Seed: 1}), newAttention[int](Options{Policy: policy, Seed: 2})}
			now, said := t0, 0
			bots[0].Observe(now, 1, Message{From: "human", AtMe: true})
			for i := 0; i < 500; i++ {
				now = now.Add(7 * time.Second)
				if !turnNow(bots[i%2], now, "你好") {
					continue
				}
				said++
				bots[1-i%2].Observe(now, 1, Message{From: "bot", FromBot: true, AtMe: true})
			}
			assert.Equal(t, 1+4, said, "one reply to the human, two by each bot to the other")
		})
	}
	t.Run("unknown bots", func(t *testing.T) {
		a, b := newAttention[int](Options{}), newAttention[int](Options{})
		now, said := t0, 0
		a.Observe(now, 1, Message{AtMe: true})
		for range 300 { // 5 minutes
			now = now.Add(time.Second)
			if turnNow(a, now, "你好") {
				said++
				b.Observe(now, 1, Message{AtMe: true})
			}
			if turnNow(b, now, "你好") {
				said++
				a.Observe(now, 1, Message{AtMe: true})
			}
		}
		assert.Equal(t, 12, said, "the window limits each bot")
	})
}

func TestCaps_MentionStorm(t *testing.T) {
	a := newAttention[int](Options{})
	said := 0
	for i := range 3000 { // ten mentions a second for five minutes
		now := t0.Add(time.Duration(i) * 100 * time.Millisecond)
		require.True(t, a.Observe(now, 1, Message{ID: fmt.Sprint(i), From: fmt.Sprint(i % 50), AtMe: true}).Addressed)
		if i%3 == 0 && turnNow(a, now, "在") {
			said++
		}
	}
	assert.Equal(t, 6, said)
	s := a.Stats()
	assert.EqualValues(t, 3000, s.Addressed)
	assert.EqualValues(t, 994, s.Silent[WhyCappedWindow])
	assert.LessOrEqual(t, len(a.chats[1].waiting.Heard), maxWaiting)
	assert.Len(t, a.Traces(1), 32)
}

func TestCaps_OwnEcho(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}})
	said := 0
	a.Observe(t0, 1, Message{AtMe: true})
	for i := range 1000 {
		now := t0.Add(time.Duration(i) * time.Minute)
		if turnNow(a, now, "小炉") {
			said++
			assert.False(t, a.Observe(now, 1, Message{Own: true, AtMe: true, Text: "小炉"}).Addressed, "its own echo")
		}
	}
	assert.Equal(t, 3, said)
}

func TestJudge_DroppedMessageStillAddresses(t *testing.T) {
	a := newAttention[int](Options{})
	a.Observe(t0, 1, Message{ID: "call", AtMe: true})
	for i := range 100 {
		a.Observe(t0.Add(time.Second), 1, Message{ID: fmt.Sprint(i), Text: "刷屏"})
	}
	v := a.Judge(t0.Add(2*time.Second), 1)
	assert.Equal(t, Ask, v.Do)
	assert.Equal(t, []Code{WhyMentioned}, v.Why)
}

func TestResetConsecutive_KeepsWindow(t *testing.T) {
	a := newAttention[int](Options{Seed: 1, Caps: Caps{Replies: 3, Consecutive: 1}})
	require.NoError(t, a.Speak(t0, 1, "一", "test"))
	require.ErrorIs(t, a.Speak(t0, 1, "二", "test"), ErrCapped)
	for _, text := range []string{"三", "四"} {
		a.ResetConsecutive(t0, 1)
		require.NoError(t, a.Speak(t0, 1, text, "test"))
	}
	a.ResetConsecutive(t0, 1)
	assert.ErrorIs(t, a.Speak(t0, 1, "五", "test"), ErrCapped, "the window is a separate cap")
}

// A message replayed after a restart addresses the bot, but resets no cap.
func TestObserve_ReplayedMessageResetsNoCap(t *testing.T) {
	a := newAttention[int](Options{Seed: 1, Caps: Caps{Consecutive: 1}})
	a.Observe(t0, 1, Message{ID: "1", From: "a", AtMe: true})
	require.Equal(t, Ask, a.Judge(t0, 1).Do)
	require.NoError(t, a.Speak(t0, 1, "说"))
	assert.True(t, a.Observe(t0, 1, Message{ID: "2", From: "b", AtMe: true, Replayed: true}).Addressed)
	assert.Equal(t, []Code{WhyCappedInRow}, a.Judge(t0, 1).Why)
	a.Observe(t0, 1, Message{ID: "3", From: "b", AtMe: true})
	assert.Equal(t, Ask, a.Judge(t0, 1).Do)
}
