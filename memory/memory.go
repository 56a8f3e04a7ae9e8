package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/embeddings"
)

// Options configures a Memory. The zero value searches by words only.
type Options struct {
	Indexes    []Index             // additional indexes, mostly for vectors. They must be empty, because Memory fills them from the store. Nil with an Embedder: an exact one, for up to some 10,000 vectors in a space
	State      State               // stores summaries, people and notes; nil uses the store if it is a State
	Embedder   embeddings.Embedder // embeds records and queries; nil: only vectors given in records and queries count
	EmbedderID string              // name of Embedder's model, stored in records; required with Embedder. Vectors of different models are never compared
	HalfLife   time.Duration       // half-life of the recency score; 0 means 30 days; negative: recency does not count
	// OnErase is called after ErasePerson or EraseSpace has deleted its own data and before the erasure is marked as
	// complete. Delete your own rows here. An error stops the erasure, and FinishErasures retries it. Nil: nothing to
	// do.
	//
	// The erasure has no lock while it calls OnErase.
	OnErase func(context.Context, Erasure) error
	// Relabel may change the label of derived data. kind is one of [DerivedSummary], [DerivedDream], [DerivedImpression],
	// [DerivedFact] and [DerivedExpression]; l is the computed label. A less strict result declassifies or endorses the data. The
	// zero Label keeps l, and so does a nil Relabel.
	Relabel func(kind string, l Label) Label
	Logger  *slog.Logger // gets a warning if an embedder or index fails and search goes on without it; nil discards
}

// A Memory stores records and searches them by words. With an embedder it searches by vectors, too. All methods may be
// called concurrently. Writes to one space are serialized.
//
// A Memory gives access to all data. Give other code a [Reader] instead.
type Memory struct {
	store   Store
	state   stateTable
	locks   *spaceLocks
	embed   *embedder
	indexes *indexes
	o       Options

	overrides    atomic.Pointer[labelOverrides] // nil: not loaded yet
	dreamRunning atomic.Bool
}

// New makes a Memory over a store and reads nothing yet. The first recall from a space loads that space.
// [Memory.Preload] loads all of them. New fails if the store is nil or the options are inconsistent.
func New(s Store, o Options) (*Memory, error) {
	if err := o.validate(s); err != nil {
		return nil, err
	}
	m := &Memory{store: s, locks: &spaceLocks{}, o: o}
	m.o.HalfLife = cmp.Or(m.o.HalfLife, 30*24*time.Hour)
	if m.o.Logger == nil {
		m.o.Logger = slog.New(slog.DiscardHandler)
	}
	if m.state.State = m.o.State; m.state.State == nil {
		m.state.State, _ = s.(State)
	}
	if m.o.Embedder != nil && len(m.o.Indexes) == 0 {
		m.o.Indexes = []Index{newCosineIndex()}
	}
	m.embed = &embedder{Embedder: m.o.Embedder, id: m.o.EmbedderID, backlog: newBacklog()}
	m.indexes = &indexes{store: s, locks: m.locks, embed: m.embed, words: NewLexicalIndex(LexicalOptions{}), vectors: slices.Clone(m.o.Indexes), logger: m.o.Logger}
	return m, nil
}

// validate reports a missing store and inconsistent options.
func (o *Options) validate(s Store) error {
	switch {
	case s == nil:
		return errors.New("memory: New needs a store, such as NewMemStore() or a DB of memory/sqlite")
	case slices.ContainsFunc(o.Indexes, func(x Index) bool { return x == nil }):
		return errors.New("memory: Options.Indexes contains nil")
	case o.Embedder != nil && o.EmbedderID == "":
		return errors.New("memory: Options.EmbedderID is empty: name the embedding model, because vectors of different models must not be compared")
	}
	return validAddress("Options.EmbedderID", o.EmbedderID)
}

