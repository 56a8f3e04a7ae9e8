package lookback

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/internal/fold"
)

// A Model holds the trained weights.
type Model struct {
	Links     []float32 // of all tables, one after another
	Words     Words
	Threshold float32 // minimum score, a chance
	Experts   [Experts]Expert
	Own       *Adjustment // for the chats of one bot; nil means none. Write leaves it out
	Speed     float64     // how much faster than usual the chats run, as in a simulation; 0 means 1
	NeedsPace bool        // the policy reads View.Pace, which takes a walk over all lines. Write leaves it out

	Keys map[uint32]string // the words of Words, for Write; Parse does not set it
}

// An Expert scores one kind of lines: the log odds of an answer are the sum of Base and the values of all trees.
type Expert struct {
	Base  float32
	Trees []Tree

	forest *forest // of Compile; nil before
}

// The kinds of lines.
const (
	Called   = iota // they name the bot
	Directed        // they name nobody, and probably address the bot
	Other
	Plain // they do not name the bot, and people in this chat rarely name each other
	Experts
)

// plain is the maximum share of lines with a name in a chat for Plain.
const plain = .15

var expertNames = [Experts]string{"called", "directed", "other", "plain"}

// Kind returns the kind of a line.
func (f *Features) Kind() int {
	switch {
	case f[fTo] >= 3:
		return Called
	case f[fNaming] < plain:
		return Plain
	}
	return f.NamedKind()
}

// NamedKind is Kind in a chat whose people name each other.
func (f *Features) NamedKind() int {
	switch {
	case f[fTo] >= 3:
		return Called
	case f[fTo] == 2 && f[fDirect] > .4:
		return Directed
	}
	return Other
}

// A Tree is a list of nodes, the root first.
type Tree []Node

// A Node tests a feature. Values below At continue at Left, others at Left+1. With Left 0 it is a leaf.
type Node struct {
	Feature Feature
	Left    uint8
	At      float32
	Value   float32 // log odds of a line here; in an inner node, the mean of those below it
}

// Seconds returns a time in the seconds of the chats that the model was trained on. ns are nanoseconds.
func (m *Model) Seconds(ns int64) int64 {
	if m.Speed != 0 {
		return int64(float64(ns) * m.Speed / 1e9)
	}
	return ns / 1e9
}

// Score returns the chance that a line is answered.
func (m *Model) Score(f *Features) float32 { return chance(m.Odds(f)) }

// Odds returns the log odds that a line is answered.
func (m *Model) Odds(f *Features) float32 {
	var at leaves
	return m.odds(f, &at)
}

// odds is Odds. It sets the leaves of a compiled model.
func (m *Model) odds(f *Features, at *leaves) float32 {
	s := m.Experts[f.Kind()].odds(f, at)
	if m.Own != nil {
		s += m.Own.Of(f)
	}
	return s
}

func (e *Expert) odds(f *Features, at *leaves) float32 {
	if e.forest != nil {
		return e.forest.odds(f, at)
	}
	s := e.Base
	for _, t := range e.Trees {
		n := &t[0]
		for n.Left > 0 {
			right := uint8(0)
			if f[n.Feature] >= n.At { // compiled without a branch, which would be mispredicted half of the time
				right = 1
			}
			n = &t[n.Left+right]
		}
		s += n.Value
	}
	return s
}

// Explain returns the highest score of the known messages. It adds to by what each feature contributes to the log odds of that
// message, the first one if several have the score. It returns false if no message is known.
func (m *Model) Explain(messages []Message, by *[NumFeatures]float32) (score float32, known bool) {
	var best *Features
	var at, bestAt leaves
	for i := range messages {
		if !messages[i].Known {
			continue
		}
		f := &messages[i].Features
		if s := chance(m.odds(f, &at)); best == nil || s > score {
			best, bestAt, score = f, at, s
		}
	}
	if best == nil {
		return 0, false
	}
	return m.explain(best, &bestAt, by), true
}

// explain is Explain for one line. A compiled model needs its leaves.
func (m *Model) explain(f *Features, at *leaves, by *[NumFeatures]float32) float32 {
	s := m.Experts[f.Kind()].explain(f, at, by)
	if m.Own != nil {
		s += m.Own.Of(f)
		m.Own.explain(f, by)
	}
	return chance(s)
}

func (e *Expert) explain(f *Features, at *leaves, by *[NumFeatures]float32) float32 {
	if e.forest != nil {
		return e.forest.explain(at, by)
	}
	s := e.Base
	for _, t := range e.Trees {
		n := &t[0]
		was := n.Value
		s += was
		for n.Left > 0 {
			next, asked := n.Left, n.Feature
			if f[asked] >= n.At {
				next++
			}
			n = &t[next]
			by[asked] += n.Value - was
			was = n.Value
		}
		s += was - t[0].Value
	}
	return s
}

func chance(s float32) float32 { return float32(1 / (1 + math.Exp(-float64(s)))) }

