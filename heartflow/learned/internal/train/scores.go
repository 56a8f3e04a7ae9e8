package main

import (
	"cmp"
	"slices"

	"github.com/hearth-bot/hearth/internal/lookback"
)

type scoredRow struct {
	odds   float32
	answer bool
	weight float64
}

// scores are the results of a model: rows of the corpus, and of the expert Plain also rows of variants and of generated groups.
type scores struct{ corpus, variants, made []scoredRow }

func scoresOf(m *lookback.Model, rows, more []row) (s scores) {
	for _, r := range rows {
		s.corpus = append(s.corpus, scoredRow{m.Odds(&r.x), r.answer, 1})
	}
	for _, r := range more {
		if r.x.Kind() != lookback.Plain {
			continue
		}
		to := &s.variants
		if r.of == made {
			to = &s.made
		}
		*to = append(*to, scoredRow{m.Odds(&r.x), r.answer, float64(r.weight)})
	}
	return s
}

func join(list []scores) (all scores) {
	for _, s := range list {
		all.corpus, all.variants, all.made = append(all.corpus, s.corpus...), append(all.variants, s.variants...), append(all.made, s.made...)
	}
	return all
}

// counts sums up weighted decisions.
type counts struct{ positive, spoken, right float64 }

func (c *counts) f1() float64 { return 2 * c.right / max(c.positive+c.spoken, 1) }

func countAt(rows []scoredRow, threshold float32) (c counts) {
	for _, r := range rows {
		if r.answer {
			c.positive += r.weight
		}
		if r.odds >= threshold {
			c.speak(r)
		}
	}
	return c
}

func (c *counts) speak(r scoredRow) {
	c.spoken += r.weight
	if r.answer {
		c.right += r.weight
	}
}

// bestThreshold returns the log odds with the best F1.
func bestThreshold(rows []scoredRow) (at float32) {
	slices.SortStableFunc(rows, func(a, b scoredRow) int { return cmp.Compare(b.odds, a.odds) })
	var c counts
	for _, r := range rows {
		if r.answer {
			c.positive += r.weight
		}
	}
	best := 0.
	for i, r := range rows {
		c.speak(r)
		if (i+1 == len(rows) || rows[i+1].odds != r.odds) && c.f1() > best {
			at, best = r.odds, c.f1()
		}
	}
	return at
}
