package activity

import (
	"slices"
	"time"
)

// A span is a period of time that excludes its end.
type span struct{ from, to time.Time }

func (s span) length() time.Duration { return s.to.Sub(s.from) }

// union sorts spans and merges those that overlap.
func union(spans []span) []span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && !joined[n-1].to.Before(s.from) {
			joined[n-1].to = later(joined[n-1].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// subtract returns the parts of s outside of others, which is a union.
func (s span) subtract(others []span) []span {
	var left []span
	for _, o := range others[firstEndingAfter(others, s.from):] {
		if !o.from.Before(s.to) {
			break
		}
		if s.from.Before(o.from) {
			left = append(left, span{s.from, o.from})
		}
		s.from = later(s.from, o.to)
	}
	if s.from.Before(s.to) {
		left = append(left, s)
	}
	return left
}

// intersect returns the parts of s inside of others, which is a union.
func (s span) intersect(others []span) []span {
	var left []span
	for _, o := range others[firstEndingAfter(others, s.from):] {
		if !o.from.Before(s.to) {
			break
		}
		if both := (span{later(s.from, o.from), earlier(s.to, o.to)}); both.from.Before(both.to) {
			left = append(left, both)
		}
	}
	return left
}

// skew is the tolerance between the clocks of two watchers.
const skew = 2 * time.Second

// overlapsAny reports whether s overlaps one of others, which is a union, for at least skew or half of the other's length.
func (s span) overlapsAny(others []span) bool {
	for _, o := range others[firstEndingAfter(others, s.from):] {
		if !o.from.Before(s.to) {
			break
		}
		both := earlier(s.to, o.to).Sub(later(s.from, o.from))
		if both >= skew || both >= o.length()/2 {
			return true
		}
	}
	return false
}

// firstEndingAfter returns the index of the first span of a union that does not end before t.
func firstEndingAfter(spans []span, t time.Time) int {
	i, _ := slices.BinarySearchFunc(spans, t, func(s span, t time.Time) int { return s.to.Compare(t) })
	return i
}

func total(spans []span) time.Duration {
	var sum time.Duration
	for _, s := range spans {
		sum += s.length()
	}
	return sum
}
