package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group1, group2 = Space("qq:group:1"), Space("qq:group:2")

// putDerivedAnswer stores an answer in the owner's space that is derived from messages of a group.
func putDerivedAnswer(t *testing.T, m *Memory) Label {
	t.Helper()
	l := Untrusted(Owner, group1)
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Text: "群里说要发红包", Own: true, At: noon, Sources: []string{"9"}, Label: l}))
	return l
}

func labelOf(t *testing.T, m *Memory, s Space, id string) Label {
	t.Helper()
	recs, err := m.Get(t.Context(), s, id)
	require.NoError(t, err)
	require.Len(t, recs, 1)
	return recs[0].LabelOrDefault()
}

func TestMemory_OverridesLabelOfRecord(t *testing.T) {
	store := NewMemStore()
	m := newMemory(t, store, Options{})
	was := putDerivedAnswer(t, m)
	restart := func() { m = newMemory(t, store, Options{}) }
	readable := func(r *Reader) bool {
		hits, err := r.Recall(t.Context(), noon, Query{Text: "红包"})
		require.NoError(t, err)
		one, err := r.Get(t.Context(), "1")
		require.NoError(t, err)
		require.Equal(t, len(hits), len(one))
		return len(hits) == 1
	}
	e, err := m.Endorse(t.Context(), noon, Owner, "1")
	require.NoError(t, err)
	assert.Equal(t, Trusted(Owner, group1), labelOf(t, m, Owner, "1"))
	restart()
	d, err := m.Declassify(t.Context(), noon.AddDate(0, 0, 1), Owner, "1", group2, Owner)
	require.NoError(t, err)
	assert.Equal(t, Trusted(Owner, group2), labelOf(t, m, Owner, "1"))
	assert.False(t, readable(m.Reader(Owner)))
	assert.True(t, readable(m.Reader(Owner, group2)))
	restart()
	rows := func() map[string][]byte {
		rows, err := store.Load(t.Context(), "")
		require.NoError(t, err)
		return rows
	}
	before := rows()
	again, err := m.Declassify(t.Context(), noon, Owner.Secret(), "1", group2, Owner)
	require.NoError(t, err)
	assert.Equal(t, d, again, "repeating it changes nothing")
	assert.Equal(t, before, rows())

	other, err := m.Declassify(t.Context(), noon.AddDate(0, 0, 1), Owner, "1")
	require.NoError(t, err)
	assert.Equal(t, d.ID, other.ID, "the same override, for other spaces")
	assert.Equal(t, Trusted(), labelOf(t, m, Owner, "1"))
	assert.True(t, readable(m.Reader(Owner)))
	all, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []LabelOverride{e, other}, all)
	assert.Equal(t, LabelOverride{ID: e.ID, Kind: Endorse, Space: Owner, Record: "1", Before: was, At: noon}, e)

	restart()
	require.NoError(t, m.Revoke(t.Context(), e.ID))
	assert.Equal(t, Untrusted(), labelOf(t, m, Owner, "1"), "the other override remains")
	restart()
	require.NoError(t, m.Revoke(t.Context(), d.ID))
	assert.Equal(t, was, labelOf(t, m, Owner, "1"))
	assert.False(t, readable(m.Reader(Owner)))
	assert.ErrorIs(t, m.Revoke(t.Context(), d.ID), ErrNotFound)
	assert.Empty(t, rows())
}

