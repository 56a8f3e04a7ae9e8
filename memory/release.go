package memory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A LabelOverrideKind says which half of a label a [LabelOverride] sets aside.
type LabelOverrideKind string

const (
	Endorse    LabelOverrideKind = "endorse"    // the integrity: what it names is trusted
	Declassify LabelOverrideKind = "declassify" // the confidentiality: what it names may be read elsewhere
)

// A LabelOverride is an act of the owner that sets labels aside, for one record or for a whole space. It lasts until it is revoked
// ([Memory.Revoke]) or what it names is forgotten.
//
// For a record, the record bears another label meanwhile. What is made of the record bears that label, and keeps it when the
// release is revoked.
//
// For a space, [Memory.EffectiveLabel] says what a label counts as while it is read. An untrusted label counts as trusted if every
// space that it names is endorsed: one that also names another space, or [Owner], stays untrusted, as it does not tell whose
// hand it was. What is made of a space that is declassified still names it, and so is hidden again when the release is
// revoked; what is made of a space that is endorsed stays trusted.
type LabelOverride struct {
	ID     string            `json:"id"` // of what it names and its kind
	Kind   LabelOverrideKind `json:"kind"`
	Space  Space             `json:"space"`           // a plain one: a record is found in its secret twin, too
	Record string            `json:"record,omitzero"` // ID; "" is the whole space
	To     []Space           `json:"to,omitzero"`     // of Declassify: the spaces that a reader of the record needs; none: everybody may read it
	Before Label             `json:"was,omitzero"`    // the label of the record before any release; zero: it had none, or it is a whole space
	At     time.Time         `json:"at,omitzero"`
}

// Endorse makes a record trusted, or what came from a whole space, where record is "". That is not possible for [Owner], [Self] and secret
// spaces. Done again it changes nothing. A record that is not there gives [ErrNotFound].
func (m *Memory) Endorse(ctx context.Context, now time.Time, s Space, record string) (LabelOverride, error) {
	return m.release(ctx, LabelOverride{Kind: Endorse, Space: s, Record: record, At: now})
}

// Declassify makes a record readable to whoever may read the spaces to, or, where record is "", drops a whole space from
// what a reader needs, and then takes no to. Without to everybody may read the record. Otherwise it is as [Memory.Endorse].
func (m *Memory) Declassify(ctx context.Context, now time.Time, s Space, record string, to ...Space) (LabelOverride, error) {
	return m.release(ctx, LabelOverride{Kind: Declassify, Space: s, Record: record, To: slices.Clone(to), At: now})
}

