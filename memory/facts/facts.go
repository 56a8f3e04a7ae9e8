package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

const (
	maxLoaded      = 20_000          // claims that are read from the store
	maxNameRecords = 1000            // messages from which names are read
	takeBackWithin = 3 * time.Minute // after a statement
	maxSubjects    = 64              // people in one call of At
	saveEvery      = 1000            // records without a claim after which CatchUp stores its position
	readerName     = "facts"         // of memory.Position
)

// Facts are the facts about the people of one space. All methods may be called concurrently.
type Facts struct {
	mem   *memory.Memory
	store memory.Store
	space memory.Space

	mu     sync.Mutex
	loaded bool
	table  Table
	names  Names
	last   map[string][]Claim // the claims in the last message with claims, by speaker

	catchingUp sync.Mutex // held by CatchUp
	position   uint64     // Seq of the last record that CatchUp has read
	saved      uint64     // the last position that was stored
	started    bool       // position was loaded

	checked map[string]uint64 // revision of the space at which the claims about a person were compared with the store
}

// New returns the facts of a space. store is the store of mem. It reads nothing yet.
func New(mem *memory.Memory, store memory.Store, s memory.Space) *Facts {
	return &Facts{mem: mem, store: store, space: s, last: map[string][]Claim{}, checked: map[string]uint64{}}
}

