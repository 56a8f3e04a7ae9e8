package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Delete removes records from a space: from the store, from every index, and with them what was made of them: derived records that have them among
// their Sources, notes and impressions likewise, and the summary that they are in, which is then due anew. IDs that are not there are no error.
// An error that matches [ErrCannotDelete] means that the store has forgotten, and recall with it, but an index keeps what it had.
// Killed in the middle, it is finished by calling it again: what was made goes before what it was made from.
func (m *Memory) Delete(ctx context.Context, s Space, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return err
	}
	defer leave()
	_, failed, err := m.forget(ctx, s, ids, &gone{})
	return errors.Join(err, failed)
}

// shared are the spaces where what was made of the words of other spaces may lie. Who has the turn of a space takes theirs
// behind it, in this order.
var shared = [...]Space{Owner, Self}

// forgetElsewhere removes from the shared spaces the records, notes and impressions that were made of the words of s: of those with these
// IDs, or, where ids is nil, of any. Who calls has the turn of s.
func (m *Memory) forgetElsewhere(ctx context.Context, s Space, ids map[string]bool, said quotable) (n int, failed, err error) {
	if s = s.Base(); s == Self || ids != nil && len(ids) == 0 {
		return 0, nil, nil
	}
	made := func(l Label, sources []string) bool {
		if ids == nil {
			return slices.Contains(l.Spaces(), s)
		}
		return (l.IsOwnerOnly() || slices.Contains(l.Spaces(), s)) && slices.ContainsFunc(sources, func(id string) bool { return ids[id] })
	}
	if err := m.forgetQuotes(ctx, s, said); err != nil {
		return 0, nil, err
	}
	for _, at := range shared {
		if at == s {
			continue
		}
		k, bad, err := m.forgetMade(ctx, at, slices.Collect(maps.Keys(ids)), made)
		if n += k; err != nil {
			return n, nil, err
		}
		failed = errors.Join(failed, bad)
	}
	return n, failed, nil
}

