package memory

import (
	"cmp"
	"slices"
)

// A hit is a doc that a search came upon.
type hit struct {
	doc         uint32
	score, near float32
}

// top keeps the best k of many, in a heap whose first is the worst.
type top struct {
	sh   *shelf
	k    int
	hits []hit
}

func newTop(sh *shelf, k int) *top { return &top{sh: sh, k: k} }

// compare puts better hits first: by score, then newer, then later arrived.
func (t *top) compare(a, b hit) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(t.sh.when[b.doc], t.sh.when[a.doc]), cmp.Compare(b.doc, a.doc))
}

// takes reports whether the hit is among the best so far.
func (t *top) takes(h hit) bool {
	if len(t.hits) < t.k {
		return true
	}
	if worst := t.hits[0]; h.score != worst.score {
		return h.score > worst.score
	}
	return t.compare(h, t.hits[0]) < 0
}

func (t *top) add(h hit) {
	switch {
	case len(t.hits) < t.k:
		t.hits = append(t.hits, h)
		t.up(len(t.hits) - 1)
	case t.takes(h):
		t.hits[0] = h
		t.down()
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.hits[i], t.hits[parent]) < 0 {
			return
		}
		t.hits[i], t.hits[parent] = t.hits[parent], t.hits[i]
		i = parent
	}
}

func (t *top) down() {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.hits); c++ {
			if t.compare(t.hits[c], t.hits[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.hits[i], t.hits[worst] = t.hits[worst], t.hits[i]
		i = worst
	}
}

func (t *top) candidates() []Candidate {
	slices.SortFunc(t.hits, t.compare)
	cs := make([]Candidate, len(t.hits))
	for i, h := range t.hits {
		cs[i] = Candidate{ID: t.sh.docs[h.doc].id, Score: float64(h.score), Near: float64(h.near)}
	}
	return cs
}
