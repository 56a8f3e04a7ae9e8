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

// Options says how a Memory recalls. The zero value recalls by words alone.
type Options struct {
	Indexes    []Index             // more indexes than the built-in one of words, for vectors mostly; required with Embedder. They must be empty: Memory fills them from the store
	State      State               // keeps summaries, people and notes; nil: the store, where it is a State
	Embedder   embeddings.Embedder // makes the vectors of records and queries; nil: only vectors in records and queries count
	EmbedderID string              // names the model of Embedder in records; required with Embedder. Vectors of different models are never compared
	HalfLife   time.Duration       // recency halves in this long; 0 means 30 days; negative: recency does not count
	// OnErase is told by a forgetting that reaches everywhere when memory has forgotten, before that is noted as done: rows of State that others
	// keep of who or what is forgotten go then. An error ends the forgetting, which is finished when it is begun again. Nil: nobody keeps any.
	OnErase func(context.Context, Erasure) error
	// Relabel may give another label to what the Memory makes: kind is [DerivedSummary] and its like, l the label that it would bear. To return less than
	// l is to declassify or to endorse; the zero Label leaves it at l. Nil: it bears l.
	Relabel func(kind string, l Label) Label
	Logger  *slog.Logger // told when an embedder or index fails for a query, which goes on without it; nil discards
}

// A Memory keeps records in a store, at once finds them by words (and vectors, where there is an embedder), and ranks.
// All methods may be called concurrently; writes to one space take turns.
//
// Whoever holds a Memory can read everything. Hand out a [Reader] instead.
type Memory struct {
	store   Store
	state   table
	rooms   *rooms
	embed   *embedder
	indexes *indexes
	o       Options

	releases atomic.Pointer[releases] // nil: not read yet
	dreaming atomic.Bool
}

// New makes a Memory over a store. It reads nothing yet: the first recall from a space reads that space, and [Memory.Preload] reads all of them.
// It fails if the store is nil, or if the options do not fit together.
func New(s Store, o Options) (*Memory, error) {
	if err := o.validate(s); err != nil {
		return nil, err
	}
	m := &Memory{store: s, rooms: &rooms{}, o: o}
	m.o.HalfLife = cmp.Or(m.o.HalfLife, 30*24*time.Hour)
	if m.o.Logger == nil {
		m.o.Logger = slog.New(slog.DiscardHandler)
	}
	if m.state.State = m.o.State; m.state.State == nil {
		m.state.State, _ = s.(State)
	}
	m.embed = &embedder{Embedder: m.o.Embedder, id: m.o.EmbedderID, backlog: newBacklog()}
	m.indexes = &indexes{store: s, rooms: m.rooms, embed: m.embed, words: NewLexicalIndex(LexicalOptions{}), vectors: slices.Clone(m.o.Indexes), logger: m.o.Logger}
	return m, nil
}

// validate reports a missing store and options that do not fit together.
func (o *Options) validate(s Store) error {
	switch {
	case s == nil:
		return errors.New("memory: New without a store: give it NewStore() or a DB of memory/sqlite")
	case slices.ContainsFunc(o.Indexes, func(x Index) bool { return x == nil }):
		return errors.New("memory: Options.Indexes holds nil")
	case o.Embedder != nil && len(o.Indexes) == 0:
		return errors.New("memory: Options.Embedder needs an index for its vectors in Options.Indexes: flat.New() of memory/flat, for example")
	case o.Embedder != nil && o.EmbedderID == "":
		return errors.New("memory: Options.EmbedderID is empty: name the embedding model, so that its vectors are never compared with those of another")
	}
	return validAddress("Options.EmbedderID", o.EmbedderID)
}

// Put makes the records durable, all or none, and finds them from then on. Kept again under the same address, a record
// replaces the former one; kept under the twin of its space, it moves there.
//
// Broken UTF-8 and NUL in Text and Name become U+FFFD; a Kind of "" becomes [KindMessage]. No embedder is waited for: [Memory.Run] or [Memory.EmbedMissing] makes the
// vectors. An error that matches [ErrNotIndexed] means that the store has the records and words find them, but another index failed; keeping them again mends it.
func (m *Memory) Put(ctx context.Context, recs ...Record) error {
	if len(recs) == 0 {
		return nil
	}
	recs = slices.Clone(recs)
	check := m.embed.checker()
	for i := range recs {
		r := &recs[i]
		r.Text, r.Name, r.At = mend(r.Text), mend(r.Name), r.At.Round(0)
		r.Kind = cmp.Or(r.Kind, KindMessage)
		if err := check.record(r); err != nil {
			return err
		}
	}
	failed, err := m.put(ctx, recs)
	if err != nil {
		return err
	}
	check.kept()
	m.embed.list(recs)
	return failed
}

// put writes the truth, then the indexes, while nobody else writes to these spaces. Failed tells of indexes.
func (m *Memory) put(ctx context.Context, recs []Record) (failed, err error) {
	leave, err := m.rooms.enter(ctx, spacesOf(recs)...)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := m.store.Put(ctx, recs...); err != nil {
		return nil, fmt.Errorf("memory: keep: %w", err)
	}
	return m.indexes.put(ctx, recs), nil
}

// Get reads the records of a space that have these IDs, in the order of ids; unknown IDs are left out.
func (m *Memory) Get(ctx context.Context, s Space, ids ...string) ([]Record, error) {
	if err := s.Validate(); err != nil || len(ids) == 0 {
		return nil, err
	}
	return m.store.Get(ctx, s, ids...)
}

// Hide makes records secret: they move from the space to its secret twin, which only an owner's reader can name.
// What was made of them moves along, and the summary that they are in is taken back. All or none: an ID that is not there gives [ErrNotFound].
func (m *Memory) Hide(ctx context.Context, s Space, ids ...string) error {
	return m.move(ctx, s.Base(), ids, true)
}

// Reveal undoes [Memory.Hide] for these records and no others: what was made of them stays secret.
func (m *Memory) Reveal(ctx context.Context, s Space, ids ...string) error {
	return m.move(ctx, s.Secret(), ids, false)
}

func (m *Memory) move(ctx context.Context, from Space, ids []string, along bool) error {
	if len(ids) == 0 {
		return nil
	}
	leave, err := m.rooms.enter(ctx, from)
	if err != nil {
		return err
	}
	defer leave()
	recs, err := m.store.Get(ctx, from, ids...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(recs, func(r Record) bool { return r.ID == id }) {
			return fmt.Errorf("memory: record %q in %q: %w", id, string(from), ErrNotFound)
		}
	}
	if along {
		made, err := m.derived(ctx, from, ids)
		if err != nil {
			return err
		}
		if err := m.purge(ctx, from, goneOf(append(recs, made...), &gone{})); err != nil {
			return err
		}
		recs = append(recs, made...)
	}
	for i := range recs {
		recs[i].Space = from.Counterpart()
	}
	if err := m.store.Put(ctx, recs...); err != nil {
		return fmt.Errorf("memory: move: %w", err)
	}
	return m.indexes.put(ctx, recs)
}

// Spaces lists the spaces that hold records, secret ones too, sorted.
func (m *Memory) Spaces(ctx context.Context) ([]Space, error) { return m.store.Spaces(ctx) }

// Preload reads every space of the store into the indexes, and the releases, so that the first recall need not.
func (m *Memory) Preload(ctx context.Context) error {
	if _, err := m.released(ctx); err != nil {
		return err
	}
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return fmt.Errorf("memory: load: %w", err)
	}
	for _, s := range spaces {
		if err := m.indexes.load(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
