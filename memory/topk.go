package memory

import (
	"cmp"
	"math"
	"slices"

	"github.com/hearth-bot/hearth/memory/internal/best"
)

// A scoredDoc is a search result.
type scoredDoc struct {
	doc                  uint32
	score, neighborScore float32
}

// topK keeps the k best results.
type topK struct {
	index *spaceIndex
	best.Heap[scoredDoc]
}

func newTopK(si *spaceIndex, k int) *topK {
	t := &topK{index: si}
	t.K, t.Worse = k, func(a, b scoredDoc) bool { return a.score < b.score || a.score == b.score && t.compare(a, b) > 0 }
	return t
}

// compare sorts by score, then newer first, then later arrival first.
func (t *topK) compare(a, b scoredDoc) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(t.index.times[b.doc], t.index.times[a.doc]), cmp.Compare(b.doc, a.doc))
}

// least returns the score below which no doc is kept.
func (t *topK) least() float32 {
	if t.Full() {
		return t.Items[0].score
	}
	return float32(math.Inf(-1))
}

// accepts reports whether Add would keep h.
func (t *topK) accepts(h scoredDoc) bool {
	return !t.Full() || h.score >= t.Items[0].score && t.Worse(t.Items[0], h)
}

// candidates returns the results, best first.
func (t *topK) candidates() []Candidate {
	slices.SortFunc(t.Items, t.compare)
	cs := make([]Candidate, len(t.Items))
	for i, h := range t.Items {
		cs[i] = Candidate{ID: t.index.docs[h.doc].id, Score: float64(h.score), NeighborScore: float64(h.neighborScore)}
	}
	return cs
}
