package hfc

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func after(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }

func TestInterest_OverTime(t *testing.T) {
	var i interest
	assert.Zero(t, i.Level(noon))
	assert.Zero(t, i.Chance(noon))
	_, ok := i.Crosses(noon)
	assert.False(t, ok)

	i.Add(noon, 20) // up to the cap
	for _, at := range []struct{ s, level, chance float64 }{
		{-5, 15, 0},
		{0, 15, 0},
		{1, 14.7, .1},
		{5, 13.559, .5},
		{10, 12.256, 1},
		{34.309618, 7.5, 1},
		{60, 4.463, 1},
		{72.034, 3.5, 1},
		{75, 3.296, .703},
		{82.1, 2.856, 0},
		{1e6, 0, 0},
	} {
		assert.InDelta(t, at.level, i.Level(after(at.s)), .001, "level after %v s", at.s)
		assert.InDelta(t, at.chance, i.Chance(after(at.s)), .001, "chance after %v s", at.s)
	}
	assert.NotZero(t, i.Level(after(900)))
	assert.Zero(t, i.Level(after(1200)), "less than 1e-9 counts as 0")
	falls, ok := i.Crosses(after(3))
	require.True(t, ok)
	assert.InDelta(t, 72.034, falls.Sub(noon).Seconds(), .001)
	_, ok = i.Crosses(falls.Add(time.Millisecond))
	assert.False(t, ok)
}

// Less than .07 points a second never reach the threshold.
func TestInterest_MinimumRate(t *testing.T) {
	for rate, want := range map[float64]bool{.065: false, .075: true} {
		var i interest
		crossed := false
		for s := range 600 {
			i.Add(after(float64(s)), rate)
			_, above := i.Crosses(after(float64(s)))
			crossed = crossed || above
		}
		assert.Equal(t, want, crossed, "%v a second", rate)
		assert.InDelta(t, 50*rate, i.Level(after(599)), .01)
	}
}

// An earlier time counts as the time of the last message.
func TestInterest_EarlierTime(t *testing.T) {
	var i interest
	i.Add(after(60), 5)
	i.Add(noon, 5)
	assert.Equal(t, 10., i.Level(after(60)))
}

func TestInterest_Reset(t *testing.T) {
	var i interest
	i.Add(noon, 10)
	half := i
	half.Reset(after(5), false)
	assert.InDelta(t, 10*math.Pow(.98, 5)/2, half.Level(after(5)), 1e-6)
	assert.Zero(t, half.Chance(after(5)))
	i.Reset(after(5), true)
	assert.Zero(t, i.Level(after(5)))
	assert.Zero(t, i.Chance(after(6)))
}

// In HFC's loop the chance had no limit: after a minute above the threshold it was 6, so a minute without interest
// did not end it.
func TestInterest_ChanceLimited(t *testing.T) {
	var i interest
	for s := range 61 {
		i.Add(after(float64(s)), 15)
		require.LessOrEqual(t, i.Chance(after(float64(s))), 1.)
	}
	falls, _ := i.Crosses(after(60))
	assert.InDelta(t, 1, i.Chance(falls), 1e-6)
	assert.Zero(t, i.Chance(falls.Add(10*time.Second+time.Millisecond)))
}

func TestInterest_InvalidValues(t *testing.T) {
	var i interest
	for _, v := range []float64{0, -3, math.NaN(), math.Inf(-1)} {
		i.Add(noon, v)
		assert.Zero(t, i.Level(noon))
	}
	i.Add(noon, math.Inf(1))
	assert.Equal(t, 15., i.Level(noon))

	slow := newInterest(InterestOptions{HalfLife: math.MaxInt64, Threshold: 1e-300})
	slow.Add(noon, 15)
	at, ok := slow.Crosses(noon)
	assert.True(t, ok)
	assert.True(t, at.After(noon))

	for _, o := range []InterestOptions{{HalfLife: -1}, {Cap: -1}, {Threshold: math.NaN()}, {Rise: math.Inf(1)}} {
		assert.Error(t, o.validate())
	}
	assert.NoError(t, InterestOptions{}.validate())
}

// ticking is HFC's loop, with ticks of that many seconds and a limited chance.
type ticking struct{ tick, level, chance float64 }

func (i *ticking) step() {
	i.level *= math.Pow(.98, i.tick)
	if i.level >= 3.5 {
		i.chance = min(i.chance+.1*i.tick, 1)
	} else {
		i.chance = max(i.chance-.1*i.tick, 0)
	}
}

