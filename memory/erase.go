package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// authorTagPrefix begins a tag of a derived record that names the author of a source. The tag remains after the source
// is evicted.
const authorTagPrefix = "from:"

// An Erasure is the target of an erasure.
type Erasure struct {
	Person string  // "" for none
	Spaces []Space // spaces to erase completely, with their secret counterparts
}

// EraseOptions configures [Memory.ErasePerson] and [Memory.EraseSpace]. The zero value is ready to use.
type EraseOptions struct {
	PrivateSpaces []Space               // spaces that belong to the person alone and are erased completely; used by ErasePerson
	Except        []string              // beginnings of spaces in which this ID is another person's; used by ErasePerson
	Progress      func(done, total int) // called after each space without any lock held; nil: none
}

// ErasePerson erases a person in all spaces, including secret ones. It deletes the person's messages and all data
// derived from them: records, summaries and vectors. It deletes the records with a tag [TagAbout] of the person. It also deletes the person's relation, impression and nicknames,
// and notes that name the person. It erases the private spaces completely. It returns the number of deleted records.
//
// Messages of others are kept even if they are about this person, and so are those of the bot unless they quote the
// person (see [Memory.Delete]). [Options].OnErase can delete State rows of other packages.
//
// The erasure is journaled first, so after a crash [Memory.FinishErasures] completes it. At the end, a store that is a
// [Scrubber] is scrubbed. An error that matches [ErrCannotDelete] means that everything was deleted except in an index.
// After any error, ErasePerson may be called again.
func (m *Memory) ErasePerson(ctx context.Context, person string, o EraseOptions) (n int, err error) {
	if err := validAddress("person", person); err != nil || person == "" {
		return 0, cmp.Or(err, fmt.Errorf("memory: erase a person without an ID: %w", ErrInvalid))
	}
	what := Erasure{Person: person, Spaces: o.PrivateSpaces}
	pending := encode(pendingErasure{Private: o.PrivateSpaces, Except: o.Except})
	return m.eraseJournaled(ctx, row("", "forget", "person", person), pending, what, func() (n int, failed error, err error) {
		spaces, err := m.baseSpaces(ctx)
		if err != nil {
			return n, nil, err
		}
		spaces = slices.DeleteFunc(spaces, func(s Space) bool {
			other := slices.ContainsFunc(o.Except, func(begin string) bool { return strings.HasPrefix(string(s), begin) })
			return other || slices.Contains(o.PrivateSpaces, s)
		})
		all := len(o.PrivateSpaces) + len(spaces)
		for i, s := range slices.Concat(o.PrivateSpaces, spaces) {
			forget := func() (int, error, error) { return m.erasePersonIn(ctx, s, person) }
			if i < len(o.PrivateSpaces) {
				forget = func() (int, error, error) { return m.eraseSpace(ctx, s) }
			}
			k, bad, err := forget()
			if n += k; err != nil {
				return n, nil, err
			}
			failed = errors.Join(failed, bad)
			if o.Progress != nil {
				o.Progress(i+1, all)
			}
		}
		return n, failed, nil
	})
}

// EraseSpace erases all data of a space and its secret counterpart: records, vectors, summary, people and notes. It
// returns the number of deleted records. After a crash, [Memory.FinishErasures] completes it. At the end, a store that
// is a [Scrubber] is scrubbed.
func (m *Memory) EraseSpace(ctx context.Context, s Space, o EraseOptions) (n int, err error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	what := Erasure{Spaces: []Space{s.Base()}}
	return m.eraseJournaled(ctx, row("", "forget", "space", string(s.Base())), encode(nil), what, func() (int, error, error) {
		n, failed, err := m.eraseSpace(ctx, s)
		if err == nil && o.Progress != nil {
			o.Progress(1, 1)
		}
		return n, failed, err
	})
}

