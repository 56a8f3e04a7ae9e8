package memory_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func person(t testing.TB, m *memory.Memory, s memory.Space, id string) memory.Person {
	who, err := m.People(s).Get(t.Context(), id)
	require.NoError(t, err)
	return who
}

// TestPeople_RelationIsBounded: a relation stays within its limits, and an interaction in one space changes nothing in
// another.
func TestPeople_RelationIsBounded(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	p := m.People(group)
	rng := rand.New(rand.NewPCG(3, 4))
	feelings := []memory.Feeling{memory.Happy, memory.Shy, memory.Surprised, memory.Calm, memory.Puzzled, memory.Angry, memory.Sad, memory.Afraid, memory.Disgusted, "", "odd"}
	for _, only := range [][]memory.Feeling{{memory.Shy}, {memory.Angry}, feelings} {
		for range 3000 {
			who, err := p.RecordInteraction(t.Context(), noon, "a", memory.Interaction{Feeling: only[rng.IntN(len(only))], Stance: memory.Stance(rng.IntN(3) - 1), Mood: rng.Float64()*2 - 1})
			require.NoError(t, err)
			require.LessOrEqual(t, math.Abs(who.Relation), 1000.)
		}
	}
	assert.Equal(t, memory.Person{ID: "a"}, person(t, m, other, "a"))
	assert.Equal(t, memory.Person{ID: "a"}, person(t, m, group.Secret(), "a"))
	assert.Equal(t, memory.Person{ID: "a/"}, person(t, m, group, "a/"))
	for _, mood := range []float64{2, -2, math.NaN(), math.Inf(1)} {
		_, err := p.RecordInteraction(t.Context(), noon, "a", memory.Interaction{Feeling: memory.Happy, Mood: mood})
		assert.ErrorIs(t, err, memory.ErrInvalid)
	}
}

// TestPeople_Streak: repeated changes in one direction grow until the direction changes.
func TestPeople_Streak(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	step := func(f memory.Feeling) float64 {
		before := person(t, m, group, "a").Relation
		who, err := m.People(group).RecordInteraction(t.Context(), noon, "a", memory.Interaction{Feeling: f})
		require.NoError(t, err)
		return who.Relation - before
	}
	var got []float64
	for _, f := range []memory.Feeling{memory.Happy, memory.Happy, memory.Calm, memory.Shy, memory.Sad, memory.Happy} {
		got = append(got, math.Round(100*step(f))/100)
	}
	assert.Equal(t, []float64{1.5, 1.5, .33, 2.4, -.5, 1.5}, got)
}

func TestPeople_SetImpression(t *testing.T) {
	store := memory.NewMemStore()
	p := memorytest.New(t, store, memory.Options{}).People(group)
	require.NoError(t, p.SetImpression(t.Context(), noon, "a", " 说话直，人好 ", "1", "2"))
	m := memorytest.New(t, store, memory.Options{})
	assert.Equal(t, memory.Person{ID: "a", Impression: "说话直，人好", Sources: []string{"1", "2"}, Label: memory.Untrusted(group), At: noon}, person(t, m, group, "a"))
	for name, c := range map[string]struct{ err, want error }{
		"long":       {p.SetImpression(t.Context(), noon, "a", strings.Repeat("x", memory.MaxImpression+1)), memory.ErrTooLong},
		"nobody":     {p.SetImpression(t.Context(), noon, "", "x"), memory.ErrInvalid},
		"NUL":        {p.SetImpression(t.Context(), noon, "a\x00", "x"), memory.ErrInvalid},
		"bad source": {p.SetImpression(t.Context(), noon, "a", "x", "\xff"), memory.ErrInvalid},
		"no space":   {m.People("").SetImpression(t.Context(), noon, "a", "x"), memory.ErrInvalid},
		"no state":   {memorytest.New(t, minimalStore{store}, memory.Options{}).People(group).SetImpression(t.Context(), noon, "a", "x"), memory.ErrNoState},
		"names":      {p.LearnNicknames(t.Context(), noon, []string{"a", ""}), memory.ErrInvalid},
		"named by":   {p.LearnNicknames(t.Context(), noon, nil, memory.NicknameUse{Person: "a", Name: "x", UsedBy: "\xff"}), memory.ErrInvalid},
	} {
		assert.ErrorIs(t, c.err, c.want, name)
	}
	assert.Equal(t, "说话直，人好", person(t, m, group, "a").Impression)
	require.NoError(t, p.SetImpression(t.Context(), noon, "a", ""))
	rows, err := store.Load(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, rows, "a person without data has no row")
}

