package speech

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const ms = time.Millisecond

func TestPace_TypingTime(t *testing.T) {
	for _, v := range []struct {
		text string
		pace Pace
		want time.Duration
	}{
		{"你好呀", Pace{}, 600 * ms},
		{"ok你好。", Pace{}, 700 * ms},
		{"好", Pace{}, 900 * ms},
		{" 好\n", Pace{}, 900 * ms},
		{"好。", Pace{}, 300 * ms},
		{"a", Pace{}, 100 * ms},
		{"", Pace{}, time.Second},
		{"👨‍👩‍👧‍👦", Pace{}, 100 * ms},
		{"e\u0301👍🏽", Pace{}, 200 * ms},
		{"一二三四五六七八九十一二三四五六", Pace{}, 3 * time.Second},
		{"一二三四五六七八九十一二三四五六", Pace{Max: -1}, 3200 * ms},
		{"你好呀", Pace{Arousal: 1}, 400 * ms},
		{"你好呀", Pace{Arousal: -1}, 900 * ms},
		{"你好呀", Pace{Arousal: 100}, 400 * ms},
		{"好", Pace{Arousal: 1}, 700 * ms},
		{"好", Pace{Han: 80 * ms, Min: 300 * ms}, 540 * ms},
		{"嗯a", Pace{Han: 80 * ms, Other: 80 * ms, Min: 300 * ms}, 300 * ms},
		{"你好呀", Pace{Han: math.MaxInt64}, 3 * time.Second},
		{"你好呀", Pace{Han: -time.Second}, 0},
		{"你好呀", Pace{Arousal: math.NaN()}, 0},
	} {
		assert.InDelta(t, v.want, v.pace.TypingTime(v.text), 1e3, "%q %+v", v.text, v.pace)
	}
	low, high := time.Hour, time.Duration(0)
	for seed := range uint64(500) {
		p := Pace{Jitter: .3, Seed: seed}
		d := p.TypingTime("一二三四五")
		assert.Equal(t, d, p.TypingTime("一二三四五"))
		low, high = min(low, d), max(high, d)
	}
	assert.InDelta(t, 700*ms, low, float64(10*ms))
	assert.InDelta(t, 1300*ms, high, float64(10*ms))
}

func TestPace_Wait(t *testing.T) {
	t0 := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return t0.Add(d) }
	five := "一二三四五" // a second
	for _, v := range []struct {
		what             string
		began, last, now time.Time
		pace             Pace
		want             time.Duration
	}{
		{"nothing is known", time.Time{}, time.Time{}, t0, Pace{}, time.Second},
		{"thought for a while", t0, time.Time{}, at(400 * ms), Pace{}, 600 * ms},
		{"thought for long enough", t0, time.Time{}, at(5 * time.Second), Pace{}, 0},
		{"the next part", t0, at(5 * time.Second), at(5 * time.Second), Pace{}, time.Second},
		{"the next part, kept by a limiter", t0, at(5 * time.Second), at(5800 * ms), Pace{}, 200 * ms},
		{"late, so in a hurry", t0, at(11 * time.Second), at(11 * time.Second), Pace{Han: 500 * ms}, time.Second},
		{"not late yet", t0, at(10 * time.Second), at(10 * time.Second), Pace{Han: 500 * ms}, 2500 * ms},
		{"never in a hurry", t0, at(11 * time.Second), at(11 * time.Second), Pace{Han: 500 * ms, HurryAfter: -1}, 2500 * ms},
		{"the clock went back", t0, time.Time{}, at(-time.Hour), Pace{}, time.Second},
		{"the clock went back between parts", t0, at(time.Second), t0, Pace{}, time.Second},
	} {
		assert.Equal(t, v.want, v.pace.Wait(five, v.began, v.last, v.now), v.what)
	}
}
