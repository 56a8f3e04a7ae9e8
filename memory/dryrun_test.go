package memory_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A statefulStore is a store and a state.
type statefulStore interface {
	memory.Store
	memory.State
}

// A scannedStore is a MemStore without its optional interfaces.
type scannedStore struct {
	memory.Store
	memory.State
}

// recordsIn returns all records by space and ID.
func recordsIn(t *testing.T, s memory.Store) map[string]memory.Record {
	all := map[string]memory.Record{}
	spaces, err := s.Spaces(t.Context())
	require.NoError(t, err)
	for _, space := range spaces {
		for r, err := range s.Scan(t.Context(), space, 0) {
			require.NoError(t, err)
			all[string(space.Base())+" "+r.ID] = r
		}
	}
	return all
}

func rowsIn(t *testing.T, s memory.State) map[string]string {
	rows, err := s.Load(t.Context(), "memory/")
	require.NoError(t, err)
	all := map[string]string{}
	for key, b := range rows {
		all[key] = string(b)
	}
	return all
}

// A dry run writes nothing, and tells what the same call then writes.
func TestDryRun_TellsWhatARunWrites(t *testing.T) {
	victim := "victim" + canary
	for name, run := range map[string]func(context.Context, *memory.Memory) error{
		"erase a person": func(ctx context.Context, m *memory.Memory) error {
			_, err := m.ErasePerson(ctx, victim, memory.EraseOptions{PrivateSpaces: []memory.Space{other}})
			return err
		},
		"erase a space": func(ctx context.Context, m *memory.Memory) error {
			_, err := m.EraseSpace(ctx, group, memory.EraseOptions{})
			return err
		},
		"delete":         func(ctx context.Context, m *memory.Memory) error { return m.Delete(ctx, group, "v"+string(group)) },
		"delete nothing": func(ctx context.Context, m *memory.Memory) error { return m.Delete(ctx, group, "no such record") },
		"hide":           func(ctx context.Context, m *memory.Memory) error { return m.Hide(ctx, group, "v"+string(group)) },
		"hide, delete and reveal": func(ctx context.Context, m *memory.Memory) error {
			if err := m.Hide(ctx, group, "v"+string(group)); err != nil {
				return err
			}
			if err := m.Delete(ctx, group.Secret(), "f"+string(group)); err != nil {
				return err
			}
			return m.Reveal(ctx, group, "v"+string(group))
		},
		"correct": func(ctx context.Context, m *memory.Memory) error {
			ok, err := memory.Correct(ctx, m, group, "f"+string(group), "据说"+canary, "不是这样")
			assert.True(t, ok)
			return err
		},
		"endorse": func(ctx context.Context, m *memory.Memory) error {
			_, err := m.Endorse(ctx, noon, group, "f"+string(group))
			return err
		},
		"put": func(ctx context.Context, m *memory.Memory) error {
			return m.Put(ctx, message(group, "new", "新的"), message(group, "v"+string(group), "改了"))
		},
	} {
		for kind, open := range map[string]func(t *testing.T) statefulStore{
			"mem":  func(*testing.T) statefulStore { return memory.NewMemStore() },
			"scan": func(*testing.T) statefulStore { s := memory.NewMemStore(); return scannedStore{s, s} },
			"sqlite": func(t *testing.T) statefulStore {
				db, err := sqlite.Open(t.TempDir()+"/memory.db", sqlite.Options{})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, db.Close()) })
				return db
			},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				store := open(t)
				m := fillStore(t, store)
				_, err := m.Endorse(t.Context(), noon, group, "d"+string(group))
				require.NoError(t, err)
				records, rows := recordsIn(t, store), rowsIn(t, store)
				c, err := memory.DryRun(t.Context(), m, func(m *memory.Memory) error { return run(t.Context(), m) })
				require.NoError(t, err)
				require.Equal(t, records, recordsIn(t, store), "nothing is written")
				require.Equal(t, rows, rowsIn(t, store))
				require.NoError(t, run(t.Context(), m))
				requireChanges(t, c, records, recordsIn(t, store), rows, rowsIn(t, store))
				assert.Equal(t, name == "delete nothing", c.IsEmpty())
			})
		}
	}
}

// requireChanges compares changes with the difference of two dumps.
func requireChanges(t *testing.T, c memory.Changes, before, after map[string]memory.Record, rowsBefore, rowsAfter map[string]string) {
	t.Helper()
	var deleted, stored []string
	for key, r := range before {
		is, ok := after[key]
		if !ok {
			deleted = append(deleted, key)
		} else if is.Seq = r.Seq; is.Text != r.Text || is.Space != r.Space || is.Label != r.Label || is.Person != r.Person {
			stored = append(stored, key)
		}
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			stored = append(stored, key)
		}
	}
	var told, toldStored []string
	for _, r := range c.Deleted {
		told = append(told, string(r.Space.Base())+" "+r.ID)
		assert.Equal(t, before[told[len(told)-1]].Text, r.Text)
	}
	for _, r := range c.Stored {
		key := string(r.After.Space.Base()) + " " + r.After.ID
		toldStored = append(toldStored, key)
		assert.Equal(t, after[key].Text, r.After.Text)
		assert.Equal(t, after[key].Label, r.After.Label)
		assert.Equal(t, after[key].Space, r.After.Space)
		assert.Equal(t, before[key].Text, r.Before.Text)
	}
	assert.ElementsMatch(t, deleted, told)
	assert.ElementsMatch(t, stored, toldStored)

	var notes, people, summaries, overrides int
	for key, b := range rowsBefore {
		is, ok := rowsAfter[key]
		switch {
		case strings.Contains(key, "/note/") && !ok:
			notes++
		case strings.Contains(key, "/person/") && is != b:
			people++
		case strings.HasSuffix(key, "/summary") && is != b:
			summaries++
		case strings.HasPrefix(key, "memory//release/") && !ok:
			overrides++
		}
	}
	assert.Len(t, c.Notes, notes)
	assert.Len(t, c.People, people)
	assert.Len(t, c.Summaries, summaries)
	assert.Len(t, c.Overrides, overrides)
}

