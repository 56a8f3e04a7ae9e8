package memory

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Weights of the score terms. Relevance dominates. The other terms decide between records of similar relevance.
const (
	wordsWeight      = .65 // of the relevance, if there are vectors; vectors have the rest
	timeWeight       = .5
	recencyWeight    = .05
	importanceWeight = .1
	affinityWeight   = .05
)

// rank scores the records by the formula of [Reader.Recall] and returns the best.
func rank(now time.Time, halfLife time.Duration, q Query, fs []found) []Hit {
	s := scale{q: &q, now: now, halfLife: halfLife, words: 1}
	for i := range fs {
		s.bestWords, s.bestVector = max(s.bestWords, fs[i].words), max(s.bestVector, fs[i].vector)
	}
	if s.bestVector > 0 {
		s.words, s.vector = wordsWeight, 1-wordsWeight
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
		hits[i] = Hit{Record: *f.Record, NearDuplicates: f.duplicates, Score: f.score, Terms: slices.Clone(s.terms(f.found, buf[:0]))}
		hits[i].Sources = sourcesOf(f.Record)
	}
	return hits
}

// A scale holds the maxima that normalize the scores, and the weights.
type scale struct {
	q                     *Query
	now                   time.Time
	halfLife              time.Duration // of recency
	bestWords, bestVector float64
	words, vector         float64 // weights
}

// terms appends the terms of a score, without those of value 0.
func (s *scale) terms(f *found, ts []ScoreTerm) []ScoreTerm {
	add := func(name string, value, weight float64) {
		if value > 0 && weight > 0 {
			ts = append(ts, ScoreTerm{name, value, weight})
		}
	}
	if !s.q.isSearch() {
		add("recency", s.recency(f.At), 1)
		return ts
	}
	add("words", ratio(f.words-f.near, s.bestWords), s.words)
	add("near", ratio(f.near, s.bestWords), s.words)
	add("vector", ratio(f.vector, s.bestVector), s.vector)
	if f.inSpan {
		add("time", 1, timeWeight)
	}
	add("recency", s.recency(f.At), recencyWeight)
	add("importance", f.Importance, importanceWeight)
	add("affinity", min(s.q.Affinity[f.Person], 1), affinityWeight)
	return ts
}

func sum(ts []ScoreTerm) (score float64) {
	for _, t := range ts {
		score += t.Value * t.Weight
	}
	return score
}

// recency is 1 for a new record and halves with each half-life. Without a time it is 0.
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
