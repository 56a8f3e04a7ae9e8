package memory_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	group = memory.Space("qq:group:1")
	other = memory.Space("qq:group:2")
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func message(s memory.Space, id, text string) memory.Record {
	return memory.Record{ID: id, Space: s, Kind: memory.KindMessage, Text: text, Person: "10001", At: noon}
}

func put(t testing.TB, m *memory.Memory, recs ...memory.Record) {
	t.Helper()
	require.NoError(t, m.Put(context.Background(), recs...))
}

// recall returns the IDs of the hits, with duplicates.
func recall(t testing.TB, r *memory.Reader, text string) []string {
	t.Helper()
	hits, err := r.Recall(context.Background(), noon.Add(time.Hour), memory.Query{Text: text, Limit: 1000, KeepDuplicates: true})
	require.NoError(t, err)
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func TestPut_FoundAtOnce(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	r := m.Reader(group)
	for i := range 30 {
		id := fmt.Sprint("id", i)
		put(t, m, message(group, id, fmt.Sprintf("canary%d 火锅", i)))
		assert.Equal(t, []string{id}, recall(t, r, fmt.Sprintf("canary%d", i))[:1])
	}
	assert.Len(t, recall(t, r, "火锅"), 30)
	put(t, m, message(group, "id3", "改了"))
	assert.Len(t, recall(t, r, "火锅"), 29)
	assert.Equal(t, "id3", recall(t, r, "改了")[0])
	require.NoError(t, m.Delete(t.Context(), group, "id3", "id4", "unknown"))
	assert.Len(t, recall(t, r, "火锅"), 28)
	require.NoError(t, m.Delete(t.Context(), group))
	assert.Len(t, recall(t, r, "火锅"), 28, "without IDs nothing is deleted")
}

func TestPut_SanitizesText(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, memory.Record{ID: "1", Space: group, Text: "坏\xff的\x00火锅", Name: "\xc0名", At: time.Now()})
	got, err := m.Recent(t.Context(), group, 1)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, "坏\uFFFD的\uFFFD火锅", got[0].Text)
	assert.Equal(t, "\uFFFD名", got[0].Name)
	assert.Equal(t, memory.KindMessage, got[0].Kind)
	assert.Equal(t, []string{"1"}, recall(t, m.Reader(group), "火锅"))
}

func TestPut_AllOrNone(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for _, bad := range []memory.Record{
		{ID: "", Space: group}, {ID: "2", Space: ""}, {ID: "2", Space: "a!!"}, {ID: "a\xff", Space: group}, {ID: "2", Space: group, Person: "\x00"},
		{ID: "2", Space: group, Importance: -1}, {ID: "2", Space: group, Tags: []string{"\xff"}},
	} {
		assert.ErrorIs(t, m.Put(t.Context(), message(group, "1", "火锅"), bad), memory.ErrInvalid, "%v", bad)
	}
	assert.ErrorIs(t, m.Put(t.Context(), message(group, "1", strings.Repeat("x", memory.MaxText+1))), memory.ErrTooLong)
	assert.Empty(t, recall(t, m.Reader(group), "火锅"))
	assert.NoError(t, m.Put(t.Context()))
	spaces, err := m.Spaces(t.Context())
	assert.NoError(t, err)
	assert.Empty(t, spaces)
}

func TestRecall_LoadsSpaceOnDemand(t *testing.T) {
	store := memory.NewMemStore()
	before := memorytest.New(t, store, memory.Options{})
	put(t, before, message(group, "1", "火锅"), message(group.Secret(), "2", "火锅"), message(other, "3", "火锅"))
	for name, load := range map[string]func(*memory.Memory){
		"lazily":  func(*memory.Memory) {},
		"at once": func(m *memory.Memory) { require.NoError(t, m.Preload(t.Context())) },
		"after another Put": func(m *memory.Memory) {
			put(t, m, message(group, "4", "别的"))
			require.NoError(t, m.Delete(t.Context(), group, "4"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := memorytest.New(t, store, memory.Options{})
			load(m)
			assert.Equal(t, []string{"1"}, recall(t, m.Reader(group), "火锅"))
			assert.Equal(t, []string{"2"}, recall(t, m.OwnerReader(group.Secret()), "火锅"))
			assert.Equal(t, []string{"3"}, recall(t, m.Reader(other), "火锅"))
		})
	}
}

func TestMemory_HideAndReveal(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, message(memory.Owner, "1", "生日是三月"), message(memory.Owner, "2", "银行卡在抽屉里，生日那天办的"))
	social, owner := m.Reader(memory.Owner, memory.Owner.Secret()), m.OwnerReader(memory.Owner, memory.Owner.Secret())
	require.Len(t, recall(t, social, "生日"), 2)

	require.NoError(t, m.Hide(t.Context(), memory.Owner, "2"))
	assert.Equal(t, []string{"1"}, recall(t, social, "生日"))
	assert.ElementsMatch(t, []string{"1", "2"}, recall(t, owner, "生日"))
	recent, err := m.Recent(t.Context(), memory.Owner, 9)
	require.NoError(t, err)
	assert.Len(t, recent, 1)

	assert.ErrorIs(t, m.Hide(t.Context(), memory.Owner, "1", "2"), memory.ErrNotFound, "2 is not there any more")
	assert.Equal(t, []string{"1"}, recall(t, social, "生日"), "all or none")
	assert.NoError(t, m.Hide(t.Context(), memory.Owner))

	require.NoError(t, m.Reveal(t.Context(), memory.Owner, "2"))
	assert.Len(t, recall(t, social, "生日"), 2)
	recent, err = m.Recent(t.Context(), memory.Owner, 9)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2"}, []string{recent[0].ID, recent[1].ID}, "at its old place")

	put(t, m, message(memory.Owner.Secret(), "1", "生日是三月")) // the same record again, from the counterpart
	assert.Equal(t, []string{"2"}, recall(t, social, "生日"))
}

