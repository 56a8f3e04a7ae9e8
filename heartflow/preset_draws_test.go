package heartflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawer draws three numbers in each judgement.
type drawer struct{ drawn [][3]float64 }

func (d *drawer) Judge(m *PolicyInput) Verdict {
	d.drawn = append(d.drawn, [3]float64{m.Draw(), m.Draw(), m.Draw()})
	return Verdict{}
}

// Preset numbers are drawn once, in the next judgement of their chat, and the generator of the chat goes on as without them.
func TestPresetDraws(t *testing.T) {
	preset, plain := &drawer{}, &drawer{}
	for _, p := range []*drawer{preset, plain} {
		a := newAttention[int](Options{Policy: p, Seed: 7})
		judge := func(chat int) {
			a.Observe(t0, chat, Message{Text: "嗯"})
			a.Judge(t0, chat)
		}
		judge(1)
		if p == preset {
			PresetDraws(a, 1, .25, .5)
			PresetDraws(a, 3, .75)
			before, err := a.Snapshot()
			require.NoError(t, err)
			assert.NotContains(t, string(before), "0.25")
		}
		judge(2)
		a.BeginTurn(t0, 1, "timer") // calls no policy
		judge(1)
		judge(1)
	}
	require.Len(t, plain.drawn, 4)
	assert.Equal(t, plain.drawn[0], preset.drawn[0])
	assert.Equal(t, plain.drawn[1], preset.drawn[1], "another chat")
	assert.Equal(t, [3]float64{.25, .5, plain.drawn[2][0]}, preset.drawn[2])
	assert.NotEqual(t, plain.drawn[2], preset.drawn[2])
	assert.Equal(t, plain.drawn[3], preset.drawn[3], "they are used up")
}

// A recorded draw gives the same verdict again.
func TestPresetDraws_RepeatsAVerdict(t *testing.T) {
	judge := func(seed uint64, draws ...float64) Trace {
		var last Trace
		a := newAttention[int](Options{Policy: Interject{Base: .5}, Seed: seed, OnTrace: func(t Trace) {
			if t.Kind == KindJudge {
				last = t
			}
		}})
		a.Observe(t0, 1, Message{Text: "在吗", AtMe: true})
		a.Judge(t0, 1)
		require.NoError(t, a.Speak(t0, 1, "在"))
		a.Observe(t0.Add(time.Second), 1, Message{Text: "哦"})
		if len(draws) > 0 {
			PresetDraws(a, 1, draws...)
		}
		a.Judge(t0.Add(2*time.Second), 1)
		return last
	}
	outcomes := map[Decision]bool{}
	for seed := range uint64(50) {
		first := judge(seed + 1)
		again := judge(seed+1000, first.Gates[len(first.Gates)-1].Draw)
		assert.Equal(t, first.String(), again.String())
		outcomes[first.Do] = true
	}
	assert.Len(t, outcomes, 2, "both happened")
}

func TestBudget_Options(t *testing.T) {
	b, err := NewBudget(BudgetOptions{HourTokens: 7, PerChat: Limits{DayTokens: 3}})
	require.NoError(t, err)
	assert.Equal(t, BudgetOptions{HourTokens: 7, DayTokens: DefaultDayTokens, PerChat: Limits{DayTokens: 3}, SavingFrom: .5, NoJudgeFrom: .7, MentionsOnlyFrom: .9}, b.Options())
}
