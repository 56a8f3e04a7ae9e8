package persona_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/stretchr/testify/assert"
)

func TestMood_AppliesFeelings(t *testing.T) {
	for feeling, want := range map[string]struct {
		valence, arousal float64
		text             string
	}{
		"happy": {.21, .6, "快活"}, "shy": {.15, .2, "满足"}, "angry": {-.24, .8, "焦虑"}, "afraid": {-.21, .7, "焦虑"}, "sad": {-.21, .3, "烦躁"},
		"disgusted": {-.12, .4, "烦躁"}, "surprised": {.06, .7, "快活"}, "puzzled": {0, .6, "快活"}, "calm": {.03, .5, "满足"}, "": {0, 0, "平静"}, "hungry": {0, 0, "平静"},
	} {
		got := persona.Mood{}.Apply(statetest.T0, feeling, persona.MoodOptions{})
		assert.Equal(t, persona.Mood{Valence: want.valence, Arousal: want.arousal, At: statetest.T0}, got, feeling)
		assert.Equal(t, want.text, got.Text(), feeling)
		assert.Equal(t, want.valence == 0 && want.arousal == 0, got.IsNeutral(), feeling)
	}
	var mood persona.Mood
	for range 9 {
		mood = mood.Apply(statetest.T0, "angry", persona.MoodOptions{})
	}
	assert.Equal(t, [2]float64{-1, 1}, [2]float64{mood.Valence, mood.Arousal})
	assert.Equal(t, "生气", mood.Text())
}

func TestMood_Decays(t *testing.T) {
	good, bad := persona.Mood{.8, .8, statetest.T0}, persona.Mood{-.8, .8, statetest.T0}
	at := statetest.T0.Add(10 * time.Minute)
	for name, c := range map[string]struct {
		o               persona.MoodOptions
		good, bad, wild float64 // the remaining share after ten minutes
	}{
		"middle":     {persona.MoodOptions{}, math.Exp(-.5), math.Exp(-.5), math.Exp(-.5)},
		"agreeable":  {persona.MoodOptions{Agreeableness: .5}, math.Exp(-.5 / 1.2), math.Exp(-.5 * 1.2), math.Exp(-.5)},
		"contrary":   {persona.MoodOptions{Agreeableness: -9}, math.Exp(-.5 / .8), math.Exp(-.5 * .8), math.Exp(-.5)},
		"neurotic":   {persona.MoodOptions{Neuroticism: .5}, math.Exp(-.5), math.Exp(-.5), math.Exp(-.5 * 1.2)},
		"never":      {persona.MoodOptions{Decay: -1}, 1, 1, 1},
		"soon":       {persona.MoodOptions{Decay: 1}, math.Exp(-10), math.Exp(-10), math.Exp(-10)},
		"unsettling": {persona.MoodOptions{Neuroticism: -.5}, math.Exp(-.5), math.Exp(-.5), math.Exp(-.5 * .8)},
	} {
		assert.InDelta(t, .8*c.good, good.DecayTo(at, c.o).Valence, 1e-12, name)
		assert.InDelta(t, -.8*c.bad, bad.DecayTo(at, c.o).Valence, 1e-12, name)
		assert.InDelta(t, .8*c.wild, good.DecayTo(at, c.o).Arousal, 1e-12, name)
	}
	assert.Equal(t, good, good.DecayTo(statetest.T0.Add(-time.Hour), persona.MoodOptions{}), "a clock that goes back")
	assert.True(t, good.DecayTo(statetest.T0.Add(time.Hour), persona.MoodOptions{}).IsNeutral())

	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 { // two steps give the same mood as one
		o := persona.MoodOptions{Agreeableness: r.Float64() - .5, Neuroticism: r.Float64() - .5}
		m := persona.Mood{2*r.Float64() - 1, 2*r.Float64() - 1, statetest.T0}
		mid := statetest.T0.Add(time.Duration(r.Int64N(int64(time.Hour))))
		end := mid.Add(time.Duration(r.Int64N(int64(time.Hour))))
		once, twice := m.DecayTo(end, o), m.DecayTo(mid, o).DecayTo(end, o)
		assert.InDelta(t, once.Valence, twice.Valence, 1e-12)
		assert.InDelta(t, once.Arousal, twice.Arousal, 1e-12)
		assert.Equal(t, once.At, twice.At)
	}
}