func TestMemory_OverridesLabelOfSpace(t *testing.T) {
	store := NewMemStore()
	m := newMemory(t, store, Options{})
	was := putDerivedAnswer(t, m)
	here, both := Untrusted(group1), Untrusted(group1, group2)
	effective := func() []Label { return []Label{m.EffectiveLabel(here), m.EffectiveLabel(both), m.EffectiveLabel(was)} }
	strict := []Label{here, both, was}
	assert.Equal(t, strict, effective())

	d, err := m.Declassify(t.Context(), noon, group1, "")
	require.NoError(t, err)
	assert.Equal(t, []Label{Untrusted(), Untrusted(group2), Untrusted(Owner)}, effective())
	assert.Equal(t, was, m.EndorsedLabel(was), "derived data still names its spaces")
	assert.Equal(t, was, labelOf(t, m, Owner, "1"))
	e, err := m.Endorse(t.Context(), noon, group1, "")
	require.NoError(t, err)
	assert.Equal(t, []Label{Trusted(), Untrusted(group2), Untrusted(Owner)}, effective(), "others may have contributed to data from other spaces")
	assert.Equal(t, Trusted(group1), m.EndorsedLabel(here))
	assert.Equal(t, []Label{OwnerOnly(), {}, Untrusted()}, []Label{m.EffectiveLabel(OwnerOnly()), m.EffectiveLabel(Label{}), m.EffectiveLabel(Untrusted())})

	m = newMemory(t, store, Options{})
	assert.Equal(t, strict, effective(), "not loaded yet")
	hits, err := m.Reader(Owner).Recall(t.Context(), noon, Query{Text: "红包"})
	require.NoError(t, err)
	assert.Len(t, hits, 1)
	assert.Equal(t, []Label{Trusted(), Untrusted(group2), Untrusted(Owner)}, effective())
	require.NoError(t, m.Revoke(t.Context(), d.ID))
	hits, err = m.Reader(Owner).Recall(t.Context(), noon, Query{Text: "红包"})
	require.NoError(t, err)
	assert.Empty(t, hits)
	require.NoError(t, m.Revoke(t.Context(), e.ID))
	assert.Equal(t, strict, effective())
}

func TestMemory_RejectsLabelOverrides(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	putDerivedAnswer(t, m)
	for _, s := range []Space{Owner, Self, group1.Secret(), "", "a\x00"} {
		_, err := m.Endorse(t.Context(), noon, s, "")
		assert.ErrorIs(t, err, ErrInvalid, "%q", s)
		_, err = m.Declassify(t.Context(), noon, s, "")
		assert.ErrorIs(t, err, ErrInvalid, "%q", s)
	}
	_, err := m.Declassify(t.Context(), noon, group1, "", group2)
	assert.ErrorIs(t, err, ErrInvalid, "the whole space is dropped")
	_, err = m.Declassify(t.Context(), noon, Owner, "1", "!")
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = m.Endorse(t.Context(), noon, Owner, "2")
	assert.ErrorIs(t, err, ErrNotFound)
	all, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)

	m = newMemory(t, struct{ Store }{NewMemStore()}, Options{})
	putDerivedAnswer(t, m)
	_, err = m.Endorse(t.Context(), noon, Owner, "1")
	assert.ErrorIs(t, err, ErrNoState)
	assert.Equal(t, Untrusted(Owner, group1), labelOf(t, m, Owner, "1"))
	_, err = m.Endorse(t.Context(), noon, group1, "")
	assert.ErrorIs(t, err, ErrNoState)
}

// A failingStore store fails after a number of writes, and has no transactions.
type failingStore struct {
	*MemStore
	left int
}

var errFrail = errors.New("no more writes")

func (f *failingStore) PutApply() {} // hides the method of MemStore

func (f *failingStore) spend() error {
	if f.left--; f.left < 0 {
		return errFrail
	}
	return nil
}

func (f *failingStore) Put(ctx context.Context, recs ...Record) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.MemStore.Put(ctx, recs...)
}

func (f *failingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.MemStore.Apply(ctx, rows)
}

