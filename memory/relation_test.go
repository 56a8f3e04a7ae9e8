package memory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRelationStep_Formulas compares with values computed by hand.
func TestRelationStep_Formulas(t *testing.T) {
	for _, c := range []struct {
		name  string
		old   float64
		m     Interaction
		row   int
		liked int
		want  float64
	}{
		{"happy at zero", 0, Interaction{Feeling: Happy}, 0, 0, 1.5},
		{"angry at zero", 0, Interaction{Feeling: Angry}, 0, 0, -2},
		{"unknown feeling", 0, Interaction{Feeling: "bored"}, 0, 0, 0},
		{"happy against", 0, Interaction{Feeling: Happy, Stance: Against}, 0, 0, 0},
		{"angry for", 300, Interaction{Feeling: Angry, Stance: For}, 0, 0, 0},
		{"angry against", 0, Interaction{Feeling: Angry, Stance: Against}, 0, 0, -2},
		{"further up", 400, Interaction{Feeling: Happy}, 0, 0, 1.5 * math.Cos(.2*math.Pi)},
		{"back down", 400, Interaction{Feeling: Angry}, 0, 0, -2 * math.Exp(.2)},
		{"further down", -400, Interaction{Feeling: Angry}, 0, 0, -2 * math.Cos(.2*math.Pi)},
		{"back up", -400, Interaction{Feeling: Happy}, 0, 0, 1.5 * math.Exp(.2)},
		{"above 500", 600, Interaction{Feeling: Happy}, 0, 3, 1.5 * math.Cos(.3*math.Pi) * 3 / 6},
		{"above 700, alone", 800, Interaction{Feeling: Happy}, 0, 1, 1.5 * math.Cos(.4*math.Pi)},
		{"above 700, among four", 800, Interaction{Feeling: Happy}, 0, 4, 1.5 * math.Cos(.4*math.Pi) * 3 / 6},
		{"at the top", 1000, Interaction{Feeling: Happy}, 0, 1, 0},
		{"good mood, good thing", 0, Interaction{Feeling: Happy, Mood: .5}, 0, 0, 1.5 * 1.25},
		{"good mood, bad thing", 0, Interaction{Feeling: Angry, Mood: .5}, 0, 0, -2 * .75},
		{"bad mood, bad thing", 0, Interaction{Feeling: Angry, Mood: -.5}, 0, 0, -2 * 1.25},
		{"in a row", 0, Interaction{Feeling: Happy}, 4, 0, 1.5 * 1.4},
		{"long in a row", 0, Interaction{Feeling: Happy}, 99, 0, 1.5 * 2},
	} {
		assert.InDelta(t, c.want, relationStep(c.old, c.m, c.row, c.liked), 1e-9, c.name)
	}
}

// TestRelationStep_IsSymmetric: negative relations mirror positive ones, except for the limit on good relations.
func TestRelationStep_IsSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	opposite := map[Feeling]Feeling{Happy: Afraid, Afraid: Happy, Shy: Angry, Angry: Shy} // of the same weight
	for range 1000 {
		old, row := rng.Float64()*1000-500, rng.IntN(9)
		for f, g := range opposite {
			m := Interaction{Feeling: f, Stance: Stance(rng.IntN(3) - 1), Mood: rng.Float64()*2 - 1}
			n := Interaction{Feeling: g, Stance: -m.Stance, Mood: -m.Mood}
			assert.InDelta(t, relationStep(old, m, row, 0), -relationStep(-old, n, row, 0), 1e-9)
		}
	}
}

func TestPerson_RelationLevel(t *testing.T) {
	for v, want := range map[float64]int{-1000: -2, -228: -2, -227: -1, -74: -1, -73: 0, 0: 0, 226: 0, 227: 1, 586: 1, 587: 2, 899: 2, 900: 3, 1000: 3} {
		assert.Equal(t, want, (&Person{Relation: v}).RelationLevel(), "%v", v)
	}
}