// LabelOverrides lists those that hold, the oldest first.
func (m *Memory) LabelOverrides(ctx context.Context) ([]LabelOverride, error) {
	rel, err := m.released(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(rel.all)
	for i := range all {
		all[i].To = slices.Clone(all[i].To)
	}
	return all, nil
}

// Revoke ends a release: a record gets back the label that it had, unless it was kept anew with another one meanwhile. An ID
// that is not listed gives [ErrNotFound].
func (m *Memory) Revoke(ctx context.Context, id string) error {
	unknown := fmt.Errorf("memory: release %q: %w", id, ErrNotFound)
	rel, err := m.released(ctx)
	if err != nil {
		return err
	}
	r := rel.find(id)
	if r == nil {
		return unknown
	}
	leave, err := m.rooms.enter(ctx, r.Space)
	if err != nil {
		return err
	}
	defer leave()
	done, rel, err := m.releasing(ctx)
	if err != nil {
		return err
	}
	defer done()
	if r = rel.find(id); r == nil {
		return unknown
	}
	rec, err := m.recordOf(ctx, r)
	if err != nil {
		return err
	}
	if rec != nil && !rel.hold(rec) {
		rec = nil
	}
	return m.setReleases(ctx, rel, slices.DeleteFunc(slices.Clone(rel.all), func(o LabelOverride) bool { return o.ID == id }), rec, r.Before)
}

// EffectiveLabel returns what a label counts as for a reader: [Memory.EndorsedLabel], without the spaces that are declassified. Without
// releases of whole spaces it is l. It reads no store: releases count from the first call that recalls, lists them or makes
// something of records, or from [Memory.Preload] on.
func (m *Memory) EffectiveLabel(l Label) Label { return m.releases.Load().effective(l) }

// EndorsedLabel returns the label that is to be joined into that of what is made of a datum: l, trusted where all its spaces are
// endorsed. The spaces stay.
func (m *Memory) EndorsedLabel(l Label) Label { return m.releases.Load().endorsed(l) }

// releases are those that hold. They are never changed. Nil has none.
type releases struct {
	all    []LabelOverride // the oldest first
	spaces map[LabelOverrideKind]map[Space]bool
}

func newReleases(all []LabelOverride) *releases {
	slices.SortFunc(all, func(a, b LabelOverride) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	rel := &releases{all: all, spaces: map[LabelOverrideKind]map[Space]bool{Endorse: {}, Declassify: {}}}
	for i := range all {
		if r := &all[i]; r.Record == "" && rel.spaces[r.Kind] != nil {
			rel.spaces[r.Kind][r.Space] = true
		}
	}
	return rel
}

func (rel *releases) effective(l Label) Label {
	e := rel.endorsed(l)
	if rel == nil || len(rel.spaces[Declassify]) == 0 || l.IsOwnerOnly() {
		return e
	}
	return newLabel(e.text[:1], slices.DeleteFunc(e.Spaces(), func(s Space) bool { return rel.spaces[Declassify][s] }))
}

func (rel *releases) endorsed(l Label) Label {
	if rel == nil || len(rel.spaces[Endorse]) == 0 || l.IsOwnerOnly() || l.IsTrusted() {
		return l
	}
	spaces := l.Spaces()
	if len(spaces) == 0 || slices.ContainsFunc(spaces, func(s Space) bool { return !rel.spaces[Endorse][s] }) {
		return l
	}
	return newLabel("T", spaces)
}

// counted is the label that a datum of a space counts with where something is made of it. In a chat nobody keeps apart what the owner
// said: it is untrusted.
func (rel *releases) counted(s Space, l Label) Label {
	if s.Base() == Owner || s.Base() == Self {
		return rel.endorsed(l)
	}
	return l.Join(Untrusted(s))
}

// joined is the label of what is made of records of a space; trusted and public where there are none.
func (rel *releases) joined(s Space, recs []Record) Label {
	l := Trusted()
	for i := range recs {
		l = l.Join(rel.counted(s, recs[i].LabelOrDefault()))
	}
	return l
}

func (rel *releases) find(id string) *LabelOverride {
	i := slices.IndexFunc(rel.all, func(r LabelOverride) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &rel.all[i]
}

// of are the releases of a record.
func (rel *releases) of(rec *Record) (some []LabelOverride) {
	for _, r := range rel.all {
		if r.names(rec) {
			some = append(some, r)
		}
	}
	return some
}

// hold reports that there are releases of a record, which bears the label that it has by them, or had before: it was not kept
// anew with another one.
func (rel *releases) hold(rec *Record) bool {
	some := rel.of(rec)
	return len(some) > 0 && (rec.Label == some[0].Before || rec.Label == labelWith(rec, some[0].Before, some))
}

// before is the label that a record had before it was released: what is forgotten is found by it.
func (rel *releases) before(rec *Record) Label {
	if some := rel.of(rec); len(some) > 0 {
		return labeled(some[0].Before, rec.Space, rec.Sources)
	}
	return rec.LabelOrDefault()
}

func (r *LabelOverride) names(rec *Record) bool {
	return r.Record == rec.ID && r.Space == rec.Space.Base()
}

// labelWith is the label of a record with these releases of it, of which all have the same Was.
func labelWith(rec *Record, was Label, some []LabelOverride) Label {
	if len(some) == 0 {
		return was
	}
	l := labeled(was, rec.Space, rec.Sources)
	for _, r := range some {
		if r.Kind == Declassify {
			l = newLabel(l.text[:1], r.To)
			continue
		}
		spaces := l.Spaces()
		if l.IsOwnerOnly() {
			spaces = []Space{ownerOnly}
		}
		l = newLabel("T", spaces)
	}
	return l
}

// released are the releases, which are read once.
func (m *Memory) released(ctx context.Context) (*releases, error) {
	if rel := m.releases.Load(); rel != nil {
		return rel, nil
	}
	done, rel, err := m.releasing(ctx)
	if err == nil {
		done()
	}
	return rel, err
}

// releasing waits for the turn of whoever changes releases. It comes behind those of spaces.
func (m *Memory) releasing(ctx context.Context) (done func(), rel *releases, err error) {
	if done, err = m.rooms.enter(ctx, ""); err != nil {
		return nil, nil, err
	}
	if rel = m.releases.Load(); rel != nil {
		return done, rel, nil
	}
	rows, err := m.state.held(ctx, row("", "release")+"/")
	all := make([]LabelOverride, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var r LabelOverride
		err = cmp.Or(err, decode(key, rows[key], &r))
		all = append(all, r)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	rel = newReleases(all)
	m.releases.Store(rel)
	return done, rel, nil
}

func (m *Memory) release(ctx context.Context, r LabelOverride) (LabelOverride, error) {
	for _, s := range append([]Space{r.Space}, r.To...) {
		if err := s.Validate(); err != nil {
			return LabelOverride{}, err
		}
	}
	if r.Record == "" && (r.Space.IsSecret() || r.Space == Owner || r.Space == Self || len(r.To) > 0) {
		return LabelOverride{}, fmt.Errorf("memory: release of all of %q to %q: %w", string(r.Space), r.To, ErrInvalid)
	}
	r.Space, r.At = r.Space.Base(), r.At.Round(0)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", r.Kind, r.Space, r.Record))
	r.ID = fmt.Sprintf("%x", sum[:6])
	leave, err := m.rooms.enter(ctx, r.Space)
	if err != nil {
		return LabelOverride{}, err
	}
	defer leave()
	done, rel, err := m.releasing(ctx)
	if err != nil {
		return LabelOverride{}, err
	}
	defer done()
	rec, err := m.recordOf(ctx, &r)
	if err != nil {
		return LabelOverride{}, err
	}
	if rec == nil && r.Record != "" {
		return LabelOverride{}, fmt.Errorf("memory: record %q in %q: %w", r.Record, string(r.Space), ErrNotFound)
	}
	all := slices.Clone(rel.all)
	if rec != nil {
		if r.Before = rec.Label; rel.hold(rec) {
			r.Before = rel.of(rec)[0].Before
		} else { // none, or it was kept anew, and they say nothing of it any more
			all = slices.DeleteFunc(all, func(o LabelOverride) bool { return o.names(rec) })
		}
	}
	if old := newReleases(all).find(r.ID); old != nil && slices.Equal(old.To, r.To) {
		r = *old
	}
	all = append(slices.DeleteFunc(all, func(o LabelOverride) bool { return o.ID == r.ID }), r)
	return r, m.setReleases(ctx, rel, all, rec, r.Before)
}

// recordOf is the record that a release names; nil: there is none.
func (m *Memory) recordOf(ctx context.Context, r *LabelOverride) (*Record, error) {
	if r.Record == "" {
		return nil, nil
	}
	for _, s := range [...]Space{r.Space, r.Space.Counterpart()} {
		recs, err := m.store.Get(ctx, s, r.Record)
		if err != nil {
			return nil, fmt.Errorf("memory: release: %w", err)
		}
		if len(recs) > 0 {
			return &recs[0], nil
		}
	}
	return nil, nil
}

// setReleases makes all the releases that hold, and gives rec, if that is not nil, the label that it has with them; was is its
// label without any. Who calls has the turns of the record's space and of releases.
func (m *Memory) setReleases(ctx context.Context, rel *releases, all []LabelOverride, rec *Record, was Label) error {
	next := newReleases(all)
	rows := map[string][]byte{}
	for _, r := range rel.all {
		if next.find(r.ID) == nil {
			rows[row("", "release", r.ID)] = nil
		}
	}
	for _, r := range next.all {
		if old := rel.find(r.ID); old == nil || !bytes.Equal(encode(old), encode(r)) {
			rows[row("", "release", r.ID)] = encode(r)
		}
	}
	var err error
	if rec == nil {
		err = m.state.apply(ctx, rows)
	} else {
		err = m.relabel(ctx, *rec, was, labelWith(rec, was, next.of(rec)), rows)
	}
	if err == nil {
		m.releases.Store(next)
	}
	return err
}

// relabel gives a record a label, and writes rows, in one step where the store can. Where it cannot, the record has the label that
// it had before any release while the rows are written: whatever cuts that off leaves it no more open than the rows say.
func (m *Memory) relabel(ctx context.Context, rec Record, was, label Label, rows map[string][]byte) error {
	if m.state.State == nil {
		return fmt.Errorf("memory: %w", ErrNoState)
	}
	put := func(l Label) error {
		if rec.Label == l {
			return nil
		}
		rec.Label = l
		return m.store.Put(ctx, rec)
	}
	var err error
	if t, ok := m.store.(Transactor); ok && any(m.store) == any(m.state.State) && len(rows) > 0 {
		rec.Label = label
		err = t.PutApply(ctx, rows, rec)
	} else if err = put(was); err == nil {
		if err = m.state.apply(ctx, rows); err == nil {
			err = put(label)
		}
	}
	if err != nil {
		return fmt.Errorf("memory: release: %w", err)
	}
	return nil
}

// unrelease ends the releases that gone reports, of what is being forgotten. Who calls has the turn of their space.
func (m *Memory) unrelease(ctx context.Context, gone func(*LabelOverride) bool) error {
	rel, err := m.released(ctx)
	if err != nil || !slices.ContainsFunc(rel.all, func(r LabelOverride) bool { return gone(&r) }) {
		return err
	}
	done, rel, err := m.releasing(ctx)
	if err != nil {
		return err
	}
	defer done()
	return m.setReleases(ctx, rel, slices.DeleteFunc(slices.Clone(rel.all), func(r LabelOverride) bool { return gone(&r) }), nil, Label{})
}

// remove takes records out of the store, then out of the indexes, and ends their releases first. Failed tells of indexes.
func (m *Memory) remove(ctx context.Context, s Space, ids []string) (failed, err error) {
	rel, err := m.released(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rel.all {
		if r.Space != s.Base() || r.Record == "" || !slices.Contains(ids, r.Record) {
			continue
		}
		rec, err := m.recordOf(ctx, &r)
		if err == nil && (rec == nil || rec.Space == s) { // it may lie in the twin, and stay
			err = m.unrelease(ctx, func(o *LabelOverride) bool { return o.ID == r.ID })
		}
		if err != nil {
			return nil, err
		}
	}
	return m.indexes.remove(ctx, s, ids)
}
