package memory

import (
	"cmp"
	"math"
)

// A Feeling is what a being felt at what somebody said. Its value is how it moves the relation.
type Feeling string

// The feelings that move a relation. Any other leaves it as it is.
const (
	Happy     Feeling = "happy"     // +1.5
	Shy       Feeling = "shy"       // +2
	Surprised Feeling = "surprised" // +.6
	Calm      Feeling = "calm"      // +.3
	Puzzled   Feeling = "puzzled"   // +.5
	Angry     Feeling = "angry"     // −2
	Sad       Feeling = "sad"       // −.5
	Afraid    Feeling = "afraid"    // −1.5
	Disgusted Feeling = "disgusted" // −1
)

// feelings are how far each moves a relation.
var feelings = map[Feeling]float64{
	Happy: 1.5, Shy: 2, Surprised: .6, Calm: .3, Puzzled: .5, Angry: -2, Sad: -.5, Afraid: -1.5, Disgusted: -1,
}

// A Stance is how what somebody said stood to the being. The zero Stance is neutral.
type Stance int8

// The stances.
const (
	Against Stance = iota - 1 // it contradicts the being, or attacks it
	Neutral                   // neither
	For                       // it agrees with the being, or backs it
)

// A Interaction is what a relation is moved by.
type Interaction struct {
	Feeling Feeling
	Stance  Stance
	Mood    float64 // valence of the being's mood, −1 to 1: a good one makes good things count more and bad ones less, a bad one the reverse
}

const maxRelation = 1000

// relate is how far a moment moves a relation of this value, where so many in a row (this one not counted) moved it the same way and so
// many people of the space are liked very much, above 700. The formulas are those of MaiBot 0.6: what is far from zero moves further out less
// and less, and back more easily; few can be liked very much at a time. Below zero all is mirrored. What feeling and stance
// contradict moves nothing.
func relate(old float64, m Interaction, row, liked int) float64 {
	v := feelings[m.Feeling]
	if v > 0 && m.Stance == Against || v < 0 && m.Stance == For {
		return 0
	}
	if v*old >= 0 { // further out
		v *= math.Cos(math.Pi * old / (2 * maxRelation))
	} else {
		v *= math.Exp(math.Abs(old) / (2 * maxRelation))
	}
	if v > 0 && old > 700 {
		v *= 3 / (float64(max(liked, 1)) + 2) // they are one of those themselves
	} else if v > 0 && old > 500 {
		v *= 3 / (float64(liked) + 3)
	}
	v *= 1 + m.Mood*m.Mood*float64(cmp.Compare(v*m.Mood, 0))
	gains := [...]float64{1, 1, 1.1, 1.2, 1.4, 1.7, 1.9, 2}
	return v * gains[min(max(row, 0), len(gains)-1)]
}

// RelationLevel returns the relation as one of six levels, −2 (hostile) to 3 (very close). Strangers have 0.
func (who *Person) RelationLevel() int {
	level := -2
	for _, from := range [...]float64{-227, -73, 227, 587, 900} {
		if who.Relation >= from {
			level++
		}
	}
	return level
}