// Put stores the records durably, all or none, and makes them searchable. A record with the same space and ID is
// replaced. A record put into the secret counterpart of its space moves there.
//
// Invalid UTF-8 and NUL in Text and Name become U+FFFD. An empty Kind becomes [KindMessage]. Put does not wait for an
// embedder; [Memory.Run] and [Memory.EmbedMissing] make the vectors. An error that matches [ErrNotIndexed] means that
// the records are stored and found by words, but another index failed. Put them again to retry.
func (m *Memory) Put(ctx context.Context, recs ...Record) error {
	if len(recs) == 0 {
		return nil
	}
	recs = slices.Clone(recs)
	check := m.embed.checker()
	for i := range recs {
		r := &recs[i]
		r.Text, r.Name, r.At = sanitize(r.Text), sanitize(r.Name), r.At.Round(0)
		r.Kind = cmp.Or(r.Kind, KindMessage)
		if err := check.record(r); err != nil {
			return err
		}
	}
	failed, err := m.put(ctx, recs)
	if err != nil {
		return err
	}
	for i := range recs {
		if !recs[i].searched() {
			m.locks.revise(recs[i].Space)
		}
	}
	check.recordDims()
	m.embed.enqueue(recs)
	return failed
}

// put writes to the store and then to the indexes, with the spaces locked. failed reports index errors.
func (m *Memory) put(ctx context.Context, recs []Record) (failed, err error) {
	var space [1]Space // most calls have one
	unlock, err := m.locks.lock(ctx, appendSpaces(space[:0], recs)...)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := m.store.Put(ctx, recs...); err != nil {
		return nil, fmt.Errorf("memory: put: %w", err)
	}
	return m.indexes.put(ctx, recs), nil
}

// Get returns the records with these IDs from a space, in the order of ids. It skips unknown IDs.
func (m *Memory) Get(ctx context.Context, s Space, ids ...string) ([]Record, error) {
	if err := s.Validate(); err != nil || len(ids) == 0 {
		return nil, err
	}
	return m.store.Get(ctx, s, ids...)
}

// Hide makes records secret. It moves them and all records derived from them to the secret counterpart of the space,
// readable only by [Memory.OwnerReader]. It deletes impressions and notes derived from them. The summary that covers them is
// discarded and becomes due again. If an ID does not exist, Hide changes nothing and returns [ErrNotFound].
func (m *Memory) Hide(ctx context.Context, s Space, ids ...string) error {
	return m.move(ctx, s.Base(), ids, true)
}

// Reveal undoes [Memory.Hide] for these records only. Records derived from them stay secret.
func (m *Memory) Reveal(ctx context.Context, s Space, ids ...string) error {
	return m.move(ctx, s.Secret(), ids, false)
}

func (m *Memory) move(ctx context.Context, from Space, ids []string, withDerived bool) error {
	if len(ids) == 0 {
		return nil
	}
	unlock, err := m.locks.lock(ctx, from)
	if err != nil {
		return err
	}
	defer unlock()
	recs, err := m.store.Get(ctx, from, ids...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(recs, func(r Record) bool { return r.ID == id }) {
			return fmt.Errorf("memory: record %q in %q: %w", id, string(from), ErrNotFound)
		}
	}
	if withDerived {
		derived, err := m.findDerived(ctx, from, ids)
		if err != nil {
			return err
		}
		if err := m.purge(ctx, from, newRemoval(append(recs, derived...), &removal{})); err != nil {
			return err
		}
		recs = append(recs, derived...)
	}
	for i := range recs {
		recs[i].Space = from.Counterpart()
	}
	defer m.locks.revise(from)
	if err := m.store.Put(ctx, recs...); err != nil {
		return fmt.Errorf("memory: move: %w", err)
	}
	return m.indexes.put(ctx, recs)
}

// Spaces lists the spaces that contain records, including secret ones, sorted.
func (m *Memory) Spaces(ctx context.Context) ([]Space, error) { return m.store.Spaces(ctx) }

// Preload loads all spaces and label overrides, so that the first recall is fast.
func (m *Memory) Preload(ctx context.Context) error {
	if _, err := m.loadOverrides(ctx); err != nil {
		return err
	}
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return fmt.Errorf("memory: preload: %w", err)
	}
	for _, s := range spaces {
		if err := m.indexes.load(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
