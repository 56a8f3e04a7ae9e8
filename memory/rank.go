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
func rank(now time.Time, halfLife time.Duration, q Query, fs []found) []Hit {
	s := scale{q: &q, now: now, halfLife: halfLife, words: 1}
	for i := range fs {
		s.bestWords, s.bestVector = max(s.bestWords, fs[i].words), max(s.bestVector, fs[i].vector)
	}
	if s.bestVector > 0 {
		s.words, s.vector = weighWords, 1-weighWords
	}
	type scored struct {
		*found
		score float64
	}
	all := make([]scored, len(fs))
	buf := make([]ScoreTerm, 0, 7)
	for i := range fs {
		buf = s.terms(&fs[i], buf[:0])
		all[i] = scored{&fs[i], sum(buf)}
	}
	slices.SortFunc(all, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Space, b.Space), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID))
	})
	all = all[:min(q.Limit, len(all))]
	hits := make([]Hit, len(all))
	for i, f := range all {
		hits[i] = Hit{Record: *f.Record, NearDuplicates: f.same, Score: f.score, Terms: slices.Clone(s.terms(f.found, buf[:0]))}
		hits[i].Sources = sourcesOf(f.Record)
	}
	return hits
}

// A scale says what everything that was found is measured by.
type scale struct {
	q                     *Query
	now                   time.Time
	halfLife              time.Duration // of recency
	bestWords, bestVector float64
	words, vector         float64 // weights
}

// terms appends the reasons of a score; one of no value is not told.
func (s *scale) terms(f *found, ts []ScoreTerm) []ScoreTerm {
	add := func(name string, value, weight float64) {
		if value > 0 && weight > 0 {
			ts = append(ts, ScoreTerm{name, value, weight})
		}
	}
	if !s.q.asks() {
		add("recency", s.recency(f.At), 1)
		return ts
	}
	add("words", ratio(f.words-f.near, s.bestWords), s.words)
	add("near", ratio(f.near, s.bestWords), s.words)
	add("vector", ratio(f.vector, s.bestVector), s.vector)
	if f.then {
		add("time", 1, weighTime)
	}
	add("recency", s.recency(f.At), weighRecency)
	add("importance", f.Importance, weighImportance)
	add("affinity", min(s.q.Affinity[f.Person], 1), weighAffinity)
	return ts
}

func sum(ts []ScoreTerm) (score float64) {
	for _, t := range ts {
		score += t.Value * t.Weight
	}
	return score
}

// recency is 1 for what is new and halves with every half-life; what has no time has none.
func (s *scale) recency(at time.Time) float64 {
	if at.IsZero() || s.halfLife < 0 {
		return 0
	}
	return math.Exp2(-max(0, s.now.Sub(at).Hours()) / s.halfLife.Hours())
}

func ratio(x, best float64) float64 {
	if best <= 0 {
		return 0
	}
	return max(0, x/best)
}
