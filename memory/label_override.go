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

// A LabelOverrideKind is the half of a label that a [LabelOverride] changes.
type LabelOverrideKind string

const (
	Endorse    LabelOverrideKind = "endorse"    // integrity: the data counts as trusted
	Declassify LabelOverrideKind = "declassify" // confidentiality: the data may be read elsewhere
)

// A LabelOverride is the owner's decision to override the label of one record or of a whole space. It lasts until
// [Memory.Revoke], or until the record or space is deleted.
//
// An override of a record changes the record's label. Data derived from the record gets the new label, and keeps it
// after Revoke.
//
// An override of a space changes no stored label. [Memory.EffectiveLabel] applies it when data is read. An untrusted
// label counts as trusted if all its spaces are endorsed. A label that also names another space, or [Owner], stays
// untrusted, because it does not say which space the untrusted data came from. Data derived from a declassified space
// still names that space, so Revoke hides it again. Data derived from an endorsed space stays trusted.
type LabelOverride struct {
	ID     string            `json:"id"` // hash of the kind and the target
	Kind   LabelOverrideKind `json:"kind"`
	Space  Space             `json:"space"`           // a base space; records in its secret counterpart are found, too
	Record string            `json:"record,omitzero"` // record ID; "" means the whole space
	To     []Space           `json:"to,omitzero"`     // for Declassify of a record: the spaces that a reader needs; empty: everybody may read it
	Before Label             `json:"was,omitzero"`    // label of the record before any override; zero: none was set, or the target is a space
	At     time.Time         `json:"at,omitzero"`
}

// Endorse makes a record trusted. With an empty record it endorses a whole space, but not [Owner], [Self] or a secret
// space. Repeating a call changes nothing. If the record does not exist, the error matches [ErrNotFound].
func (m *Memory) Endorse(ctx context.Context, now time.Time, s Space, record string) (LabelOverride, error) {
	return m.addOverride(ctx, LabelOverride{Kind: Endorse, Space: s, Record: record, At: now})
}

// Declassify makes a record readable for readers of the spaces in to, or for everybody if to is empty. With an empty
// record it removes the space s from the spaces that a reader needs; to must be empty then. Otherwise it works like
// [Memory.Endorse].
func (m *Memory) Declassify(ctx context.Context, now time.Time, s Space, record string, to ...Space) (LabelOverride, error) {
	return m.addOverride(ctx, LabelOverride{Kind: Declassify, Space: s, Record: record, To: slices.Clone(to), At: now})
}

// LabelOverrides lists the active overrides, oldest first.
func (m *Memory) LabelOverrides(ctx context.Context) ([]LabelOverride, error) {
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(overrides.all)
	for i := range all {
		all[i].To = slices.Clone(all[i].To)
	}
	return all, nil
}

// Revoke ends an override. A record gets its old label back, unless it was stored again with another label since. If
// the ID is not listed, the error matches [ErrNotFound].
func (m *Memory) Revoke(ctx context.Context, id string) error {
	unknown := fmt.Errorf("memory: label override %q: %w", id, ErrNotFound)
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return err
	}
	r := overrides.find(id)
	if r == nil {
		return unknown
	}
	unlock, err := m.locks.lock(ctx, r.Space)
	if err != nil {
		return err
	}
	defer unlock()
	done, overrides, err := m.lockOverrides(ctx)
	if err != nil {
		return err
	}
	defer done()
	if r = overrides.find(id); r == nil {
		return unknown
	}
	rec, err := m.overrideTarget(ctx, r)
	if err != nil {
		return err
	}
	if rec != nil && !overrides.inForce(rec) {
		rec = nil
	}
	return m.setOverrides(ctx, overrides, slices.DeleteFunc(slices.Clone(overrides.all), func(o LabelOverride) bool { return o.ID == id }), rec, r.Before)
}

// EffectiveLabel returns the label that counts for a reader: [Memory.EndorsedLabel] without the declassified spaces.
// Without overrides of whole spaces, this is l. EffectiveLabel reads no store. It knows the overrides after the first
// call that recalls, lists overrides or derives data, or after [Memory.Preload].
func (m *Memory) EffectiveLabel(l Label) Label { return m.overrides.Load().effective(l) }

// EndorsedLabel returns the label to join into the label of derived data: l, but trusted if all its spaces are
// endorsed. Its spaces stay the same.
func (m *Memory) EndorsedLabel(l Label) Label { return m.overrides.Load().endorsed(l) }

// labelOverrides are the active overrides. The value is immutable. Nil has none.
type labelOverrides struct {
	all    []LabelOverride // oldest first
	spaces map[LabelOverrideKind]map[Space]bool
}

