package memory

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// An AuthorEntry counts the records of one person in one space under one name. Records of the bot itself are not counted.
type AuthorEntry struct {
	Space    Space
	Person   string    // platform ID
	Name     string    // name in these records; "" if they have none, as most facts
	Messages int       // messages of the person
	Others   int       // other records, such as facts about the person
	First    time.Time // of the messages, or without messages of the other records; zero: no record has a time
	Last     time.Time
}

// An AuthorCounter is a Store that can count records by author without reading them. [Authors] uses it if available.
type AuthorCounter interface {
	// CountAuthors returns an entry for each space, person and name, in any order.
	CountAuthors(ctx context.Context) ([]AuthorEntry, error)
}

// Authors counts the records of all people in all spaces, including secret ones. They are sorted by space and person, the latest name
// first. It is fast if the store is an [AuthorCounter]. Otherwise it scans the store.
func Authors(ctx context.Context, m *Memory) ([]AuthorEntry, error) {
	count := scanAuthors
	if c, ok := m.store.(AuthorCounter); ok {
		count = func(ctx context.Context, _ Store) ([]AuthorEntry, error) { return c.CountAuthors(ctx) }
	}
	all, err := count(ctx, m.store)
	slices.SortFunc(all, func(a, b AuthorEntry) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Person, b.Person), b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name))
	})
	return all, err
}

// scanAuthors counts by reading all records.
func scanAuthors(ctx context.Context, store Store) ([]AuthorEntry, error) {
	spaces, err := store.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	var all []AuthorEntry
	for _, s := range spaces {
		type key struct{ person, name string }
		by := map[key]*authorCount{}
		for r, err := range store.Scan(ctx, s, 0) {
			if err != nil {
				return nil, err
			}
			if r.Person == "" || r.Own {
				continue
			}
			k := key{r.Person, r.Name}
			if by[k] == nil {
				by[k] = &authorCount{entry: AuthorEntry{Space: s, Person: r.Person, Name: r.Name}}
			}
			by[k].add(&r)
		}
		for _, c := range by {
			all = append(all, c.result())
		}
	}
	return all, nil
}

// An authorCount counts for one entry.
type authorCount struct {
	entry    AuthorEntry
	messages span
	others   span
}

// A span is the time from the first to the last record.
type span struct{ first, last time.Time }

func (c *authorCount) add(r *Record) {
	if r.Kind == KindMessage {
		c.entry.Messages++
		c.messages.add(r.At)
	} else {
		c.entry.Others++
		c.others.add(r.At)
	}
}

func (c *authorCount) result() AuthorEntry {
	at := c.others
	if c.entry.Messages > 0 {
		at = c.messages
	}
	c.entry.First, c.entry.Last = at.first, at.last
	return c.entry
}

func (s *span) add(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.first.IsZero() || at.Before(s.first) {
		s.first = at
	}
	if at.After(s.last) {
		s.last = at
	}
}
