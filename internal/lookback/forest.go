package lookback

import "math"

// A forest is an Expert prepared for fast scoring. It goes down four trees at once, because each step waits for the one before.
// Leaves continue at themselves, so all four trees take the same number of steps and no branch depends on the features.
type forest struct {
	groups []treeGroup
	base   float32
}

const (
	lanes    = 4
	maxNodes = 16 // of a tree in a forest
)

type treeGroup struct {
	trees [lanes][maxNodes]step
	value [lanes][maxNodes]float32
	steps int // depth of the deepest tree
}

type step struct {
	at      float32
	feature Feature
	left    uint8
}

// Compile prepares m for fast scoring. It must not change afterwards. The scores of features stay exactly the same, and links
// differ by a rounding.
func (m *Model) Compile() {
	m.Links = withSums(m.Links)
	for i := range m.Experts {
		m.Experts[i].forest = m.Experts[i].compile()
	}
}

// compile returns nil for trees that are too large.
func (e *Expert) compile() *forest {
	fo := &forest{base: e.Base, groups: make([]treeGroup, (len(e.Trees)+lanes-1)/lanes)}
	for i := range len(fo.groups) * lanes {
		g := &fo.groups[i/lanes]
		to := &g.trees[i%lanes]
		for k := range to {
			to[k] = step{at: float32(math.Inf(1)), left: uint8(k)}
		}
		if i >= len(e.Trees) {
			continue
		}
		t := e.Trees[i]
		if len(t) > maxNodes {
			return nil
		}
		for k, n := range t {
			g.value[i%lanes][k] = n.Value
			if n.Left > 0 {
				to[k] = step{n.At, n.Feature, n.Left}
			}
		}
		g.steps = max(g.steps, t.depth(0))
	}
	return fo
}

func (t Tree) depth(n uint8) int {
	if t[n].Left == 0 {
		return 0
	}
	return 1 + max(t.depth(t[n].Left), t.depth(t[n].Left+1))
}

// odds returns what Model.Odds does without a forest.
func (fo *forest) odds(f *Features) float32 {
	s := fo.base
	for i := range fo.groups {
		g := &fo.groups[i]
		var a, b, c, d uint8
		for range g.steps {
			a, b = g.trees[0][a%maxNodes].next(f), g.trees[1][b%maxNodes].next(f)
			c, d = g.trees[2][c%maxNodes].next(f), g.trees[3][d%maxNodes].next(f)
		}
		s += g.value[0][a%maxNodes]
		s += g.value[1][b%maxNodes]
		s += g.value[2][c%maxNodes]
		s += g.value[3][d%maxNodes]
	}
	return s
}

func (n *step) next(f *Features) uint8 {
	right := uint8(0)
	if f[n.feature] >= n.at { // compiled without a branch
		right = 1
	}
	return n.left + right
}

// explain is Expert.explain.
func (fo *forest) explain(f *Features, by *[NumFeatures]float32) float32 {
	s := fo.base
	var path [lanes][maxNodes]uint8 // from each root to a leaf
	for i := range fo.groups {
		g := &fo.groups[i]
		var a, b, c, d uint8
		for n := range g.steps {
			a, b = g.trees[0][a%maxNodes].next(f), g.trees[1][b%maxNodes].next(f)
			c, d = g.trees[2][c%maxNodes].next(f), g.trees[3][d%maxNodes].next(f)
			path[0][n%maxNodes], path[1][n%maxNodes], path[2][n%maxNodes], path[3][n%maxNodes] = a, b, c, d
		}
		for lane := range path {
			tree, value := &g.trees[lane], &g.value[lane]
			was, node := value[0], uint8(0)
			s += was
			for _, next := range path[lane][:g.steps] {
				by[tree[node%maxNodes].feature] += value[next%maxNodes] - was // 0 at a leaf
				was, node = value[next%maxNodes], next
			}
			s += was - value[0]
		}
	}
	return s
}
