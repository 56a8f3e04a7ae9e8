package hfc

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

func TestAskFocus_AsksBeforeFocus(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: NormalChat}, AskFocus: true, AskAgain: 24 * time.Hour})
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.AnswerQuestion(noon, "g", f.Due(noon)[0].Question.ID, false)
	excite(f, noon, "g")
	for s := range 20 {
		now := at(time.Duration(s) * time.Second)
		for _, e := range f.Due(now) {
			if e.Kind != QuestionAsked {
				continue
			}
			assert.Equal(t, Focused, e.Question.To)
			assert.Positive(t, e.Question.Chance)
			require.Equal(t, Absent, f.ChatState(now, "g"))
			require.True(t, f.AnswerQuestion(now, "g", e.Question.ID, true))
			require.Equal(t, Focused, f.ChatState(now, "g"))
			return
		}
	}
	t.Fatal("no question was asked")
}

func TestFinishStep_EarlierFocusRefused(t *testing.T) {
	f := fixed(Options{GlobalState: GlobalStateOptions{Fixed: FocusedChat}})
	p := heartflow.Message{From: "7", Private: true, Text: "在吗"}
	f.Observe(noon, "p", p)
	first, ok := f.NextStep(noon, "p")
	require.True(t, ok)
	f.Mute(noon, "p", time.Time{})
	require.Equal(t, Absent, f.ChatState(noon, "p"))
	f.Unmute(noon, "p")
	f.Observe(noon, "p", p)
	second, ok := f.NextStep(noon, "p")
	require.True(t, ok)
	assert.NotEqual(t, first.ID, second.ID)
	assert.False(t, f.FinishStep(noon, "p", first.ID, StepResult{Thought: "晚了"}))
	assert.True(t, f.FinishStep(noon, "p", second.ID, StepResult{Thought: "在"}))
	assert.False(t, f.FinishStep(noon, "p", second.ID, StepResult{Thought: "在"}))
}

func TestSettings_NoFocus(t *testing.T) {
	f := fixed(Options{})
	require.NoError(t, f.Configure("g", Settings{NoFocus: true}))
	require.NoError(t, f.Configure("p", Settings{NoFocus: true}))
	excite(f, noon, "g")
	f.Observe(noon, "p", heartflow.Message{From: "7", Private: true})
	for range 100 {
		f.Due(f.shared.now.Time(time.UTC).Add(time.Second))
		assert.NotEqual(t, Focused, f.ChatState(noon, "g"))
		assert.NotEqual(t, Focused, f.ChatState(noon, "p"))
	}
	assert.Equal(t, heartflow.Ask, f.Judge(noon, "p").Do, "it is answered nevertheless")
}

// Every focus ends: by silence, by the planner, and by a caller that does nothing.
func TestFocus_AlwaysEnds(t *testing.T) {
	for _, plan := range []Action{NoReply, ExitFocus, "nonsense"} {
		f := fixed(Options{})
		excite(f, noon, "g")
		f.Due(at(30 * time.Second))
		require.Equal(t, Focused, f.ChatState(at(30*time.Second), "g"), plan)
		wind(t, f, at(20*time.Minute), plan)
		assert.NotEqual(t, Focused, f.ChatState(at(20*time.Minute), "g"), plan)
		hold(t, f)
	}
}

// The length of Chatting with Drift: 27.3 minutes on average, .42 left after 30 minutes, .035 ended at 60.
func TestLeaveChance_Distribution(t *testing.T) {
	alive, mean := 1.0, 0.0
	for minute := range maxDrift {
		if minute == 30 {
			assert.InDelta(t, .42, alive, .005)
		}
		mean += alive
		alive *= 1 - leaveChance(minute)
	}
	assert.InDelta(t, .035, alive, .001)
	assert.InDelta(t, 27.3, mean, .6)
}

