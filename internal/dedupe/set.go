// Package dedupe remembers the keys of the last messages, so that a message that comes twice is handled once, and tells how
// far back a history must be read to fill a gap.
package dedupe

import "slices"

// A Set holds the last keys that were added to it, at most as many as it has room for.
//
// [Set.OpenGap] notes that messages may have been missed. What is added from then on is newer than the gap: a page of history
// that holds it need not reach back to the other side. [Set.BeforeGap] reports the keys that do show that.
type Set[K comparable] struct {
	most  int
	known map[K]struct{}
	order []K // a ring once it is full; next is its oldest
	next  int
	gaps  int            // that were opened
	gap   int            // the one that is open; 0: none
	after map[K]struct{} // known keys that do not show the end of a gap
}

// New makes a Set with room for most keys.
func New[K comparable](most int) *Set[K] {
	return &Set[K]{most: most, known: map[K]struct{}{}, after: map[K]struct{}{}}
}

// Has reports whether the set holds k.
func (s *Set[K]) Has(k K) bool {
	_, ok := s.known[k]
	return ok
}

// Add adds a key that is not there yet. A full set drops its oldest key for it, and tells which.
func (s *Set[K]) Add(k K) (dropped K, full bool) {
	if s.Has(k) {
		return dropped, false
	}
	if full = len(s.order) == s.most; full {
		dropped = s.order[s.next]
		delete(s.known, dropped)
		delete(s.after, dropped)
		s.order[s.next], s.next = k, (s.next+1)%s.most
	} else {
		s.order = append(s.order, k)
	}
	s.known[k] = struct{}{}
	if s.gap > 0 {
		s.after[k] = struct{}{}
	}
	return dropped, full
}

// AddAfterGap adds a key that does not show the end of a gap, be there one or not.
func (s *Set[K]) AddAfterGap(k K) {
	s.Add(k)
	s.after[k] = struct{}{}
}

// Remove takes a key out.
func (s *Set[K]) Remove(k K) {
	if s.Has(k) {
		delete(s.known, k)
		delete(s.after, k)
		s.order, s.next = slices.DeleteFunc(s.All(), func(o K) bool { return o == k }), 0
	}
}

// All gives the keys, oldest first.
func (s *Set[K]) All() []K { return slices.Concat(s.order[s.next:], s.order[:s.next]) }

// OpenGap notes that messages may be missing between the keys that are there and those that are added from now on. A gap that
// is open already grows by this one.
func (s *Set[K]) OpenGap() {
	s.gaps++
	s.gap = s.gaps
}

// Gap returns the number of the gap that is open, which is another one each time that it grows; 0: none is open.
func (s *Set[K]) Gap() int { return s.gap }

// CloseGap notes that what was missing in a gap is there. It does nothing if the gap has grown since [Set.Gap] returned its number.
func (s *Set[K]) CloseGap(gap int) {
	if gap == s.gap {
		s.gap = 0
		clear(s.after)
	}
}

// BeforeGap reports whether k is known and was added before the gap that is open. Without a gap it is [Set.Has].
func (s *Set[K]) BeforeGap(k K) bool {
	_, after := s.after[k]
	return !after && s.Has(k)
}

// AfterGap gives the keys, oldest first, that do not show the end of the gap.
func (s *Set[K]) AfterGap() []K {
	return slices.DeleteFunc(s.All(), s.BeforeGap)
}
