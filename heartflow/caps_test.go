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
		assert.Equal(t, 40, said, "the window limits each bot")
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
	assert.Equal(t, 20, said)
	s := a.Stats()
	assert.EqualValues(t, 3000, s.Addressed)
	assert.EqualValues(t, 980, s.Silent[WhyCappedWindow])
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

// Replies, interjections and private chats have limits of their own.
func TestCaps_ByAddressee(t *testing.T) {
	for _, test := range []struct {
		name  string
		m     Message
		begin Code
		want  int
	}{
		{"group", Message{AtMe: true}, "", 20},
		{"private", Message{Private: true}, "", 30},
		{"named", Message{Text: "小炉在吗"}, "", 20},
		{"keyword", Message{Text: "爬山去不去"}, "", 6},
		{"bot", Message{AtMe: true, FromBot: true}, "", 6},
		{"timer", Message{}, "timer", 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAttention[int](Options{Names: []string{"小炉"}, Keywords: []string{"爬山"}, Seed: 1, Caps: Caps{ConsecutiveToBots: 100, Consecutive: 100}, Staleness: Staleness{RepeatWindow: -1}})
			said := 0
			for i := range 100 { // in less than five minutes
				now := t0.Add(time.Duration(i) * 2 * time.Second)
				m := test.m
				m.From = fmt.Sprint(i)
				a.Observe(now, 1, m)
				judge := func() Verdict { return a.Judge(now, 1) }
				if test.begin != "" {
					judge = func() Verdict { return a.BeginTurn(now, 1, test.begin) }
				}
				if v := judge(); v.Do == Silent {
					require.Equal(t, []Code{WhyCappedWindow}, v.Why, "nothing else stops it")
					continue
				}
				require.NoError(t, a.Speak(now, 1, "嗯"))
				said++
			}
			assert.Equal(t, test.want, said)
			now := t0.Add(200 * time.Second)
			for i := range 10 {
				a.Observe(now, 1, Message{From: fmt.Sprint("k", i)})
				if test.want != 6 {
					assert.Equal(t, i < 6, a.Speak(now, 1, "嗯", "owner") == nil, "interjections are counted apart")
				}
			}
		})
	}
}

func TestCaps_PerPerson(t *testing.T) {
	a := newAttention[int](Options{Seed: 1, Caps: Caps{Consecutive: 100}, Staleness: Staleness{RepeatWindow: -1}})
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	ask := func(s int, from string) error {
		a.Observe(at(s), 1, Message{From: from, AtMe: true})
		a.Judge(at(s), 1)
		return a.Speak(at(s), 1, "嗯")
	}
	for s := range 3 {
		require.NoError(t, ask(s, "a"))
		require.NoError(t, a.Speak(at(s), 1, "嗯嗯"), "a second message of the turn")
	}
	a.Observe(at(3), 1, Message{From: "a", AtMe: true})
	assert.Equal(t, Verdict{Why: []Code{WhyCappedPerson}, Addressed: true, Called: true, State: Addressed}, a.Judge(at(3), 1))
	tr := a.Traces(1)
	assert.Contains(t, tr[len(tr)-2].String(), "judge silent: capped_person [capped_window 6/20, !capped_person 3/3, capped_in_row 0/100] next 12:01:00")
	require.NoError(t, ask(4, "b"), "others are answered")
	a.Observe(at(5), 1, Message{From: "c", AtMe: true})
	require.NoError(t, ask(5, "a"), "c is answered, although a wrote later")
	a.Observe(at(6), 2, Message{From: "a", AtMe: true})
	assert.Equal(t, Ask, a.Judge(at(6), 2).Do, "in another chat")
	for s := range 9 {
		a.Observe(at(10+s), 3, Message{From: "a", Private: true})
		a.Judge(at(10+s), 3)
		require.NoError(t, a.Speak(at(10+s), 3, "嗯"), "in a private chat")
	}
	saved, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)
	require.NoError(t, a.Restore(saved))
	a.Observe(at(59), 1, Message{From: "a", AtMe: true})
	assert.Equal(t, []Code{WhyCappedPerson}, a.Judge(at(59), 1).Why, "after a restart")
	require.NoError(t, ask(60, "a"))
}

func TestSpeakCapNotice(t *testing.T) {
	o := Options{Seed: 1, Caps: Caps{Replies: 2}}
	a := newAttention[int](o)
	for range 2 {
		a.Observe(t0, 1, Message{AtMe: true})
		require.True(t, turnNow(a, t0, "嗯"))
	}
	a.Observe(t0, 1, Message{AtMe: true})
	require.Equal(t, []Code{WhyCappedWindow}, a.Judge(t0, 1).Why)
	require.NoError(t, a.SpeakCapNotice(t0, 1, "歇会儿", WhyCappedWindow))
	assert.Contains(t, lastOf(a.Traces(1)).String(), `speak permitted: capped_window "歇会儿" [capped_window 0/1, capped_in_row 0/3]`)
	saved, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)
	require.NoError(t, a.Restore(saved))
	var refused *RefusedError
	require.ErrorAs(t, a.SpeakCapNotice(t0.Add(5*time.Minute-1), 1, "歇会儿", WhyCappedWindow), &refused)
	assert.Equal(t, WhyCappedWindow, refused.Code)
	assert.EqualValues(t, 3, a.Stats().Spoken)
	require.NoError(t, a.SpeakCapNotice(t0.Add(5*time.Minute), 1, "歇会儿", WhyCappedWindow), "once in a window")

	for name, test := range map[string]struct {
		do   func(a *Attention[int])
		want Code
	}{
		"muted":  {func(a *Attention[int]) { a.Mute(t0, 1, time.Time{}) }, WhyMuted},
		"asleep": {func(a *Attention[int]) { a.Sleep(t0, time.Time{}) }, WhyOffline},
		"off":    {func(a *Attention[int]) { require.NoError(t, a.Configure(1, Settings{Off: true})) }, WhyOff},
		"in row": {func(a *Attention[int]) {
			for range 3 {
				require.NoError(t, a.Speak(t0, 1, "嗯", "owner"))
			}
		}, WhyCappedInRow},
		"quiet": {func(a *Attention[int]) {
			require.NoError(t, a.Configure(1, Settings{QuietHours: &QuietHours{Spans: []Span{{From: 0, To: 23 * time.Hour}}, IgnoreAddressed: true}}))
		}, WhyQuiet},
	} {
		a := newAttention[int](Options{Seed: 1})
		test.do(a)
		require.ErrorAs(t, a.SpeakCapNotice(t0, 1, "歇会儿", WhyCappedPerson), &refused, name)
		assert.Equal(t, test.want, refused.Code, name)
	}
}

// lastOf returns the last trace that is not a change of state.
func lastOf(list []Trace) (last Trace) {
	for _, tr := range list {
		if tr.Kind != KindState {
			last = tr
		}
	}
	return last
}