// Write writes the model as text for Parse.
func (m *Model) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "threshold %.3f\n", m.Threshold)
	for i, t := range tables {
		fmt.Fprintf(b, "link %s", t.Name)
		for _, x := range m.Links[t.At:end(i)] {
			b.WriteByte(' ')
			b.WriteString(strings.TrimPrefix(strconv.FormatFloat(math.Round(float64(x)*100)/100+0, 'f', -1, 64), "+"))
		}
		b.WriteByte('\n')
	}
	for _, key := range slices.SortedFunc(maps.Keys(m.Keys), func(x, y uint32) int { return strings.Compare(m.Keys[x], m.Keys[y]) }) {
		fmt.Fprintf(b, "word %s %.2f %.2f\n", m.Keys[key], m.Words[key][0], m.Words[key][1])
	}
	for i, e := range m.Experts {
		fmt.Fprintf(b, "expert %s %.4f\n", expertNames[i], e.Base)
		for _, t := range e.Trees {
			t.write(b)
		}
	}
	return b.Flush()
}

func (t Tree) write(b *bufio.Writer) {
	b.WriteString("tree")
	for _, n := range t {
		if n.Left > 0 {
			fmt.Fprintf(b, " %s<%s:%d:%.3f", Names[n.Feature], strconv.FormatFloat(float64(n.At), 'g', 4, 32), n.Left, n.Value)
		} else {
			fmt.Fprintf(b, " %.4f", n.Value)
		}
	}
	b.WriteByte('\n')
}

// Parse parses the output of Write. Lines that begin with # are comments.
func Parse(text string) (*Model, error) {
	m := &Model{Links: make([]float32, LinkWeights), Words: Words{}}
	expert := -1
	features := map[string]Feature{}
	for i, n := range Names {
		features[n] = Feature(i)
	}
	linked := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		var err error
		switch words[0] {
		case "threshold":
			err = floats(words[1:], []*float32{&m.Threshold})
		case "word":
			err = m.parseWord(words[1:])
		case "expert":
			if expert++; expert >= Experts || len(words) != 3 || words[1] != expertNames[expert] {
				err = errors.New("unexpected expert")
			} else {
				err = floats(words[2:], []*float32{&m.Experts[expert].Base})
			}
		case "link":
			err = m.parseLinks(words[1:], linked)
		case "tree":
			if expert < 0 {
				err = errors.New("tree without an expert")
			} else {
				err = m.Experts[expert].parseTree(words[1:], features)
			}
		default:
			err = errors.New("unknown line " + strconv.Quote(words[0]))
		}
		if err != nil {
			return nil, fmt.Errorf("weights: line %d: %w", n+1, err)
		}
	}
	if len(linked) != len(tables) || expert != Experts-1 || !(m.Threshold > 0 && m.Threshold < 1) {
		return nil, errors.New("weights: incomplete")
	}
	return m, nil
}

func floats(words []string, to []*float32) error {
	if len(words) != len(to) {
		return fmt.Errorf("%d numbers, want %d", len(words), len(to))
	}
	for i, w := range words {
		x, err := strconv.ParseFloat(w, 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%q is not a number", w)
		}
		*to[i] = float32(x)
	}
	return nil
}

func (m *Model) parseLinks(words []string, linked map[string]bool) error {
	for i, t := range tables {
		if len(words) == 0 || t.Name != words[0] || linked[t.Name] {
			continue
		}
		linked[t.Name] = true
		var to []*float32
		for j := t.At; j < end(i); j++ {
			to = append(to, &m.Links[j])
		}
		return floats(words[1:], to)
	}
	return errors.New("unknown or duplicate table")
}

func (m *Model) parseWord(words []string) error {
	if len(words) != 3 || len(words[0]) < 2 || words[0][1] != ':' {
		return errors.New("a word needs a key and two weights")
	}
	var w [2]float32
	err := floats(words[1:], []*float32{&w[0], &w[1]})
	m.Words[fold.Hash(words[0])] = w
	return err
}

func (m *Expert) parseTree(words []string, features map[string]Feature) error {
	if len(words) == 0 || len(words) > 255 {
		return errors.New("a tree has 1 to 255 nodes")
	}
	t := make(Tree, len(words))
	for i, w := range words {
		name, rest, asks := strings.Cut(w, "<")
		if !asks {
			if err := floats([]string{w}, []*float32{&t[i].Value}); err != nil {
				return err
			}
			continue
		}
		parts := strings.Split(rest, ":")
		f, known := features[name]
		if !known || len(parts) != 3 {
			return fmt.Errorf("invalid node %q", w)
		}
		if err := floats([]string{parts[0], parts[2]}, []*float32{&t[i].At, &t[i].Value}); err != nil {
			return err
		}
		left, err := strconv.Atoi(parts[1])
		if err != nil || left <= i || left+1 >= len(words) {
			return fmt.Errorf("invalid child in node %q", w)
		}
		t[i].Feature, t[i].Left = f, uint8(left)
	}
	m.Trees = append(m.Trees, t)
	return nil
}
