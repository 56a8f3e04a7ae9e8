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
	stepDecay        = .8      // of the weight remains for each further message
	answerFactor     = 1.3     // of nextWeight, for what follows a question
	questionFactor   = .8      // of the score of a question
	datedFactor      = 1.3     // of the score of what names a time, if the query asks for one
	specificFactor   = 1.2     // of the score of what has a number, a title or a name, if the query is a question
	namedFactor      = 1.15    // of the score of messages by somebody whom the query names
	ofItselfFactor   = 1.1     // of namedFactor, for messages about their author
	mixedFactor      = 1.5     // of the score of words among Han, kana and hangul, as numbers and foreign names are
	idfPower         = 1.3     // of the inverse document frequency, so that rare words decide
	spreadShare      = .15     // a term in a larger share of the messages says nothing about its neighbors
	neighborReach    = 3       // messages before and after that share their terms
	neighborGap      = 30 * 60 // maximum seconds between two neighbors
	neighborMaxWords = 100     // a text with more words gets less from its neighbors
	maxQueryTerms    = 128     // the rarest terms of a query are used
)

// A docScore is the score of one doc during a search.
type docScore struct {
	score, ownScore float32 // sums over the terms so far; ownScore counts only the doc's own words
	scoreBefore     float32 // score without term
	term            int32   // the latest term; 0: none
}

// searchBuffers are the buffers of one search. They are as long as the space, so a LexicalIndex reuses them.
type searchBuffers struct {
	scores  []docScore // all zero between searches
	touched []uint32   // docs with a score, unless dense
	dense   bool       // most docs have a score
	term    int32      // number of the current term, from 1
	idf     float32    // weight of the current term
	mixed   bool       // the query has words and characters
	matches []matchedTerm
	authors []uint32 // whom the query names or means
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
	slices.Sort(w.bag.words)
	w.authors = si.authors.named(w.bag.words, w.authors[:0])
	w.mixed = w.bag.isMixed()
	w.addMeant(si, q)
	w.score(si, &si.words, w.bag.words, wordFieldWeight, spread)
	w.score(si, &si.pieces, w.bag.pieces, 1-wordFieldWeight, spread)
	t, u, timed, filtered := newTopK(si, k), newTopK(si, k), span != (when.Span{}), q.isFiltered()
	wish := wishOf(q.Text)
	others, named := wish.factors(false), wish.factors(true)
	most := max(slices.Max(others[:]), slices.Max(named[:]))
	add := func(i uint32, c *docScore) {
		look := si.traits[i] & looks
		factor := others[look]
		if len(w.authors) > 0 && slices.Contains(w.authors, si.traits[i].author()) {
			factor = named[look]
		}
		h := scoredDoc{doc: i, score: factor * c.score, neighborScore: factor * (c.score - c.ownScore)}
		if t.accepts(h) && (!filtered || si.docs[i].matches(q)) {
			t.Add(h)
		}
		if timed && u.accepts(h) && span.Contains(si.docs[i].at) && (!filtered || si.docs[i].matches(q)) {
			u.Add(h)
		}
	}
	// Most docs score too low for the result with any factor, so they are skipped before anything else is read of them.
	least := func() float32 {
		if timed {
			return min(t.least(), u.least())
		}
		return t.least()
	}
	atLeast := least()
	if w.dense {
		scores := w.scores[:len(si.docs)]
		for i := range scores {
			if c := &scores[i]; most*c.score >= atLeast && c.term != 0 {
				add(uint32(i), c)
				atLeast = least()
			}
		}
		clear(scores)
	}
	for _, i := range w.touched {
		c := &w.scores[i]
		if most*c.score >= atLeast {
			add(i, c)
			atLeast = least()
		}
		*c = docScore{}
	}
	w.touched, w.term, w.dense = w.touched[:0], 0, false
	return t.candidates(), u.candidates()
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
	matches, postings := w.lookUp(f, terms), 0
	for i := range matches {
		postings += matches[i].df
	}
	if postings > len(si.docs)/8 { // most docs will have a score, so which ones is not worth noting
		w.dense, w.touched = true, w.touched[:0]
	}
	for _, l := range matches {
		df := float64(l.df)
		w.term++
		w.idf = float32(weight * (bm25K1 + 1) * math.Pow(math.Log1p((live-df+.5)/(df+.5)), idfPower))
		if kind := l.term &^ termMask; w.mixed && (kind == termWord || kind == termBorder) {
			w.idf *= mixedFactor
		}
		telling := spread > 0 && df <= max(4, live*spreadShare)
		list := f.list(l.ref, &one)
		if telling {
			w.addShared(si, list, &norm, spread)
		} else {
			w.addOwn(list, &norm)
		}
	}
}

