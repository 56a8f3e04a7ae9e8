package memory_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read returns messages as they are in the store.
func read(t *testing.T, m *memory.Memory, s memory.Space, n int) []memory.Record {
	recs, err := m.Recent(t.Context(), s, n)
	require.NoError(t, err)
	return recs
}

func by(r memory.Record, person string) memory.Record {
	r.Person = person
	return r
}

func TestPeople_Learn(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	put(t, m, by(message(group, "1", "老王来了"), "a"), by(message(group, "2", "嗯"), "b"))
	from := read(t, m, group, 9)
	p := m.People(group)
	learn := func(l memory.Observations) bool {
		ok, err := p.Learn(t.Context(), noon, l)
		require.NoError(t, err)
		return ok
	}
	lesson := memory.Observations{
		Messages:     from,
		People:       []memory.PersonObservation{{ID: "a", Interaction: memory.Interaction{Feeling: memory.Happy}, Impression: "爽快"}, {ID: "b"}},
		NicknameUses: []memory.NicknameUse{{Person: "b", Name: "老王", UsedBy: "a", Reliable: true}},
	}
	require.True(t, learn(lesson))
	want := memory.Person{ID: "a", Relation: 1.5, Streak: 1, Impression: "爽快", Sources: []string{"1", "2"}, SourceAuthors: []string{"a", "b"}, Label: memory.Untrusted(group), At: noon}
	assert.Equal(t, want, person(t, m, group, "a"))
	assert.Equal(t, []memory.Nickname{{Name: "老王", Strength: 5, UsedBy: []string{"a"}, Sources: []string{"1"}}}, person(t, m, group, "b").Names)
	affinity, err := p.Affinity(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"a": .0015}, affinity)

	t.Run("like RecordInteraction and LearnNicknames", func(t *testing.T) {
		q := memorytest.New(t, memory.NewMemStore(), memory.Options{}).People(group)
		_, err := q.RecordInteraction(t.Context(), noon, "a", memory.Interaction{Feeling: memory.Happy})
		require.NoError(t, err)
		require.NoError(t, q.LearnNicknames(t.Context(), noon, []string{"a", "b"}, lesson.NicknameUses...))
		all, err := q.All(t.Context())
		require.NoError(t, err)
		mine, err := p.All(t.Context())
		require.NoError(t, err)
		mine[0].Impression, mine[0].Sources, mine[0].SourceAuthors, mine[0].Label, mine[1].Names[0].Sources = "", nil, nil, memory.Label{}, nil
		assert.Equal(t, all, mine)
	})
	t.Run("all or none", func(t *testing.T) {
		before := dump(t, store)
		for _, bad := range []memory.Observations{
			{People: []memory.PersonObservation{{ID: "a", Impression: "x"}, {ID: ""}}},
			{People: []memory.PersonObservation{{ID: "a", Impression: "x"}, {ID: "b", Interaction: memory.Interaction{Mood: 3}}}},
			{People: []memory.PersonObservation{{ID: "a", Impression: strings.Repeat("x", memory.MaxImpression+1)}}},
			{People: []memory.PersonObservation{{ID: "a", Impression: "x"}}, NicknameUses: []memory.NicknameUse{{Person: "b", Name: "n", UsedBy: "\xff"}}},
		} {
			_, err := p.Learn(t.Context(), noon, bad)
			assert.Error(t, err)
		}
		assert.Equal(t, before, dump(t, store))
		_, err := m.People("").Learn(t.Context(), noon, memory.Observations{})
		assert.ErrorIs(t, err, memory.ErrInvalid)
	})
	t.Run("sources accumulate", func(t *testing.T) {
		m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
		p := m.People(group)
		for i := range 5 {
			var recs []memory.Record
			for j := range 200 {
				recs = append(recs, by(message(group, string(rune('a'+i))+strings.Repeat("x", j), "嗯"), "a"))
			}
			put(t, m, recs...)
			all, err := p.All(t.Context())
			require.NoError(t, err)
			for i := range all {
				if all[i].TooManySources() {
					all[i].Impression = ""
				}
			}
			seen := []memory.PersonObservation{{ID: "a", Impression: strings.Repeat("好", i+1)}}
			_, err = p.Learn(t.Context(), noon, memory.Observations{Messages: read(t, m, group, 200), KnownPeople: all, People: seen})
			require.NoError(t, err)
			who := person(t, m, group, "a")
			assert.Len(t, who.Sources, []int{200, 400, 600, 200, 400}[i])
			assert.Equal(t, i == 2, who.TooManySources())
		}
	})
	// A source that was deleted, hidden or changed meanwhile prevents the update.
	all, err := p.All(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.Delete(t.Context(), group, "2"))
	assert.False(t, learn(memory.Observations{KnownPeople: all, People: lesson.People}), "the old impression was deleted")
	assert.Empty(t, person(t, m, group, "a").Impression, "a source is deleted")
	assert.Len(t, person(t, m, group, "b").Names, 1)
	before := dump(t, store)
	assert.False(t, learn(lesson))
	assert.Equal(t, before, dump(t, store))
	require.NoError(t, m.Hide(t.Context(), group, "1"))
	assert.Empty(t, person(t, m, group, "b").Names, "the only message with it is deleted")
	before = dump(t, store)
	lesson.Messages = from[:1]
	assert.False(t, learn(lesson))
	assert.Equal(t, before, dump(t, store))
}

