package memory_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const canary = "金丝雀canary5417"

// dump returns the whole content of a store as text.
func dump(t testing.TB, s *memory.MemStore) string {
	var b strings.Builder
	spaces, err := s.Spaces(context.Background())
	require.NoError(t, err)
	for _, space := range spaces {
		for r, err := range s.Scan(context.Background(), space, 0) {
			require.NoError(t, err)
			r.Seq = 0
			fmt.Fprintf(&b, "%+v\n", r)
		}
	}
	rows, err := s.Load(context.Background(), "")
	require.NoError(t, err)
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "%s: %s\n", k, rows[k])
	}
	return b.String()
}

// fillStore fills a store with messages of two people in three spaces and with every kind of derived data. All data of the
// victim contains the canary, and no data of the other person does.
func fillStore(t testing.TB, store memory.Store) *memory.Memory {
	ctx := context.Background()
	m := memorytest.New(t, store, memory.Options{})
	for _, s := range []memory.Space{group, other, memory.Owner.Secret()} {
		victim, bystander := message(s, "v"+string(s), "我说"+canary), message(s, "b"+string(s), "我不说")
		victim.Person, victim.Name = "victim"+canary, "小"+canary
		bystander.Person = "bystander"
		fact := memory.Record{ID: "f" + string(s), Space: s, Kind: memory.KindFact, Text: "据说" + canary, Sources: []string{victim.ID, bystander.ID}}
		deep := memory.Record{ID: "d" + string(s), Space: s, Kind: memory.KindFact, Text: "听说据说" + canary, Sources: []string{fact.ID}}
		orphan := memory.Record{ID: "o" + string(s), Space: s, Kind: memory.KindFact, Text: "早就说过" + canary, Sources: []string{"evicted"}, Tags: []string{"from:" + victim.Person}}
		harmless := memory.Record{ID: "h" + string(s), Space: s, Kind: memory.KindFact, Text: "无关", Sources: []string{bystander.ID}}
		put(t, m, victim, bystander, fact, deep, orphan, harmless)
		if !s.IsSecret() {
			put(t, m, memory.Record{ID: "s" + string(s), Space: s.Secret(), Kind: memory.KindFact, Text: "秘密" + canary, Sources: []string{victim.ID}})
		}
		require.NoError(t, m.SetSummary(ctx, s, memory.RollingSummary{Text: "他说" + canary, FirstSeq: 1, LastSeq: 1000}))
		p, n := m.People(s), m.Notes(s)
		require.NoError(t, p.SetImpression(ctx, noon, victim.Person, "老说"+canary))
		_, err := p.RecordInteraction(ctx, noon, victim.Person, memory.Interaction{Feeling: memory.Happy})
		require.NoError(t, err)
		require.NoError(t, p.LearnNicknames(ctx, noon, nil, memory.NicknameUse{Person: victim.Person, Name: "阿金" + canary, Reliable: true},
			memory.NicknameUse{Person: "bystander", Name: "旁人", UsedBy: victim.Person, Reliable: true}))
		require.NoError(t, p.SetImpression(ctx, noon, "bystander", "和小"+canary+"熟", bystander.ID))
		require.NoError(t, n.SetInnerState(ctx, noon, "在想他说的"+canary, victim.ID))
		require.NoError(t, n.SetSlot(ctx, noon, "1", "小"+canary+"要来"))
		require.NoError(t, n.SetSlot(ctx, noon, "2", "旁人要来", bystander.ID))
		require.NoError(t, n.SetScratch(ctx, noon, "x", "y", "阿金"+canary))
	}
	return m
}