// TestMemory_LabelOverrideInterrupted: after each possible last write, the record is never less restricted than its
// overrides say. A repeated call completes the override.
func TestMemory_LabelOverrideInterrupted(t *testing.T) {
	endorse := func(m *Memory) error { _, err := m.Endorse(t.Context(), noon, Owner, "1"); return err }
	declassify := func(to ...Space) func(m *Memory) error {
		return func(m *Memory) error { _, err := m.Declassify(t.Context(), noon, Owner, "1", to...); return err }
	}
	revoke := func(m *Memory) error {
		all, err := m.LabelOverrides(t.Context())
		if err != nil || len(all) == 0 {
			return err
		}
		return m.Revoke(t.Context(), all[0].ID)
	}
	for name, acts := range map[string][]func(*Memory) error{
		"endorse": {endorse}, "both": {endorse, declassify(Owner)}, "to others": {declassify(Owner), declassify(group2)},
		"revoked": {endorse, revoke}, "one revoked": {endorse, declassify(Owner), revoke},
	} {
		for cut := 0; ; cut++ {
			store := &failingStore{NewMemStore(), 1 << 20}
			m := newMemory(t, store, Options{})
			was := putDerivedAnswer(t, m)
			for _, act := range acts[:len(acts)-1] {
				require.NoError(t, act(m))
			}
			store.left = cut
			last := acts[len(acts)-1]
			failed := last(m)
			store.left = 1 << 20
			m = newMemory(t, store, Options{})
			all, err := m.LabelOverrides(t.Context())
			require.NoError(t, err)
			rec := Record{Space: Owner, Label: was}
			assert.Contains(t, []Label{was, overriddenLabel(&rec, was, all)}, labelOf(t, m, Owner, "1"), "%s, %d", name, cut)
			if failed == nil {
				require.Positive(t, cut)
				break
			}
			require.ErrorIs(t, failed, errFrail)
			require.NoError(t, last(m))
			all, err = m.LabelOverrides(t.Context())
			require.NoError(t, err)
			assert.Equal(t, overriddenLabel(&rec, was, all), labelOf(t, m, Owner, "1"), "%s, %d", name, cut)
		}
	}
}

// TestMemory_LabelOverrideOfReplacedRecord: an override does not apply to a new record with the same ID.
func TestMemory_LabelOverrideOfReplacedRecord(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	putDerivedAnswer(t, m)
	e, err := m.Endorse(t.Context(), noon, Owner, "1")
	require.NoError(t, err)
	next := Untrusted(Owner, group2)
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Text: "别的", At: noon, Label: next}))
	d, err := m.Declassify(t.Context(), noon, Owner, "1")
	require.NoError(t, err)
	assert.Equal(t, Untrusted(), labelOf(t, m, Owner, "1"))
	assert.Equal(t, next, d.Before)
	all, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []LabelOverride{d}, all, "the old override was for another text")
	assert.ErrorIs(t, m.Revoke(t.Context(), e.ID), ErrNotFound)
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Text: "别的", At: noon, Label: Untrusted(Owner, group1)}))
	require.NoError(t, m.Revoke(t.Context(), d.ID))
	assert.Equal(t, Untrusted(Owner, group1), labelOf(t, m, Owner, "1"), "a replaced record stays unchanged")
}

func TestMemory_DeletesOverridesWithTarget(t *testing.T) {
	for name, c := range map[string]struct {
		forget func(m *Memory) error
		left   []string // targets of the remaining overrides
	}{
		"nothing":    {func(*Memory) error { return nil }, []string{"owner/1", "qq:group:1/", "qq:group:1/9", "qq:group:2/"}},
		"a record":   {func(m *Memory) error { return m.Delete(t.Context(), Owner, "1") }, []string{"qq:group:1/", "qq:group:1/9", "qq:group:2/"}},
		"its source": {func(m *Memory) error { return m.Delete(t.Context(), group1, "9") }, []string{"qq:group:1/", "qq:group:2/"}},
		"in its counterpart": {func(m *Memory) error {
			return m.Delete(t.Context(), group1.Secret(), "9")
		}, []string{"owner/1", "qq:group:1/", "qq:group:1/9", "qq:group:2/"}},
		"hidden": {func(m *Memory) error {
			return errors.Join(m.Hide(t.Context(), group1, "9"), m.Delete(t.Context(), group1.Secret(), "9"))
		}, []string{"qq:group:1/", "qq:group:2/"}},
		"a space":  {func(m *Memory) error { _, err := m.EraseSpace(t.Context(), group1, EraseOptions{}); return err }, []string{"qq:group:2/"}},
		"a person": {func(m *Memory) error { _, err := m.ErasePerson(t.Context(), "7", EraseOptions{}); return err }, []string{"qq:group:1/", "qq:group:2/"}},
		"by quota": {func(m *Memory) error { _, err := m.Trim(t.Context(), group1, Quota{Bytes: 1}); return err }, []string{"owner/1", "qq:group:1/", "qq:group:2/"}},
	} {
		m := newMemory(t, NewMemStore(), Options{})
		require.NoError(t, m.Put(t.Context(), Record{ID: "9", Space: group1, Text: "要发红包", Person: "7", At: noon}))
		require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Kind: KindFact, Text: "群里要发红包", At: noon, Sources: []string{"9"}, Label: Untrusted(Owner, group1)}))
		for _, r := range []LabelOverride{{Space: group1}, {Space: group2}, {Space: group1, Record: "9"}, {Space: Owner, Record: "1"}} {
			_, err := m.Declassify(t.Context(), noon, r.Space, r.Record)
			require.NoError(t, err)
		}
		require.NoError(t, c.forget(m), name)
		all, err := newMemory(t, m.store, Options{}).LabelOverrides(t.Context())
		require.NoError(t, err)
		var left []string
		for _, r := range all {
			left = append(left, string(r.Space)+"/"+r.Record)
		}
		slices.Sort(left)
		assert.Equal(t, c.left, left, name)
		recs, err := m.Get(t.Context(), Owner, "1")
		require.NoError(t, err)
		assert.Equal(t, slices.Contains(c.left, "owner/1"), len(recs) == 1, "%s: declassified, it is found by the label that it had", name)
	}
}