// FinishErasures completes erasures that a crash or an error interrupted. Call it at start-up.
func (m *Memory) FinishErasures(ctx context.Context) error {
	rows, err := m.state.loadRowsIfState(ctx, row("", "forget")+"/")
	if err != nil {
		return err
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var pending pendingErasure
		if err := pending.decode(key, rows[key]); err != nil {
			return err
		}
		switch _, path := splitKey(key); {
		case len(path) == 3 && path[1] == "person":
			_, err = m.ErasePerson(ctx, path[2], EraseOptions{PrivateSpaces: pending.Private, Except: pending.Except})
		case len(path) == 3 && path[1] == "space":
			_, err = m.EraseSpace(ctx, Space(path[2]), EraseOptions{})
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// A pendingErasure is the row of an erasure of a person that has not ended.
type pendingErasure struct {
	Private []Space
	Except  []string `json:",omitempty"`
}

// decode decodes a row. Before Except it was a list of the private spaces.
func (p *pendingErasure) decode(key string, value []byte) error {
	if bytes.HasPrefix(value, []byte("[")) {
		return decode(key, value, &p.Private)
	}
	return decode(key, value, p)
}

// eraseJournaled stores a row, calls f and Options.OnErase, and deletes the row when both have succeeded.
func (m *Memory) eraseJournaled(ctx context.Context, key string, pending []byte, what Erasure, f func() (n int, failed, err error)) (n int, err error) {
	for _, s := range what.Spaces {
		if err := s.Validate(); err != nil {
			return 0, err
		}
	}
	if m.state.State != nil {
		if err := ValidateKey(key); err != nil {
			return 0, err
		}
		if err := m.state.apply(ctx, map[string][]byte{key: pending}); err != nil {
			return 0, err
		}
	}
	n, failed, err := f()
	if err == nil && m.o.OnErase != nil {
		err = m.o.OnErase(ctx, what)
	}
	if err != nil {
		return n, err
	}
	if m.state.State != nil {
		if err := m.state.apply(ctx, map[string][]byte{key: nil}); err != nil {
			return n, err
		}
	}
	for i, x := range [...]any{m.store, m.state.State} {
		if s, ok := x.(Scrubber); ok && (i == 0 || x != any(m.store)) {
			if err := s.Scrub(ctx); err != nil {
				return n, fmt.Errorf("memory: scrub: %w", err)
			}
		}
	}
	return n, failed
}

// baseSpaces lists the base spaces with records or rows.
func (m *Memory) baseSpaces(ctx context.Context) ([]Space, error) {
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := m.state.loadRowsIfState(ctx, keyPrefix)
	if err != nil {
		return nil, err
	}
	for key := range rows {
		if s, _ := splitKey(key); s != "" {
			spaces = append(spaces, s)
		}
	}
	for i := range spaces {
		spaces[i] = spaces[i].Base()
	}
	slices.Sort(spaces)
	return slices.Compact(spaces), nil
}

func (m *Memory) eraseSpace(ctx context.Context, s Space) (n int, failed, err error) {
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	if err := m.dropOverrides(ctx, func(r *LabelOverride) bool { return r.Space == s.Base() && r.Record == "" }); err != nil {
		return 0, nil, err
	}
	for _, s := range [...]Space{s.Secret(), s.Base()} {
		if m.state.State != nil {
			if err := m.state.deletePrefix(ctx, row(s)+"/"); err != nil {
				return n, nil, err
			}
		}
		var recs []Record
		for r, err := range m.store.Scan(ctx, s, 0) {
			if err != nil {
				return n, nil, err
			}
			recs = append(recs, Record{ID: r.ID, Seq: r.Seq, Text: r.Text, Own: r.Own})
		}
		if err := m.deleteOwnerQuotes(ctx, s.Base(), newQuoteSource(recs)); err != nil {
			return n, nil, err
		}
		ids := recordIDs(recs)
		bad, err := m.removeRecords(ctx, s, ids)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+len(ids), errors.Join(failed, bad)
	}
	k, bad, err := m.deleteFromShared(ctx, s, nil, quoteSource{})
	return n + k, errors.Join(failed, bad), err
}

// erasePersonIn erases a person in a space and its counterpart.
func (m *Memory) erasePersonIn(ctx context.Context, s Space, person string) (n int, failed, err error) {
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	target := &removal{person: person}
	var ids [2][]string
	homes := [...]Space{s.Secret(), s.Base()}
	for i, s := range homes {
		for r, err := range m.store.Scan(ctx, s, 0) {
			if err != nil {
				return n, nil, err
			}
			if r.Person != person && !slices.Contains(r.Tags, authorTagPrefix+person) && !slices.Contains(r.Tags, TagAbout+person) {
				continue
			}
			ids[i] = append(ids[i], r.ID)
			if r.Person == person && r.Name != "" && !slices.Contains(target.names, r.Name) {
				target.names = append(target.names, r.Name)
			}
		}
		if m.state.State != nil {
			known, err := m.People(s).Get(ctx, person)
			if err != nil && !errors.Is(err, ErrInvalid) { // an ID too long for a row has no row
				return n, nil, err
			}
			for _, nick := range known.Names {
				target.names = append(target.names, nick.Name)
			}
		}
	}
	for i, s := range homes {
		k, bad, err := m.deleteRecords(ctx, s, ids[i], target)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+k, errors.Join(failed, bad)
	}
	return n, failed, nil
}
