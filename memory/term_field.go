package memory

import "slices"

// A termField is an inverted index of one set of terms, with its own document lengths.
type termField struct {
	postings   map[uint64]postingRef
	lists      [][]posting // postings of terms in more than one doc
	freeLists  []uint32    // unused entries of lists
	docTerms   []float32   // number of terms of each doc
	totalTerms float64     // number of terms of all docs
}

// A posting holds a doc (upper 24 bits) and the number of occurrences of a term in it (lower 8 bits, at most 255).
type posting uint32

func (p posting) doc() uint32 { return uint32(p >> 8) }

// A postingRef holds the postings of a term. Most terms occur in a single doc and store the posting itself. Other terms
// store listBit and an index into lists.
type postingRef uint64

const listBit postingRef = 1 << 63

func newTermField() termField { return termField{postings: map[uint64]postingRef{}} }

// list returns the postings of a term, sorted by doc. It uses one as storage for a single posting.
func (f *termField) list(s postingRef, one *[1]posting) []posting {
	if s&listBit != 0 {
		return f.lists[uint32(s)]
	}
	one[0] = posting(s)
	return one[:]
}

// add adds the terms of a doc.
func (f *termField) add(i uint32, terms []uint64) {
	f.docTerms[i] = float32(len(terms))
	f.totalTerms += float64(len(terms))
	count(terms, func(term uint64, n int) {
		p := posting(i<<8 | uint32(min(n, 255)))
		switch s, ok := f.postings[term]; {
		case !ok:
			f.postings[term] = postingRef(p)
		case s&listBit != 0:
			list := &f.lists[uint32(s)]
			at, _ := find(*list, i)
			*list = slices.Insert(withRoom(*list), at, p)
		default:
			f.postings[term] = f.newList(min(posting(s), p), max(posting(s), p))
		}
	})
}

func (f *termField) newList(ps ...posting) postingRef {
	if n := len(f.freeLists); n > 0 {
		i := f.freeLists[n-1]
		f.freeLists = f.freeLists[:n-1]
		f.lists[i] = ps
		return listBit | postingRef(i)
	}
	f.lists = append(f.lists, ps)
	return listBit | postingRef(len(f.lists)-1)
}

// remove removes the terms of a doc.
func (f *termField) remove(i uint32, terms []uint64) {
	f.docTerms[i] = 0
	f.totalTerms -= float64(len(terms))
	count(terms, func(term uint64, _ int) {
		s, ok := f.postings[term]
		if !ok {
			return
		}
		if s&listBit == 0 {
			delete(f.postings, term)
			return
		}
		list := &f.lists[uint32(s)]
		if at, ok := find(*list, i); ok {
			*list = slices.Delete(*list, at, at+1)
		}
		if len(*list) == 1 {
			f.postings[term] = postingRef((*list)[0])
			*list = nil
			f.freeLists = append(f.freeLists, uint32(s))
		}
	})
}

func find(list []posting, i uint32) (int, bool) {
	if n := len(list); list[n-1].doc() < i { // the usual case: the newest doc
		return n, false
	}
	return slices.BinarySearchFunc(list, i, func(p posting, i uint32) int { return int(p.doc()) - int(i) })
}
