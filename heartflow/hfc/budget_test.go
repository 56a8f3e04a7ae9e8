package hfc

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// kinds returns the kinds of questions and wanted turns that Due reports.
func kinds(list []Effect[string]) (some []EffectKind) {
	for _, e := range list {
		if e.Kind == QuestionAsked || e.Kind == TurnWanted {
			some = append(some, e.Kind)
		}
	}
	return some
}

// In quiet hours and from LevelNoJudge on, Due reports no question and no turn. Afterwards the turn is wanted again.
func TestDue_NothingInQuietHoursOrOverBudget(t *testing.T) {
	var q heartflow.Span
	require.NoError(t, q.UnmarshalText([]byte("12:00-13:00")))
	for _, c := range []struct {
		name  string
		quiet bool
		calls int
		want  bool
	}{{"full", false, 0, true}, {"saving", false, 5, true}, {"no_judge", false, 7, false}, {"off", false, 10, false}, {"quiet", true, 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			budget := must(heartflow.NewBudget(heartflow.BudgetOptions{HourCalls: 10}))
			o := Options{GlobalState: GlobalStateOptions{Fixed: FocusedChat}, Attention: heartflow.Options{Seed: 1, Budget: budget}}
			if c.quiet {
				o.Attention.QuietHours.Spans = []heartflow.Span{q}
			}
			f := newFlow[string](o)
			f.Observe(at(0), "ann", heartflow.Message{From: "ann", Text: "hello", Private: true})
			f.Observe(at(0), "group", heartflow.Message{From: "bob", Text: "hello"})
			require.Equal(t, Focused, f.ChatState(at(0), "ann"))
			for range c.calls {
				budget.AddCall(at(0), "", 0)
			}
			got := kinds(f.Due(at(time.Minute)))
			if c.want {
				assert.Equal(t, []EffectKind{QuestionAsked, TurnWanted}, got)
				return
			}
			assert.Empty(t, got)
			for _, again := range []time.Duration{61 * time.Minute, 62 * time.Minute} {
				f.Observe(at(again), "ann", heartflow.Message{From: "ann", Text: "hello", Private: true})
				got = append(got, kinds(f.Due(at(again+time.Minute)))...)
			}
			assert.Contains(t, got, TurnWanted, "an hour later")
		})
	}
}

// From LevelNoJudge on no chat becomes Focused, and a Focused one leaves as soon as its cycle is over. At LevelSaving
// focus goes on.
func TestFocus_NotOverBudget(t *testing.T) {
	begin := func(calls int) (*Flow[string], func(n int)) {
		budget := must(heartflow.NewBudget(heartflow.BudgetOptions{HourCalls: 10}))
		spend := func(n int) {
			for range n {
				budget.AddCall(at(0), "", 0)
			}
		}
		spend(calls)
		return fixed(Options{GlobalState: GlobalStateOptions{Fixed: FocusedChat}, Attention: heartflow.Options{Budget: budget}}), spend
	}
	for calls, want := range map[int]bool{0: true, 5: true, 7: false, 10: false} {
		f, _ := begin(calls)
		f.Observe(at(0), "ann", heartflow.Message{From: "ann", Text: "hello", Private: true})
		assert.Equal(t, want, f.ChatState(at(0), "ann") == Focused, "private, %d calls", calls)
		excite(f, at(0), "group")
		assert.Equal(t, want, f.ChatState(at(30*time.Second), "group") == Focused, "group, %d calls", calls)
	}

	f, spend := begin(6)
	f.Observe(at(0), "bob", heartflow.Message{From: "bob", Text: "hello", Private: true})
	require.NotEmpty(t, kinds(f.Due(at(31*time.Second))), "a turn that nobody begins")
	spend(1)
	f.Due(at(time.Minute))
	assert.Equal(t, Absent, f.ChatState(at(time.Minute), "bob"))

	f, spend = begin(6)
	f.Observe(at(0), "ann", heartflow.Message{ID: "1", From: "ann", Text: "hello", Private: true})
	require.Equal(t, heartflow.Ask, f.Judge(at(0), "ann").Do)
	spend(1)
	require.Equal(t, Focused, f.ChatState(at(time.Second), "ann"), "its turn has begun")
	require.Equal(t, 3, steps(f, at(2*time.Second), "ann", TextReply), "the cycle ends")
	assert.Equal(t, Absent, f.ChatState(at(3*time.Second), "ann"))
	assert.Empty(t, f.chats.byState[Focused])
	left := slices.ContainsFunc(f.Traces("ann"), func(tr heartflow.Trace) bool {
		return slices.Equal(tr.Why, []heartflow.Code{WhyAbsent, heartflow.WhyNoJudge})
	})
	assert.True(t, left, "the trace says why")
	hold(t, f)

	f.Observe(at(4*time.Second), "ann", heartflow.Message{ID: "2", From: "ann", Text: "hello?", Private: true})
	assert.Equal(t, heartflow.Ask, f.Judge(at(4*time.Second), "ann").Do, "who addresses the bot is answered")
	f.Observe(at(62*time.Minute), "ann", heartflow.Message{ID: "3", From: "ann", Text: "hello", Private: true})
	assert.Equal(t, Focused, f.ChatState(at(62*time.Minute), "ann"), "an hour later")
}
