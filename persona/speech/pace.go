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

// A Pace is how fast somebody types. The zero value is MaiBot's: .2 s for a Chinese character, .1 s for any other, at
// most 3 s for a message. qq-agent-mcp's is
//
//	speech.Pace{Han: 80 * time.Millisecond, Other: 80 * time.Millisecond, Min: 300 * time.Millisecond, Spread: .3}
type Pace struct {
	Han        time.Duration // for a Chinese character; 0 means 200 ms
	Other      time.Duration // for any other character; a composed one counts once; 0 means 100 ms
	Min, Max   time.Duration // for a message; Max: 0 means 3 s, negative none
	Arousal    float64       // of the mood, -1 to 1: speed goes by 1.5 to this power
	HurryAfter time.Duration // after thinking this long, a message takes 1 s at most; 0 means 10 s, negative never
	Jitter     float64       // a message may take so much longer or shorter, as a share; by Seed and text
	Seed       uint64
}

const (
	defaultHan      = 200 * time.Millisecond
	defaultOther    = 100 * time.Millisecond
	defaultMax      = 3 * time.Second
	defaultPatience = 10 * time.Second
	enter           = 300 * time.Millisecond // a single character takes three times as long, and the key to send it
	hurried         = time.Second
	picture         = time.Second
)

// TypingTime is how long typing this takes. A single Chinese character takes longer: it has to be found. "" is a picture, or
// a sticker, and takes a second.
func (p Pace) TypingTime(text string) time.Duration {
	if text == "" {
		return p.within(picture)
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
		d = 3*float64(han)/speed + float64(enter)
	}
	if p.Jitter > 0 {
		d *= 1 + p.Jitter*(2*draw(rand.NewPCG(p.Seed, hash(text)))-1)
	}
	if math.IsNaN(d) {
		d = 0
	}
	return p.within(time.Duration(min(d, float64(24*time.Hour))))
}

func (p Pace) within(d time.Duration) time.Duration {
	d = max(d, p.Min)
	if most := cmp.Or(p.Max, defaultMax); most > 0 {
		d = min(d, most)
	}
	return max(d, 0)
}

// Wait is how long to wait at now until a part may be sent: it is typed since the part before it was sent, at last, or,
// where it is the first (last is zero), since thinking began. So who has thought for long enough sends the first part at
// once. A clock that went back counts as no time spent.
func (p Pace) Wait(text string, began, last, now time.Time) time.Duration {
	d := p.TypingTime(text)
	now = now.Round(0)
	if patience := cmp.Or(p.HurryAfter, defaultPatience); patience > 0 && !began.IsZero() && now.Sub(began.Round(0)) > patience {
		d = min(d, hurried)
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
