package statement

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// An Example is a message with the statements in it.
type Example struct {
	Tokens []Token
	Kinds  []string // none: it says nothing
	Values []Value
	Weight float32
	Source int // of the example, such as its author; the examples of a source follow each other
}

// A Value is a part of a message that is a value.
type Value struct {
	Sort string
	Kind string // of the statement that has it; "": no statement needs it
	Span
}

// TrainOptions change Train. The zero value is the default.
type TrainOptions struct {
	Rounds  int     // over all examples; default 6
	Sparse  float32 // the higher, the fewer weights are not 0; default 5
	Sources int     // that a feature needs, or it is left out; default 5
	Note    string  // kept in the model, for Model.Note; one line
}

// Train finds the weights of a model. The same examples give the same model.
//
// One softmax is over all kinds and no kind. Another is over all values of a sort that a message may have and no value; messages that say nothing
// teach that they have none of the kind that they are taken for most. Both are learned by FTRL-Proximal (McMahan et al., "Ad Click Prediction:
// a View from the Trenches", 2013), which sets most weights to 0.
func Train(examples []Example, o TrainOptions) []byte {
	t := newTrainer(examples, o)
	rng := rand.New(rand.NewPCG(1, 2))
	order := rng.Perm(len(examples))
	for range cmp.Or(o.Rounds, 6) {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			e := &examples[i]
			best := t.learnKinds(e)
			for _, v := range e.Values {
				t.learnValue(e.Tokens, v, e.Weight)
			}
			if sort := t.sorts[best]; sort != "" && len(e.Kinds) == 0 {
				t.learnValue(e.Tokens, Value{Sort: sort}, e.Weight)
			}
		}
	}
	return t.encode(o.Note)
}

type trainer struct {
	kinds, values []string
	index         map[uint32]int32 // of features
	z, n          []float32        // by feature and class; feature 0 is the bias
	sparse        float32
	classes       int
	sorts         map[string]string // of the values of each kind
	found         []int32           // features of one example
}

func newTrainer(examples []Example, o TrainOptions) *trainer {
	t := &trainer{index: map[uint32]int32{}, sorts: map[string]string{}, sparse: cmp.Or(o.Sparse, 5)}
	kinds, values := map[string]bool{}, map[string]bool{}
	count, last, source := map[uint32]int{}, map[uint32]int{}, 0
	add := func(f uint32) {
		if last[f] != source {
			last[f] = source
			count[f]++
		}
	}
	for i, e := range examples {
		if i == 0 || e.Source != examples[i-1].Source {
			source++
		}
		kindFeatures(e.Tokens, add)
		for _, k := range e.Kinds {
			kinds[k] = true
		}
		for _, v := range e.Values {
			values[v.Sort] = true
			if v.Kind != "" {
				t.sorts[v.Kind] = v.Sort
			}
		}
		if len(e.Values) > 0 {
			for i := range e.Tokens {
				startFeatures(e.Tokens, i, add)
				endFeatures(e.Tokens, i+1, add)
			}
		}
		for _, v := range e.Values {
			valueFeatures(e.Tokens, v.Span, add)
		}
	}
	t.kinds, t.values = slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(values))
	t.classes = len(t.kinds) + len(t.values)
	for _, f := range slices.Sorted(maps.Keys(count)) {
		if count[f] >= cmp.Or(o.Sources, 5) {
			t.index[f] = int32(len(t.index) + 1)
		}
	}
	t.z = make([]float32, (len(t.index)+1)*t.classes)
	t.n = make([]float32, len(t.z))
	return t
}

// Parameters of FTRL-Proximal.
const (
	rate  = .15
	ridge = .5
)

func (t *trainer) weight(at int) float32 {
	z, sparse := t.z[at], t.sparse
	if at < t.classes {
		sparse = 0 // the bias
	}
	switch {
	case z > sparse:
		return -(z - sparse) / ((1+sqrt(t.n[at]))/rate + ridge)
	case z < -sparse:
		return -(z + sparse) / ((1+sqrt(t.n[at]))/rate + ridge)
	}
	return 0
}