// TestErasePerson_SourcesEvicted: data derived from a person's messages is deleted even if a quota evicted the messages
// long ago.
func TestErasePerson_SourcesEvicted(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	put(t, m, by(message(group, "1", "我爱火锅"), "a"), by(message(group, "2", "嗯"), "b"))
	_, err := m.People(group).Learn(t.Context(), noon, memory.Observations{Messages: read(t, m, group, 9), People: []memory.PersonObservation{{ID: "b", Impression: "听人说火锅"}}})
	require.NoError(t, err)
	require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "a 说了火锅", FirstSeq: 1, LastSeq: 2}))
	_, err = m.Trim(t.Context(), group, memory.Quota{Records: 1})
	require.NoError(t, err)
	_, err = m.ErasePerson(t.Context(), "a", memory.EraseOptions{})
	require.NoError(t, err)
	assert.NotContains(t, dump(t, store), "火锅")
}

// TestOptions_OnErase: the hook runs before the erasure is complete, and runs again until it succeeds.
func TestOptions_OnErase(t *testing.T) {
	store := memory.NewMemStore()
	var told []memory.Erasure
	fails := assert.AnError
	o := memory.Options{OnErase: func(_ context.Context, f memory.Erasure) error {
		told = append(told, f)
		return fails
	}}
	m := memorytest.New(t, store, o)
	put(t, m, by(message(group, "1", "嗯"), "a"), message("qq:private:a", "2", "嗯"), message(other, "3", "嗯"))
	var progress []int
	_, err := m.ErasePerson(t.Context(), "a", memory.EraseOptions{
		PrivateSpaces: []memory.Space{"qq:private:a"}, Progress: func(done, total int) { progress = append(progress, done, total) },
	})
	assert.ErrorIs(t, err, fails)
	assert.Equal(t, []int{1, 3, 2, 3, 3, 3}, progress, "the private space, and the two others")
	_, err = m.EraseSpace(t.Context(), other.Secret(), memory.EraseOptions{})
	assert.ErrorIs(t, err, fails)

	told, fails = nil, nil
	require.NoError(t, memorytest.New(t, store, o).FinishErasures(t.Context()))
	assert.Equal(t, []memory.Erasure{{Person: "a", Spaces: []memory.Space{"qq:private:a"}}, {Spaces: []memory.Space{other}}}, told)
	told = nil
	require.NoError(t, memorytest.New(t, store, o).FinishErasures(t.Context()))
	assert.Empty(t, told)
	assert.NotContains(t, dump(t, store), "嗯")
}
