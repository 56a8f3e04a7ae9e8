package lookback

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomTree returns a tree with up to the given number of leaves.
func randomTree(dice *rand.Rand, leaves int) Tree {
	t, open := Tree{{Value: dice.Float32()}}, []int{0}
	for len(open) < leaves && dice.IntN(9) > 0 {
		k := dice.IntN(len(open))
		n := open[k]
		t[n].Feature, t[n].At, t[n].Left = Feature(dice.IntN(int(NumFeatures))), dice.Float32(), uint8(len(t))
		open[k] = len(t)
		open = append(open, len(t)+1)
		t = append(t, Node{Value: dice.Float32() - .5}, Node{Value: dice.Float32() - .5})
	}
	return t
}

// A compiled model has exactly the scores of the trees, also at the thresholds and with large trees.
func TestModel_Compile(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	for n := range 60 {
		m := &Model{Links: make([]float32, LinkWeights)}
		for i := range m.Experts {
			m.Experts[i].Base = dice.Float32()
			for range n % 11 {
				m.Experts[i].Trees = append(m.Experts[i].Trees, randomTree(dice, 8+n%3))
			}
		}
		compiled := *m
		compiled.Compile()
		if n%3 == 0 {
			require.NotNil(t, compiled.Experts[Plain].forest)
		}
		for range 50 {
			var f Features
			for i := range f {
				f[i] = dice.Float32()
			}
			f[fTo] = float32(dice.IntN(relations))
			if trees := m.Experts[f.Kind()].Trees; len(trees) > 0 {
				if root := trees[0][0]; root.Left > 0 && root.Feature != fTo && root.Feature != fNaming && root.Feature != fDirect {
					f[root.Feature] = root.At
				}
			}
			assert.Equal(t, m.Odds(&f), compiled.Odds(&f))
			var by, same [NumFeatures]float32
			line := []Message{{Known: true, Features: f}}
			score, _ := m.Explain(line, &by)
			fast, _ := compiled.Explain(line, &same)
			assert.Equal(t, score, fast)
			assert.Equal(t, by, same)
		}
	}
}

// Links by the summed tables are those by all tables.
func TestChat_LinksOfCompiledModel(t *testing.T) {
	weights := testWeights()
	var c Chat
	chatter(&c, weights, rand.New(rand.NewPCG(4, 1)), 90)
	compiled := Model{Links: weights}
	compiled.Compile()
	unnamed, linked := 0, 0
	for i := range c.Lines {
		for from := range c.People {
			l := c.Lines[i]
			l.At = c.line(c.Count-1).At + int64(i*i)
			l.From, l.Slot = c.People[from].Hash, uint8(from)
			var a, b Links
			c.links(&l, weights, &a)
			c.links(&l, compiled.Links, &b)
			require.Equal(t, a.N, b.N)
			assert.InDelta(t, a.None, b.None, 1e-5)
			for k := range a.N {
				assert.InDelta(t, a.P[k], b.P[k], 1e-5)
				if a.P[k] > .01 {
					linked++
				}
			}
			if l.Names == 0 {
				unnamed++
			}
		}
	}
	assert.Positive(t, unnamed)
	assert.Positive(t, linked)
}

// The explained message is the first one with the highest score, in a compiled model as in any other.
func TestModel_ExplainsBestMessage(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 1))
	m := &Model{Links: make([]float32, LinkWeights), Own: new(Adjustment)}
	for i := range m.Own.Weights {
		m.Own.Weights[i] = dice.Float32() - .5
	}
	for i := range m.Experts {
		for range 9 {
			m.Experts[i].Trees = append(m.Experts[i].Trees, randomTree(dice, 3))
		}
	}
	compiled := *m
	compiled.Compile()
	var by [NumFeatures]float32
	_, known := compiled.Explain([]Message{{}}, &by)
	assert.False(t, known)
	for range 100 {
		messages := make([]Message, 6)
		for i := range messages {
			messages[i].Known = i > 0
			for k := range messages[i].Features {
				messages[i].Features[k] = dice.Float32()
			}
			messages[i].Features[fTo] = float32(dice.IntN(relations))
		}
		messages[5] = messages[1+dice.IntN(4)] // a tie
		best := 1
		for i := range messages[1:] {
			if m.Score(&messages[i+1].Features) > m.Score(&messages[best].Features) {
				best = i + 1
			}
		}
		for _, m := range []*Model{m, &compiled} {
			var by, want [NumFeatures]float32
			score, known := m.Explain(messages, &by)
			assert.True(t, known)
			alone, _ := m.Explain(messages[best:best+1], &want)
			assert.Equal(t, alone, score)
			assert.Equal(t, want, by)
		}
	}
}