// The result names notes, people and summaries with their places.
func TestDryRun_NamesPlaces(t *testing.T) {
	m := fillStore(t, memory.NewMemStore())
	c, err := memory.DryRun(t.Context(), m, func(m *memory.Memory) error {
		_, err := m.ErasePerson(t.Context(), "victim"+canary, memory.EraseOptions{})
		return err
	})
	require.NoError(t, err)
	assert.Contains(t, c.Summaries, group)
	places := map[string]bool{}
	for _, n := range c.Notes {
		assert.Contains(t, n.Text, canary)
		assert.False(t, n.Label.IsZero())
		places[n.Kind+" "+n.Session+" "+n.Name] = true
	}
	assert.Equal(t, []string{"inner  ", "scratch x y", "slot  1"}, slices.Sorted(maps.Keys(places)))
	i := slices.IndexFunc(c.People, func(p memory.PersonChange) bool { return p.Space == group && p.Before.ID == "bystander" })
	require.GreaterOrEqual(t, i, 0)
	assert.Contains(t, c.People[i].Before.Impression, canary)
	assert.Empty(t, c.People[i].After.Impression)
	assert.Equal(t, "旁人", c.People[i].After.Names[0].Name)
}

// An erasure that is tried is neither journaled nor told to Options.OnErase, and an error of f is returned.
func TestDryRun_HasNoEffects(t *testing.T) {
	store := memory.NewMemStore()
	calls := 0
	m := memorytest.New(t, store, memory.Options{OnErase: func(context.Context, memory.Erasure) error { calls++; return nil }})
	put(t, m, message(group, "1", "你好"))
	_, err := memory.DryRun(t.Context(), m, func(m *memory.Memory) error {
		_, err := m.EraseSpace(t.Context(), group, memory.EraseOptions{})
		return err
	})
	require.NoError(t, err)
	assert.Zero(t, calls)
	assert.Equal(t, []string{"1"}, recall(t, m.OwnerReader(group), "你好"))
	_, err = m.EraseSpace(t.Context(), group, memory.EraseOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, calls, "it is called at all")
	_, err = memory.DryRun(t.Context(), m, func(*memory.Memory) error { return memory.ErrTooMany })
	assert.ErrorIs(t, err, memory.ErrTooMany)
	require.NoError(t, store.Apply(t.Context(), map[string][]byte{"memory/a/note/slot/1": []byte("no json")}))
	_, err = memory.DryRun(t.Context(), m, func(m *memory.Memory) error { return m.Notes("a").SetSlot(t.Context(), noon, "1", "") })
	var syntax *json.SyntaxError
	assert.ErrorAs(t, err, &syntax)
}

// The notes, summaries and people of all spaces are listed.
func TestNoteEntries(t *testing.T) {
	m := fillStore(t, memory.NewMemStore())
	all, err := memory.NoteEntries(t.Context(), m, group)
	require.NoError(t, err)
	var got []string
	for _, n := range all {
		assert.Equal(t, group, n.Space)
		got = append(got, n.Kind+"/"+n.Session+"/"+n.Name)
	}
	assert.Equal(t, []string{"inner//", "scratch/x/y", "slot//1", "slot//2"}, got)
	want := []memory.Space{memory.Owner.Secret(), group, other}
	for _, list := range []func(context.Context, *memory.Memory) ([]memory.Space, error){memory.NoteSpaces, memory.SummarySpaces, memory.PeopleSpaces} {
		got, err := list(t.Context(), m)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = memory.NoteEntries(t.Context(), m, "")
	assert.ErrorIs(t, err, memory.ErrInvalid)
}

// The messages that a summary covers are found by their Seqs.
func TestBetween(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, message(group, "1", "一"), message(other, "x", "别处"), message(group, "2", "二"), message(group, "3", "三"))
	for _, c := range []struct {
		first, last uint64
		limit       int
		want        []string
	}{{1, 4, 9, []string{"1", "2", "3"}}, {0, 3, 9, []string{"1", "2"}}, {3, 3, 9, []string{"2"}}, {1, 4, 1, []string{"1"}}, {2, 2, 9, nil}, {4, 1, 9, nil}} {
		recs, err := memory.Between(t.Context(), m, group, c.first, c.last, c.limit)
		require.NoError(t, err)
		var got []string
		for _, r := range recs {
			got = append(got, r.ID)
		}
		assert.Equal(t, c.want, got)
	}
	_, err := memory.Between(t.Context(), m, "", 1, 2, 3)
	assert.ErrorIs(t, err, memory.ErrInvalid)
}