// TestMemory_DeletesDeclassifiedQuote: an answer that quotes a deleted message is found by its original label.
func TestMemory_DeletesDeclassifiedQuote(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	const words = "我下个月要换工作了"
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: group1, Text: words},
		Record{ID: "told", Space: Owner, Text: "小满说：" + words, Own: true, Label: Untrusted(Owner, group1)},
		Record{ID: "other", Space: Owner, Text: words, Own: true, Label: Untrusted(Owner, group2)}))
	for _, id := range []string{"told", "other"} {
		_, err := m.Declassify(t.Context(), noon, Owner, id)
		require.NoError(t, err)
	}
	require.NoError(t, m.Delete(t.Context(), group1, "1"))
	recs, err := m.Get(t.Context(), Owner, "told", "other")
	require.NoError(t, err)
	require.Len(t, recs, 1)
	all, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, []string{"other", "other"}, []string{recs[0].ID, all[0].Record})
}

func TestMemory_ExportsLabelOverrides(t *testing.T) {
	m, copied := newMemory(t, NewMemStore(), Options{}), newMemory(t, NewMemStore(), Options{})
	was := putDerivedAnswer(t, m)
	_, err := m.Endorse(t.Context(), noon, Owner, "1")
	require.NoError(t, err)
	_, err = m.Endorse(t.Context(), noon, group1, "")
	require.NoError(t, err)
	want, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	require.NoError(t, copied.Preload(t.Context()))
	var b strings.Builder
	require.NoError(t, m.Export(t.Context(), &b, ExportOptions{}))
	_, err = copied.Import(t.Context(), strings.NewReader(b.String()), nil)
	require.NoError(t, err)
	got, err := copied.LabelOverrides(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, Trusted(group1), copied.EffectiveLabel(Untrusted(group1)))
	for _, r := range got {
		require.NoError(t, copied.Revoke(t.Context(), r.ID))
	}
	assert.Equal(t, was, labelOf(t, copied, Owner, "1"))
}

// TestMemory_DerivesFromEndorsedRecords: data derived from the owner's messages and endorsed records stays trusted.
func TestMemory_DerivesFromEndorsedRecords(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Text: "群里说要发红包", At: noon, Label: Untrusted(group1)}))
	e, err := m.Endorse(t.Context(), noon, group1, "")
	require.NoError(t, err)
	s := m.Summarizer(func(_ context.Context, _ string, raw []Record) (string, error) { return raw[0].Text, nil }, SummaryOptions{Turns: 1})
	done, err := s.Update(t.Context(), noon, Owner)
	require.NoError(t, err)
	require.True(t, done)
	d, err := m.Summary(t.Context(), Owner)
	require.NoError(t, err)
	assert.Equal(t, "群里说要发红包", d.Text)
	assert.Equal(t, Trusted(group1), d.Label)
	_, err = m.Dream(t.Context(), noon.AddDate(0, 0, 1), func(_ context.Context, n DreamInput) ([]Insight, error) {
		return []Insight{{Text: n.Summary}}, nil
	}, DreamOptions{})
	require.NoError(t, err)
	require.NoError(t, m.Revoke(t.Context(), e.ID))
	var facts []Label
	for r, err := range m.store.Scan(t.Context(), Owner, 0) {
		require.NoError(t, err)
		if r.Kind == KindFact {
			facts = append(facts, r.LabelOrDefault())
		}
	}
	assert.Equal(t, []Label{Trusted(group1)}, facts)
	assert.Equal(t, Untrusted(group1), m.EffectiveLabel(labelOf(t, m, Owner, "1")))
}

