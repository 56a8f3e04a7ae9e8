package memory

import (
	"cmp"
	"math"
	"slices"

	"github.com/hearth-bot/hearth/memory/when"
)

// Weights of the lexical score. They were chosen on dialogues in English and articles in Chinese. Recall is nearly the
// same in a wide range around them.
const (
	bm25K1           = 1.2 // term frequency saturation
	bm25B            = .3  // length normalization, BM25's b
	wordFieldWeight  = .9  // share of the score from the field of words; pieces have the rest
	nextWeight       = .65
	prevFactor       = .7      // of nextWeight; smaller, because an answer follows its question
	stepDecay        = .85     // of the weight remains for each further message
	answerFactor     = 1.3     // of nextWeight, for what follows a question
	questionFactor   = .8      // of the score of a question
	namedFactor      = 1.2     // of the score of messages by somebody whom the query names
	neighborReach    = 2       // messages before and after that share their terms
	neighborGap      = 30 * 60 // maximum seconds between two neighbors
	neighborMaxWords = 100     // a text with more words gets less from its neighbors
	maxQueryTerms    = 128     // the rarest terms of a query are used
)

// A docScore is the score of one doc during a search.
type docScore struct {
	score, ownScore float32 // sums over the terms so far; ownScore counts only the doc's own words
	scoreBefore     float32 // score without the latest term
	term            int32   // the latest term; 0: none
}

// searchBuffers are the buffers of one search. They are as long as the space, so a LexicalIndex reuses them.
type searchBuffers struct {
	scores  []docScore // all zero between searches
	touched []uint32   // docs with a score
	term    int32      // number of the current term, from 1
	idf     float32    // weight of the current term
	matches []matchedTerm
	authors []uint32 // whom the query names
	bag     bag
}

// A matchedTerm is a query term that occurs in the space.
type matchedTerm struct {
	term uint64
	ref  postingRef
	df   int
}

// search returns the best docs for the query's text, and the best docs within a time span.
func (si *spaceIndex) search(w *searchBuffers, q *Query, span when.Span, k int, spread float32) (best, inSpan []Candidate) {
	if n := len(si.docs); len(w.scores) < n {
		w.scores = make([]docScore, n+n/4)
	}
	w.bag.terms(q.Text, "")
	w.score(si, &si.words, w.bag.words, wordFieldWeight, spread)
	w.score(si, &si.pieces, w.bag.pieces, 1-wordFieldWeight, spread)
	w.authors = si.authors.named(w.bag.words, w.authors[:0])
	t, u, timed := newTopK(si, k), newTopK(si, k), span != (when.Span{})
	for _, i := range w.touched {
		c := w.scores[i]
		w.scores[i] = docScore{}
		factor := w.factor(si.traits[i])
		h := scoredDoc{doc: i, score: factor * c.score, neighborScore: factor * (c.score - c.ownScore)}
		if t.accepts(h) && si.docs[i].matches(q) {
			t.Add(h)
		}
		if timed && u.accepts(h) && span.Contains(si.docs[i].at) && si.docs[i].matches(q) {
			u.Add(h)
		}
	}
	w.touched, w.term = w.touched[:0], 0
	return t.candidates(), u.candidates()
}

// factor returns by how much the score of a doc counts.
func (w *searchBuffers) factor(t trait) float32 {
	factor := float32(1)
	if t.asks() {
		factor = questionFactor
	}
	if len(w.authors) > 0 && slices.Contains(w.authors, t.author()) {
		factor *= namedFactor
	}
	return factor
}

// score adds the BM25 scores of the terms in one field. A doc gets the larger of its own term score and its neighbor's
// shared score, so a word repeated in a conversation does not count twice.
func (w *searchBuffers) score(si *spaceIndex, f *termField, terms []uint64, weight float64, spread float32) {
	if f.totalTerms == 0 {
		return
	}
	live := float64(len(si.docs) - si.deleted)
	norm := norm{k0: bm25K1 * (1 - bm25B), kl: float32(bm25K1 * bm25B * live / f.totalTerms), size: f.docTerms}
	var one [1]posting
	for _, l := range w.lookUp(f, terms) {
		df := float64(l.df)
		w.term++
		w.idf = float32(weight * (bm25K1 + 1) * math.Log1p((live-df+.5)/(df+.5)))
		telling := spread > 0 && df <= max(4, live/10) // a term in every tenth message says nothing about its neighbors
		for _, p := range f.list(l.ref, &one) {
			i := p.doc()
			v := norm.of(p)
			w.raiseTo(i, v)
			w.scores[i].ownScore += w.idf * v
			if telling {
				w.shareWithNeighbors(si, i, v*spread)
			}
		}
	}
}

// norm computes the BM25 term frequency, normalized by doc length.
type norm struct {
	k0, kl float32
	size   []float32
}

func (n *norm) of(p posting) float32 {
	tf := float32(p & 255)
	return tf / (tf + n.k0 + n.kl*n.size[p.doc()])
}

// lookUp finds the terms in the index and keeps the rarest of very many. Their order is fixed, and so is the order of
// the sums.
func (w *searchBuffers) lookUp(f *termField, terms []uint64) []matchedTerm {
	var one [1]posting
	w.matches = w.matches[:0]
	count(terms, func(term uint64, _ int) {
		if s, ok := f.postings[term]; ok {
			w.matches = append(w.matches, matchedTerm{term, s, len(f.list(s, &one))})
		}
	})
	if len(w.matches) > maxQueryTerms {
		slices.SortFunc(w.matches, func(a, b matchedTerm) int {
			return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.term, b.term))
		})
		w.matches = w.matches[:maxQueryTerms]
	}
	return w.matches
}

// raiseTo raises a doc's score for the current term to v, unless it is higher.
func (w *searchBuffers) raiseTo(i uint32, v float32) {
	c := &w.scores[i]
	if c.term != w.term {
		if c.term == 0 {
			w.touched = append(w.touched, i)
		}
		c.term, c.scoreBefore = w.term, c.score
	}
	if score := c.scoreBefore + w.idf*v; score > c.score {
		c.score = score
	}
}

// shareWithNeighbors gives the messages around a doc a part of its term score.
func (w *searchBuffers) shareWithNeighbors(si *spaceIndex, i uint32, v float32) {
	from := si.times[i]
	at, on := si.links[i].next, v
	if si.traits[i].asks() {
		on *= answerFactor
	}
	for range neighborReach {
		if at = w.raiseNeighbor(si, at, from, on); at < 0 {
			break
		}
		at, on = si.links[at].next, on*stepDecay
	}
	at, on = si.links[i].prev, v*prevFactor
	for range neighborReach {
		if at = w.raiseNeighbor(si, at, from, on); at < 0 {
			break
		}
		at, on = si.links[at].prev, on*stepDecay
	}
}

// raiseNeighbor raises the score of one neighbor. It returns -1 if the neighbor is too far away in time.
func (w *searchBuffers) raiseNeighbor(si *spaceIndex, at int32, from int64, v float32) int32 {
	if at < 0 || from == noTime || si.times[at] == noTime || max(from-si.times[at], si.times[at]-from) > neighborGap {
		return -1
	}
	if size := si.words.docTerms[at]; size > neighborMaxWords {
		v *= neighborMaxWords / size
	}
	w.raiseTo(uint32(at), v)
	return at
}
