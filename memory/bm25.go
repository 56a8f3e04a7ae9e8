package memory

import (
	"cmp"
	"math"
	"slices"

	"github.com/hearth-bot/hearth/memory/when"
)

// How the parts of a lexical score weigh. They were chosen on dialogues in English and articles in Chinese,
// and a wide range around them does nearly as well.
const (
	k1         = 1.2 // how soon saying a word again stops counting
	lengths    = .3  // how much long texts are held against them: BM25's b
	weighWord  = .9  // of a score comes from the field of words, the rest from pieces
	spreadNext = .65
	spreadPrev = .7      // of what goes to the next: an answer follows its question
	spreadOn   = .85     // of what one message got goes on to the one behind it
	nearPlaces = 2       // messages before and after that share
	nearTime   = 30 * 60 // seconds between two neighbours at most
	nearSize   = 100     // a text of more words needs its neighbours' less
	maxTerms   = 128     // of a query, the rarest
)

// A cell is what one search knows of one doc.
type cell struct {
	score, own float32 // summed over the terms so far; own: by its own words
	before     float32 // score without the latest term that reached it
	term       int32   // which one that was; 0: none did
}

// scratch is what one search needs. It is as long as the space, so a Lexical keeps some.
type scratch struct {
	cells   []cell   // all zero between searches
	touched []uint32 // docs with a score
	term    int32    // the one at hand, counted from 1
	idf     float32  // its weight
	matches []match
	bag     bag
}

// A match is a term of the query that the space has.
type match struct {
	term uint64
	slot slot
	df   int
}

// search finds the best docs for the query's text, and those of one time.
func (sh *shelf) search(w *scratch, q *Query, then when.Span, k int, spread float32) (best, ofThen []Candidate) {
	if n := len(sh.docs); len(w.cells) < n {
		w.cells = make([]cell, n+n/4)
	}
	w.bag.terms(q.Text, "")
	w.score(sh, &sh.words, w.bag.words, weighWord, spread)
	w.score(sh, &sh.pieces, w.bag.pieces, 1-weighWord, spread)
	t, u, timed := newTop(sh, k), newTop(sh, k), then != (when.Span{})
	for _, i := range w.touched {
		c := w.cells[i]
		w.cells[i] = cell{}
		h := hit{doc: i, score: c.score, near: c.score - c.own}
		if t.takes(h) && sh.docs[i].admitted(q) {
			t.Add(h)
		}
		if timed && u.takes(h) && then.Contains(sh.docs[i].at) && sh.docs[i].admitted(q) {
			u.Add(h)
		}
	}
	w.touched, w.term = w.touched[:0], 0
	return t.candidates(), u.candidates()
}

// score adds the BM25 of the terms in one field. A term counts for a doc by its own use of it or by what a neighbour
// shares, whichever is more: words said twice in a stretch of talk do not count twice.
func (w *scratch) score(sh *shelf, f *field, terms []uint64, weight float64, spread float32) {
	if f.total == 0 {
		return
	}
	live := float64(len(sh.docs) - sh.dead)
	norm := norm{k0: k1 * (1 - lengths), kl: float32(k1 * lengths * live / f.total), size: f.size}
	var one [1]posting
	for _, l := range w.pick(f, terms) {
		df := float64(l.df)
		w.term++
		w.idf = float32(weight * (k1 + 1) * math.Log1p((live-df+.5)/(df+.5)))
		telling := spread > 0 && df <= max(4, live/10) // what every tenth message has says nothing about those around it
		for _, p := range f.postings(l.slot, &one) {
			i := p.doc()
			v := norm.of(p)
			w.raise(i, v)
			w.cells[i].own += w.idf * v
			if telling {
				w.share(sh, i, v*spread)
			}
		}
	}
}

// norm is how often a doc has a term, weighed by how long the doc is.
type norm struct {
	k0, kl float32
	size   []float32
}

func (n *norm) of(p posting) float32 {
	tf := float32(p & 255)
	return tf / (tf + n.k0 + n.kl*n.size[p.doc()])
}

// pick looks the terms up, and keeps the rarest where a query has very many. They come in a fixed order, so that sums do too.
func (w *scratch) pick(f *field, terms []uint64) []match {
	var one [1]posting
	w.matches = w.matches[:0]
	count(terms, func(term uint64, _ int) {
		if s, ok := f.slots[term]; ok {
			w.matches = append(w.matches, match{term, s, len(f.postings(s, &one))})
		}
	})
	if len(w.matches) > maxTerms {
		slices.SortFunc(w.matches, func(a, b match) int {
			return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.term, b.term))
		})
		w.matches = w.matches[:maxTerms]
	}
	return w.matches
}

// raise lets a doc have the term at hand as much as v, unless it has it more.
func (w *scratch) raise(i uint32, v float32) {
	c := &w.cells[i]
	if c.term != w.term {
		if c.term == 0 {
			w.touched = append(w.touched, i)
		}
		c.term, c.before = w.term, c.score
	}
	if score := c.before + w.idf*v; score > c.score {
		c.score = score
	}
}

// share gives the messages around a doc part of what a term is worth there.
func (w *scratch) share(sh *shelf, i uint32, v float32) {
	from := sh.when[i]
	at, on := sh.line[i].next, v
	for range nearPlaces {
		if at = w.pass(sh, at, from, on); at < 0 {
			break
		}
		at, on = sh.line[at].next, on*spreadOn
	}
	at, on = sh.line[i].prev, v*spreadPrev
	for range nearPlaces {
		if at = w.pass(sh, at, from, on); at < 0 {
			break
		}
		at, on = sh.line[at].prev, on*spreadOn
	}
}

// pass raises one neighbour, or returns -1 where the talk broke off.
func (w *scratch) pass(sh *shelf, at int32, from int64, v float32) int32 {
	if at < 0 || from == noTime || sh.when[at] == noTime || max(from-sh.when[at], sh.when[at]-from) > nearTime {
		return -1
	}
	if size := sh.words.size[at]; size > nearSize {
		v *= nearSize / size
	}
	w.raise(uint32(at), v)
	return at
}