// forgetMade removes the records, notes and impressions of a space and its twin that made reports; of records only those that were made
// of ids, where there are any.
func (m *Memory) forgetMade(ctx context.Context, s Space, ids []string, made func(Label, []string) bool) (n int, failed, err error) {
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	rel, err := m.released(ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, s := range [...]Space{s, s.Secret()} {
		rows, err := m.state.held(ctx, row(s)+"/")
		if err != nil {
			return n, nil, err
		}
		changed := map[string][]byte{}
		for key, value := range rows {
			keep := true
			switch _, path := parts(key); path[0] {
			case "note":
				keep, err = purged(key, value, changed, func(n *Note) bool { return !made(labeled(n.Label, s, n.Sources), n.Sources) })
			case "person":
				keep, err = purged(key, value, changed, func(who *Person) bool {
					if made(labeled(who.Label, s, who.Sources), who.Sources) {
						who.forgetImpression()
					}
					return who.known()
				})
			}
			if err != nil {
				return n, nil, err
			}
			if !keep {
				changed[key] = nil
			}
		}
		if err := m.state.apply(ctx, changed); err != nil {
			return n, nil, err
		}
		var out []string
		recs, err := m.derived(ctx, s, ids)
		if err != nil {
			return n, nil, err
		}
		for i := range recs {
			if made(rel.before(&recs[i]), recs[i].Sources) {
				out = append(out, recs[i].ID)
			}
		}
		if ids == nil {
			for r, err := range m.store.Scan(ctx, s, 0) {
				if err != nil {
					return n, nil, err
				}
				if (r.Kind != KindMessage || len(r.Sources) > 0) && made(rel.before(&r), r.Sources) {
					out = append(out, r.ID)
				}
			}
		}
		bad, err := m.remove(ctx, s, out)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+len(out), errors.Join(failed, bad)
	}
	return n, failed, nil
}

// leastQuote is how many characters of a message a reply repeats, at least, to be a quotation of it.
const leastQuote = 8

// quotable is what messages say, as far as it can be quoted. They arrived after that Seq.
type quotable struct {
	texts []string
	after uint64
}

func quotableOf(recs []Record) (w quotable) {
	w.after = math.MaxUint64
	for i := range recs {
		if r := &recs[i]; !r.Own && utf8.RuneCountInString(r.Text) >= leastQuote {
			w.texts, w.after = append(w.texts, r.Text), min(w.after, r.Seq)
		}
	}
	return w
}

// quoting returns the ids of the own messages of a space that repeat some words, of those that may.
func (m *Memory) quoting(ctx context.Context, s Space, said quotable, may func(*Record) bool) (ids []string, err error) {
	if len(said.texts) == 0 {
		return nil, nil
	}
	for r, err := range m.store.Scan(ctx, s, said.after) {
		if err != nil {
			return nil, err
		}
		if r.Own && r.Kind == KindMessage && may(&r) && slices.ContainsFunc(said.texts, func(text string) bool { return strings.Contains(r.Text, text) }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// forgetQuotes removes the answers to the owner that came from a space and repeat its words. Who calls has the turn of the space.
func (m *Memory) forgetQuotes(ctx context.Context, of Space, said quotable) error {
	if of == Owner || len(said.texts) == 0 {
		return nil
	}
	leave, err := m.rooms.enter(ctx, Owner)
	if err != nil {
		return err
	}
	defer leave()
	rel, err := m.released(ctx)
	if err != nil {
		return err
	}
	said.after = 0 // the order of a space tells nothing of another's
	ids, err := m.quoting(ctx, Owner, said, func(r *Record) bool {
		l := rel.before(r)
		return l.IsOwnerOnly() || slices.Contains(l.Spaces(), of)
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	_, failed, err := m.forget(ctx, Owner, ids, &gone{})
	return errors.Join(failed, err)
}

// gone is what leaves a space, as far as its rows must know.
type gone struct {
	ids    map[string]bool
	seqs   []uint64
	person string   // who is forgotten; "": nobody
	names  []string // what they are called
}

func goneOf(recs []Record, who *gone) *gone {
	g := &gone{ids: make(map[string]bool, len(recs)), person: who.person, names: who.names}
	for i := range recs {
		g.ids[recs[i].ID] = true
		g.seqs = append(g.seqs, recs[i].Seq)
	}
	return g
}

// forget removes records and what was made of them, and says how many records went. Failed tells of indexes. Who calls has the turn.
func (m *Memory) forget(ctx context.Context, s Space, ids []string, who *gone) (n int, failed, err error) {
	recs, err := m.store.Get(ctx, s, ids...)
	if err != nil {
		return 0, nil, fmt.Errorf("memory: forget: %w", err)
	}
	said := quotableOf(recs)
	quotes, err := m.quoting(ctx, s, said, func(*Record) bool { return true })
	if err == nil && len(quotes) > 0 {
		ids = append(slices.Clip(ids), quotes...)
		recs, err = m.store.Get(ctx, s, ids...)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("memory: forget: %w", err)
	}
	g := goneOf(recs, who)
	k, failed, err := m.forgetElsewhere(ctx, s, g.ids, said) // first: who calls again, after a kill, finds the words gone
	if err != nil {
		return 0, nil, err
	}
	var made [2][]Record
	for i, at := range [...]Space{s, s.Counterpart()} {
		if made[i], err = m.derived(ctx, at, ids); err != nil {
			return 0, nil, fmt.Errorf("memory: forget: %w", err)
		}
		n += len(made[i])
		h := goneOf(made[i], who)
		for id := range g.ids { // twins share their IDs
			h.ids[id] = true
		}
		if i == 0 {
			h.seqs = append(h.seqs, g.seqs...)
		}
		if err := m.purge(ctx, at, h); err != nil {
			return 0, nil, err
		}
	}
	for i, at := range [...]Space{s.Counterpart(), s} { // what was asked for goes last
		out := idsOf(made[1-i])
		if at == s {
			out = append(out, ids...)
		}
		bad, err := m.remove(ctx, at, out)
		if err != nil {
			return 0, nil, err
		}
		failed = errors.Join(failed, bad)
	}
	return n + k + len(recs), failed, nil
}

func idsOf(recs []Record) []string {
	ids := make([]string, len(recs))
	for i := range recs {
		ids[i] = recs[i].ID
	}
	return ids
}

// derived returns the records of a space that were made of these, of what was made of these, and so on.
func (m *Memory) derived(ctx context.Context, s Space, ids []string) ([]Record, error) {
	var made []Record
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		seen[id] = true
	}
	for len(ids) > 0 {
		var next []string
		for some := range slices.Chunk(ids, 500) {
			found, err := m.madeOf(ctx, s, some)
			if err != nil {
				return nil, err
			}
			for _, id := range found {
				if !seen[id] {
					seen[id] = true
					next = append(next, id)
				}
			}
		}
		recs, err := m.store.Get(ctx, s, next...)
		if err != nil {
			return nil, err
		}
		made = append(made, recs...)
		ids = next
	}
	return made, nil
}

func (m *Memory) madeOf(ctx context.Context, s Space, sources []string) (ids []string, err error) {
	if d, ok := m.store.(DerivedFinder); ok {
		return d.FindDerived(ctx, s, sources...)
	}
	from := make(map[string]bool, len(sources))
	for _, id := range sources {
		from[id] = true
	}
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(r.Sources, func(id string) bool { return from[id] }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}
