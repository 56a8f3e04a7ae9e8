package memory

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

// LexicalOptions says how a [LexicalIndex] scores.
type LexicalOptions struct {
	NeighborWeight float64 // how much of a message's words count for its neighbours in the chat; 0 means .65; negative: none
}

// A LexicalIndex is the built-in [Index]: by words, in any language, without dictionary, weights or network.
// A [Memory] has one of its own; use it alone where no store is wanted. All methods may be called concurrently.
//
// It scores by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; k1 1.2, b .3), each space
// by itself, over two fields: words, that is single glyphs and pairs of Han and the like, stemmed and folded words of other scripts; and
// pieces of words, which forgive spelling. A message counts for a term by its own use of it or by .65 of what one of the two messages before and after it
// has, whichever is more: an answer seldom repeats the words of the question. Messages that are half an hour apart are no neighbours.
//
// It holds the texts that it was given: what is deleted is taken out by the terms of its text, so that nothing of it stays behind.
type LexicalIndex struct {
	spread  float32
	scratch sync.Pool
	mu      sync.RWMutex
	spaces  map[Space]*shelf
}

// NewLexicalIndex returns an empty index.
func NewLexicalIndex(o LexicalOptions) *LexicalIndex {
	x := &LexicalIndex{spread: spreadNext, spaces: map[Space]*shelf{}}
	if o.NeighborWeight != 0 {
		x.spread = float32(max(0, o.NeighborWeight))
	}
	return x
}

// maxIndexed is how many bytes of a text are searched; what is longer is a document, not something said.
const maxIndexed = 64 << 10

// A doc is what a shelf must know of a record.
type doc struct {
	id, text, name string
	person, kind   string
	tags           []string
	at             time.Time
	gist           gist
	dead           bool
}

// Put implements [Index].
func (x *LexicalIndex) Put(ctx context.Context, recs ...Record) error {
	for len(recs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, n := recs[0].Space, 1
		for n < len(recs) && n < 64 && recs[n].Space == s { // in small portions, so that readers get in between
			n++
		}
		sh, twin := x.shelf(s, true), x.shelf(s.Counterpart(), true)
		first, second := sh, twin // both are locked, always in this order: or two that move one record past each other leave it in both
		if s > s.Counterpart() {
			first, second = twin, sh
		}
		first.mu.Lock()
		second.mu.Lock()
		for i := range recs[:n] {
			twin.remove(recs[i].ID)
			sh.put(&recs[i])
		}
		second.mu.Unlock()
		first.mu.Unlock()
		recs = recs[n:]
	}
	return nil
}

// Delete implements [Index].
func (x *LexicalIndex) Delete(ctx context.Context, s Space, ids ...string) error {
	sh := x.shelf(s, false)
	if sh == nil {
		return ctx.Err()
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, id := range ids {
		sh.remove(id)
	}
	return ctx.Err()
}

// Search implements [Index]. A query without text (and without vector) lists the newest.
func (x *LexicalIndex) Search(ctx context.Context, s Space, q Query, k int) ([]Candidate, error) {
	cs, _, err := x.searchThen(ctx, s, &q, when.Span{}, k)
	return cs, err
}

// searchThen is Search, and the same among what is of one time.
func (x *LexicalIndex) searchThen(ctx context.Context, s Space, q *Query, then when.Span, k int) (best, ofThen []Candidate, err error) {
	sh := x.shelf(s, false)
	if err := ctx.Err(); err != nil || sh == nil || k <= 0 {
		return nil, nil, err
	}
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	switch {
	case strings.TrimSpace(q.Text) != "":
		w, _ := x.scratch.Get().(*scratch)
		if w == nil {
			w = new(scratch)
		}
		defer x.scratch.Put(w)
		best, ofThen = sh.search(w, q, then, k, x.spread)
	case len(q.Vector) == 0:
		best = sh.newest(q, k)
	}
	return best, ofThen, nil
}

func (x *LexicalIndex) shelf(s Space, make bool) *shelf {
	x.mu.RLock()
	sh := x.spaces[s]
	x.mu.RUnlock()
	if sh != nil || !make {
		return sh
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces[s] == nil {
		x.spaces[s] = newShelf()
	}
	return x.spaces[s]
}

// gists returns those of records of one space. They were made when the records were put, unless a text has changed since.
func (x *LexicalIndex) gists(s Space, fs []found) []gist {
	gists := make([]gist, len(fs))
	sh := x.shelf(s, false)
	if sh == nil {
		sh = newShelf()
	}
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	var g grammar
	for i := range fs {
		if at, ok := sh.byID[fs[i].ID]; ok && sh.docs[at].text == fs[i].Text {
			gists[i] = sh.docs[at].gist
		} else {
			gists[i] = g.gist(fs[i].Text)
		}
	}
	return gists
}

// terms reads what of a record is searched: its text and the name of who said it.
func (b *bag) terms(text, name string) {
	b.reset()
	b.read(text[:min(len(text), maxIndexed)])
	b.read(name)
}

// newest lists the latest records that the query admits.
func (sh *shelf) newest(q *Query, k int) []Candidate {
	t := newTop(sh, k)
	last := len(sh.docs)
	if sh.ordered && !q.Until.IsZero() {
		last = sort.Search(last, func(i int) bool { return sh.when[i] > q.Until.Unix() })
	}
	for i := last - 1; i >= 0; i-- {
		if sh.ordered && (t.Full() || !q.Since.IsZero() && sh.when[i] < q.Since.Unix()) {
			break
		}
		if h := (hit{doc: uint32(i)}); !sh.docs[i].dead && t.takes(h) && sh.docs[i].admitted(q) {
			t.Add(h)
		}
	}
	return t.candidates()
}

func (d *doc) set(r *Record) {
	d.id, d.text, d.name, d.person, d.kind, d.at = r.ID, r.Text, r.Name, r.Person, r.Kind, r.At
	d.tags = slices.Clone(r.Tags)
}

func (d *doc) admitted(q *Query) bool { return q.admits(d.person, d.kind, d.tags, d.at) }
