package persona

import (
	"cmp"
	"math"
	"time"
)

// A Mood is the mood of a being as two numbers, which feelings push about and time brings back. The zero Temper is
// calm. It is a value: keep it where you like.
//
// The constants are MaiBot's of 0.6, with its decay counted in minutes. There it is seconds, after which a mood would be over
// before the next message.
type Mood struct {
	Valence float64   // from −1, bad, to 1, good
	Arousal float64   // from −1, weary, to 1, excited
	At      time.Time // when that was so
}

// MoodOptions are whose mood it is. The zero value is of somebody in the middle.
type MoodOptions struct {
	Decay float64 // of a mood in a minute; 0 means .05, half of it in 14 minutes; negative none
	// What differs from the middle by .5 changes by a fifth how soon a mood passes.
	Agreeableness float64 // from −.5 to .5: a good mood lasts longer, a bad one less long
	Neuroticism   float64 // from −.5 to .5: excitement passes sooner
}

// A push is what a feeling does to a mood.
type push struct{ valence, arousal float64 }

func pushOf(feeling string) push {
	switch feeling {
	case "happy":
		return push{.21, .6}
	case "shy":
		return push{.15, .2}
	case "angry":
		return push{-.24, .8}
	case "afraid":
		return push{-.21, .7}
	case "sad":
		return push{-.21, .3}
	case "disgusted":
		return push{-.12, .4}
	case "surprised":
		return push{.06, .7}
	case "puzzled":
		return push{0, .6}
	case "calm":
		return push{.03, .5}
	}
	return push{}
}

// DecayTo is what is left of a mood at now. A clock that goes back changes nothing.
func (t Mood) DecayTo(now time.Time, o MoodOptions) Mood {
	minutes := now.Sub(t.At).Minutes()
	if t.At.IsZero() || minutes < 0 {
		minutes = 0
	}
	if t.At.Before(now) {
		t.At = now
	}
	decay := max(cmp.Or(o.Decay, .05), 0) * minutes
	agreeable, neurotic := factor(o.Agreeableness), factor(o.Neuroticism)
	if t.Valence >= 0 {
		agreeable = 1 / agreeable
	}
	t.Valence *= math.Exp(-decay * agreeable)
	t.Arousal *= math.Exp(-decay * neurotic)
	return t
}

func factor(trait float64) float64 { return 1 + .4*min(max(trait, -.5), .5) }

// Apply is the mood after a feeling at now: a word that [Profile.ParseRegard] gives. Another word changes nothing.
func (t Mood) Apply(now time.Time, feeling string, o MoodOptions) Mood {
	t = t.DecayTo(now, o)
	p := pushOf(feeling)
	t.Valence = min(max(t.Valence+p.valence, -1), 1)
	t.Arousal = min(max(t.Arousal+p.arousal, -1), 1)
	return t
}

// Text is the mood in a word or two, that of the nearest of twelve points.
func (t Mood) Text() string {
	points := [...]struct {
		valence, arousal float64
		text             string
	}{
		{.5, .4, "兴奋"}, {.3, .6, "快活"}, {.2, .3, "满足"}, {-.5, .4, "生气"}, {-.3, .6, "焦虑"}, {-.2, .3, "烦躁"},
		{-.5, -.4, "难过"}, {-.3, -.3, "疲惫"}, {-.4, -.7, "消沉"}, {.2, -.1, "平静"}, {.3, -.2, "安心"}, {.5, -.4, "放松"},
	}
	best, least := "", math.Inf(1)
	for _, p := range points {
		if d := math.Hypot(t.Valence-p.valence, t.Arousal-p.arousal); d < least {
			best, least = p.text, d
		}
	}
	return best
}

// IsNeutral reports that a mood is too weak to tell of.
func (t Mood) IsNeutral() bool { return math.Hypot(t.Valence, t.Arousal) < .1 }