// minimalStore hides the optional interfaces of a store.
type minimalStore struct{ memory.Store }

func TestMemory_Recent(t *testing.T) {
	for name, store := range map[string]memory.Store{"by its end": memory.NewMemStore(), "by reading all": minimalStore{memory.NewMemStore()}} {
		t.Run(name, func(t *testing.T) {
			m := memorytest.New(t, store, memory.Options{})
			for i := range 100 {
				put(t, m, message(group, fmt.Sprint(i), "x"), memory.Record{ID: fmt.Sprint("f", i), Space: group, Kind: memory.KindFact}, message(other, fmt.Sprint(i), "y"))
			}
			for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, 50: 50, 100: 100, 101: 100} {
				got, err := m.Recent(t.Context(), group, n)
				require.NoError(t, err)
				require.Len(t, got, want)
				for i, r := range got {
					assert.Equal(t, fmt.Sprint(100-want+i), r.ID)
				}
			}
		})
	}
}

// TestMemory_RecentTurns counts turns of one to seven messages and compares with turns marked by hand.
func TestMemory_RecentTurns(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	var begins []int // indexes of the first messages of turns
	n := 0
	for turn := range 60 {
		begins = append(begins, n)
		for i := range turn%7 + 1 {
			r := message(group, fmt.Sprint(n), "x")
			r.At = noon.Add(time.Duration(turn)*time.Hour + time.Duration(i)*time.Second)
			r.Own = turn%2 == 1 && i == turn%7 // replies of the bot
			put(t, m, r, message(other, fmt.Sprint(n), "y"))
			n++
		}
	}
	for _, turns := range []int{-1, 0, 1, 2, 7, 50, 59, 60, 61, math.MaxInt} {
		for _, most := range []int{-1, 0, 1, 3, 20, n - 1, n, math.MaxInt} {
			got, err := m.RecentTurns(t.Context(), group, turns, most)
			require.NoError(t, err)
			want := 0
			if turns > 0 {
				want = min(n-begins[max(0, len(begins)-turns)], max(most, 0))
			}
			require.Len(t, got, want, "%d turns, at most %d", turns, most)
			for i, r := range got {
				assert.Equal(t, fmt.Sprint(n-want+i), r.ID)
			}
		}
	}
}

func TestPut_CancelWhileWaiting(t *testing.T) {
	held := make(chan struct{})
	m := memorytest.New(t, slowStore{memory.NewMemStore(), held}, memory.Options{})
	first := make(chan error, 1)
	go func() { first <- m.Put(context.Background(), message(group, "1", "x")) }()
	held <- struct{}{} // the first writer is inside the store now
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, m.Put(ctx, message(group.Secret(), "2", "y")), context.Canceled, "a counterpart has the same lock")
	held <- struct{}{}
	assert.NoError(t, <-first)
}

// slowStore waits twice in every Put.
type slowStore struct {
	memory.Store
	held chan struct{}
}

func (s slowStore) Put(ctx context.Context, recs ...memory.Record) error {
	<-s.held
	<-s.held
	return s.Store.Put(ctx, recs...)
}

// TestMemory_Race puts, deletes, hides and recalls concurrently while spaces are loading. At the end, recall and store
// agree.
func TestMemory_Race(t *testing.T) {
	store := memory.NewMemStore()
	for i := range 500 {
		require.NoError(t, store.Put(t.Context(), message(group, fmt.Sprint("old", i), "火锅"), message(other, fmt.Sprint("old", i), "火锅")))
	}
	m := memorytest.New(t, store, memory.Options{})
	ctx := t.Context()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 60 {
				id := fmt.Sprint(w, "-", i)
				assert.NoError(t, m.Put(ctx, message(group, id, "火锅"), message(other, id, "火锅")))
				switch i % 4 {
				case 1:
					assert.NoError(t, m.Delete(ctx, group, id, fmt.Sprint("old", w*60+i)))
				case 2:
					assert.NoError(t, m.Hide(ctx, group, id))
				case 3:
					assert.NoError(t, m.Preload(ctx))
				}
				hits, err := m.Reader(group, other).Recall(ctx, noon, memory.Query{Text: "火锅", KeepDuplicates: true})
				assert.NoError(t, err)
				assert.Len(t, hits, 10)
			}
		})
	}
	wg.Wait()
	for _, s := range []memory.Space{group, group.Secret(), other} {
		var want []string
		for r, err := range store.Scan(ctx, s, 0) {
			require.NoError(t, err)
			want = append(want, r.ID)
		}
		assert.ElementsMatch(t, want, recall(t, m.OwnerReader(s), "火锅"), "%s", s)
	}
}
