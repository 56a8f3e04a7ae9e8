package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	zone  = time.FixedZone("CST", 8*3600)
	night = time.Date(2026, 3, 2, 3, 0, 0, 0, zone)
)

// learn is a DreamFunc with one rule: from "A喜欢B" it learns the taste of A, and replaces the former taste.
func learn(_ context.Context, n memory.DreamInput) (out []memory.Insight, err error) {
	for _, r := range n.Messages {
		who, what, ok := strings.Cut(r.Text, "喜欢")
		if !ok {
			continue
		}
		in := memory.Insight{Text: who + "喜欢" + what, Person: r.Person, Importance: float64(len(what)%10) / 10, Sources: []string{r.ID}}
		for _, k := range n.Known {
			if k.Person == r.Person && strings.Contains(k.Text, "喜欢") {
				in.Replaces = append(in.Replaces, k.ID)
			}
		}
		out = append(out, in)
	}
	if n.Summary != "" {
		out = append(out, memory.Insight{Kind: memory.KindSummary, Text: n.Day + " " + n.Summary, Importance: .8})
	}
	return out, nil
}

// liked is a message for learn.
func liked(s memory.Space, i int, person, what string, at time.Time) memory.Record {
	return memory.Record{ID: fmt.Sprint("m", i), Space: s, Kind: memory.KindMessage, Person: person, Name: "小" + person, Text: person + "喜欢" + what, At: at}
}

func texts(t testing.TB, m *memory.Memory, s memory.Space) []string {
	hits, err := m.OwnerReader(s).Recall(t.Context(), night, memory.Query{Kinds: []string{memory.KindFact, memory.KindSummary}, Limit: 1000})
	require.NoError(t, err)
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Text)
	}
	slices.Sort(out)
	return out
}

func dream(t testing.TB, m *memory.Memory, now time.Time, f memory.DreamFunc, o memory.DreamOptions) memory.DreamResult {
	did, err := m.Dream(t.Context(), now, f, o)
	require.NoError(t, err)
	return did
}

func TestDream_WritesRecords(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	at := night.Add(-time.Hour)
	put(t, m, liked(group, 1, "明", "火锅", at), message(group, "2", "好"), liked(group.Secret(), 3, "红", "一个人", at), liked(other, 4, "明", "爬山", at))
	require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "聊了吃的", FirstSeq: 1, LastSeq: 2}))
	assert.Equal(t, memory.DreamResult{Day: "2026-03-02", Added: 4}, dream(t, m, night, learn, memory.DreamOptions{}))
	assert.Equal(t, []string{"2026-03-02 聊了吃的", "明喜欢火锅"}, texts(t, m, group))
	assert.Equal(t, []string{"红喜欢一个人"}, texts(t, m, group.Secret()), "in the space of its sources")
	assert.Equal(t, []string{"明喜欢爬山"}, texts(t, m, other))
	assert.Empty(t, summary(t, m, group), "the day is complete")

	hits, err := m.Reader(group).Recall(t.Context(), night, memory.Query{Text: "火锅", Kinds: []string{memory.KindFact}})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	assert.Equal(t, []string{"m1"}, hits[0].Sources)
	assert.Equal(t, []string{"from:明"}, hits[0].Tags)
	assert.Equal(t, .6, hits[0].Importance)
	assert.True(t, hits[0].At.Equal(at), "the time of its source")

	assert.Zero(t, dream(t, m, night.Add(time.Hour), learn, memory.DreamOptions{}), "once a day")
	assert.Equal(t, memory.DreamResult{Day: "2026-03-03"}, dream(t, m, night.Add(24*time.Hour), learn, memory.DreamOptions{}), "no new messages")
}

