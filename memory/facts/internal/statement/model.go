package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Model has weights of features. Its classes are the kinds of statements, and the kinds of values that they have. It is read in place
// and may be used concurrently.
type Model struct {
	note          string
	kinds, values []string
	bias          []int16 // of kinds
	unit          float32 // weight of 1
	bits          int     // of the number of buckets
	buckets       string  // begin of each bucket in entries, and the end of the last one, 4 bytes each
	entries       string  // for each feature 2 bytes of its hash, the number of weights, and for each its class and the weight
}

const magic = "hearth statements 1\n"

var errModel = errors.New("statement: this is no model")

// Parse reads a model. It keeps data.
func Parse(data string) (*Model, error) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		return nil, errModel
	}
	head, rest, ok := strings.Cut(rest, "\n\n")
	if !ok {
		return nil, errModel
	}
	m := &Model{}
	for line := range strings.Lines(head) {
		var err error
		line = strings.TrimSuffix(line, "\n")
		word, text, _ := strings.Cut(line, " ")
		switch word {
		case "note":
			m.note = text
		case "unit":
			_, err = fmt.Sscan(text, &m.unit)
		case "bits":
			_, err = fmt.Sscan(text, &m.bits)
		case "kind":
			var bias int16
			_, err = fmt.Sscan(text, &bias)
			_, name, _ := strings.Cut(text, " ")
			m.kinds, m.bias = append(m.kinds, name), append(m.bias, bias)
		case "value":
			m.values = append(m.values, text)
		}
		if err != nil {
			return nil, fmt.Errorf("statement: %q: %w", line, err)
		}
	}
	if len(m.kinds)+len(m.values) > maxClasses || m.bits < 1 || m.bits > 20 {
		return nil, errModel
	}
	n := 4 * (1<<m.bits + 1)
	if len(rest) < n {
		return nil, errModel
	}
	m.buckets, m.entries = rest[:n], rest[n:]
	if int(m.bucket(1<<m.bits)) != len(m.entries) {
		return nil, errModel
	}
	return m, nil
}

const maxClasses = 64

// Note returns the note of [TrainOptions].
func (m *Model) Note() string { return m.note }

// Kinds returns the kinds of statements that the model knows.
func (m *Model) Kinds() []string { return m.kinds }

func (m *Model) bucket(i uint32) uint32 {
	b := m.buckets[4*i : 4*i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// weights returns the weights of a feature, a class and a weight by turns.
func (m *Model) weights(feature uint32) string {
	i := feature >> (32 - m.bits)
	e := m.entries[m.bucket(i):m.bucket(i+1)]
	low, high := byte(feature), byte(feature>>8)
	for len(e) > 3 {
		n := 3 + 2*int(e[2])
		if e[0] == low && e[1] == high {
			return e[3:n]
		}
		e = e[n:]
	}
	return ""
}

// Scores are the scores of the kinds of a model. A kind with a score above 0 is likely.
type Scores [maxClasses]float32

// Read returns the scores of a message for each kind.
func (m *Model) Read(tokens []Token) (s Scores) {
	var sum [maxClasses]int32
	n := 0
	kindFeatures(tokens, func(feature uint32) {
		n++
		w := m.weights(feature)
		for i := 0; i+1 < len(w); i += 2 {
			sum[w[i]&(maxClasses-1)] += int32(int8(w[i+1]))
		}
	})
	for i := range m.kinds {
		s[i] = (float32(m.bias[i]) + float32(sum[i])*scale(n)) * m.unit
	}
	return s
}

// weight returns the weight of a feature for one class.
func (m *Model) weight(feature uint32, class byte) float32 {
	w := m.weights(feature)
	for i := 0; i+1 < len(w); i += 2 {
		if w[i] == class {
			return float32(int8(w[i+1]))
		}
	}
	return 0
}

// A Span is a part of a message: tokens Begin to End.
type Span struct{ Begin, End int }

// Overlaps reports whether two spans have a token in common.
func (s Span) Overlaps(o Span) bool { return s.Begin < o.End && o.Begin < s.End }

// Value returns the best value of a sort in a message, and its score. A value with a score above 0 is likely. may leaves out some; nil leaves
// out none.
func (m *Model) Value(tokens []Token, sort string, may func(Span) bool) (value Span, score float32, ok bool) {
	i := slices.Index(m.values, sort)
	if i < 0 {
		return value, 0, false
	}
	class := byte(len(m.kinds) + i)
	var starts, ends [MaxTokens + 1]float32
	for i := range tokens {
		startFeatures(tokens, i, func(f uint32) { starts[i] += m.weight(f, class) })
		endFeatures(tokens, i+1, func(f uint32) { ends[i+1] += m.weight(f, class) })
	}
	best := float32(0)
	for s := range spans(tokens) {
		if may != nil && !may(s) {
			continue
		}
		sum := starts[s.Begin] + ends[s.End]
		valueFeatures(tokens, s, func(f uint32) { sum += m.weight(f, class) })
		if !ok || sum > best {
			value, best, ok = s, sum, true
		}
	}
	return value, best * m.unit, ok
}
