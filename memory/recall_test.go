package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// daily stores one message a day about hot pot, and some about other topics.
func daily(t *testing.T, now time.Time) *memory.Memory {
	t.Helper()
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for i := range 60 {
		at := now.AddDate(0, 0, -i)
		put(t, m,
			memory.Record{ID: fmt.Sprint("pot", i), Space: group, Text: fmt.Sprintf("火锅局第%d次", 100+i), At: at},
			memory.Record{ID: fmt.Sprint("game", i), Space: group, Text: fmt.Sprintf("游戏更新%d", 100+i), At: at.Add(time.Minute)},
		)
	}
	return m
}

func TestRecall_TimeExpressions(t *testing.T) {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, time.FixedZone("", 8*3600))
	m := daily(t, now)
	ask := func(q memory.Query) (ids []string) {
		t.Helper()
		hits, err := m.Reader(group).Recall(t.Context(), now, q)
		require.NoError(t, err)
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return ids
	}
	assert.Equal(t, "pot40", ask(memory.Query{Text: "40天前谁说要吃火锅"})[0])
	assert.Equal(t, "pot40", ask(memory.Query{Text: "hot pot 火锅 40 days ago"})[0])
	pots := ask(memory.Query{Text: "前天的火锅"})
	assert.Equal(t, "pot2", pots[0])
	assert.Len(t, pots, 10, "other days are found, too")
	for _, id := range pots {
		assert.Contains(t, id, "pot", "a matching day alone is no hit")
	}
	assert.Equal(t, []string{"game30", "pot30"}, ask(memory.Query{Text: "30天前大家聊了什么？"}), "a time alone lists the records of that time")
	assert.Equal(t, []string{"game1", "pot1"}, ask(memory.Query{Text: "What did we talk about yesterday?"}))
	assert.NotEqual(t, "pot40", ask(memory.Query{Text: "40天前谁说要吃火锅", LiteralTime: true})[0])
	assert.Equal(t, []string{"pot3"}, ask(memory.Query{Text: "40天前的火锅", Since: now.AddDate(0, 0, -3).Add(-time.Hour), Until: now.AddDate(0, 0, -2).Add(-time.Hour), Limit: 1}), "given bounds apply")
	for _, id := range ask(memory.Query{Text: "昨天的火锅", Until: now.AddDate(0, 0, -30)}) {
		assert.NotContains(t, []string{"pot1", "game1"}, id)
	}
	elsewhere := now.In(time.FixedZone("", -9*3600)) // it is 22:00 on the 4th there
	hits, err := m.Reader(group).Recall(t.Context(), elsewhere, memory.Query{Text: "今天聊了什么"})
	require.NoError(t, err)
	require.Len(t, hits, 2)
	assert.Equal(t, "pot0", hits[1].ID, "the day in now's time zone")
}

// The words for a time of which nothing is stored are searched: somebody tells of that time.
func TestRecall_TimeThatIsTold(t *testing.T) {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, time.UTC)
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m,
		memory.Record{ID: "told", Space: group, Text: "1999年那次下雨了", At: now.AddDate(0, 0, -2)},
		memory.Record{ID: "other", Space: group, Text: "上次决赛下雨了", At: now.AddDate(0, 0, -1)},
	)
	first := func() string {
		hits, err := m.Reader(group).Recall(t.Context(), now, memory.Query{Text: "1999年决赛下雨了吗"})
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		return hits[0].ID
	}
	assert.Equal(t, "told", first())
	put(t, m, memory.Record{ID: "said", Space: group, Text: "决赛下雨了", At: time.Date(1999, 6, 1, 0, 0, 0, 0, time.UTC)})
	assert.Equal(t, "said", first(), "control: something was said then")
}

func TestRecall_Affinity(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for i, person := range []string{"a", "b", "c"} {
		r := message(group, person, "想吃火锅")
		r.Person, r.At = person, noon.Add(time.Duration(i-3)*240*time.Hour)
		put(t, m, r)
	}
	q := memory.Query{Text: "火锅", Affinity: map[string]float64{"a": .9, "b": 7, "c": -3}}
	hits, err := m.Reader(group).Recall(t.Context(), noon, q)
	require.NoError(t, err)
	require.Len(t, hits, 3, "three people at different times")
	assert.Equal(t, "b", hits[0].ID)
	assert.Equal(t, "a", hits[1].ID)
	assert.Equal(t, memory.ScoreTerm{Name: "affinity", Value: 1, Weight: .05}, hits[0].Terms[len(hits[0].Terms)-1], "at most 1")
	assert.Len(t, hits[2].Terms, 2, "never negative")
}

func TestHit_Explain(t *testing.T) {
	h := memory.Hit{Score: .84, Terms: []memory.ScoreTerm{{Name: "words", Value: .8, Weight: 1}, {Name: "recency", Value: .82, Weight: .05}}}
	assert.Equal(t, "0.84 = words 0.80 × 1 + recency 0.82 × 0.05", h.Explain())
	assert.Equal(t, "0.00", new(memory.Hit).Explain())
}

// TestRecall_RecordInTheFuture: a record from before the clock was set back counts as new, and not more.
func TestRecall_RecordInTheFuture(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	now, ahead := message(group, "now", "火锅店"), message(group, "ahead", "火锅锅")
	now.At, ahead.At = noon, noon.AddDate(1, 0, 0)
	put(t, m, now, ahead)
	for _, ask := range []string{"火锅", ""} {
		hits, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: ask})
		require.NoError(t, err)
		require.Len(t, hits, 2)
		for _, h := range hits {
			last := h.Terms[len(h.Terms)-1]
			assert.Equal(t, "recency", last.Name)
			assert.Equal(t, 1.0, last.Value, "%q of %s", ask, h.ID)
		}
	}
}
