package memory

import (
	"cmp"
	"context"
	"slices"
)

// Changes are the writes of a [DryRun].
type Changes struct {
	Deleted   []Record        // records that would be deleted, by space and in order of arrival, without their vectors
	Stored    []RecordChange  // records that would be stored again, such as with another label or in another space
	Summaries []Space         // spaces whose rolling summary would be discarded
	People    []PersonChange  // people with another impression, relation or other nicknames
	Notes     []NoteEntry     // notes that would be deleted
	Overrides []LabelOverride // label overrides that would end
}

// A RecordChange is a record before and after a change, without vectors. A new record has a zero Before.
type RecordChange struct{ Before, After Record }

// A PersonChange is the data about a person in a space before and after a change. A zero After means that none would be left.
type PersonChange struct {
	Space         Space
	Before, After Person
}

// IsEmpty reports whether nothing would change.
func (c *Changes) IsEmpty() bool {
	return len(c.Deleted)+len(c.Stored)+len(c.Summaries)+len(c.People)+len(c.Notes)+len(c.Overrides) == 0
}

// DryRun calls f with a copy of m and returns what f would have written. Nothing is stored, embedded or erased, and
// Options.OnErase is not called. The copy reads the current data and its own writes. Use it in f only, and on the goroutine of f. Show the
// result to the owner only.
//
// A change that runs later may write more or less, because the data may have changed until then.
func DryRun(ctx context.Context, m *Memory, f func(*Memory) error) (Changes, error) {
	dry := &overlay{Store: m.store, records: map[recordKey]*overlaid{}}
	o := Options{HalfLife: m.o.HalfLife, Relabel: m.o.Relabel, Logger: m.o.Logger}
	rows := &stateOverlay{State: m.state.State, before: map[string][]byte{}, after: map[string][]byte{}}
	if m.state.State != nil {
		o.State = rows
	}
	view, err := New(dry, o)
	if err != nil {
		return Changes{}, err
	}
	if err := f(view); err != nil {
		return Changes{}, err
	}
	c, err := rows.changes()
	if err != nil {
		return Changes{}, err
	}
	dry.addChanges(&c)
	return c, ctx.Err()
}

// addChanges adds the changed records.
func (o *overlay) addChanges(c *Changes) {
	for _, r := range o.records {
		switch {
		case r.after == nil && r.before != nil:
			c.Deleted = append(c.Deleted, *r.before)
		case r.after != nil && (r.before == nil || !sameRecord(r.before, r.after)):
			change := RecordChange{After: *r.after}
			if r.before != nil {
				change.Before = *r.before
			}
			c.Stored = append(c.Stored, change)
		}
	}
	slices.SortFunc(c.Deleted, compareRecords)
	slices.SortFunc(c.Stored, func(a, b RecordChange) int { return compareRecords(a.After, b.After) })
}

func compareRecords(a, b Record) int {
	return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}

// sameRecord reports whether a change leaves a record as it is, apart from its vector.
func sameRecord(a, b *Record) bool {
	return a.Space == b.Space && a.Kind == b.Kind && a.Text == b.Text && a.Person == b.Person && a.Name == b.Name && a.ReplyTo == b.ReplyTo &&
		a.Own == b.Own && a.Importance == b.Importance && a.At.Equal(b.At) && a.Label == b.Label && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Sources, b.Sources)
}
