package lookback

// A forest is an Expert prepared for fast scoring. It does all tests of a tree, and looks up the leaf by their results. No test
// waits for another, and no branch depends on the features.
type forest struct {
	base  float32
	trees []flatTree
	paths []paths // of the same trees, for explanations
}

// Limits of a forest.
const (
	maxTrees  = 128
	maxTests  = 7 // of a tree
	maxLeaves = maxTests + 1
)

// width is the length of the arrays of features: a power of two, so that no index has to be checked.
const width = 64

const _ = width - uint(NumFeatures) // they fit

// A flatTree holds the tests of a tree in the order of its nodes.
type flatTree struct {
	feature [maxTests]Feature
	at      [maxTests]float32
	leaf    [1 << maxTests]uint8 // by the results; bit n is set if the feature of test n is not below its limit
	value   [maxLeaves]float32
}

// The paths of a tree lead from its root to its leaves.
type paths struct {
	root float32                      // value of the root
	adds [maxLeaves][maxTests]float32 // by leaf: what each test adds to the value; 0 if the test is not on the path
}

// leaves holds the leaf of each tree for a line.
type leaves [maxTrees]uint8

// Compile prepares m for fast scoring. It must not change afterwards. The scores of features stay exactly the same, and links
// differ by a rounding.
func (m *Model) Compile() {
	m.Links = withSums(m.Links)
	for i := range m.Experts {
		m.Experts[i].forest = m.Experts[i].compile()
	}
}

// compile returns nil for too many trees, or trees that are too large.
func (e *Expert) compile() *forest {
	if len(e.Trees) > maxTrees {
		return nil
	}
	fo := &forest{base: e.Base, trees: make([]flatTree, len(e.Trees)), paths: make([]paths, len(e.Trees))}
	for i, t := range e.Trees {
		if len(t) > maxTests+maxLeaves {
			return nil
		}
		fo.trees[i], fo.paths[i] = t.flat()
	}
	return fo
}

// flat returns a tree in the form for a forest.
func (t Tree) flat() (to flatTree, path paths) {
	var test, leaf [maxTests + maxLeaves]uint8 // by node
	var tests, ends uint8
	for n, node := range t {
		if node.Left == 0 {
			leaf[n], to.value[ends] = ends, node.Value
			ends++
			continue
		}
		test[n], to.feature[tests], to.at[tests] = tests, node.Feature, node.At
		tests++
	}
	path.root = t[0].Value
	for results := range to.leaf {
		var adds [maxTests]float32
		n := uint8(0)
		for t[n].Left > 0 {
			k := test[n]
			next := t[n].Left + uint8(results>>k&1)
			adds[k] = t[next].Value - t[n].Value
			n = next
		}
		to.leaf[results] = leaf[n]
		path.adds[leaf[n]] = adds
	}
	return to, path
}

// odds is Expert.odds. It sets the leaves.
func (fo *forest) odds(f *Features, at *leaves) float32 {
	s := fo.base
	var x [width]float32
	copy(x[:], f[:])
	for i := range fo.trees {
		t := &fo.trees[i]
		results := bit(x[t.feature[0]%width] >= t.at[0]) | bit(x[t.feature[1]%width] >= t.at[1])<<1 |
			bit(x[t.feature[2]%width] >= t.at[2])<<2 | bit(x[t.feature[3]%width] >= t.at[3])<<3 |
			bit(x[t.feature[4]%width] >= t.at[4])<<4 | bit(x[t.feature[5]%width] >= t.at[5])<<5 |
			bit(x[t.feature[6]%width] >= t.at[6])<<6
		leaf := t.leaf[results]
		s += t.value[leaf%maxLeaves]
		at[i%maxTrees] = leaf
	}
	return s
}

// bit is compiled without a branch, which would be mispredicted often.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// explain is Expert.explain for a line with these leaves.
func (fo *forest) explain(at *leaves, by *[NumFeatures]float32) float32 {
	s := fo.base
	var sum [width]float32
	copy(sum[:], by[:])
	for i := range fo.paths {
		path, feature, leaf := &fo.paths[i], &fo.trees[i].feature, at[i%maxTrees]%maxLeaves
		for k, add := range &path.adds[leaf] {
			sum[feature[k]%width] += add
		}
		s += path.root
		s += fo.trees[i].value[leaf] - path.root
	}
	copy(by[:], sum[:])
	return s
}