// TestDream_UpdatesFacts: an insight that contradicts or repeats a fact replaces it, so facts do not pile up.
func TestDream_UpdatesFacts(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	foods := []string{"火锅", "乌龙茶", "火锅", "爬山", "睡觉"}
	for i, what := range foods {
		put(t, m, liked(group, i, "明", what, night.AddDate(0, 0, i-1)))
		did := dream(t, m, night.AddDate(0, 0, i), learn, memory.DreamOptions{})
		assert.Equal(t, min(i, 1), did.Updated)
		assert.Equal(t, []string{"明喜欢" + what}, texts(t, m, group))
	}
	hits, err := m.Reader(group).Recall(t.Context(), night, memory.Query{Kinds: []string{memory.KindFact}})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"m0", "m1", "m2", "m3", "m4"}, hits[0].Sources)

	again := func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		return []memory.Insight{{Text: "明喜欢睡觉", Person: "明", Importance: .2}, {Text: "红喜欢睡觉", Person: "红"}}, nil
	}
	put(t, m, message(group, "x", "早"))
	assert.Equal(t, memory.DreamResult{Day: "2026-03-08", Added: 1, Updated: 1}, dream(t, m, night.AddDate(0, 0, 6), again, memory.DreamOptions{}))
	assert.Equal(t, []string{"明喜欢睡觉", "红喜欢睡觉"}, texts(t, m, group), "a repeated fact is merged; about another person it is another fact")

	sum := func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		var ids []string
		for _, k := range n.Known {
			ids = append(ids, k.ID)
		}
		return []memory.Insight{{Text: "大家都喜欢睡觉", Replaces: append(ids, "made up")}}, nil
	}
	put(t, m, message(group, "y", "都睡觉去了"))
	assert.Equal(t, memory.DreamResult{Day: "2026-03-09", Updated: 1, Deleted: 1}, dream(t, m, night.AddDate(0, 0, 7), sum, memory.DreamOptions{}))
	assert.Equal(t, []string{"大家都喜欢睡觉"}, texts(t, m, group))
}

// TestDream_OncePerLocalDay simulates two days in steps of half an hour, with a clock that sometimes steps back.
func TestDream_OncePerLocalDay(t *testing.T) {
	store := memory.NewMemStore()
	o := memory.DreamOptions{Location: zone, Hour: 4}
	var ran []string
	for i := range 2 * 96 {
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, zone).Add(time.Duration(i) * 30 * time.Minute).UTC()
		if i%10 == 9 {
			now = now.Add(-26 * time.Hour)
		}
		m := memorytest.New(t, store, memory.Options{}) // a restart each time
		next, err := m.NextDream(t.Context(), now, o)
		require.NoError(t, err)
		did := dream(t, m, now, learn, o)
		assert.Equal(t, did.Day != "", !next.After(now))
		if did.Day != "" {
			ran = append(ran, did.Day+" "+now.In(zone).Format("01-02 15:04"))
		}
	}
	assert.Equal(t, []string{"2026-02-28 03-01 00:00", "2026-03-01 03-01 04:00", "2026-03-02 03-02 04:00", "2026-03-03 03-03 04:00", "2026-03-04 03-04 04:00"}, ran)
}

// TestDream_ContinuesNextNight: a dream stops at MaxInputs and leaves the rest to the next night. A clock that was
// years ahead does not block dreams.
func TestDream_ContinuesNextNight(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for i := range 100 {
		put(t, m, message(group, fmt.Sprint(i), strings.Repeat("长", 10)))
	}
	var asked []int
	f := func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		asked = append(asked, len(n.Messages))
		return nil, nil
	}
	o := memory.DreamOptions{MaxRunes: 50, MaxInputs: 8}
	for i, day := range []int{0, 1, 3650, 2, 3} {
		did := dream(t, m, night.AddDate(0, 0, day), f, o)
		assert.NotEmpty(t, did.Day)
		assert.Len(t, asked, min(20, 8*(i+1)))
	}
	assert.Equal(t, slices.Repeat([]int{5}, 20), asked)
}

// TestDream_KeepsUnreadSummary: a summary of messages that the dream has not processed yet is kept.
func TestDream_KeepsUnreadSummary(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for i := range 10 {
		put(t, m, message(group, fmt.Sprint(i), strings.Repeat("长", 10)))
	}
	recs, err := m.Recent(t.Context(), group, 10)
	require.NoError(t, err)
	require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "聊了很久", FirstSeq: recs[0].Seq, LastSeq: recs[9].Seq}))
	o := memory.DreamOptions{MaxRunes: 50, MaxInputs: 1}
	dream(t, m, night, learn, o)
	assert.Equal(t, "聊了很久", summary(t, m, group), "half of its messages wait for the next night")
	dream(t, m, night.AddDate(0, 0, 1), learn, o)
	assert.Empty(t, summary(t, m, group))
	d, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	assert.Equal(t, recs[9].Seq, d.LastSeq, "its messages are not summarized again")
}