// Load reads the claims and names of the space. Other methods call it once.
func (f *Facts) Load(ctx context.Context) error {
	f.mu.Lock()
	loaded := f.loaded
	f.mu.Unlock()
	if loaded {
		return nil
	}
	claims, err := f.tail(ctx, memory.KindClaim, maxLoaded)
	if err != nil {
		return fmt.Errorf("facts: load %q: %w", string(f.space), err)
	}
	messages, err := f.tail(ctx, memory.KindMessage, maxNameRecords)
	if err != nil {
		return fmt.Errorf("facts: load %q: %w", string(f.space), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range messages {
		if r := &messages[i]; !r.Own {
			f.names.Learn(r.Person, r.Name)
		}
	}
	for i := range claims {
		if c, ok := claimFrom(&claims[i]); ok {
			f.add(c)
		}
	}
	f.loaded = true
	return nil
}

// tail returns the last n records of a kind, oldest first.
func (f *Facts) tail(ctx context.Context, kind string, n int) (recs []memory.Record, err error) {
	if t, ok := f.store.(memory.Tailer); ok {
		return t.Tail(ctx, f.space, kind, n)
	}
	for r, err := range f.store.Scan(ctx, f.space, 0) {
		if err != nil {
			return nil, err
		}
		if r.Kind == kind {
			recs = append(recs, r)
		}
	}
	return recs[max(0, len(recs)-n):], nil
}

// add adds a claim. f.mu must be held.
func (f *Facts) add(c Claim) {
	f.table.Add(c)
	if c.Relation == Alias && !c.Ends {
		f.names.AddAlias(c.Subject, c.Value)
	}
}

// Learn reads messages of the space, in order, and stores what they say about people. Messages of the bot and those that are not in the
// store are skipped. It returns the number of new claims. It writes to the store only if there are any. Reading a
// message again changes nothing.
func (f *Facts) Learn(ctx context.Context, messages ...memory.Record) (n int, err error) {
	if err := f.Load(ctx); err != nil {
		return 0, err
	}
	for i := range messages {
		r := &messages[i]
		if r.Own || r.Kind != memory.KindMessage && r.Kind != "" || r.Person == "" {
			continue
		}
		claims, takenBack := f.read(r)
		if takenBack {
			if err := f.takeBack(ctx, r); err != nil {
				return n, err
			}
		}
		if len(claims) == 0 {
			continue
		}
		k, err := f.keep(ctx, r, claims)
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// CatchUp reads the messages that are new since the last call, also since one before a restart. The first call reads the whole
// space. edit may change a message before it is read, for example to remove what its author did not type, and nil keeps all. One without
// Person is skipped. CatchUp returns the number of new claims.
func (f *Facts) CatchUp(ctx context.Context, edit func(memory.Record) memory.Record) (n int, err error) {
	f.catchingUp.Lock()
	defer f.catchingUp.Unlock()
	if err := f.startCatchUp(ctx); err != nil {
		return 0, err
	}
	for r, err := range f.store.Scan(ctx, f.space, f.position) {
		if err != nil {
			return n, fmt.Errorf("facts: %w", err)
		}
		k := 0
		if r.Kind == memory.KindMessage {
			if edit != nil {
				r = edit(r)
			}
			if k, err = f.Learn(ctx, r); err != nil {
				return n, err
			}
			n += k
		}
		f.position = r.Seq
		if k > 0 || f.position-f.saved >= saveEvery {
			if err := memory.SetPosition(ctx, f.mem, f.space, readerName, f.position); err != nil && !errors.Is(err, memory.ErrNoState) {
				return n, err
			}
			f.saved = f.position
		}
	}
	return n, ctx.Err()
}

func (f *Facts) startCatchUp(ctx context.Context) (err error) {
	if f.started {
		return nil
	}
	if f.position, err = memory.Position(ctx, f.mem, f.space, readerName); err != nil && !errors.Is(err, memory.ErrNoState) {
		return err
	}
	f.saved, f.started = f.position, true
	return nil
}

// read extracts the claims of a message. It leaves out those that end what nobody said, and those that the speaker repeats.
func (f *Facts) read(r *memory.Record) (claims []Claim, takenBack bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names.Learn(r.Person, r.Name)
	parts, claims, takenBack := read(Message{ID: r.ID, Person: r.Person, Text: r.Text, At: r.At}, &f.names)
	claims = slices.DeleteFunc(claims, func(c Claim) bool { return c.Ends && !f.table.Holds(c) || f.table.repeats(c) })
	for _, part := range parts {
		if len(claims) == 0 && part.mayEnd() {
			claims = part.ended(f.table.At(r.At, r.Person))
		}
	}
	return claims, takenBack
}

// keep stores the claims of a message.
func (f *Facts) keep(ctx context.Context, r *memory.Record, claims []Claim) (int, error) {
	recs := make([]memory.Record, len(claims))
	for i := range claims {
		recs[i] = claims[i].record(i)
	}
	stored, err := f.put(ctx, recs)
	if err != nil || stored == nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last[r.Person] = stored
	return len(stored), nil
}

// put stores records of claims and adds them to the table. It returns none if a source was deleted or hidden.
func (f *Facts) put(ctx context.Context, recs []memory.Record) (stored []Claim, err error) {
	n, err := memory.PutDerived(ctx, f.mem, f.space, memory.DerivedFact, recs...)
	if err != nil || n < len(recs) {
		return nil, err
	}
	recs, err = f.mem.Get(ctx, f.space, ids(recs)...)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range recs {
		if c, ok := claimFrom(&recs[i]); ok {
			f.add(c)
			stored = append(stored, c)
		}
	}
	return stored, nil
}

// takeBack deletes the claims in the last message of the author, unless they are too old.
func (f *Facts) takeBack(ctx context.Context, r *memory.Record) error {
	f.mu.Lock()
	claims := f.last[r.Person]
	delete(f.last, r.Person)
	f.mu.Unlock()
	if len(claims) == 0 || r.At.Sub(claims[0].At) > takeBackWithin || r.At.Before(claims[0].At) {
		return nil
	}
	var out []string
	for _, c := range claims {
		out = append(out, c.ID)
	}
	if err := f.mem.Delete(ctx, f.space, out...); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range claims {
		f.table.Remove(c.Subject, func(o Claim) bool { return o.ID == c.ID })
	}
	return nil
}

// At returns the facts about these people that hold at a time, person by person. Each was checked against the store
// during this call, so a deleted or hidden claim has no effect.
func (f *Facts) At(ctx context.Context, at time.Time, people ...string) (all []Fact, err error) {
	people = people[:min(len(people), maxSubjects)]
	if err := f.check(ctx, people); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range people {
		all = append(all, f.table.At(at, id)...)
	}
	return all, nil
}

// History returns the versions of one relation of a person until a time, oldest first, with those that have ended.
func (f *Facts) History(ctx context.Context, until time.Time, person string, r Relation) ([]Fact, error) {
	if err := f.check(ctx, []string{person}); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.table.History(until, person, r), nil
}

// check reads the claims about people from the store again if records were deleted or changed since, and drops those
// that are gone.
func (f *Facts) check(ctx context.Context, people []string) error {
	if err := f.Load(ctx); err != nil {
		return err
	}
	revision := memory.Revision(f.mem, f.space)
	f.mu.Lock()
	var ask, stale []string
	for _, id := range people {
		if f.checked[id] == revision {
			continue
		}
		stale = append(stale, id)
		for _, c := range f.table.Claims(id) {
			ask = append(ask, c.ID)
		}
	}
	f.mu.Unlock()
	if len(stale) == 0 {
		return nil
	}
	recs, err := f.mem.Get(ctx, f.space, ask...)
	if err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	asked := make(map[string]bool, len(ask))
	for _, id := range ask {
		asked[id] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range stale {
		f.table.Remove(id, func(c Claim) bool { return asked[c.ID] })
		f.checked[id] = revision
	}
	for i := range recs {
		if c, ok := claimFrom(&recs[i]); ok {
			f.add(c)
		}
	}
	return nil
}

// Named returns the people whose names or nicknames occur in a text.
func (f *Facts) Named(text string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names.Named(text)
}

// Meant returns the person with this name or nickname, or "".
func (f *Facts) Meant(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names.Meant(name)
}

// NameOf returns the latest name of a person, or "".
func (f *Facts) NameOf(person string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names.Of(person)
}

// Forget drops the cached claims and names of the people for which gone returns true. The records stay; see
// [memory.Memory.ErasePerson].
func (f *Facts) Forget(gone func(person string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for subject := range f.table.claims {
		f.table.Remove(subject, func(c Claim) bool { return gone(c.Subject) || gone(c.Speaker) || c.Person != "" && gone(c.Person) })
	}
	for person := range f.last {
		if gone(person) {
			delete(f.last, person)
		}
	}
	f.names.Forget(gone)
}

func ids(recs []memory.Record) []string {
	out := make([]string, len(recs))
	for i := range recs {
		out[i] = recs[i].ID
	}
	return out
}
