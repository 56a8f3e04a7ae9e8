package memory

import (
	"slices"
	"time"
)

// A Query says what to look for. It holds no space: where to look is what a [Reader] is.
// All fields narrow; the zero Query asks for the newest records.
type Query struct {
	Text   string    // words to look for, in any language
	Person string    // only records of this person; "" all
	Kinds  []string  // only records of one of these kinds; empty all
	Tags   []string  // only records with all of these tags
	Since  time.Time // only records from then on; zero no bound
	Until  time.Time // only records before then; zero no bound
	Limit  int       // most hits; 0 means 10; at most 1000
	Vector []float32 // the text's embedding; nil: made by the Memory's embedder, if it has one
}

// Match reports whether the record is one that the query's fields admit; Text, Vector and Limit do not count.
// A record whose time is not known is in no span of time.
func (q *Query) Match(r *Record) bool { return q.admits(r.Person, r.Kind, r.Tags, r.At) }

func (q *Query) admits(person, kind string, tags []string, at time.Time) bool {
	if q.Person != "" && q.Person != person {
		return false
	}
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, kind) {
		return false
	}
	for _, t := range q.Tags {
		if !slices.Contains(tags, t) {
			return false
		}
	}
	if (!q.Since.IsZero() || !q.Until.IsZero()) && at.IsZero() {
		return false
	}
	return (q.Since.IsZero() || !at.Before(q.Since)) && (q.Until.IsZero() || at.Before(q.Until))
}
