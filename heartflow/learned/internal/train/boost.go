package main

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// boosting trains trees one after another, each on the errors of the earlier ones. This is gradient boosting of log
// loss with second-order steps and histograms of the features.
type boosting struct {
	features      int // number of features that it may test, the first ones
	trees, leaves int
	rate          float64 // learning rate
	minCurvature  float64 // minimum curvature in a leaf
	shrink        float64 // regularization of leaf values
	columns       float64 // share of the features available to a tree
	negative      float64 // share of the rows without an answer in the sample; their weight makes up for the rest
}

// named is the number of features without that of Plain, the last one.
const named = int(lookback.NumFeatures) - 1

// experts are trained separately, each on its own rows. The first two kinds have few rows.
var experts = [lookback.Experts]boosting{
	lookback.Called:   {features: named, trees: 120, leaves: 6, rate: .08, minCurvature: 50, shrink: 10, columns: .5, negative: 1},
	lookback.Directed: {features: named, trees: 120, leaves: 6, rate: .08, minCurvature: 50, shrink: 10, columns: .5, negative: 1},
	lookback.Other:    {features: named, trees: 100, leaves: 8, rate: .1, minCurvature: 15, shrink: 5, columns: .6, negative: .25},
	lookback.Plain:    {features: int(lookback.NumFeatures), trees: 80, leaves: 8, rate: .12, minCurvature: 30, shrink: 10, columns: .6, negative: 1},
}

// corpusWeight is the weight of a row of the corpus for Plain, which has few of them.
const corpusWeight = 3

// answerWeight is the weight of an answer in a variant. Answers there are harder to predict than in the corpus, so the best F1 is
// at lower chances; with the weight it is near the threshold of the corpus.
const answerWeight = 1.3

// learnExperts trains the experts of m on rows of the corpus, and Plain also on more.
func learnExperts(m *lookback.Model, rows, more []row) {
	for kind, b := range experts {
		var own []row
		for _, r := range rows {
			switch {
			case kind != lookback.Plain && r.x.NamedKind() == kind:
				own = append(own, r)
			case kind == lookback.Plain && r.x.Kind() == kind:
				r.weight = corpusWeight
				own = append(own, r)
			}
		}
		if kind == lookback.Plain {
			for _, r := range more {
				if r.x.Kind() != kind {
					continue
				}
				if r.of == variants && r.answer {
					r.weight *= answerWeight
				}
				own = append(own, r)
			}
		}
		m.Experts[kind] = b.learn(kind, own)
	}
}

// learn trains on the rows of one kind.
func (b boosting) learn(kind int, own []row) lookback.Expert {
	if len(own) == 0 {
		return lookback.Expert{Base: -3}
	}
	dice := rand.New(rand.NewPCG(7, uint64(kind)))
	return b.grow(b.table(own, dice), dice)
}

const (
	bins   = 48
	sample = .8 // share of the rows used for a tree
)

// A table holds the rows by column, in bins.
type table struct {
	cuts   [lookback.NumFeatures][]float32
	bin    [lookback.NumFeatures][]uint8
	answer []float64
	weight []float64
	n      int
}

func (b boosting) table(rows []row, dice *rand.Rand) *table {
	t := &table{}
	var kept []*row
	for i := range rows {
		y, w := 1., float64(rows[i].weight)
		if !rows[i].answer {
			if dice.Float64() > b.negative {
				continue
			}
			y, w = 0, w/b.negative
		}
		kept = append(kept, &rows[i])
		t.answer, t.weight = append(t.answer, y), append(t.weight, w)
	}
	t.n = len(kept)
	for f := range b.features {
		values := make([]float32, 0, 20000)
		for range min(cap(values), 10*t.n) {
			values = append(values, kept[dice.IntN(t.n)].x[f])
		}
		t.cuts[f] = cuts(values)
		t.bin[f] = make([]uint8, t.n)
		for i, r := range kept {
			t.bin[f][i] = uint8(sort.Search(len(t.cuts[f]), func(k int) bool { return r.x[f] < t.cuts[f][k] }))
		}
	}
	return t
}