func TestJudgeUpTo_LeavesLaterMessages(t *testing.T) {
	f := fixed(Options{})
	f.shared.newWillingness = func() willingness { return &counting{} }
	f.Observe(noon, "g", heartflow.Message{From: "7", Text: "早"})
	f.Due(noon)
	for i := range 3 {
		f.Observe(noon, "g", heartflow.Message{ID: fmt.Sprint(i), From: fmt.Sprint(i), Text: "早"})
	}
	w := func() *counting { return f.chats.byKey["g"].willingness.(*counting) }
	f.JudgeUpTo(noon, "g", "1")
	assert.Equal(t, []string{"0", "1"}, w().authors)
	f.JudgeUpTo(noon, "g", "no such message")
	assert.Equal(t, []string{"0", "1", "2"}, w().authors)
	assert.NotZero(t, w().seed, "the chat's generator seeds it")
}

// A Focused chat gets a turn if none is in progress. Due wants a turn for an unfinished cycle.
func TestFocus_Verdicts(t *testing.T) {
	f := fixed(Options{})
	p := heartflow.Message{From: "7", Private: true, Text: "在吗"}
	f.Observe(noon, "p", p)
	require.Equal(t, whyFocused, f.Judge(noon, "p").Why)
	step, _ := f.NextStep(noon, "p")
	require.Equal(t, whyThinking, f.Judge(noon, "p").Why)
	require.True(t, f.FinishStep(noon, "p", step.ID, StepResult{Thought: "嗯"}))

	f.Due(noon)
	next, ok := f.Next()
	require.True(t, ok)
	assert.Equal(t, at(time.Minute), next)
	wanted := f.Due(next)
	require.Len(t, wanted, 1)
	assert.Equal(t, TurnWanted, wanted[0].Kind)
	require.Equal(t, heartflow.Ask, f.BeginTurn(next, "p", WhyFocused).Do)
	step, ok = f.NextStep(next, "p")
	require.True(t, ok)
	require.Equal(t, MakePlan, step.Kind)
	f.Observe(next, "p", p)
	assert.Zero(t, f.RestTime(next, "p"))
	require.True(t, f.FinishStep(next, "p", step.ID, StepResult{Plan: Plan{Action: NoReply}}))
	assert.Equal(t, time.Second, f.RestTime(next, "p"))
	require.Equal(t, whyResting, f.Judge(next, "p").Why)
	require.Equal(t, whyFocused, f.Judge(next.Add(time.Second), "p").Why)
}

func TestFocus_CapacityOfOne(t *testing.T) {
	f := fixed(Options{GlobalState: GlobalStateOptions{Focused: 1}})
	excite(f, noon, "a")
	excite(f, noon, "b")
	for s := range 60 {
		f.Due(at(time.Duration(s) * time.Second))
		hold(t, f)
	}
	assert.Len(t, f.chats.byState[Focused], 1)
}

// Focused ends in Chatting with a chance of .5, and only with capacity.
func TestFocus_EndsInChattingByHalf(t *testing.T) {
	ended := func(chats int) (chat int) {
		for seed := range uint64(100) {
			f := fixed(Options{Attention: heartflow.Options{Seed: seed + 1}, GlobalState: GlobalStateOptions{Chats: chats}})
			f.Observe(noon, "other", heartflow.Message{From: "7", Text: "早"})
			f.Due(noon)
			require.Equal(t, Chatting, f.ChatState(noon, "other"))
			excite(f, noon, "g")
			f.Due(at(30 * time.Second))
			require.Equal(t, Focused, f.ChatState(noon, "g"))
			steps(f, at(30*time.Second), "g", ExitFocus)
			hold(t, f)
			chat += len(f.chats.byState[Chatting]) - 1
		}
		return chat
	}
	assert.InDelta(t, 50, ended(2), 15)
	assert.Zero(t, ended(1))
}

func TestFocus_Cooldown(t *testing.T) {
	f := fixed(Options{})
	excite(f, noon, "g")
	f.Due(at(30 * time.Second))
	steps(f, at(30*time.Second), "g", ExitFocus)
	for s := 30; s < 90; s++ {
		now := at(time.Duration(s) * time.Second)
		excite(f, now, "g")
		f.Due(now)
		require.NotEqual(t, Focused, f.ChatState(now, "g"), "%d s", s)
	}
	excite(f, at(90*time.Second), "g")
	f.Due(at(100 * time.Second))
	assert.Equal(t, Focused, f.ChatState(at(100*time.Second), "g"))
}
