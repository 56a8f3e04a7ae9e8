// Package dedupe remembers the keys of recent messages, so that a message received twice is handled once. It also
// tracks gaps: how far back a history must be read to find all missed messages.
package dedupe

import "slices"

// A Set holds the most recent keys, up to its capacity.
//
// [Set.OpenGap] records that messages may have been missed. Keys added afterwards are newer than the gap: a history
// page with such a key may still lie after the gap. A page with a key for which [Set.BeforeGap] is true reaches the
// far side of the gap.
type Set[K comparable] struct {
	capacity int
	known    map[K]struct{}
	order    []K // a ring once it is full; next is its oldest
	next     int
	gaps     int            // gaps opened so far
	gap      int            // number of the open gap; 0 if none is open
	after    map[K]struct{} // known keys that do not prove that a gap is bridged
}

// New returns a Set with the given capacity.
func New[K comparable](most int) *Set[K] {
	return &Set[K]{capacity: most, known: map[K]struct{}{}, after: map[K]struct{}{}}
}

// Has reports whether the set holds k.
func (s *Set[K]) Has(k K) bool {
	_, ok := s.known[k]
	return ok
}

// Add adds a key if it is not in the set. A full set drops its oldest key and returns it.
func (s *Set[K]) Add(k K) (dropped K, full bool) {
	if s.Has(k) {
		return dropped, false
	}
	if full = len(s.order) == s.capacity; full {
		dropped = s.order[s.next]
		delete(s.known, dropped)
		delete(s.after, dropped)
		s.order[s.next], s.next = k, (s.next+1)%s.capacity
	} else {
		s.order = append(s.order, k)
	}
	s.known[k] = struct{}{}
	if s.gap > 0 {
		s.after[k] = struct{}{}
	}
	return dropped, full
}

// AddAfterGap adds a key that does not prove that a gap is bridged, also if no gap is open.
func (s *Set[K]) AddAfterGap(k K) {
	s.Add(k)
	s.after[k] = struct{}{}
}

// Remove deletes a key.
func (s *Set[K]) Remove(k K) {
	if s.Has(k) {
		delete(s.known, k)
		delete(s.after, k)
		s.order, s.next = slices.DeleteFunc(s.All(), func(o K) bool { return o == k }), 0
	}
}

// All returns the keys, oldest first.
func (s *Set[K]) All() []K { return slices.Concat(s.order[s.next:], s.order[:s.next]) }

// OpenGap records that messages may be missing between the present keys and the keys added from now on. If a gap is
// open, it grows.
func (s *Set[K]) OpenGap() {
	s.gaps++
	s.gap = s.gaps
}

// Gap returns the number of the open gap, or 0 if none is open. The number changes each time the gap grows.
func (s *Set[K]) Gap() int { return s.gap }

// CloseGap closes the gap after its missing messages were read. It does nothing if the gap has grown since [Set.Gap]
// returned its number.
func (s *Set[K]) CloseGap(gap int) {
	if gap == s.gap {
		s.gap = 0
		clear(s.after)
	}
}

// BeforeGap reports whether k was added before the open gap. Without a gap it is the same as [Set.Has].
func (s *Set[K]) BeforeGap(k K) bool {
	_, after := s.after[k]
	return !after && s.Has(k)
}

// AfterGap returns the keys, oldest first, for which BeforeGap is false.
func (s *Set[K]) AfterGap() []K {
	return slices.DeleteFunc(s.All(), s.BeforeGap)
}
