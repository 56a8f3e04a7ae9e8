package speech

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Pace is a typing speed. The zero value is that of MaiBot: .2 s for a Chinese character, .1 s for any other, at most 3 s
// for a message. The speed of qq-agent-mcp is
//
//	speech.Pace{Han: 80 * time.Millisecond, Other: 80 * time.Millisecond, Min: 300 * time.Millisecond, Jitter: .3}
type Pace struct {
	Han        time.Duration // for a Chinese character; 0 means 200 ms
	Other      time.Duration // for any other character, with its combining runes; 0 means 100 ms
	Min, Max   time.Duration // limits for a message; Max: 0 means 3 s, negative none
	Arousal    float64       // of the mood, -1 to 1; multiplies the speed by 1.5 to this power
	HurryAfter time.Duration // if the reply took longer than this so far, a message takes at most 1 s; 0 means 10 s, negative never
	Jitter     float64       // random variation of the time, as a share of it; depends on Seed and text
	Seed       uint64
}

const (
	defaultHan        = 200 * time.Millisecond
	defaultOther      = 100 * time.Millisecond
	defaultMax        = 3 * time.Second
	defaultHurryAfter = 10 * time.Second
	singleCharExtra   = 300 * time.Millisecond // a single character takes three times as long, plus this
	hurriedMax        = time.Second
	pictureTime       = time.Second
)

// TypingTime returns the time to type text. A single Chinese character takes longer than its share of a text. The empty text
// stands for a picture or sticker and takes a second.
func (p Pace) TypingTime(text string) time.Duration {
	if text == "" {
		return p.clamp(pictureTime)
	}
	han, other := cmp.Or(p.Han, defaultHan), cmp.Or(p.Other, defaultOther)
	hans, others, bound := 0, 0, false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			hans++
		case r == joiner || extends(r) || bound:
		default:
			others++
		}
		bound = r == joiner
	}
	speed := math.Pow(1.5, min(max(p.Arousal, -1), 1))
	d := (float64(hans)*float64(han) + float64(others)*float64(other)) / speed
	if alone := strings.TrimSpace(text); hans == 1 && utf8.RuneCountInString(alone) == 1 {
		d = 3*float64(han)/speed + float64(singleCharExtra)
	}
	if p.Jitter > 0 {
		d *= 1 + p.Jitter*(2*randomFloat(rand.NewPCG(p.Seed, hash(text)))-1)
	}
	if math.IsNaN(d) {
		d = 0
	}
	return p.clamp(time.Duration(min(d, float64(24*time.Hour))))
}

func (p Pace) clamp(d time.Duration) time.Duration {
	d = max(d, p.Min)
	if longest := cmp.Or(p.Max, defaultMax); longest > 0 {
		d = min(d, longest)
	}
	return max(d, 0)
}

// Wait returns the delay from now until a part may be sent. Typing starts at last, the time at which the previous part was
// sent. For the first part last is zero, and typing starts at began, the start of the model call. So a reply that took the
// model long is sent without delay. If the clock went back, no time has passed.
func (p Pace) Wait(text string, began, last, now time.Time) time.Duration {
	d := p.TypingTime(text)
	now = now.Round(0)
	if limit := cmp.Or(p.HurryAfter, defaultHurryAfter); limit > 0 && !began.IsZero() && now.Sub(began.Round(0)) > limit {
		d = min(d, hurriedMax)
	}
	since := last
	if since.IsZero() {
		since = began
	}
	if since.IsZero() {
		return d
	}
	return max(d-max(now.Sub(since.Round(0)), 0), 0)
}
