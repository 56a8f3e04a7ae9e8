package expressions

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A Group keeps the expressions of one space in a memory. All methods may be called concurrently.
type Group struct {
	mem   *memory.Memory
	store memory.Store
	space memory.Space

	mu       sync.Mutex
	loaded   bool
	revision uint64 // of the space when all was read
	changes  int    // calls of forget: what was read before one is not kept
	all      []Expression
}

// New returns the expressions of a space. store is the store of mem. It reads nothing yet.
func New(mem *memory.Memory, store memory.Store, s memory.Space) *Group {
	return &Group{mem: mem, store: store, space: s}
}

// MaxStored is the number of expressions that a Group keeps.
const MaxStored = 60

// All returns the stored expressions, best first. Each was checked against the store, so that none rests on a deleted or hidden message.
// Examples have no text: see [Group.Examples].
func (g *Group) All(ctx context.Context) ([]Expression, error) {
	revision := memory.Revision(g.mem, g.space)
	g.mu.Lock()
	all, loaded, changes := g.all, g.loaded && g.revision == revision, g.changes
	g.mu.Unlock()
	if loaded {
		return slices.Clone(all), nil
	}
	recs, err := tail(ctx, g.store, g.space, memory.KindExpression, 2*MaxStored)
	if err != nil {
		return nil, fmt.Errorf("expressions: %q: %w", string(g.space), err)
	}
	all = make([]Expression, 0, len(recs))
	for i := range recs {
		if e, ok := fromRecord(&recs[i]); ok {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Expression) int {
		switch {
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return strings.Compare(a.Form, b.Form)
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changes == changes {
		g.all, g.loaded, g.revision = all, true, revision
	}
	return slices.Clone(all), nil
}

// Put stores what [Learn] has found in the messages since a time, and deletes what it has not found again. An expression that was
// last used before that time stays until its weight is low. A meaning stays as long as the messages exist that it was derived from.
func (g *Group) Put(ctx context.Context, now, since time.Time, found []Expression) error {
	old, err := g.All(ctx)
	if err != nil {
		return err
	}
	defer g.forget()
	known := map[string]*Expression{}
	for i := range old {
		known[old[i].ID] = &old[i]
	}
	for i := range found {
		e := &found[i]
		id := idOf(e.Form)
		was := known[id]
		delete(known, id)
		if was != nil && was.named() && !e.named() {
			kept := *e
			kept.Meaning, kept.Class, kept.MeaningOf = was.Meaning, was.Class, was.read()
			if n, err := g.put(ctx, &kept); err != nil {
				return err
			} else if n > 0 {
				continue
			}
		}
		if _, err := g.put(ctx, e); err != nil {
			return err
		}
	}
	var gone []string
	for i := range old {
		e := &old[i]
		if known[e.ID] != nil && (!e.Last.Before(since) || e.Weight(now) < minWeight) {
			gone = append(gone, e.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return g.mem.Delete(ctx, g.space, gone...)
}

func (g *Group) put(ctx context.Context, e *Expression) (int, error) {
	n, err := memory.PutDerived(ctx, g.mem, g.space, memory.DerivedExpression, e.record())
	if err != nil {
		return 0, fmt.Errorf("expressions: %w", err)
	}
	return n, nil
}

// SetMeaning stores the meaning and the class of a stored expression that a model derived from messages: those with the IDs read,
// or its examples if read is empty. It does nothing if the expression or one of the messages was deleted. Deleting one of them
// later deletes the expression.
func (g *Group) SetMeaning(ctx context.Context, id, meaning string, class Class, read ...string) error {
	all, err := g.All(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(e Expression) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	e := all[i]
	e.Meaning, e.Class, e.MeaningOf = meaning, class, read
	defer g.forget()
	_, err = g.put(ctx, &e)
	return err
}

// named reports whether a model has looked at an expression.
func (e *Expression) named() bool { return e.Meaning != "" || e.Class != "" }

// read returns the IDs of the messages that a model read for the meaning.
func (e *Expression) read() []string {
	if len(e.MeaningOf) > 0 || !e.named() {
		return e.MeaningOf
	}
	return exampleIDs(e.Examples)
}

func exampleIDs(examples []Example) []string {
	ids := make([]string, len(examples))
	for i := range examples {
		ids[i] = examples[i].ID
	}
	return ids
}

// Delete deletes stored expressions. Learn may find them again.
func (g *Group) Delete(ctx context.Context, ids ...string) error {
	defer g.forget()
	return g.mem.Delete(ctx, g.space, ids...)
}

// forget makes the next All read the store.
func (g *Group) forget() {
	g.mu.Lock()
	g.loaded = false
	g.changes++
	g.mu.Unlock()
}

// Examples returns the examples of a stored expression that still exist, with their texts.
func (g *Group) Examples(ctx context.Context, e Expression) (all []Example, err error) {
	recs, err := g.mem.Get(ctx, g.space, exampleIDs(e.Examples)...)
	if err != nil {
		return nil, fmt.Errorf("expressions: %w", err)
	}
	for i := range recs {
		all = append(all, Example{ID: recs[i].ID, Person: recs[i].Person, Text: recs[i].Text})
	}
	return all, nil
}

// Messages returns the latest messages of a space since a time, oldest first. typed returns what the author of a record typed, and
// an empty Person for one whose words do not count. Messages of the bot, too, have no Person.
func Messages(ctx context.Context, store memory.Store, s memory.Space, since time.Time, typed func(memory.Record) Message) ([]Message, error) {
	recs, err := tail(ctx, store, s, memory.KindMessage, maxMessages)
	if err != nil {
		return nil, fmt.Errorf("expressions: %q: %w", string(s), err)
	}
	messages := make([]Message, 0, len(recs))
	for i := range recs {
		if recs[i].At.Before(since) {
			continue
		}
		m := typed(recs[i])
		if recs[i].Own {
			m.Person = ""
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// tail returns the last n records of a kind, oldest first.
func tail(ctx context.Context, store memory.Store, s memory.Space, kind string, n int) (recs []memory.Record, err error) {
	if t, ok := store.(memory.Tailer); ok {
		return t.Tail(ctx, s, kind, n)
	}
	for r, err := range store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if r.Kind == kind {
			recs = append(recs, r)
		}
	}
	return recs[max(0, len(recs)-n):], nil
}

// idPrefix begins the IDs of expressions. A hash of the form follows.
const idPrefix = "expression:"

func idOf(form string) string { return idPrefix + strconv.FormatUint(hashOf(form), 36) }

// Tags of an expression's record.
const (
	tagKind      = "kind:"
	tagSituation = "situation:"
	tagCount     = "count:"
	tagPeople    = "people:"
	tagGap       = "gap:"
	tagMeaning   = "meaning:"
	tagClass     = "class:"
	tagExamples  = "examples:" // number of the first sources that are examples; none means all
	tagRead      = "read:"     // a 1 for each source that was read for the meaning, and a 0 for each other one; none means all examples
)

// record converts an expression for memory.
func (e *Expression) record() memory.Record {
	r := memory.Record{
		ID: idOf(e.Form), Kind: memory.KindExpression, Text: e.Form, At: e.Last, Importance: e.Confidence,
		Tags: []string{tagKind + string(e.Kind), tagCount + strconv.Itoa(e.Count), tagPeople + strconv.Itoa(e.People), tagGap + e.Gap.String()},
	}
	if e.Situation != "" {
		r.Tags = append(r.Tags, tagSituation+string(e.Situation))
	}
	if e.Meaning != "" {
		r.Tags = append(r.Tags, tagMeaning+e.Meaning)
	}
	if e.Class != "" {
		r.Tags = append(r.Tags, tagClass+string(e.Class))
	}
	r.Sources = exampleIDs(e.Examples)
	for _, id := range e.MeaningOf {
		if !slices.Contains(r.Sources, id) {
			r.Sources = append(r.Sources, id)
		}
	}
	if len(e.MeaningOf) > 0 {
		r.Tags = append(r.Tags, tagExamples+strconv.Itoa(len(e.Examples)), tagRead+e.readMask(r.Sources))
	}
	return r
}

// readMask returns the value of tagRead.
func (e *Expression) readMask(sources []string) string {
	mask := bytes.Repeat([]byte("0"), len(sources))
	for i, id := range sources {
		if slices.Contains(e.MeaningOf, id) {
			mask[i] = '1'
		}
	}
	return string(mask)
}

// fromRecord converts a record. It returns false for a record of another kind.
func fromRecord(r *memory.Record) (e Expression, ok bool) {
	if r.Kind != memory.KindExpression || r.Text == "" {
		return e, false
	}
	e = Expression{ID: r.ID, Form: r.Text, Last: r.At, Confidence: r.Importance, Label: r.LabelOrDefault()}
	examples, mask := len(r.Sources), ""
	for _, tag := range r.Tags {
		name, value, _ := strings.Cut(tag, ":")
		switch name + ":" {
		case tagKind:
			e.Kind = Kind(value)
		case tagSituation:
			e.Situation = Situation(value)
		case tagCount:
			e.Count, _ = strconv.Atoi(value)
		case tagPeople:
			e.People, _ = strconv.Atoi(value)
		case tagGap:
			e.Gap, _ = time.ParseDuration(value)
		case tagMeaning:
			e.Meaning = value
		case tagClass:
			e.Class = Class(value)
		case tagExamples:
			examples, _ = strconv.Atoi(value)
		case tagRead:
			mask = value
		}
	}
	for _, id := range r.Sources[:min(max(examples, 0), len(r.Sources))] {
		e.Examples = append(e.Examples, Example{ID: id})
	}
	for i, id := range r.Sources[:min(len(mask), len(r.Sources))] {
		if mask[i] == '1' {
			e.MeaningOf = append(e.MeaningOf, id)
		}
	}
	return e, e.Kind == Word || e.Kind == Saying
}