func (t *trainer) update(at int, gradient float32) {
	old := t.n[at]
	t.n[at] += gradient * gradient
	t.z[at] += gradient - (sqrt(t.n[at])-sqrt(old))/rate*t.weight(at)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// collect notes the indexes of features.
func (t *trainer) collect(f uint32) {
	if i := t.index[f]; i > 0 {
		t.found = append(t.found, i)
	}
}

// learnKinds learns the kinds of an example. It returns the kind with the highest score.
func (t *trainer) learnKinds(e *Example) (best string) {
	t.found = t.found[:0]
	n := 0
	kindFeatures(e.Tokens, func(f uint32) { n++; t.collect(f) })
	x := scale(n)
	sums := make([]float64, len(t.kinds))
	top := 0. // the score of no statement
	for class := range t.kinds {
		for _, f := range t.found {
			sums[class] += float64(x * t.weight(int(f)*t.classes+class))
		}
		sums[class] += float64(t.weight(class))
		top = max(top, sums[class])
	}
	best = t.kinds[slices.Index(sums, slices.Max(sums))]
	total := math.Exp(-top)
	for class := range sums {
		sums[class] = math.Exp(sums[class] - top)
		total += sums[class]
	}
	for class, kind := range t.kinds {
		gradient := float32(sums[class] / total)
		if slices.Contains(e.Kinds, kind) {
			gradient -= 1 / float32(len(e.Kinds))
		}
		if gradient *= e.Weight; gradient > -.001 && gradient < .001 {
			continue
		}
		t.update(class, gradient)
		for _, f := range t.found {
			t.update(int(f)*t.classes+class, gradient*x)
		}
	}
	return best
}

// learnValue learns where a value is. An empty span says that there is none.
func (t *trainer) learnValue(tokens []Token, v Value, weight float32) {
	class := len(t.kinds) + slices.Index(t.values, v.Sort)
	features := func(list func(add func(uint32))) []int32 {
		t.found = nil
		list(t.collect)
		return t.found
	}
	sum := func(fs []int32) (s float32) {
		for _, f := range fs {
			s += t.weight(int(f)*t.classes + class)
		}
		return s
	}
	starts, ends := make([][]int32, len(tokens)), make([][]int32, len(tokens)+1)
	startSum, endSum := make([]float32, len(tokens)), make([]float32, len(tokens)+1)
	for i := range tokens {
		starts[i] = features(func(add func(uint32)) { startFeatures(tokens, i, add) })
		ends[i+1] = features(func(add func(uint32)) { endFeatures(tokens, i+1, add) })
		startSum[i], endSum[i+1] = sum(starts[i]), sum(ends[i+1])
	}
	type candidate struct {
		Span
		features []int32
		score    float64
	}
	var all []candidate
	top := 0. // the score of no value
	for span := range spans(tokens) {
		c := candidate{Span: span, features: features(func(add func(uint32)) { valueFeatures(tokens, span, add) })}
		c.score = float64(startSum[span.Begin] + endSum[span.End] + sum(c.features))
		top = max(top, c.score)
		all = append(all, c)
	}
	total := math.Exp(-top)
	for i := range all {
		all[i].score = math.Exp(all[i].score - top)
		total += all[i].score
	}
	startGrad, endGrad := make([]float32, len(tokens)), make([]float32, len(tokens)+1)
	for _, c := range all {
		g := float32(c.score / total)
		if c.Span == v.Span {
			g--
		}
		g *= weight
		startGrad[c.Begin] += g
		endGrad[c.End] += g
		if g > -.001 && g < .001 {
			continue
		}
		for _, f := range c.features {
			t.update(int(f)*t.classes+class, g)
		}
	}
	for i := range tokens {
		for _, f := range starts[i] {
			t.update(int(f)*t.classes+class, startGrad[i])
		}
		for _, f := range ends[i+1] {
			t.update(int(f)*t.classes+class, endGrad[i+1])
		}
	}
}

// leastWeight is the size of the smallest weight that is kept, of 127.
const leastWeight = 2

// encode writes the weights that are not 0.
func (t *trainer) encode(note string) []byte {
	top := float32(0)
	for at := t.classes; at < len(t.z); at++ {
		w := t.weight(at)
		top = max(top, w, -w)
	}
	unit := top / 127
	const bits = 14
	buckets := make([][]byte, 1<<bits)
	for _, feature := range slices.Sorted(maps.Keys(t.index)) {
		entry := []byte{byte(feature), byte(feature >> 8), 0}
		for class := range t.classes {
			if w := int(math.Round(float64(t.weight(int(t.index[feature])*t.classes+class) / unit))); w >= leastWeight || w <= -leastWeight {
				entry = append(entry, byte(class), byte(int8(w)))
				entry[2]++
			}
		}
		if entry[2] > 0 {
			b := &buckets[feature>>(32-bits)]
			*b = append(*b, entry...)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%snote %s\nunit %v\nbits %d\n", magic, note, unit, bits)
	for class, kind := range t.kinds {
		fmt.Fprintf(&out, "kind %d %s\n", int(math.Round(float64(t.weight(class)/unit))), kind)
	}
	for _, v := range t.values {
		fmt.Fprintf(&out, "value %s\n", v)
	}
	out.WriteString("\n")
	at := uint32(0)
	for _, b := range buckets {
		out.Write(binary.LittleEndian.AppendUint32(nil, at))
		at += uint32(len(b))
	}
	out.Write(binary.LittleEndian.AppendUint32(nil, at))
	for _, b := range buckets {
		out.Write(b)
	}
	return out.Bytes()
}
