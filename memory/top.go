package memory

import (
	"cmp"
	"slices"

	"github.com/hearth-bot/hearth/memory/internal/best"
)

// A hit is a doc that a search came upon.
type hit struct {
	doc         uint32
	score, near float32
}

// top keeps the best k of many.
type top struct {
	sh *shelf
	best.Heap[hit]
}

func newTop(sh *shelf, k int) *top {
	t := &top{sh: sh}
	t.K, t.Worse = k, func(a, b hit) bool { return t.compare(a, b) > 0 }
	return t
}

// compare puts better hits first: by score, then newer, then later arrived.
func (t *top) compare(a, b hit) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(t.sh.when[b.doc], t.sh.when[a.doc]), cmp.Compare(b.doc, a.doc))
}

// takes reports whether add would keep a hit.
func (t *top) takes(h hit) bool {
	return !t.Full() || h.score >= t.Items[0].score && t.Worse(t.Items[0], h)
}

// candidates hands the hits out, best first.
func (t *top) candidates() []Candidate {
	slices.SortFunc(t.Items, t.compare)
	cs := make([]Candidate, len(t.Items))
	for i, h := range t.Items {
		cs[i] = Candidate{ID: t.sh.docs[h.doc].id, Score: float64(h.score), NeighborScore: float64(h.near)}
	}
	return cs
}