// addOwn adds the scores of a term that neighbors do not share.
func (w *searchBuffers) addOwn(list []posting, norm *norm) {
	scores, size, k0, kl, idf, term := w.scores, norm.size, norm.k0, norm.kl, w.idf, w.term // in registers: this loop is hot
	for _, p := range list {
		i, tf := p.doc(), float32(p&255)
		c := &scores[i]
		if c.term == 0 {
			w.touch(i)
		}
		v := idf * tf / (tf + k0 + kl*size[i])
		c.score += v
		c.ownScore += v
		c.term = term
	}
}

// addShared adds the scores of a term of which the messages around a doc get a part.
func (w *searchBuffers) addShared(si *spaceIndex, list []posting, norm *norm, spread float32) {
	for _, p := range list {
		i := p.doc()
		v := w.idf * norm.of(p)
		prev, next, look := v*spread*prevFactor, v*spread, si.traits[i]
		if look&asks != 0 {
			next *= answerFactor
		}
		if look&plain == 0 {
			w.raise(&w.scores[i], i, v)
			w.scores[i].ownScore += v
			w.raiseNeighbors(si, i, prev, next)
			continue
		}
		around := (*[2*neighborReach + 1]docScore)(w.scores[i-neighborReach:])
		w.raise(&around[0], i-3, prev*stepDecay*stepDecay)
		w.raise(&around[1], i-2, prev*stepDecay)
		w.raise(&around[2], i-1, prev)
		w.raise(&around[3], i, v)
		around[3].ownScore += v
		w.raise(&around[4], i+1, next)
		w.raise(&around[5], i+2, next*stepDecay)
		w.raise(&around[6], i+3, next*stepDecay*stepDecay)
	}
}

// touch notes that a doc has a score.
func (w *searchBuffers) touch(i uint32) {
	if !w.dense {
		w.touched = append(w.touched, i)
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

// raise raises the score of doc i for the current term to v, unless it is higher.
func (w *searchBuffers) raise(c *docScore, i uint32, v float32) {
	if c.term != w.term {
		if c.term == 0 {
			w.touch(i)
		}
		c.term, c.scoreBefore = w.term, c.score
	}
	if score := c.scoreBefore + v; score > c.score {
		c.score = score
	}
}

// raiseNeighbors gives the messages around a doc a part of its term score: prev and next to the nearest two, and less to others.
func (w *searchBuffers) raiseNeighbors(si *spaceIndex, i uint32, prev, next float32) {
	times, links, from := si.times, si.links, si.times[i]
	if from == noTime {
		return
	}
	at := links[i].next
	for range neighborReach {
		if at < 0 || !isNear(from, times[at]) {
			break
		}
		w.raise(&w.scores[at], uint32(at), next*si.words.share(at))
		at, next = links[at].next, next*stepDecay
	}
	at = links[i].prev
	for range neighborReach {
		if at < 0 || !isNear(from, times[at]) {
			break
		}
		w.raise(&w.scores[at], uint32(at), prev*si.words.share(at))
		at, prev = links[at].prev, prev*stepDecay
	}
}

// isNear reports whether two times are at most neighborGap apart.
func isNear(a, b int64) bool { return uint64(b-a+neighborGap) <= 2*neighborGap }

// share returns how much a doc gets from its neighbors: less if it is long.
func (f *termField) share(at int32) float32 {
	if size := f.docTerms[at]; size > neighborMaxWords {
		return neighborMaxWords / size
	}
	return 1
}
