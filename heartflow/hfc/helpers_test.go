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

// fixed returns a flow with a constant global state, NormalChat by default. It answers every question with yes.
func fixed(o Options) *Flow[string] {
	o.GlobalState.Fixed = cmp.Or(o.GlobalState.Fixed, NormalChat)
	o.Attention.Seed = cmp.Or(o.Attention.Seed, 1)
	if o.AnswerQuestion == nil {
		o.AnswerQuestion = yes
	}
	return newFlow[string](o)
}

// must returns v and panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newFlow[K comparable](o Options) *Flow[K] { return must(New[K](o)) }

// hold checks the invariants of f.
func hold(t *testing.T, f *Flow[string]) {
	t.Helper()
	states := [3]int{}
	for key, s := range f.chats.byKey {
		states[s.State]++
		require.Same(t, s, f.chats.byName[key])
		require.True(t, s.State == Absent || slices.Contains(f.chats.byState[s.State], s), "%s is %v and not in its list", key, s.State)
		require.False(t, s.State != Absent && s.blocked(f.shared.now), "%s is blocked and %v", key, s.State)
		require.False(t, s.State == Focused && s.question.id != 0, "two open questions of %s", key)
		require.Equal(t, s.Wants != pendingNothing, slices.Contains(f.chats.pending, s))
		require.Equal(t, s.marked, slices.Contains(f.chats.changed, s))
		if s.candidateIndex >= 0 {
			require.Same(t, s, f.chats.candidates[s.candidateIndex])
			require.Equal(t, Absent, s.State)
		}
	}
	for _, s := range f.chats.timers {
		require.Same(t, s, f.chats.byKey[s.key])
		require.GreaterOrEqual(t, s.Due, f.shared.now, "%s is late", s.key)
	}
	require.Len(t, f.chats.byName, len(f.chats.byKey))
	for _, state := range []ChatState{Chatting, Focused} {
		require.Len(t, f.chats.byState[state], states[state])
		require.LessOrEqual(t, states[state], f.shared.limit(state), "too many chats are %v in %v", state, f.shared.global.State)
	}
}

// wind plays until no chat changes any more, or to end. Steps get plan as their result.
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
		require.Less(t, same, 10, "Due does not advance Next from %v", next)
		for _, e := range f.Due(next) {
			if e.Kind == TurnWanted && e.Why == WhyFocused && f.BeginTurn(next, e.Chat, e.Why).Do != heartflow.Silent {
				steps(f, next, e.Chat, plan)
			}
		}
	}
}

func steps(f *Flow[string], now time.Time, chat string, plan Action) (done int) {
	for step, ok := f.NextStep(now, chat); ok; step, ok = f.NextStep(now, chat) {
		f.FinishStep(now, chat, step.ID, StepResult{Thought: "嗯", Plan: Plan{Action: plan}})
		done++
	}
	return done
}

// excite raises the interest of a chat, so that it becomes Focused a few seconds later.
func excite(f *Flow[string], now time.Time, chat string) {
	for i := range 8 {
		f.Observe(now, chat, heartflow.Message{ID: fmt.Sprint(i), From: "7", AtMe: true, Text: "快来"})
	}
}