// TestDream_BacksOff: a failing space does not block the others, and no space is processed twice.
func TestDream_BacksOff(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	put(t, m, liked(group, 1, "明", "火锅", night), liked(other, 2, "红", "茶", night))
	broken := errors.New("no model")
	asked := map[memory.Space]int{}
	failing := true
	f := func(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		if asked[n.Space]++; failing && n.Space == group {
			return nil, broken
		}
		return learn(ctx, n)
	}
	now := night
	for i, rest := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		m = memorytest.New(t, store, memory.Options{})
		_, err := m.Dream(t.Context(), now, f, memory.DreamOptions{})
		require.ErrorIs(t, err, broken)
		assert.Equal(t, map[memory.Space]int{group: i + 1, other: 1}, asked)
		next, err := m.NextDream(t.Context(), now, memory.DreamOptions{})
		require.NoError(t, err)
		now = now.Add(rest * time.Minute)
		assert.True(t, next.Equal(now), "%v", next)
		assert.Zero(t, dream(t, m, now.Add(-1), f, memory.DreamOptions{}), "it backs off")
	}
	failing = false
	assert.Equal(t, 1, dream(t, m, now, f, memory.DreamOptions{}).Added)
	assert.Equal(t, map[memory.Space]int{group: 9, other: 1}, asked)
	ctx, cancel := context.WithCancel(t.Context())
	put(t, m, message(group, "x", "早"))
	_, err := m.Dream(ctx, now.AddDate(0, 0, 1), func(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		cancel()
		return nil, ctx.Err()
	}, memory.DreamOptions{})
	require.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, dream(t, m, now.AddDate(0, 0, 1), f, memory.DreamOptions{}).Day, "a cancelled dream does not back off")
}

// TestDream_KilledAtAnyWrite crashes before and after every write of two nights. After restarts, store and state equal
// those of an uninterrupted run.
func TestDream_KilledAtAnyWrite(t *testing.T) {
	o := memory.DreamOptions{MaxRunes: 40, Quota: memory.Quota{Records: 30}}
	prepare := func() *memory.MemStore {
		store := memory.NewMemStore()
		m := memorytest.New(t, store, memory.Options{})
		for i := range 12 {
			for j, s := range []memory.Space{group, other, group.Secret(), memory.Owner} {
				put(t, m, liked(s, 100*j+i, []string{"明", "红", "刚"}[i%3], strings.Repeat("茶", 1+i), night.Add(time.Duration(i-100)*time.Minute)))
			}
		}
		put(t, m, memory.Record{ID: "dream:1:1", Space: group, Kind: memory.KindFact, Text: "很久以前", At: night.AddDate(-1, 0, 0)},
			memory.Record{ID: "f1", Space: other, Kind: memory.KindFact, Text: "明喜欢书", Person: "明", At: night.AddDate(-1, 0, 0)},
			memory.Record{ID: "f2", Space: other, Kind: memory.KindFact, Text: "明喜欢书和茶", Person: "明", At: night.AddDate(-1, 0, 0)})
		require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "喜欢茶", FirstSeq: 1, LastSeq: 1000000}))
		require.NoError(t, m.SetSummary(t.Context(), other, memory.RollingSummary{Text: "喜欢书", FirstSeq: 1, LastSeq: 3}))
		return store
	}
	asked := 0
	counted := func(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		asked++
		return learn(ctx, n)
	}
	live := func(base *memory.MemStore, d *crashingStore) (deaths int) {
		var store memory.Store = base
		if d != nil {
			d.MemStore, store = base, d
		}
		for day := range 2 {
			at := night.AddDate(0, 0, day)
			if day == 1 {
				for i := range 8 {
					require.NoError(t, base.Put(t.Context(), liked(other, 900+i, []string{"明", "红"}[i%2], strings.Repeat("酒", 1+i), at.Add(-time.Hour))))
				}
			}
			for {
				_, err := memorytest.New(t, store, memory.Options{}).Dream(t.Context(), at, counted, o)
				if err == nil {
					break
				}
				require.ErrorIs(t, err, errCrashed)
				deaths++
				store = base
			}
		}
		return deaths
	}
	base := prepare()
	require.Zero(t, live(base, nil))
	want, calm := dump(t, base), asked
	require.Contains(t, want, "喜欢酒")
	require.NotContains(t, want, "很久以前")
	at := 1
	for ; ; at++ {
		base, asked = prepare(), 0
		deaths := live(base, &crashingStore{at: at})
		require.Equal(t, want, dump(t, base), "death %d", at)
		if deaths == 0 {
			break
		}
		require.LessOrEqual(t, asked, calm+4, "only inputs without a plan are processed again, once for each space")
	}
	assert.Greater(t, at, 60)
	t.Logf("%d deaths, %d questions", at-1, calm)
}

