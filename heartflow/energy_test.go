package heartflow

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Energy equals a model that steps second by second, with restarts and reads in between.
func TestEnergy_MatchesNaiveModel(t *testing.T) {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		e := Energy{ReplyCost: .1 + r.Float64()/3, SilenceGain: r.Float64() / 20, MinuteGain: r.Float64() / 200, DayGain: r.Float64() / 4, Min: r.Float64()/4 - .05}
		o := Options{Policy: eager{}, Energy: e, Caps: Caps{Replies: 1000, Interjections: 1000, Consecutive: 1 << 30}, Seed: 1}
		a := newAttention[int](o)
		now, energy, low := t0.In(shanghai), 1., 1.
		floor := max(e.Min, 0)
		require.InDelta(t, 1, a.Energy(now, 1), 0)
		for range 300 {
			for range 1 + r.IntN(1200) {
				before := now
				now = now.Add(time.Second)
				energy = min(energy+e.MinuteGain/60, 1)
				if now.Day() != before.Day() {
					energy = min(energy+e.DayGain, 1)
				}
			}
			require.InDelta(t, energy, a.Energy(now, 1), 1e-9, "seed %d at %v", seed, now)
			switch r.IntN(5) {
			case 0:
				a.Mute(now, 1, now.Add(time.Nanosecond))
				a.Observe(now, 1, Message{})
				a.Judge(now, 1)
				energy = min(energy+e.SilenceGain, 1)
			case 1:
				s, err := a.SnapshotWithoutMessages()
				require.NoError(t, err)
				a = newAttention[int](o)
				require.NoError(t, a.Restore(s))
			default:
				a.Judge(now, 1)
				require.NoError(t, a.Speak(now, 1, "嗯"))
				require.NoError(t, a.Speak(now, 1, "嗯嗯"), "in the same turn")
				energy = max(energy-e.ReplyCost, floor)
			}
			low = min(low, energy)
		}
		assert.Less(t, low, .9)
	}
}

// A negative cost counts as 0, so energy never changes.
func TestEnergy_NegativeCost(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}, Energy: Energy{ReplyCost: -1}})
	a.Judge(t0, 1)
	require.NoError(t, a.Speak(t0, 1, "嗯"))
	assert.InDelta(t, 1, a.Energy(t0, 1), 0)
	assert.Zero(t, a.chats[1].Fatigue)
}

func TestEnergy_PerChat(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}})
	a.Judge(t0, 1)
	require.NoError(t, a.Speak(t0, 1, "嗯"))
	require.NoError(t, a.Speak(t0, 1, "嗯", "owner"))
	assert.InDelta(t, .8, a.Energy(t0, 1), 1e-9)
	assert.InDelta(t, 1, a.Energy(t0, 2), 0)
	assert.InDelta(t, .8, a.Energy(t0.Add(-time.Hour), 1), 1e-9, "an earlier time counts as the latest one")
	require.NoError(t, a.Configure(1, Settings{Energy: Energy{Min: .95}}))
	assert.InDelta(t, .95, a.Energy(t0, 1), 1e-9, "the new minimum applies at once")
}

func TestMood_Clamped(t *testing.T) {
	var got []float64
	a := newAttention[int](Options{Policy: prober{func(m *PolicyInput) Verdict { got = append(got, m.Mood); return Verdict{} }}})
	for _, mood := range []float64{0, .5, 2, -7, math.NaN(), math.Inf(-1)} {
		a.SetMood(mood)
		a.Judge(t0, 1)
	}
	assert.Equal(t, []float64{0, .5, 1, -1, 0, -1}, got)
	a.SetChatMood(1, .75)
	s, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)
	require.NoError(t, a.Restore(s))
	a.Judge(t0, 1)
	a.Judge(t0, 2)
	assert.Equal(t, []float64{-.25, -1}, got[6:])
}
