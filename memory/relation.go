package memory

import (
	"cmp"
	"math"
)

// A Feeling is the bot's emotional reaction to a message. It determines the change of the relation.
type Feeling string

// Feelings that change a relation. All others do not.
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

// feelingSteps are the changes of the relation.
var feelingSteps = map[Feeling]float64{
	Happy: 1.5, Shy: 2, Surprised: .6, Calm: .3, Puzzled: .5, Angry: -2, Sad: -.5, Afraid: -1.5, Disgusted: -1,
}

// A Stance is the attitude of a message towards the bot. The zero Stance is neutral.
type Stance int8

// Stances.
const (
	Against Stance = iota - 1 // contradicts or attacks the bot
	Neutral                   // neither
	For                       // agrees with or supports the bot
)

// An Interaction is the input for a change of a relation.
type Interaction struct {
	Feeling Feeling
	Stance  Stance
	Mood    float64 // valence of the bot's mood, −1 to 1: a good mood amplifies positive changes and weakens negative ones; a bad mood does the reverse
}

const maxRelation = 1000

// relationStep returns the change of a relation. row is the number of previous consecutive changes in the same
// direction. liked is the number of people in the space with a relation above 700.
//
// The formulas are those of MaiBot 0.6. The further a relation is from zero, the less it grows and the more easily it
// returns. Only a few people can have a very good relation at the same time. Negative relations are symmetric. If
// feeling and stance contradict each other, the step is 0.
func relationStep(old float64, m Interaction, row, liked int) float64 {
	v := feelingSteps[m.Feeling]
	if v > 0 && m.Stance == Against || v < 0 && m.Stance == For {
		return 0
	}
	if v*old >= 0 { // away from zero
		v *= math.Cos(math.Pi * old / (2 * maxRelation))
	} else {
		v *= math.Exp(math.Abs(old) / (2 * maxRelation))
	}
	if v > 0 && old > 700 {
		v *= 3 / (float64(max(liked, 1)) + 2) // liked includes this person
	} else if v > 0 && old > 500 {
		v *= 3 / (float64(liked) + 3)
	}
	v *= 1 + m.Mood*m.Mood*float64(cmp.Compare(v*m.Mood, 0))
	gains := [...]float64{1, 1, 1.1, 1.2, 1.4, 1.7, 1.9, 2}
	return v * gains[min(max(row, 0), len(gains)-1)]
}

// RelationLevel returns the relation as one of six levels, −2 (hostile) to 3 (very close). Strangers have 0.
func (person *Person) RelationLevel() int {
	level := -2
	for _, from := range [...]float64{-227, -73, 227, 587, 900} {
		if person.Relation >= from {
			level++
		}
	}
	return level
}