// TestDream_SourceDeletedMeanwhile: messages that are deleted or hidden while the function runs yield no insights.
func TestDream_SourceDeletedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*memory.Memory) error{
		"forgotten": func(m *memory.Memory) error { return m.Delete(context.Background(), group, "m1") },
		"hidden":    func(m *memory.Memory) error { return m.Hide(context.Background(), group, "m1") },
		"person": func(m *memory.Memory) error {
			_, err := m.ErasePerson(context.Background(), "明", memory.EraseOptions{})
			return err
		},
		"known, hidden": func(m *memory.Memory) error { return m.Hide(context.Background(), group, "f", "m1") },
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.NewMemStore()
			m := memorytest.New(t, store, memory.Options{})
			put(t, m, memory.Record{ID: "f", Space: group, Kind: memory.KindFact, Text: "明喜欢书", Person: "明"}, liked(group, 1, "明", "火锅", night), liked(group, 2, "红", "茶", night))
			calls := 0
			dream(t, m, night, func(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
				if calls++; calls == 1 {
					require.NoError(t, change(m))
					did, err := m.Dream(ctx, night, learn, memory.DreamOptions{})
					require.NoError(t, err)
					assert.Zero(t, did, "a concurrent call does nothing")
				}
				return learn(ctx, n)
			}, memory.DreamOptions{})
			assert.Contains(t, texts(t, m, group), "红喜欢茶")
			for _, text := range texts(t, m, group) {
				assert.NotContains(t, text, "火锅")
			}
		})
	}
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, message(group, "1", "0"))
	i := 0
	_, err := m.Dream(t.Context(), night, func(context.Context, memory.DreamInput) ([]memory.Insight, error) {
		i++
		return nil, m.Put(t.Context(), message(group, "1", fmt.Sprint(i)))
	}, memory.DreamOptions{})
	assert.ErrorContains(t, err, "keep changing")
	assert.Equal(t, 3, i, "it ends")
}

// TestDream_SourceDeletedAfterPlan: a stored plan is not applied after a restart if one of its sources was deleted.
func TestDream_SourceDeletedAfterPlan(t *testing.T) {
	store := memory.NewMemStore()
	put(t, memorytest.New(t, store, memory.Options{}), liked(group, 1, "明", "火锅", night), liked(group, 2, "红", "茶", night))
	_, err := memorytest.New(t, &crashingStore{MemStore: store, at: 2}, memory.Options{}).Dream(t.Context(), night, learn, memory.DreamOptions{})
	require.ErrorIs(t, err, errCrashed)
	require.Contains(t, dump(t, store), `"text":"明喜欢火锅"`, "the plan is stored")
	m := memorytest.New(t, store, memory.Options{})
	require.NoError(t, m.Delete(t.Context(), group, "m1"))
	assert.NotContains(t, dump(t, store), "火锅")
	dream(t, m, night, learn, memory.DreamOptions{})
	assert.Equal(t, []string{"红喜欢茶"}, texts(t, m, group))
}

// TestDream_FadesRecords: records of dreams fade unless they are important. Messages and records of other origin never
// fade.
func TestDream_FadesRecords(t *testing.T) {
	lives := func(r memory.Record, o memory.DreamOptions) int {
		r.Space, r.At = group, night
		for day := 0; ; day += 10 {
			m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
			put(t, m, r)
			dream(t, m, night.AddDate(0, 0, day), func(context.Context, memory.DreamInput) ([]memory.Insight, error) { return nil, nil }, o)
			if len(recall(t, m.Reader(group), "")) == 0 || day == 2000 {
				return day
			}
		}
	}
	fact := memory.Record{ID: "dream:7:0", Kind: memory.KindFact, Text: "火锅"}
	for _, c := range []struct {
		name   string
		change func(*memory.Record)
		o      memory.DreamOptions
		want   int
	}{
		{"unimportant", func(*memory.Record) {}, memory.DreamOptions{}, 130},
		{"of some importance", func(r *memory.Record) { r.Importance = .3 }, memory.DreamOptions{}, 480},
		{"important", func(r *memory.Record) { r.Importance = .7 }, memory.DreamOptions{}, 2000},
		{"a lower floor", func(r *memory.Record) { r.Importance = .3 }, memory.DreamOptions{FadeBelow: .2}, 2000},
		{"a week", func(*memory.Record) {}, memory.DreamOptions{HalfLife: 7 * 24 * time.Hour}, 40},
		{"never", func(*memory.Record) {}, memory.DreamOptions{HalfLife: -1}, 2000},
		{"of others", func(r *memory.Record) { r.ID = "f" }, memory.DreamOptions{}, 2000},
		{"said", func(r *memory.Record) { r.Kind = memory.KindMessage }, memory.DreamOptions{}, 2000},
	} {
		r := fact
		c.change(&r)
		assert.Equal(t, c.want, lives(r, c.o), c.name)
	}
}
