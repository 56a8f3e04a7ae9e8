package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// taggedFrom begins the tag of a derived record that names the author of a source. The tag remains when the source is evicted.
const taggedFrom = "from:"

// A Erasure is who, or what, is being forgotten everywhere.
type Erasure struct {
	Person string  // "": nobody
	Spaces []Space // that are forgotten as a whole; plain ones stand for their twins too
}

// EraseOptions say more about a forgetting. The zero value is ready.
type EraseOptions struct {
	PrivateSpaces []Space               // of a person: the spaces that are theirs alone, forgotten as a whole
	Progress      func(done, total int) // told after each space; nil: nobody. Called without any lock held
}

// ErasePerson removes what a person said, in every space, secret ones too, and all that was made of it or is known of them: derived records,
// summaries, vectors, the person's relation, impression and names, and notes that name them. The private spaces, those that are theirs alone, are
// forgotten as a whole. It says how many records went.
//
// What others said, the being too, stays theirs, even where it is about this person. Rows of State that other packages keep are for
// [Options].Forgotten to remove.
//
// It is noted first what is to be forgotten: killed in the middle, [Memory.FinishErasures] goes on. A store that is a [Scrubber] is scrubbed in the end.
// An error that matches [ErrCannotDelete] means that everything else went. It may be called again after any error.
func (m *Memory) ErasePerson(ctx context.Context, person string, o EraseOptions) (n int, err error) {
	if err := validAddress("person", person); err != nil || person == "" {
		return 0, cmp.Or(err, fmt.Errorf("memory: forget nobody: %w", ErrInvalid))
	}
	what := Erasure{Person: person, Spaces: o.PrivateSpaces}
	return m.noted(ctx, row("", "forget", "person", person), what, func() (n int, failed error, err error) {
		spaces, err := m.homes(ctx)
		if err != nil {
			return n, nil, err
		}
		spaces = slices.DeleteFunc(spaces, func(s Space) bool { return slices.Contains(o.PrivateSpaces, s) })
		all := len(o.PrivateSpaces) + len(spaces)
		for i, s := range slices.Concat(o.PrivateSpaces, spaces) {
			forget := func() (int, error, error) { return m.forgetIn(ctx, s, person) }
			if i < len(o.PrivateSpaces) {
				forget = func() (int, error, error) { return m.forgetSpace(ctx, s) }
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

// EraseSpace removes all that a space and its secret twin hold: records, vectors, summary, people, notes. It says how many records went.
// Killed in the middle, [Memory.FinishErasures] goes on. A store that is a [Scrubber] is scrubbed in the end.
func (m *Memory) EraseSpace(ctx context.Context, s Space, o EraseOptions) (n int, err error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	what := Erasure{Spaces: []Space{s.Base()}}
	return m.noted(ctx, row("", "forget", "space", string(s.Base())), what, func() (int, error, error) {
		n, failed, err := m.forgetSpace(ctx, s)
		if err == nil && o.Progress != nil {
			o.Progress(1, 1)
		}
		return n, failed, err
	})
}

// FinishErasures ends what [Memory.ErasePerson] and [Memory.EraseSpace] had begun when the process died. Call it at the start.
func (m *Memory) FinishErasures(ctx context.Context) error {
	rows, err := m.state.held(ctx, row("", "forget")+"/")
	if err != nil {
		return err
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var private []Space
		if err := decode(key, rows[key], &private); err != nil {
			return err
		}
		switch _, path := parts(key); {
		case len(path) == 3 && path[1] == "person":
			_, err = m.ErasePerson(ctx, path[2], EraseOptions{PrivateSpaces: private})
		case len(path) == 3 && path[1] == "space":
			_, err = m.EraseSpace(ctx, Space(path[2]), EraseOptions{})
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// noted keeps a row for as long as f, and whoever else keeps rows, has not come to an end.
func (m *Memory) noted(ctx context.Context, key string, what Erasure, f func() (n int, failed, err error)) (n int, err error) {
	for _, s := range what.Spaces {
		if err := s.Validate(); err != nil {
			return 0, err
		}
	}
	if m.state.State != nil {
		if err := ValidateKey(key); err != nil {
			return 0, err
		}
		note := what.Spaces
		if what.Person == "" {
			note = nil
		}
		if err := m.state.apply(ctx, map[string][]byte{key: encode(note)}); err != nil {
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

// homes lists the plain spaces that have records or rows.
func (m *Memory) homes(ctx context.Context) ([]Space, error) {
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := m.state.held(ctx, rowsOf)
	if err != nil {
		return nil, err
	}
	for key := range rows {
		if s, _ := parts(key); s != "" {
			spaces = append(spaces, s)
		}
	}
	for i := range spaces {
		spaces[i] = spaces[i].Base()
	}
	slices.Sort(spaces)
	return slices.Compact(spaces), nil
}

func (m *Memory) forgetSpace(ctx context.Context, s Space) (n int, failed, err error) {
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	if err := m.unrelease(ctx, func(r *LabelOverride) bool { return r.Space == s.Base() && r.Record == "" }); err != nil {
		return 0, nil, err
	}
	for _, s := range [...]Space{s.Secret(), s.Base()} {
		if m.state.State != nil {
			if err := m.state.clear(ctx, row(s)+"/"); err != nil {
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
		if err := m.forgetQuotes(ctx, s.Base(), quotableOf(recs)); err != nil {
			return n, nil, err
		}
		ids := idsOf(recs)
		bad, err := m.remove(ctx, s, ids)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+len(ids), errors.Join(failed, bad)
	}
	k, bad, err := m.forgetElsewhere(ctx, s, nil, quotable{})
	return n + k, errors.Join(failed, bad), err
}

// forgetIn forgets a person in a space and its twin.
func (m *Memory) forgetIn(ctx context.Context, s Space, person string) (n int, failed, err error) {
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	who := &gone{person: person}
	var ids [2][]string
	homes := [...]Space{s.Secret(), s.Base()}
	for i, s := range homes {
		for r, err := range m.store.Scan(ctx, s, 0) {
			if err != nil {
				return n, nil, err
			}
			if r.Person != person && !slices.Contains(r.Tags, taggedFrom+person) {
				continue
			}
			ids[i] = append(ids[i], r.ID)
			if r.Person == person && r.Name != "" && !slices.Contains(who.names, r.Name) {
				who.names = append(who.names, r.Name)
			}
		}
		if m.state.State != nil {
			known, err := m.People(s).Get(ctx, person)
			if err != nil && !errors.Is(err, ErrInvalid) { // whose ID is too long for a row has none
				return n, nil, err
			}
			for _, nick := range known.Names {
				who.names = append(who.names, nick.Name)
			}
		}
	}
	for i, s := range homes {
		k, bad, err := m.forget(ctx, s, ids[i], who)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+k, errors.Join(failed, bad)
	}
	return n, failed, nil
}
