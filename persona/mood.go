package persona

import (
	"cmp"
	"math"
	"time"
)

// A Mood is the bot's mood as valence and arousal. Feelings change it, and it decays to neutral over time. The zero
// Mood is neutral.
//
// The constants are those of MaiBot 0.6, but the decay is counted in minutes. MaiBot counts it in seconds, and a mood
// is gone before the next message.
type Mood struct {
	Valence float64   // from −1 (bad) to 1 (good)
	Arousal float64   // from −1 (tired) to 1 (excited)
	At      time.Time // time of the last update
}

// MoodOptions set the decay of a mood. The zero value is an average personality. A trait of .5 or −.5 changes the decay
// rate by 20 %.
type MoodOptions struct {
	Decay         float64 // rate per minute; 0 means .05, a half-life of 14 minutes; negative means no decay
	Agreeableness float64 // from −.5 to .5; a higher value slows the decay of a good mood and speeds up a bad one's
	Neuroticism   float64 // from −.5 to .5; a higher value speeds up the decay of arousal
}

// A moodDelta is the change of a mood by one feeling.
type moodDelta struct{ valence, arousal float64 }

func deltaOf(feeling string) moodDelta {
	switch feeling {
	case "happy":
		return moodDelta{.21, .6}
	case "shy":
		return moodDelta{.15, .2}
	case "angry":
		return moodDelta{-.24, .8}
	case "afraid":
		return moodDelta{-.21, .7}
	case "sad":
		return moodDelta{-.21, .3}
	case "disgusted":
		return moodDelta{-.12, .4}
	case "surprised":
		return moodDelta{.06, .7}
	case "puzzled":
		return moodDelta{0, .6}
	case "calm":
		return moodDelta{.03, .5}
	}
	return moodDelta{}
}

// DecayTo returns the mood at now, after its decay. If the clock went back, the mood does not change.
func (m Mood) DecayTo(now time.Time, o MoodOptions) Mood {
	minutes := now.Sub(m.At).Minutes()
	if m.At.IsZero() || minutes < 0 {
		minutes = 0
	}
	if m.At.Before(now) {
		m.At = now
	}
	decay := max(cmp.Or(o.Decay, .05), 0) * minutes
	agreeable, neurotic := decayFactor(o.Agreeableness), decayFactor(o.Neuroticism)
	if m.Valence >= 0 {
		agreeable = 1 / agreeable
	}
	m.Valence *= math.Exp(-decay * agreeable)
	m.Arousal *= math.Exp(-decay * neurotic)
	return m
}

func decayFactor(trait float64) float64 { return 1 + .4*min(max(trait, -.5), .5) }

// Apply returns the mood at now after a feeling. The feelings are those of prompt.ParsePeopleUpdate. Other words change
// nothing.
func (m Mood) Apply(now time.Time, feeling string, o MoodOptions) Mood {
	m = m.DecayTo(now, o)
	p := deltaOf(feeling)
	m.Valence = min(max(m.Valence+p.valence, -1), 1)
	m.Arousal = min(max(m.Arousal+p.arousal, -1), 1)
	return m
}

// Text returns one or two Chinese words for the mood. It picks the nearest of twelve points.
func (m Mood) Text() string {
	points := [...]struct {
		valence, arousal float64
		text             string
	}{
		{.5, .4, "兴奋"}, {.3, .6, "快活"}, {.2, .3, "满足"}, {-.5, .4, "生气"}, {-.3, .6, "焦虑"}, {-.2, .3, "烦躁"},
		{-.5, -.4, "难过"}, {-.3, -.3, "疲惫"}, {-.4, -.7, "消沉"}, {.2, -.1, "平静"}, {.3, -.2, "安心"}, {.5, -.4, "放松"},
	}
	best, least := "", math.Inf(1)
	for _, p := range points {
		if d := math.Hypot(m.Valence-p.valence, m.Arousal-p.arousal); d < least {
			best, least = p.text, d
		}
	}
	return best
}

// IsNeutral reports whether the mood is too weak to mention.
func (m Mood) IsNeutral() bool { return math.Hypot(m.Valence, m.Arousal) < .1 }