// TestPeople_LearnNicknames: reliable names become stronger, others fade, and a name of strength 10 stays.
func TestPeople_LearnNicknames(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	p := m.People(group)
	called := func(present []string, ns ...memory.NicknameUse) {
		require.NoError(t, p.LearnNicknames(t.Context(), noon, present, ns...))
	}
	strength := func(id, name string) float64 {
		for _, n := range person(t, m, group, id).Names {
			if n.Name == name {
				return math.Round(1000*n.Strength) / 1000
			}
		}
		return 0
	}
	called([]string{"a", "b"}, memory.NicknameUse{Person: "a", Name: "明哥", UsedBy: "b", Reliable: true}, memory.NicknameUse{Person: "a", Name: "小明", UsedBy: "c"})
	assert.Equal(t, 5., strength("a", "明哥"))
	assert.Equal(t, .5, strength("a", "小明"))
	called([]string{"a"}, memory.NicknameUse{Person: "a", Name: " 明哥\n", UsedBy: "c", Reliable: true})
	assert.Equal(t, 10., strength("a", "明哥"))
	assert.Equal(t, .4, strength("a", "小明"))
	for range 3 {
		called([]string{"b"})
	}
	assert.Equal(t, .4, strength("a", "小明"), "names of absent people do not fade")
	for range 5 {
		called([]string{"a"})
	}
	assert.Equal(t, 10., strength("a", "明哥"), "strength ten stays")
	assert.Equal(t, []memory.Nickname{{Name: "明哥", Strength: 10, UsedBy: []string{"b", "c"}}}, person(t, m, group, "a").Names)
	called(nil, memory.NicknameUse{Person: "a", Name: "", Reliable: true}, memory.NicknameUse{Person: "a", Name: "a", Reliable: true}, memory.NicknameUse{Person: "a", Name: strings.Repeat("x", 65), Reliable: true})
	assert.Len(t, person(t, m, group, "a").Names, 1, "invalid names")
	for i := range 100 {
		called(nil, memory.NicknameUse{Person: "a", Name: strings.Repeat("名", 1+i%20) + string(rune('a'+i/20)), Reliable: true})
	}
	assert.Len(t, person(t, m, group, "a").Names, memory.MaxNicknames)
	assert.Equal(t, 10., strength("a", "明哥"))
	assert.Empty(t, person(t, m, other, "a").Names, "nicknames are not visible in other spaces")
}

// TestPeople_PickNicknames: only strong names are picked, each once, stronger ones more often. The same seed picks the
// same.
func TestPeople_PickNicknames(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	p := m.People(group)
	for name, times := range map[string]int{"弱": 1, "中": 2, "强": 40} {
		for range times {
			require.NoError(t, p.LearnNicknames(t.Context(), noon, nil, memory.NicknameUse{Person: "p" + name, Name: name, Reliable: true}))
		}
	}
	draw := func(seed uint64, n int, persons ...string) (names []string) {
		cs, err := p.PickNicknames(t.Context(), rand.New(rand.NewPCG(seed, 0)), n, persons...)
		require.NoError(t, err)
		for _, c := range cs {
			names = append(names, c.Name)
		}
		return names
	}
	assert.Equal(t, []string{"中", "强"}, draw(1, 10))
	assert.Equal(t, []string{"中"}, draw(1, 10, "p中", "p弱"))
	assert.Empty(t, draw(1, -1))
	count := map[string]int{}
	for seed := range uint64(400) {
		one := draw(seed, 1)
		require.Equal(t, one, draw(seed, 1))
		count[one[0]]++
	}
	assert.Greater(t, count["强"], 350, "its weight is 201 of 212")
	assert.Positive(t, count["中"])
}

// TestPeople_ConcurrentUpdates: concurrent updates of one person lose nothing.
func TestPeople_ConcurrentUpdates(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				assert.NoError(t, m.People(group).LearnNicknames(t.Context(), noon.Add(time.Second), nil, memory.NicknameUse{Person: "a", Name: "小明", Reliable: true}))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 500., person(t, m, group, "a").Names[0].Strength)
}
