package memory

import "slices"

// A field is one set of terms with its own lengths.
type field struct {
	slots map[uint64]slot
	lists [][]posting // of terms that more than one doc has
	free  []uint32    // lists that nobody uses
	size  []float32   // terms of each doc
	total float64     // terms of all docs
}

// A posting says that a doc (upper 24 bits) has a term so often (lower 8 bits, at most 255).
type posting uint32

func (p posting) doc() uint32 { return uint32(p >> 8) }

// A slot is where a term's postings are: most terms have a single one, which is the slot itself; others have the list of that number.
type slot uint64

const inList slot = 1 << 63

func newField() field { return field{slots: map[uint64]slot{}} }

// postings returns those of a slot, by doc; one is where a single posting is put.
func (f *field) postings(s slot, one *[1]posting) []posting {
	if s&inList != 0 {
		return f.lists[uint32(s)]
	}
	one[0] = posting(s)
	return one[:]
}

// give enters the terms of a doc.
func (f *field) give(i uint32, terms []uint64) {
	f.size[i] = float32(len(terms))
	f.total += float64(len(terms))
	count(terms, func(term uint64, n int) {
		p := posting(i<<8 | uint32(min(n, 255)))
		switch s, ok := f.slots[term]; {
		case !ok:
			f.slots[term] = slot(p)
		case s&inList != 0:
			list := &f.lists[uint32(s)]
			at, _ := find(*list, i)
			*list = slices.Insert(*list, at, p)
		default:
			f.slots[term] = f.list(min(posting(s), p), max(posting(s), p))
		}
	})
}

func (f *field) list(ps ...posting) slot {
	if n := len(f.free); n > 0 {
		i := f.free[n-1]
		f.free = f.free[:n-1]
		f.lists[i] = ps
		return inList | slot(i)
	}
	f.lists = append(f.lists, ps)
	return inList | slot(len(f.lists)-1)
}

// take removes the terms of a doc again.
func (f *field) take(i uint32, terms []uint64) {
	f.size[i] = 0
	f.total -= float64(len(terms))
	count(terms, func(term uint64, _ int) {
		s, ok := f.slots[term]
		if !ok {
			return
		}
		if s&inList == 0 {
			delete(f.slots, term)
			return
		}
		list := &f.lists[uint32(s)]
		if at, ok := find(*list, i); ok {
			*list = slices.Delete(*list, at, at+1)
		}
		if len(*list) == 1 {
			f.slots[term] = slot((*list)[0])
			*list = nil
			f.free = append(f.free, uint32(s))
		}
	})
}

func find(list []posting, i uint32) (int, bool) {
	if n := len(list); list[n-1].doc() < i { // mostly: what comes is the newest
		return n, false
	}
	return slices.BinarySearchFunc(list, i, func(p posting, i uint32) int { return int(p.doc()) - int(i) })
}
