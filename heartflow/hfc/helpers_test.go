package hfc

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

func at(d time.Duration) time.Time { return noon.Add(d) }

func yes(Question) bool { return true }

// fixed is a flow that is always in NormalChat, and looks at every chat that it is asked about.
func fixed(o Options) *Flow[string] {
	o.GlobalState.Fixed = cmp.Or(o.GlobalState.Fixed, NormalChat)
	o.Attention.Seed = cmp.Or(o.Attention.Seed, 1)
	if o.AnswerQuestion == nil {
		o.AnswerQuestion = yes
	}
	return newFlow[string](o)
}

// must returns v. The options of what was made are valid.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newFlow[K comparable](o Options) *Flow[K] { return must(New[K](o)) }

// hold checks what must always be so.
func hold(t *testing.T, f *Flow[string]) {
	t.Helper()
	states := [3]int{}
	for key, s := range f.chats.subs {
		states[s.State]++
		require.Same(t, s, f.chats.named[key])
		require.True(t, s.State == Absent || slices.Contains(f.chats.in[s.State], s), "%s is %v and not in its list", key, s.State)
		require.False(t, s.State != Absent && s.shut(f.being.now), "%s is closed and %v", key, s.State)
		require.False(t, s.State == Focused && s.question.id != 0, "two asks of %s", key)
		require.Equal(t, s.Wants != wantsNothing, slices.Contains(f.chats.wanting, s))
		require.Equal(t, s.marked, slices.Contains(f.chats.changed, s))
		if s.place >= 0 {
			require.Same(t, s, f.chats.standing[s.place])
			require.Equal(t, Absent, s.State)
		}
	}
	for _, s := range f.chats.live {
		require.Same(t, s, f.chats.subs[s.key])
		require.GreaterOrEqual(t, s.Due, f.being.now, "%s is late", s.key)
	}
	require.Len(t, f.chats.named, len(f.chats.subs))
	for _, state := range []ChatState{Chatting, Focused} {
		require.Len(t, f.chats.in[state], states[state])
		require.LessOrEqual(t, states[state], f.being.limit(state), "too many chats are %v in %v", state, f.being.mind.State)
	}
}

// wind plays on until nothing is left to happen to any chat, or to end. Steps are answered by plan, questions by no.
func wind(t *testing.T, f *Flow[string], end time.Time, plan Action) {
	last, same := time.Time{}, 0
	for {
		next, ok := f.Next()
		if !ok || next.After(end) {
			f.Due(end)
			return
		}
		if same++; next.After(last) {
			last, same = next, 0
		}
		require.Less(t, same, 10, "Due does not move Next on from %v", next)
		for _, e := range f.Due(next) {
			if e.Kind == TurnWanted && e.Why == WhyFocused && f.BeginTurn(next, e.Chat, e.Why).Do != heartflow.Silent {
				steps(f, next, e.Chat, plan)
			}
		}
	}
}

func steps(f *Flow[string], now time.Time, chat string, plan Action) (done int) {
	for ask, ok := f.NextStep(now, chat); ok; ask, ok = f.NextStep(now, chat) {
		f.FinishStep(now, chat, ask.ID, StepResult{Thought: "嗯", Plan: Plan{Action: plan}})
		done++
	}
	return done
}

// excite makes a chat interesting enough to be Focused a few seconds later.
func excite(f *Flow[string], now time.Time, chat string) {
	for i := range 8 {
		f.Observe(now, chat, heartflow.Message{ID: fmt.Sprint(i), From: "7", AtMe: true, Text: "快来"})
	}
}