// cuts divides values into bins of about equal size.
func cuts(values []float32) (list []float32) {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	for k := 1; k < bins; k++ {
		i := len(values) * k / bins
		for i < len(values) && values[i] == values[0] {
			i++
		}
		if i == len(values) {
			break
		}
		j := i // the greatest smaller value
		for j > 0 && values[j] == values[i] {
			j--
		}
		if c := (values[i] + values[j]) / 2; len(list) == 0 || c > list[len(list)-1] {
			list = append(list, c)
		}
	}
	return list
}

// A leaf is a node that may be split.
type leaf struct {
	rows         []int32
	slope, curve float64
	gain         float64
	feature      int
	cut          int
	node         int
}

func (b boosting) grow(t *table, dice *rand.Rand) (e lookback.Expert) {
	yes, all := 0., 0.
	for i, w := range t.weight {
		yes += w * t.answer[i]
		all += w
	}
	base := math.Log(max(yes, .5) / max(all-yes, .5)) // one class may be missing
	odds := make([]float64, t.n)
	for i := range odds {
		odds[i] = base
	}
	slope, curve := make([]float64, t.n), make([]float64, t.n)
	e.Base = float32(base)
	for range b.trees {
		for i, s := range odds {
			p := 1 / (1 + math.Exp(-s))
			slope[i] = (p - t.answer[i]) * t.weight[i]
			curve[i] = p * (1 - p) * t.weight[i]
		}
		tree := b.tree(t, slope, curve, dice)
		e.Trees = append(e.Trees, tree)
		for i := range odds {
			odds[i] += float64(t.value(tree, i))
		}
	}
	return e
}

func (t *table) value(tree lookback.Tree, i int) float32 {
	n := &tree[0]
	for n.Left > 0 {
		next := n.Left
		f := n.Feature
		if k := t.bin[f][i]; k > 0 && t.cuts[f][k-1] >= n.At {
			next++
		}
		n = &tree[next]
	}
	return n.Value
}

func (b boosting) tree(t *table, slope, curve []float64, dice *rand.Rand) lookback.Tree {
	var features []int
	for f := range b.features {
		if dice.Float64() < b.columns && len(t.cuts[f]) > 0 {
			features = append(features, f)
		}
	}
	root := &leaf{}
	for i := range t.n {
		if dice.Float64() < sample {
			root.rows = append(root.rows, int32(i))
			root.slope += slope[i]
			root.curve += curve[i]
		}
	}
	tree := lookback.Tree{b.node(root)}
	leaves := []*leaf{root}
	b.divide(t, root, features, slope, curve)
	for len(leaves) < b.leaves {
		best := 0
		for i, l := range leaves {
			if l.gain > leaves[best].gain {
				best = i
			}
		}
		l := leaves[best]
		if l.gain <= 1e-3 {
			break
		}
		left, right := &leaf{node: len(tree)}, &leaf{node: len(tree) + 1}
		for _, r := range l.rows {
			side := left
			if int(t.bin[l.feature][r]) > l.cut {
				side = right
			}
			side.rows = append(side.rows, r)
			side.slope += slope[r]
			side.curve += curve[r]
		}
		tree[l.node].Feature = lookback.Feature(l.feature)
		tree[l.node].At = t.cuts[l.feature][l.cut]
		tree[l.node].Left = uint8(len(tree))
		tree = append(tree, b.node(left), b.node(right))
		leaves[best] = left
		leaves = append(leaves, right)
		b.divide(t, left, features, slope, curve)
		b.divide(t, right, features, slope, curve)
	}
	return tree
}

func (b boosting) node(l *leaf) lookback.Node {
	return lookback.Node{Value: float32(-l.slope / (l.curve + b.shrink) * b.rate)}
}

// divide finds the best split of l.
func (b boosting) divide(t *table, l *leaf, features []int, slope, curve []float64) {
	whole := l.slope * l.slope / (l.curve + b.shrink)
	for _, f := range features {
		var s, c [bins]float64
		bin := t.bin[f]
		for _, r := range l.rows {
			s[bin[r]] += slope[r]
			c[bin[r]] += curve[r]
		}
		ls, lc := 0., 0.
		for k := range t.cuts[f] {
			ls += s[k]
			lc += c[k]
			rs, rc := l.slope-ls, l.curve-lc
			if lc < b.minCurvature || rc < b.minCurvature {
				continue
			}
			if g := ls*ls/(lc+b.shrink) + rs*rs/(rc+b.shrink) - whole; g > l.gain {
				l.gain, l.feature, l.cut = g, f, k
			}
		}
	}
}