func newLabelOverrides(all []LabelOverride) *labelOverrides {
	slices.SortFunc(all, func(a, b LabelOverride) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	overrides := &labelOverrides{all: all, spaces: map[LabelOverrideKind]map[Space]bool{Endorse: {}, Declassify: {}}}
	for i := range all {
		if r := &all[i]; r.Record == "" && overrides.spaces[r.Kind] != nil {
			overrides.spaces[r.Kind][r.Space] = true
		}
	}
	return overrides
}

func (overrides *labelOverrides) effective(l Label) Label {
	e := overrides.endorsed(l)
	if overrides == nil || len(overrides.spaces[Declassify]) == 0 || l.IsOwnerOnly() {
		return e
	}
	return newLabel(e.text[:1], slices.DeleteFunc(e.Spaces(), func(s Space) bool { return overrides.spaces[Declassify][s] }))
}

func (overrides *labelOverrides) endorsed(l Label) Label {
	if overrides == nil || len(overrides.spaces[Endorse]) == 0 || l.IsOwnerOnly() || l.IsTrusted() {
		return l
	}
	spaces := l.Spaces()
	if len(spaces) == 0 || slices.ContainsFunc(spaces, func(s Space) bool { return !overrides.spaces[Endorse][s] }) {
		return l
	}
	return newLabel("T", spaces)
}

// sourceLabel returns the label of data in a space when something is derived from it. In a chat, the owner's messages
// are not kept apart from others, so the result is untrusted.
func (overrides *labelOverrides) sourceLabel(s Space, l Label) Label {
	if s.Base() == Owner || s.Base() == Self {
		return overrides.endorsed(l)
	}
	return l.Join(Untrusted(s))
}

// joinLabels returns the label of data derived from records of a space. Without records it is trusted and public.
func (overrides *labelOverrides) joinLabels(s Space, recs []Record) Label {
	l := Trusted()
	for i := range recs {
		l = l.Join(overrides.sourceLabel(s, recs[i].LabelOrDefault()))
	}
	return l
}

func (overrides *labelOverrides) find(id string) *LabelOverride {
	i := slices.IndexFunc(overrides.all, func(r LabelOverride) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &overrides.all[i]
}

// forRecord returns the overrides of a record.
func (overrides *labelOverrides) forRecord(rec *Record) (some []LabelOverride) {
	for _, r := range overrides.all {
		if r.matches(rec) {
			some = append(some, r)
		}
	}
	return some
}

// inForce reports whether overrides of a record apply. They do not if the record was stored again with another label.
func (overrides *labelOverrides) inForce(rec *Record) bool {
	some := overrides.forRecord(rec)
	return len(some) > 0 && (rec.Label == some[0].Before || rec.Label == overriddenLabel(rec, some[0].Before, some))
}

// originalLabel returns the label of a record before any override. Erasure finds derived data by it.
func (overrides *labelOverrides) originalLabel(rec *Record) Label {
	if some := overrides.forRecord(rec); len(some) > 0 {
		return labelOrDefault(some[0].Before, rec.Space, rec.Sources)
	}
	return rec.LabelOrDefault()
}

func (r *LabelOverride) matches(rec *Record) bool {
	return r.Record == rec.ID && r.Space == rec.Space.Base()
}

// overriddenLabel returns the label of a record with these overrides. All of them have the same Before.
func overriddenLabel(rec *Record, was Label, some []LabelOverride) Label {
	if len(some) == 0 {
		return was
	}
	l := labelOrDefault(was, rec.Space, rec.Sources)
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

// loadOverrides loads the overrides once and returns them.
func (m *Memory) loadOverrides(ctx context.Context) (*labelOverrides, error) {
	if overrides := m.overrides.Load(); overrides != nil {
		return overrides, nil
	}
	done, overrides, err := m.lockOverrides(ctx)
	if err == nil {
		done()
	}
	return overrides, err
}

// lockOverrides locks the overrides for a change. Lock spaces first.
func (m *Memory) lockOverrides(ctx context.Context) (done func(), overrides *labelOverrides, err error) {
	if done, err = m.locks.lock(ctx, ""); err != nil {
		return nil, nil, err
	}
	if overrides = m.overrides.Load(); overrides != nil {
		return done, overrides, nil
	}
	rows, err := m.state.loadRowsIfState(ctx, row("", "release")+"/")
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
	overrides = newLabelOverrides(all)
	m.overrides.Store(overrides)
	return done, overrides, nil
}

func (m *Memory) addOverride(ctx context.Context, r LabelOverride) (LabelOverride, error) {
	for _, s := range append([]Space{r.Space}, r.To...) {
		if err := s.Validate(); err != nil {
			return LabelOverride{}, err
		}
	}
	if r.Record == "" && (r.Space.IsSecret() || r.Space == Owner || r.Space == Self || len(r.To) > 0) {
		return LabelOverride{}, fmt.Errorf("memory: label override of space %q for %q: %w", string(r.Space), r.To, ErrInvalid)
	}
	r.Space, r.At = r.Space.Base(), r.At.Round(0)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", r.Kind, r.Space, r.Record))
	r.ID = fmt.Sprintf("%x", sum[:6])
	unlock, err := m.locks.lock(ctx, r.Space)
	if err != nil {
		return LabelOverride{}, err
	}
	defer unlock()
	done, overrides, err := m.lockOverrides(ctx)
	if err != nil {
		return LabelOverride{}, err
	}
	defer done()
	rec, err := m.overrideTarget(ctx, &r)
	if err != nil {
		return LabelOverride{}, err
	}
	if rec == nil && r.Record != "" {
		return LabelOverride{}, fmt.Errorf("memory: record %q in %q: %w", r.Record, string(r.Space), ErrNotFound)
	}
	all := slices.Clone(overrides.all)
	if rec != nil {
		if r.Before = rec.Label; overrides.inForce(rec) {
			r.Before = overrides.forRecord(rec)[0].Before
		} else { // there are none, or the record was stored again and they no longer apply
			all = slices.DeleteFunc(all, func(o LabelOverride) bool { return o.matches(rec) })
		}
	}
	if old := newLabelOverrides(all).find(r.ID); old != nil && slices.Equal(old.To, r.To) {
		r = *old
	}
	all = append(slices.DeleteFunc(all, func(o LabelOverride) bool { return o.ID == r.ID }), r)
	return r, m.setOverrides(ctx, overrides, all, rec, r.Before)
}

// overrideTarget returns the record of an override; nil: it does not exist.
func (m *Memory) overrideTarget(ctx context.Context, r *LabelOverride) (*Record, error) {
	if r.Record == "" {
		return nil, nil
	}
	for _, s := range [...]Space{r.Space, r.Space.Counterpart()} {
		recs, err := m.store.Get(ctx, s, r.Record)
		if err != nil {
			return nil, fmt.Errorf("memory: label override: %w", err)
		}
		if len(recs) > 0 {
			return &recs[0], nil
		}
	}
	return nil, nil
}

// setOverrides replaces all overrides. If rec is not nil, it also stores the label of rec under the new overrides; was
// is its label without any. Callers must hold the locks of the record's space and of the overrides.
func (m *Memory) setOverrides(ctx context.Context, overrides *labelOverrides, all []LabelOverride, rec *Record, was Label) error {
	next := newLabelOverrides(all)
	rows := map[string][]byte{}
	for _, r := range overrides.all {
		if next.find(r.ID) == nil {
			rows[row("", "release", r.ID)] = nil
		}
	}
	for _, r := range next.all {
		if old := overrides.find(r.ID); old == nil || !bytes.Equal(encode(old), encode(r)) {
			rows[row("", "release", r.ID)] = encode(r)
		}
	}
	var err error
	if rec == nil {
		err = m.state.apply(ctx, rows)
	} else {
		err = m.storeLabel(ctx, *rec, was, overriddenLabel(rec, was, next.forRecord(rec)), rows)
	}
	if err == nil {
		m.overrides.Store(next)
	}
	return err
}

// storeLabel stores a label and rows, in one transaction if the store supports it. Otherwise it first resets the record
// to the label without overrides, then writes the rows, then the label. A crash in between never leaves the record less
// restricted than the rows say.
func (m *Memory) storeLabel(ctx context.Context, rec Record, was, label Label, rows map[string][]byte) error {
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
	defer m.locks.revise(rec.Space)
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
		return fmt.Errorf("memory: label override: %w", err)
	}
	return nil
}

// dropOverrides removes the overrides for which gone returns true, when their targets are deleted. Callers must hold
// the lock of the space.
func (m *Memory) dropOverrides(ctx context.Context, gone func(*LabelOverride) bool) error {
	overrides, err := m.loadOverrides(ctx)
	if err != nil || !slices.ContainsFunc(overrides.all, func(r LabelOverride) bool { return gone(&r) }) {
		return err
	}
	done, overrides, err := m.lockOverrides(ctx)
	if err != nil {
		return err
	}
	defer done()
	return m.setOverrides(ctx, overrides, slices.DeleteFunc(slices.Clone(overrides.all), func(r LabelOverride) bool { return gone(&r) }), nil, Label{})
}

// removeRecords drops the overrides of records, then deletes the records from the store, then from the indexes. failed
// reports index errors.
func (m *Memory) removeRecords(ctx context.Context, s Space, ids []string) (failed, err error) {
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range overrides.all {
		if r.Space != s.Base() || r.Record == "" || !slices.Contains(ids, r.Record) {
			continue
		}
		rec, err := m.overrideTarget(ctx, &r)
		if err == nil && (rec == nil || rec.Space == s) { // it may lie in the counterpart and stay there
			err = m.dropOverrides(ctx, func(o *LabelOverride) bool { return o.ID == r.ID })
		}
		if err != nil {
			return nil, err
		}
	}
	return m.indexes.remove(ctx, s, ids)
}