// The closed form equals the loop, up to two steps for each time that the level crosses the threshold.
func TestInterest_MatchesTicks(t *testing.T) {
	for _, tick := range []float64{1, .125} {
		dice := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			i, loop := interest{}, ticking{tick: tick}
			off, was := 0., false
			crossing := func() {
				if now := loop.level >= 3.5; now != was {
					was, off = now, off+.2*tick
				}
			}
			for n := range int(1200 / tick) {
				if at := after(float64(n-1) * tick); loop.chance == i.Chance(at) && (loop.chance == 0 || loop.chance == 1) {
					off = 0 // both agree again
				}
				at := after(float64(n) * tick)
				if n > 0 {
					loop.step()
					crossing()
				}
				if dice.Float64() < .05*tick {
					v := dice.Float64() * 6
					i.Add(at, v)
					loop.level = min(loop.level+v, 15)
				}
				crossing()
				if d := loop.level - i.Level(at); math.Abs(d) > 1e-6 {
					t.Fatalf("tick %v at %v: the level is off by %v", tick, at, d)
				}
				if d := loop.chance - i.Chance(at); math.Abs(d) > off+1e-6 {
					t.Fatalf("tick %v at %v: the chance is off by %v, more than %v", tick, at, d, off)
				}
			}
		}
	}
}

// With a draw each 5 s, a chat becomes Focused about 8 s after the threshold.
func TestInterest_TimeToFocus(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	var took []float64
	for range 20_000 {
		var i interest
		i.Add(noon, 15)
		at := dice.Float64() * 5
		for dice.Float64() >= i.Chance(after(at)) {
			at += 5
		}
		took = append(took, at)
	}
	slices.Sort(took)
	sum := 0.
	for _, s := range took {
		sum += s
	}
	assert.InDelta(t, 7.8, sum/float64(len(took)), .6)
	assert.InDelta(t, 12.8, took[len(took)*95/100], .6)
}

func TestInterest_JSON(t *testing.T) {
	i := newInterest(InterestOptions{Cap: 10, HalfLife: time.Minute})
	i.Add(noon, 8)
	i.Add(after(20.5), 1)
	b, err := json.Marshal(&i)
	require.NoError(t, err)
	j := newInterest(InterestOptions{Cap: 10, HalfLife: time.Minute})
	require.NoError(t, json.Unmarshal(b, &j))
	assert.Equal(t, i, j)
	for _, bad := range []string{`{"Level":-1}`, `{"Chance":2}`, `{"At":-1}`, `[]`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &j), bad)
		assert.Equal(t, i, j)
	}
}

// FuzzInterest checks the limits of level and chance. Reads change nothing, and the level falls below the threshold
// at the time from Crosses.
func FuzzInterest(f *testing.F) {
	f.Add([]byte{0, 200, 10, 30, 255, 1, 3, 90})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var i, looked interest
		now := noon
		for n := 0; n+1 < len(steps); n += 2 {
			now = now.Add(time.Duration(int8(steps[n])) * time.Second)
			v := float64(int8(steps[n+1])) / 8
			i.Add(now, v)
			looked.Level(now.Add(time.Hour))
			looked.Chance(now.Add(-time.Hour))
			looked.Add(now, v)
			require.Equal(t, i, looked)
			for _, d := range []time.Duration{-time.Minute, 0, time.Second, time.Minute, time.Hour} {
				level, chance := i.Level(now.Add(d)), i.Chance(now.Add(d))
				require.True(t, level >= 0 && level <= 15 && chance >= 0 && chance <= 1, "%v %v", level, chance)
			}
			if falls, ok := i.Crosses(now); ok {
				require.GreaterOrEqual(t, i.Level(falls.Add(-time.Millisecond)), 3.5)
				require.Less(t, i.Level(falls.Add(time.Millisecond)), 3.5)
			} else {
				require.Less(t, i.Level(now), 3.5)
			}
		}
	})
}

// BenchmarkInterest adds a message after ten quiet minutes and reads the chance: in closed form, and with a tick each
// second.
func BenchmarkInterest(b *testing.B) {
	b.Run("closed", func(b *testing.B) {
		var i interest
		now := noon
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(10 * time.Minute)
			i.Add(now, 4)
			i.Chance(now)
		}
	})
	b.Run("ticks", func(b *testing.B) {
		i := ticking{tick: 1}
		b.ReportAllocs()
		for b.Loop() {
			for range 600 {
				i.step()
			}
			i.level = min(i.level+4, 15)
		}
	})
}
