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

// LexicalOptions configures a [LexicalIndex].
type LexicalOptions struct {
	NeighborWeight float64 // weight of a message's words for its neighbors in the chat; 0 means .65; negative: none
}

// A LexicalIndex is the built-in [Index] for word search in any language. It needs no dictionary, model or network.
// Each [Memory] has one. You can also use it alone without a store. All methods may be called concurrently.
//
// The score is BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with k1
// 1.2, b .3 and the inverse document frequency to the power of 1.3. Each space is scored separately over two fields. The
// field of words holds Han, kana and hangul characters and pairs of them, and stemmed words of other scripts. English
// words are reduced to their base forms (went, kids) first. A word of another script counts 1.5 times in a query with
// characters, and where a word touches a character, both together are a term (18号). The field of pieces holds parts of
// words, so that misspelled words match.
//
// A message scores for its own terms and for those of its neighbors, because an answer seldom repeats the words of the
// question. For each term it gets its own score or .65 of a neighbor's score, whichever is higher. The three messages
// before and after are neighbors if they are at most half an hour apart. What follows a question gets more from it.
//
// A score counts more or less by what the query and the text look like. A question counts .8, because somebody who asks seldom
// says. If the query contains the name of an author, that author's messages count 1.15 times, and 1.27 times if they say I or 我:
// people mostly talk about themselves. Whom a pronoun means counts as named, and so do those of [Query].About. The bot's own
// messages do not, because who talks to it names it. If the query asks something, texts with a number, a title or a name count 1.2
// times. If it asks when, texts that name a time count 1.3 times.
//
// The index keeps the texts of its records. Delete uses them to remove all terms of a record.
type LexicalIndex struct {
	neighborWeight float32
	scratch        sync.Pool
	mu             sync.RWMutex
	spaces         map[Space]*spaceIndex
}

// NewLexicalIndex returns an empty index.
func NewLexicalIndex(o LexicalOptions) *LexicalIndex {
	x := &LexicalIndex{neighborWeight: nextWeight, spaces: map[Space]*spaceIndex{}}
	if o.NeighborWeight != 0 {
		x.neighborWeight = float32(max(0, o.NeighborWeight))
	}
	return x
}

// maxIndexed is the number of bytes of a text that are searched. A longer text is a document and not a chat message.
const maxIndexed = 64 << 10

// A doc is an indexed record.
type doc struct {
	id, text, name string
	person, kind   string
	tags           []string
	at             time.Time
	sketch         sketch
	deleted        bool
}

// Put implements [Index].
func (x *LexicalIndex) Put(ctx context.Context, recs ...Record) error {
	for len(recs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, n := recs[0].Space, 1
		for n < len(recs) && n < 64 && recs[n].Space == s { // in small batches, so that readers do not wait long
			n++
		}
		si, counterpart := x.spaceIndex(s, true), x.spaceIndex(s.Counterpart(), true)
		first, second := si, counterpart // lock both in a fixed order, so that concurrent moves neither deadlock nor leave a record in both
		if s > s.Counterpart() {
			first, second = counterpart, si
		}
		first.mu.Lock()
		second.mu.Lock()
		for i := range recs[:n] {
			counterpart.remove(recs[i].ID)
			si.put(&recs[i])
		}
		second.mu.Unlock()
		first.mu.Unlock()
		recs = recs[n:]
	}
	return nil
}

// Delete implements [Index].
func (x *LexicalIndex) Delete(ctx context.Context, s Space, ids ...string) error {
	si := x.spaceIndex(s, false)
	if si == nil {
		return ctx.Err()
	}
	si.mu.Lock()
	defer si.mu.Unlock()
	for _, id := range ids {
		si.remove(id)
	}
	return ctx.Err()
}

// Search implements [Index]. A query without text and vector lists the newest records.
func (x *LexicalIndex) Search(ctx context.Context, s Space, q Query, k int) ([]Candidate, error) {
	cs, _, err := x.searchSpan(ctx, s, &q, when.Span{}, k)
	return cs, err
}

// searchSpan is Search, and also returns the best records within a time span.
func (x *LexicalIndex) searchSpan(ctx context.Context, s Space, q *Query, span when.Span, k int) (best, inSpan []Candidate, err error) {
	si := x.spaceIndex(s, false)
	if err := ctx.Err(); err != nil || si == nil || k <= 0 {
		return nil, nil, err
	}
	si.mu.RLock()
	defer si.mu.RUnlock()
	switch {
	case strings.TrimSpace(q.Text) != "":
		w, _ := x.scratch.Get().(*searchBuffers)
		if w == nil {
			w = new(searchBuffers)
		}
		defer x.scratch.Put(w)
		best, inSpan = si.search(w, q, span, k, x.neighborWeight)
	case len(q.Vector) == 0:
		best = si.newest(q, k)
	}
	return best, inSpan, nil
}

func (x *LexicalIndex) spaceIndex(s Space, make bool) *spaceIndex {
	x.mu.RLock()
	si := x.spaces[s]
	x.mu.RUnlock()
	if si != nil || !make {
		return si
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces[s] == nil {
		x.spaces[s] = newSpaceIndex()
	}
	return x.spaces[s]
}

// sketches returns the sketches of records of one space. Put has made them already, unless a text has changed since.
func (x *LexicalIndex) sketches(s Space, fs []found) []sketch {
	gists := make([]sketch, len(fs))
	si := x.spaceIndex(s, false)
	if si == nil {
		si = newSpaceIndex()
	}
	si.mu.RLock()
	defer si.mu.RUnlock()
	var g gramReader
	for i := range fs {
		if at, ok := si.byID[fs[i].ID]; ok && si.docs[at].text == fs[i].Text {
			gists[i] = si.docs[at].sketch
		} else {
			gists[i] = g.sketch(fs[i].Text)
		}
	}
	return gists
}

// terms reads the searchable parts of a record: its text and the name of its author.
func (b *bag) terms(text, name string) {
	b.reset()
	b.read(text[:min(len(text), maxIndexed)])
	b.read(name)
}

// newest lists the latest records that match the query.
func (si *spaceIndex) newest(q *Query, k int) []Candidate {
	t := newTopK(si, k)
	last := len(si.docs)
	if si.inTimeOrder && !q.Until.IsZero() {
		last = sort.Search(last, func(i int) bool { return si.times[i] > q.Until.Unix() })
	}
	for i := last - 1; i >= 0; i-- {
		if si.inTimeOrder && (t.Full() || !q.Since.IsZero() && si.times[i] < q.Since.Unix()) {
			break
		}
		if h := (scoredDoc{doc: uint32(i)}); !si.docs[i].deleted && t.accepts(h) && si.docs[i].matches(q) {
			t.Add(h)
		}
	}
	return t.candidates()
}

func (d *doc) set(r *Record) {
	d.id, d.text, d.name, d.person, d.kind, d.at = r.ID, r.Text, r.Name, r.Person, r.Kind, r.At
	d.tags = slices.Clone(r.Tags)
}

func (d *doc) matches(q *Query) bool { return q.matches(d.person, d.kind, d.tags, d.at) }