func TestErasePerson_Everywhere(t *testing.T) {
	store := memory.NewMemStore()
	m := fillStore(t, store)
	require.NotEmpty(t, recall(t, m.OwnerReader(group, other, memory.Owner.Secret()), canary))
	n, err := m.ErasePerson(t.Context(), "victim"+canary, memory.EraseOptions{})
	require.NoError(t, err)
	assert.Equal(t, 3*4+2, n)
	left := dump(t, store)
	assert.NotContains(t, left, canary)
	for _, s := range []memory.Space{group, other, memory.Owner.Secret()} {
		recs, err := store.Get(t.Context(), s, "b"+string(s), "h"+string(s))
		require.NoError(t, err)
		assert.Len(t, recs, 2, "data of others stays")
		assert.Equal(t, "旁人", person(t, m, s, "bystander").Names[0].Name)
		slots, err := m.Notes(s).Slots(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"2=旁人要来"}, names(slots))
		assert.NotContains(t, recall(t, m.OwnerReader(s, s.Secret()), canary), "v"+string(s))
	}
	n, err = m.ErasePerson(t.Context(), "victim"+canary, memory.EraseOptions{})
	require.NoError(t, err, "repeating is no error")
	assert.Zero(t, n)
	assert.Equal(t, left, dump(t, store))
	_, err = m.ErasePerson(t.Context(), "", memory.EraseOptions{})
	assert.ErrorIs(t, err, memory.ErrInvalid)
	_, err = m.ErasePerson(t.Context(), "x", memory.EraseOptions{PrivateSpaces: []memory.Space{""}})
	assert.ErrorIs(t, err, memory.ErrInvalid)
	assert.Equal(t, left, dump(t, store))
}

func TestEraseSpace_Everywhere(t *testing.T) {
	store := memory.NewMemStore()
	m := fillStore(t, store)
	n, err := m.EraseSpace(t.Context(), group.Secret(), memory.EraseOptions{})
	require.NoError(t, err)
	assert.Equal(t, 7, n, "a space and its counterpart")
	_, err = m.ErasePerson(t.Context(), "nobody", memory.EraseOptions{PrivateSpaces: []memory.Space{other}})
	require.NoError(t, err)
	left := dump(t, store)
	for _, s := range []memory.Space{group, other} {
		assert.NotContains(t, left, string(s)+" ")
		assert.NotContains(t, left, string(s)+"/")
		assert.NotContains(t, left, string(s)+"!")
		assert.Empty(t, recall(t, m.OwnerReader(s, s.Secret()), canary))
	}
	assert.Contains(t, left, canary, "another space stays")
}

// TestFinishErasures_AfterAnyWrite crashes at every write of an erasure and completes it after a restart.
func TestFinishErasures_AfterAnyWrite(t *testing.T) {
	for name, forget := range map[string]func(context.Context, *memory.Memory) error{
		"person": func(ctx context.Context, m *memory.Memory) error {
			_, err := m.ErasePerson(ctx, "victim"+canary, memory.EraseOptions{PrivateSpaces: []memory.Space{"qq:private:v"}})
			return err
		},
		"spaces": func(ctx context.Context, m *memory.Memory) error {
			for _, s := range []memory.Space{group, other, memory.Owner} {
				if _, err := m.EraseSpace(ctx, s, memory.EraseOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				store := memory.NewMemStore()
				fillStore(t, store)
				d := &crashingStore{MemStore: store, at: at}
				err := forget(t.Context(), memorytest.New(t, d, memory.Options{}))
				if err == nil {
					assert.Greater(t, at, 6, "too few writes")
					break
				}
				require.ErrorIs(t, err, errCrashed)
				m := memorytest.New(t, store, memory.Options{})
				require.NoError(t, m.FinishErasures(t.Context()))
				if name == "spaces" || at == 1 { // spaces that it had not reached; crashed before the journal entry
					require.NoError(t, forget(t.Context(), m))
				}
				left := dump(t, store)
				require.NotContains(t, left, "memory//", "write %d: erasure not complete", at)
				require.NotContains(t, left, canary, "write %d", at)
			}
		})
	}
}

var errCrashed = errors.New("died")

