package memory

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// How much each term counts. Relevance comes first: the priors decide between what is about equally to the point.
const (
	weighWords      = .65 // of the relevance, where there are vectors; vectors have the rest
	weighTime       = .5
	weighRecency    = .05
	weighImportance = .1
	weighAffinity   = .05
)

// rank scores what was found by the terms that [Reader.Recall] states, and returns the best.
func (m *Memory) rank(now time.Time, q Query, fs []found) []Hit {
	var bestWords, bestVector float64
	for _, f := range fs {
		bestWords, bestVector = max(bestWords, f.words), max(bestVector, f.vector)
	}
	words, vector := 1., 0.
	if bestVector > 0 {
		words, vector = weighWords, 1-weighWords
	}
	asked := q.asks()
	hits := make([]Hit, 0, len(fs))
	for i := range fs {
		f := &fs[i]
		h := Hit{Record: f.Record, Same: f.same, Terms: make([]Term, 0, 7)}
		h.Sources = sourcesOf(&f.Record)
		if asked {
			h.add("words", ratio(f.words-f.near, bestWords), words)
			h.add("near", ratio(f.near, bestWords), words)
			h.add("vector", ratio(f.vector, bestVector), vector)
			if f.then {
				h.add("time", 1, weighTime)
			}
			h.add("recency", m.recency(now, f.At), weighRecency)
			h.add("importance", f.Importance, weighImportance)
			h.add("affinity", min(q.Affinity[f.Person], 1), weighAffinity)
		} else {
			h.add("recency", m.recency(now, f.At), 1)
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			b.At.Compare(a.At),
			cmp.Compare(a.Space, b.Space),
			cmp.Compare(b.Seq, a.Seq),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return hits[:min(q.Limit, len(hits))]
}

// add counts a term; one of no value is not told.
func (h *Hit) add(name string, value, weight float64) {
	if value > 0 && weight > 0 {
		h.Terms = append(h.Terms, Term{name, value, weight})
		h.Score += value * weight
	}
}

// recency is 1 for what is new and halves with every half-life; what has no time has none.
func (m *Memory) recency(now, at time.Time) float64 {
	if at.IsZero() || m.o.HalfLife < 0 {
		return 0
	}
	return math.Exp2(-max(0, now.Sub(at).Hours()) / m.o.HalfLife.Hours())
}

func ratio(x, best float64) float64 {
	if best <= 0 {
		return 0
	}
	return max(0, x/best)
}
