package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/learned/internal/synthetic"
	"github.com/hearth-bot/hearth/internal/lookback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// The corpus is a busy channel whose people begin most lines with a name. Other chats have fewer conversations at a time, and
// their people name nobody. A variant of a log is such a chat: some conversations of the log, without the names at the start.

// A manner says how a variant differs from its log.
type manner struct {
	keep   float64 // share of the conversations
	named  float64 // share of the names at the start that stay
	weight float32
}

var manners = []manner{{1, 0, .3}, {.3, .1, .5}, {.15, .3, 1}, {.15, 0, 1}, {.08, .15, 1}, {.08, 0, 1}}

// variant returns a variant of l; it has only labelled lines.
func variant(l *whentospeak.Log, m manner) *whentospeak.Log {
	h := fnv.New64a()
	h.Write([]byte(l.Chat))
	dice := rand.New(rand.NewPCG(h.Sum64(), uint64(m.keep*1000+m.named*10)))
	names := map[string]bool{}
	for i := range l.Lines {
		names[strings.ToLower(l.Lines[i].Sender)] = true
	}
	root := map[string]string{}
	kept := map[string]bool{}
	v := &whentospeak.Log{Chat: l.Chat}
	for i := range l.Lines {
		line := l.Lines[i]
		if !line.Labeled {
			continue
		}
		r := line.ID
		for _, id := range line.ReplyTo {
			if of, ok := root[id]; ok {
				r = of
				break
			}
		}
		root[line.ID] = r
		if r == line.ID {
			kept[r] = dice.Float64() < m.keep
		}
		drop := dice.Float64() >= m.named
		if !kept[r] {
			continue
		}
		if drop {
			line.Text = unnamed(line.Text, names)
		}
		v.Lines = append(v.Lines, line)
	}
	return v
}

// unnamed removes the name of a person at the start of a text.
func unnamed(text string, names map[string]bool) string {
	first, rest, ok := strings.Cut(text, " ")
	if ok && names[strings.ToLower(strings.TrimRight(first, ":,"))] {
		return rest
	}
	return text
}

// negativeShare is the share of the rows without an answer in the sample.
const negativeShare = .1

// variantRows plays the variants of l.
func variantRows(l *whentospeak.Log, m *lookback.Model) (list []row, err error) {
	for _, how := range manners {
		own, err := rowsOf(variant(l, how), m, minVariant)
		if err != nil {
			return nil, err
		}
		list = append(list, thin(own, variants, how.weight)...)
	}
	return list, nil
}

// generatedRows plays the generated groups of a fold.
func generatedRows(fold, groups int, m *lookback.Model) (list []row, err error) {
	for seed := fold; seed < groups; seed += folds {
		own, err := rowsOf(generate(uint64(seed)), m, minVariant)
		if err != nil {
			return nil, err
		}
		list = append(list, thin(own, made, 1)...)
	}
	return list, nil
}

// thin keeps a sample of the rows without an answer, which stand for the others.
func thin(rows []row, of origin, weight float32) (kept []row) {
	dice := rand.New(rand.NewPCG(11, uint64(len(rows))))
	for _, r := range rows {
		r.weight, r.of = weight, of
		if !r.answer {
			if r.weight /= negativeShare; dice.Float64() >= negativeShare {
				continue
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// generate returns a generated Chinese group.
func generate(seed uint64) *whentospeak.Log {
	dice := rand.New(rand.NewPCG(seed, 5))
	began := time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC)
	l := &whentospeak.Log{Chat: fmt.Sprint("generated ", seed)}
	shape := synthetic.Shape{
		Members: 4 + dice.IntN(24), Days: 4, Scenes: 40, Mention: 1 + dice.IntN(6), Aside: 1 + dice.IntN(5), Slow: 1 + dice.IntN(3), Overlap: dice.IntN(4),
	}
	for i, line := range synthetic.Chat(synthetic.Tuned, shape, 1000+seed, began) {
		to := whentospeak.Line{Chat: l.Chat, ID: fmt.Sprint(i), Time: line.At, Sender: line.From, Text: line.Text, Labeled: true}
		if line.Answers >= 0 {
			to.ReplyTo = []string{fmt.Sprint(line.Answers)}
		}
		l.Lines = append(l.Lines, to)
	}
	return l
}
