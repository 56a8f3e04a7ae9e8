package main

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
)

// boosting learns trees one after another, each on what those before it got wrong (gradient boosting of log loss by
// second-order steps, with histograms of the features).
type boosting struct {
	trees, leaves int
	rate          float64 // of a tree's values
	least         float64 // curvature in a leaf
	rounds        int     // models that are learned apart and averaged
}

const (
	bins     = 48
	shrink   = 5   // on the values of leaves
	columns  = .6  // share of the features that a tree may ask for
	sample   = .8  // share of the rows that it is learned from
	negative = .25 // share of the rows without answer that are used at all; they count for the others
)

// A table holds the rows by columns, in bins.
type table struct {
	cuts   [gate.NumFeatures][]float32
	bin    [gate.NumFeatures][]uint8
	answer []float64
	weight []float64
	n      int
}

func (b boosting) learn(rows []row) *gate.Model {
	m := &gate.Model{Threshold: .3}
	rounds := max(b.rounds, 1)
	for round := range rounds {
		dice := rand.New(rand.NewPCG(7, uint64(round)))
		t := newTable(rows, dice)
		base, trees := b.grow(t, dice)
		m.Base += base / float32(rounds)
		for _, tree := range trees {
			for i := range tree {
				tree[i].Value /= float32(rounds)
			}
			m.Trees = append(m.Trees, tree)
		}
	}
	return m
}

func newTable(rows []row, dice *rand.Rand) *table {
	t := &table{}
	var kept []*row
	for i := range rows {
		w := 1.
		if !rows[i].answer {
			if dice.Float64() > negative {
				continue
			}
			w = 1 / negative
		}
		kept = append(kept, &rows[i])
		t.weight = append(t.weight, w)
		y := 0.
		if rows[i].answer {
			y = 1
		}
		t.answer = append(t.answer, y)
	}
	t.n = len(kept)
	for f := range t.cuts {
		values := make([]float32, 0, 20000)
		for range 20000 {
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

// cuts divides values into bins that hold about as many each.
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
		j := i // the greatest value below
		for j > 0 && values[j] == values[i] {
			j--
		}
		if c := (values[i] + values[j]) / 2; len(list) == 0 || c > list[len(list)-1] {
			list = append(list, c)
		}
	}
	return list
}

// A leaf is a node that may yet be divided.
type leaf struct {
	rows         []int32
	slope, curve float64
	gain         float64
	feature      int
	cut          int
	node         int
}

func (b boosting) grow(t *table, dice *rand.Rand) (float32, []gate.Tree) {
	yes, all := 0., 0.
	for i, w := range t.weight {
		yes += w * t.answer[i]
		all += w
	}
	base := math.Log(yes / (all - yes))
	odds := make([]float64, t.n)
	for i := range odds {
		odds[i] = base
	}
	slope, curve := make([]float64, t.n), make([]float64, t.n)
	var trees []gate.Tree
	for range b.trees {
		for i, s := range odds {
			p := 1 / (1 + math.Exp(-s))
			slope[i] = (p - t.answer[i]) * t.weight[i]
			curve[i] = p * (1 - p) * t.weight[i]
		}
		tree := b.tree(t, slope, curve, dice)
		trees = append(trees, tree)
		for i := range odds {
			odds[i] += float64(t.value(tree, i))
		}
	}
	return float32(base), trees
}

func (t *table) value(tree gate.Tree, i int) float32 {
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

func (b boosting) tree(t *table, slope, curve []float64, dice *rand.Rand) gate.Tree {
	var features []int
	for f := range t.cuts {
		if dice.Float64() < columns && len(t.cuts[f]) > 0 {
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
	tree := gate.Tree{b.node(root)}
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
		tree[l.node].Feature = gate.Feature(l.feature)
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

func (b boosting) node(l *leaf) gate.Node {
	return gate.Node{Value: float32(-l.slope / (l.curve + shrink) * b.rate)}
}

// divide finds where l is best divided.
func (b boosting) divide(t *table, l *leaf, features []int, slope, curve []float64) {
	whole := l.slope * l.slope / (l.curve + shrink)
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
			if lc < b.least || rc < b.least {
				continue
			}
			if g := ls*ls/(lc+shrink) + rs*rs/(rc+shrink) - whole; g > l.gain {
				l.gain, l.feature, l.cut = g, f, k
			}
		}
	}
}