// TestMemory_ChatHasOneLabel: messages of the owner in a chat do not split the data derived from it.
func TestMemory_ChatHasOneLabel(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	for i, l := range []Label{{}, Trusted(group1), Trusted(), Untrusted(group1), Untrusted(group1, group2)} {
		require.NoError(t, m.Put(t.Context(), Record{ID: fmt.Sprint(i), Space: group1, Text: "话" + fmt.Sprint(i), Person: "7", At: noon, Label: l}))
	}
	nights := map[int]int{} // by number of messages
	_, err := m.Dream(t.Context(), noon.AddDate(0, 0, 1), func(_ context.Context, n DreamInput) ([]Insight, error) {
		nights[len(n.Messages)]++
		return []Insight{{Text: fmt.Sprint(len(n.Messages), "句")}}, nil
	}, DreamOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[int]int{4: 1, 1: 1}, nights, "data from another chat, too, is separate")
	labels := map[string]Label{}
	var said []Record
	for r, err := range m.store.Scan(t.Context(), group1, 0) {
		require.NoError(t, err)
		if r.Kind == KindFact {
			labels[r.Text] = r.LabelOrDefault()
		} else {
			said = append(said, r)
		}
	}
	assert.Equal(t, map[string]Label{"4句": Untrusted(group1), "1句": Untrusted(group1, group2)}, labels)
	s := m.Summarizer(func(context.Context, string, []Record) (string, error) { return "话", nil }, SummaryOptions{Turns: 1, MaxMessages: 1})
	for range 2 {
		_, err = s.Update(t.Context(), noon, group1)
		require.NoError(t, err)
	}
	d, err := m.Summary(t.Context(), group1)
	require.NoError(t, err)
	assert.Equal(t, Untrusted(group1), d.Label)
	assert.Equal(t, uint64(2), d.LastSeq, "also messages of the owner")
	ok, err := m.People(group1).Learn(t.Context(), noon, Observations{Messages: said[1:2], People: []PersonObservation{{ID: "7", Impression: "好"}}})
	require.NoError(t, err)
	require.True(t, ok)
	who, err := m.People(group1).Get(t.Context(), "7")
	require.NoError(t, err)
	assert.Equal(t, Untrusted(group1), who.Label)
}

func TestPeople_ImpressionsHaveLabels(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	putDerivedAnswer(t, m)
	require.NoError(t, m.Put(t.Context(), Record{ID: "2", Space: Owner, Text: "小满很好", At: noon, Label: Trusted(Owner)}))
	recs, err := m.Get(t.Context(), Owner, "1", "2")
	require.NoError(t, err)
	learn := func(from []Record, known ...Person) Person {
		ok, err := m.People(Owner).Learn(t.Context(), noon, Observations{
			Messages: from, KnownPeople: known, People: []PersonObservation{{ID: "7", Interaction: Interaction{Feeling: Happy}, Impression: fmt.Sprint(len(from), len(known))}}, NicknameUses: []NicknameUse{{Person: "7", Name: "满满", Reliable: true}},
		})
		require.NoError(t, err)
		require.True(t, ok)
		who, err := m.People(Owner).Get(t.Context(), "7")
		require.NoError(t, err)
		return who
	}
	who := learn(recs)
	assert.Empty(t, who.Impression, "others may have contributed")
	assert.Empty(t, who.Names)
	assert.Positive(t, who.Relation)
	who = learn(recs[1:])
	assert.Equal(t, "1 0", who.Impression)
	assert.Equal(t, Trusted(Owner), who.Label)
	assert.Len(t, who.Names, 1)
	assert.Equal(t, "1 1", learn(recs[1:], who).Impression)

	people := m.People(Owner).WithLabel(Untrusted(Owner, group1))
	require.NoError(t, people.SetImpression(t.Context(), noon, "7", "群里都说好", "9"))
	who, err = people.Get(t.Context(), "7")
	require.NoError(t, err)
	assert.Equal(t, Untrusted(Owner, group1), who.Label)
	assert.Equal(t, "1 1", learn(recs[1:], Person{ID: "7"}).Impression)
	require.NoError(t, people.SetImpression(t.Context(), noon, "7", "群里都说好", "9"))
	require.NoError(t, m.Put(t.Context(), Record{ID: "9", Space: group1, Text: "好"}))
	require.NoError(t, m.Delete(t.Context(), group1, "9"))
	who, err = people.Get(t.Context(), "7")
	require.NoError(t, err)
	assert.Empty(t, who.Impression, "its source is deleted")
	assert.Positive(t, who.Relation)
	assert.True(t, who.Label.IsZero())
}

