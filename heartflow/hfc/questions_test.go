package hfc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// A chat is removed during an open question and an open step, and created again, also with a restart. Late answers
// for the old chat are refused.
func TestForget_LateAnswersRefused(t *testing.T) {
	for _, restart := range []bool{false, true} {
		o := Options{GlobalState: GlobalStateOptions{Fixed: NormalChat}, Attention: heartflow.Options{Seed: 1}}
		f := newFlow[string](o)
		forget := func(chat string) {
			f.Forget(chat)
			if restart {
				saved, err := f.Snapshot()
				require.NoError(t, err)
				f = newFlow[string](o)
				require.NoError(t, f.Restore(saved))
			}
		}
		question := func(now time.Time) Question {
			f.Observe(now, "group", heartflow.Message{From: "ann", Text: "hello"})
			for _, e := range f.Due(now.Add(time.Minute)) {
				if e.Kind == QuestionAsked {
					return e.Question
				}
			}
			require.Fail(t, "no question was asked")
			return Question{}
		}
		late := question(at(0))
		forget("group")
		fresh := question(at(time.Minute))
		now := at(2 * time.Minute)
		assert.False(t, f.AnswerQuestion(now, "group", late.ID, true))
		assert.Equal(t, Absent, f.ChatState(now, "group"))
		assert.True(t, f.AnswerQuestion(now, "group", fresh.ID, true))

		step := func() Step {
			f.Observe(now, "ann", heartflow.Message{From: "ann", Text: "hello", Private: true})
			s, ok := f.NextStep(now, "ann")
			require.True(t, ok)
			return s
		}
		old := step()
		forget("ann")
		next := step()
		assert.False(t, f.FinishStep(now, "ann", old.ID, StepResult{Thought: "old"}))
		assert.True(t, f.FinishStep(now, "ann", next.ID, StepResult{Thought: "new"}))
	}
}

// A chat over its own limits gets no question.
func TestQuestion_ChatLimits(t *testing.T) {
	for _, limit := range []int{0, 1} {
		asked := 0
		budget := must(heartflow.NewBudget(heartflow.BudgetOptions{}))
		f := fixed(Options{
			Attention:      heartflow.Options{Budget: budget},
			AnswerQuestion: func(Question) bool { asked++; return false },
		})
		require.NoError(t, f.Configure("group", Settings{Settings: heartflow.Settings{Limits: &heartflow.Limits{HourCalls: limit}}}))
		budget.AddCall(at(0), "group", 10)
		f.Observe(at(0), "group", heartflow.Message{From: "ann", Text: "hello"})
		f.Due(at(time.Minute))
		assert.Equal(t, 1-limit, asked, "limit %d", limit)
	}
}

// A question about Focused is dropped if another chat fills the capacity first.
func TestQuestion_NoCapacity(t *testing.T) {
	for _, full := range []bool{false, true} {
		asked := 0
		f := fixed(Options{
			GlobalState: GlobalStateOptions{Fixed: Peeking}, AskFocus: true,
			MessageInterest: func(string, heartflow.Message, bool) float64 { return 15 },
			AnswerQuestion: func(q Question) bool {
				if q.To == Focused {
					asked++
				}
				return false
			},
		})
		f.Observe(at(0), "group", heartflow.Message{From: "ann", Text: "hello"})
		f.GlobalState(at(30 * time.Second))
		if full {
			f.Observe(at(31*time.Second), "bob", heartflow.Message{From: "bob", Text: "hello", Private: true})
			require.Equal(t, Focused, f.ChatState(at(31*time.Second), "bob"))
		}
		f.Due(at(31 * time.Second))
		assert.Equal(t, !full, asked > 0, "full %v", full)
	}
}

// A mute withdraws the open question of its chat.
func TestMute_WithdrawsQuestion(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: NormalChat}, Attention: heartflow.Options{Seed: 1}})
	f.Observe(at(0), "group", heartflow.Message{From: "ann", Text: "hello"})
	asked := f.Due(at(time.Minute))
	q := asked[len(asked)-1].Question
	require.NotZero(t, q.ID)
	now := at(time.Minute + time.Second)
	f.Mute(now, "group", time.Time{})
	f.Unmute(now, "group")
	assert.False(t, f.AnswerQuestion(now, "group", q.ID, true))
	assert.Equal(t, Absent, f.ChatState(now, "group"))
}