// A crashingStore store fails from a write on. Odd numbers fail before the write, even ones after it: 3 and 4 are both the
// second write.
type crashingStore struct {
	*memory.MemStore
	at, writes int
}

func (d *crashingStore) write(f func() error) error {
	d.writes++
	switch before, after := 2*d.writes-1, 2*d.writes; {
	case d.at <= before:
		return errCrashed
	case d.at == after:
		d.at = 0
		f()
		return errCrashed
	}
	return f()
}

func (d *crashingStore) Put(ctx context.Context, recs ...memory.Record) error {
	return d.write(func() error { return d.MemStore.Put(ctx, recs...) })
}

func (d *crashingStore) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return d.write(func() error { return d.MemStore.Delete(ctx, s, ids...) })
}

func (d *crashingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	return d.write(func() error { return d.MemStore.Apply(ctx, rows) })
}

// TestDelete_DerivedData: deleting or hiding one message also deletes its derived data, and nothing else.
func TestDelete_DerivedData(t *testing.T) {
	for name, plainly := range map[string]bool{"with a store that knows": false, "with one that is read": true} {
		t.Run(name, func(t *testing.T) {
			var store memory.Store = memory.NewMemStore()
			o := memory.Options{State: store.(memory.State)}
			if plainly {
				store = minimalStore{store}
			}
			m := memorytest.New(t, store, o)
			fact := func(id string, sources ...string) memory.Record {
				return memory.Record{ID: id, Space: group, Kind: memory.KindFact, Text: "火锅" + id, Sources: sources}
			}
			put(t, m, message(group, "1", "火锅"), message(group, "2", "火锅"), message(group, "3", "火锅"))
			put(t, m, fact("f1", "1"), fact("f12", "2", "1"), fact("f2", "2"), fact("ff1", "f1"))
			require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "火锅", FirstSeq: 2, LastSeq: 3}))

			require.NoError(t, m.Delete(t.Context(), group, "1"))
			assert.ElementsMatch(t, []string{"2", "3", "f2"}, recall(t, m.Reader(group), "火锅"))
			assert.Equal(t, "火锅", summary(t, m, group), "1 was not in it")

			require.NoError(t, m.Hide(t.Context(), group, "2"))
			assert.ElementsMatch(t, []string{"3"}, recall(t, m.Reader(group), "火锅"))
			assert.ElementsMatch(t, []string{"2", "f2"}, recall(t, m.OwnerReader(group.Secret()), "火锅"))
			d, err := m.Summary(t.Context(), group)
			require.NoError(t, err)
			assert.Equal(t, memory.RollingSummary{LastSeq: 1}, d, "discarded, and due again")

			require.NoError(t, m.Reveal(t.Context(), group, "2"))
			assert.ElementsMatch(t, []string{"2", "3"}, recall(t, m.Reader(group), "火锅"))
			require.NoError(t, m.Delete(t.Context(), group, "2"))
			assert.Empty(t, recall(t, m.OwnerReader(group.Secret()), "火锅"), "in the counterpart, too")
		})
	}
}

// Derived previews what Delete deletes.
func TestDerived(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	require.NoError(t, m.Put(t.Context(),
		memory.Record{ID: "said", Space: group, Text: "我搬到杭州了"}, memory.Record{ID: "fact", Space: group, Kind: "fact", Text: "住在杭州", Sources: []string{"said"}},
		memory.Record{ID: "more", Space: group.Secret(), Kind: "fact", Text: "不在上海", Sources: []string{"said"}},
		memory.Record{ID: "other", Space: group, Text: "吃了吗"}))
	found, err := memory.Derived(t.Context(), m, group, "said")
	require.NoError(t, err)
	var ids []string
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	assert.Equal(t, []string{"fact", "more"}, ids)
	require.NoError(t, m.Delete(t.Context(), group, "said"))
	left, err := m.Get(t.Context(), group, "said", "fact", "other")
	require.NoError(t, err)
	assert.Len(t, left, 1)
}