func TestOptions_Relabel(t *testing.T) {
	asked := map[string]Label{}
	m := newMemory(t, NewMemStore(), Options{Relabel: func(kind string, l Label) Label {
		asked[kind] = l
		if kind == DerivedSummary {
			return Label{}
		}
		return OwnerOnly()
	}})
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: group1, Text: "话", Person: "7", At: noon}))
	require.NoError(t, m.Notes(group1).SetSlot(t.Context(), noon, "a", "a"))
	assert.Empty(t, asked, "the caller sets its label")
	said, err := m.Get(t.Context(), group1, "1")
	require.NoError(t, err)
	_, err = m.People(group1).Learn(t.Context(), noon, Observations{Messages: said, People: []PersonObservation{{ID: "7", Impression: "好"}}})
	require.NoError(t, err)
	_, err = m.Dream(t.Context(), noon.AddDate(0, 0, 1), func(context.Context, DreamInput) ([]Insight, error) { return []Insight{{Text: "梦"}}, nil }, DreamOptions{})
	require.NoError(t, err)
	_, err = m.Summarizer(func(context.Context, string, []Record) (string, error) { return "话", nil }, SummaryOptions{Turns: 1}).Update(t.Context(), noon, group1)
	require.NoError(t, err)
	u := Untrusted(group1)
	assert.Equal(t, map[string]Label{DerivedDream: u, DerivedImpression: u, DerivedSummary: u}, asked)

	who, err := m.People(group1).Get(t.Context(), "7")
	require.NoError(t, err)
	assert.Equal(t, OwnerOnly(), who.Label)
	hits, err := m.OwnerReader(group1).Recall(t.Context(), noon, Query{Text: "梦"})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	assert.Equal(t, OwnerOnly(), hits[0].LabelOrDefault())
	d, err := m.Summary(t.Context(), group1)
	require.NoError(t, err)
	assert.Equal(t, u, d.Label, "the zero label keeps it")
}

// TestLabel_BytesPerRecord: a label takes at most 64 bytes per record in memory.
func TestLabel_BytesPerRecord(t *testing.T) {
	const n = 10_000
	for name, labels := range map[string][]Label{
		"a chat and the owner": {Untrusted(Owner, group1), Trusted(group1)},
		"eight spaces":         {Untrusted("qq:group:1", "qq:group:2", "qq:group:3", "qq:group:4", "qq:private:5", "qq:private:6", "qq:private:7", Owner)},
	} {
		heap := func(labels []Label) int64 {
			store := NewMemStore()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for i := range n {
				r := Record{ID: fmt.Sprint(i), Space: Owner, Kind: KindMessage, Text: "群里说要发红包"}
				if len(labels) > 0 { // new strings, as after reading from a file
					require.NoError(t, r.Label.UnmarshalText([]byte(labels[i%len(labels)].String())))
				}
				require.NoError(t, store.Put(t.Context(), r))
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(store)
			return int64(after.HeapAlloc) - int64(before.HeapAlloc)
		}
		heap(nil) // frees what earlier tests left, which takes several collections
		without, with := heap(nil), heap(labels)
		each := float64(with-without) / n
		t.Logf("%s: %.1f bytes a record without labels, %.1f more with them, beside the 16 of the field", name, float64(without)/n, each)
		assert.Less(t, each, 48.)
	}
}
