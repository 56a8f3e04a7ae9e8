package memorytest

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIndex checks an implementation of [memory.Index]. Records and queries have consistent words and vectors (of
// [Vector]), so that an index may use either.
func TestIndex(t *testing.T, open func(t *testing.T) memory.Index) {
	for _, c := range []struct {
		name string
		test func(*testing.T, memory.Index)
	}{
		{"Empty", indexEmpty}, {"Finds", indexFinds}, {"Spaces", indexSpaces}, {"Counterparts", indexCounterparts}, {"Filters", indexFilters},
		{"Replace", indexReplace}, {"Delete", indexDelete}, {"Ties", indexTies}, {"LargeK", indexLargeK}, {"UnusualStrings", indexUnusualStrings},
		{"Copies", indexCopies}, {"BadVectors", indexBadVectors}, {"InvalidAddress", indexInvalidAddress}, {"Race", indexRace}, {"Moves", indexMoves},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func ask(text string) memory.Query { return memory.Query{Text: text, Vector: Vector(text)} }

func search(t *testing.T, x memory.Index, s memory.Space, q memory.Query, k int) []string {
	t.Helper()
	cs, err := x.Search(t.Context(), s, q, k)
	require.NoError(t, err)
	require.LessOrEqual(t, len(cs), max(k, 0))
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.ID
		require.False(t, math.IsNaN(c.Score) || math.IsInf(c.Score, 0), "score of %q: %v", c.ID, c.Score)
		if i > 0 {
			require.LessOrEqual(t, c.Score, cs[i-1].Score, "best first")
		}
	}
	return out
}

func indexEmpty(t *testing.T, x memory.Index) {
	assert.NoError(t, x.Put(t.Context()))
	assert.NoError(t, x.Delete(t.Context(), groupA, "nobody"))
	assert.Empty(t, search(t, x, groupA, ask("你好"), 5))
	put(t, x, message(groupA, "1", "你好"))
	assert.Empty(t, search(t, x, groupB, ask("你好"), 5))
	assert.Empty(t, search(t, x, groupA, ask("你好"), 0))
	assert.Empty(t, search(t, x, groupA, ask("你好"), -1))
}

func indexFinds(t *testing.T, x memory.Index) {
	texts := []string{"昨天的火锅真好吃", "明天要下雨", "显卡又涨价了", "weather looks fine", "谁有高数作业"}
	for i, text := range texts {
		r := message(groupA, fmt.Sprint(i), text)
		r.At = day.Add(time.Duration(i) * 24 * time.Hour)
		put(t, x, r)
	}
	for i, text := range texts {
		if got := search(t, x, groupA, ask(text), 3); assert.NotEmpty(t, got) {
			assert.Equal(t, fmt.Sprint(i), got[0], "%s", text)
		}
	}
}

// indexSpaces puts a canary into every space and searches each space for all of them.
func indexSpaces(t *testing.T, x memory.Index) {
	spaces := []memory.Space{"a", "b", "ab", "A", "a ", "", "' OR '1'='1", "%", "a:b", "a\n", memory.Owner, memory.Owner.Secret(), memory.Self}
	for i, s := range spaces {
		if s != "" {
			put(t, x, message(s, fmt.Sprint(i), fmt.Sprintf("canary of the space number %d", i)), message(s, sharedID(s), "canary"))
		}
	}
	for i, s := range spaces {
		want := []string{fmt.Sprint(i), sharedID(s)}
		if s == "" {
			want = []string{}
		}
		assert.ElementsMatch(t, want, search(t, x, s, ask("canary"), 100), "%q", s)
	}
}

// sharedID returns an ID for a space. All base spaces use the same one. Secret spaces need another, because a space and
// its counterpart share their IDs.
func sharedID(s memory.Space) string {
	if s.IsSecret() {
		return "secret"
	}
	return "same"
}

func indexCounterparts(t *testing.T, x memory.Index) {
	put(t, x, message(groupA, "1", "存折密码"), message(groupA, "2", "存折"))
	put(t, x, message(groupA.Secret(), "1", "存折密码"))
	assert.Equal(t, []string{"2"}, search(t, x, groupA, ask("存折密码"), 9))
	assert.Equal(t, []string{"1"}, search(t, x, groupA.Secret(), ask("存折密码"), 9))
	put(t, x, message(groupA, "1", "存折密码"))
	assert.ElementsMatch(t, []string{"1", "2"}, search(t, x, groupA, ask("存折密码"), 9))
	assert.Empty(t, search(t, x, groupA.Secret(), ask("存折密码"), 9))

	// In one call, each goes to its own space. If one is put into both, the last one counts.
	put(t, x, message(groupB, "1", "存折密码"), message(groupB.Secret(), "2", "存折密码"), message(groupB, "3", "存折密码"), message(groupB.Secret(), "3", "存折密码"),
		message(groupB.Secret(), "4", "存折密码"), message(groupB, "4", "存折密码"), message(groupA, "5", "存折密码"))
	assert.ElementsMatch(t, []string{"1", "4"}, search(t, x, groupB, ask("存折密码"), 9))
	assert.ElementsMatch(t, []string{"2", "3"}, search(t, x, groupB.Secret(), ask("存折密码"), 9))
	assert.ElementsMatch(t, []string{"1", "2", "5"}, search(t, x, groupA, ask("存折密码"), 9))
}

// indexFilters searches for few records among many. An index that filters after the search finds too few.
func indexFilters(t *testing.T, x memory.Index) {
	var recs []memory.Record
	for i := range 300 {
		r := message(groupA, fmt.Sprint(i), "今天的作业")
		r.At, r.Person, r.Kind = day.Add(time.Duration(i)*time.Minute), "常客", memory.KindMessage
		if i%100 == 0 {
			r.Person, r.Kind, r.Tags, r.Text = "稀客", memory.KindFact, []string{"t", "' OR '1'='1"}, "今天的作业好像还有很多很多没有写完"
			r.Vector = Vector(r.Text)
		}
		recs = append(recs, r)
	}
	timeless := message(groupA, "timeless", "今天的作业")
	timeless.At, timeless.Person = time.Time{}, "无名"
	put(t, x, append(recs, timeless)...)
	rare := []string{"0", "100", "200"}
	for name, c := range map[string]struct {
		q    memory.Query
		want []string
	}{
		"person":          {memory.Query{Person: "稀客"}, rare},
		"no such person":  {memory.Query{Person: "稀"}, nil},
		"odd person":      {memory.Query{Person: "' OR '1'='1"}, nil},
		"kind":            {memory.Query{Kinds: []string{memory.KindFact, "other"}}, rare},
		"no such kind":    {memory.Query{Kinds: []string{""}}, nil},
		"tag":             {memory.Query{Tags: []string{"t"}}, rare},
		"both tags":       {memory.Query{Tags: []string{"' OR '1'='1", "t"}}, rare},
		"empty tag":       {memory.Query{Tags: []string{""}}, nil},
		"one tag too few": {memory.Query{Tags: []string{"t", "u"}}, nil},
		"since":           {memory.Query{Since: day.Add(297 * time.Minute)}, []string{"297", "298", "299"}},
		"until":           {memory.Query{Until: day.Add(3 * time.Minute)}, []string{"0", "1", "2"}},
		"span":            {memory.Query{Since: day.Add(5 * time.Minute), Until: day.Add(6 * time.Minute)}, []string{"5"}},
		"empty span":      {memory.Query{Since: day.Add(6 * time.Minute), Until: day.Add(5 * time.Minute)}, nil},
		"timeless":        {memory.Query{Person: "无名"}, []string{"timeless"}},
		"timeless since":  {memory.Query{Person: "无名", Since: time.Unix(0, 0)}, nil},
		"timeless until":  {memory.Query{Person: "无名", Until: day.Add(time.Hour)}, nil},
		"all at once":     {memory.Query{Person: "稀客", Kinds: []string{memory.KindFact}, Tags: []string{"t"}, Since: day.Add(time.Hour), Until: day.Add(150 * time.Minute)}, []string{"100"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.Text, c.q.Vector = "今天的作业", Vector("今天的作业")
			assert.ElementsMatch(t, c.want, search(t, x, groupA, c.q, 3))
		})
	}
}

func indexReplace(t *testing.T, x memory.Index) {
	put(t, x, message(groupA, "1", "乌龙茶"), message(groupA, "2", "乌龙茶"))
	put(t, x, message(groupA, "1", "keyboard"))
	assert.Equal(t, "2", search(t, x, groupA, ask("乌龙茶"), 1)[0])
	assert.Equal(t, "1", search(t, x, groupA, ask("keyboard"), 1)[0])
	put(t, x, message(groupA, "1", "乌龙茶"), message(groupA, "1", "keyboard"))
	assert.Len(t, search(t, x, groupA, ask("乌龙茶 keyboard"), 9), 2, "each once")
	blank := memory.Record{ID: "1", Space: groupA, Kind: memory.KindMessage}
	put(t, x, blank)
	assert.Equal(t, []string{"2"}, search(t, x, groupA, ask("乌龙茶 keyboard"), 9), "a record without text replaces the old one")
}

func indexDelete(t *testing.T, x memory.Index) {
	for _, s := range []memory.Space{groupA, groupB} {
		for i := range 9 {
			put(t, x, message(s, fmt.Sprint(i), "一起打球"))
		}
	}
	err := x.Delete(t.Context(), groupA)
	if err == nil {
		assert.Len(t, search(t, x, groupA, ask("打球"), 99), 9, "without IDs nothing is deleted")
		err = x.Delete(t.Context(), groupA, "3", "unknown", "3", "")
	}
	if err != nil {
		assert.ErrorIs(t, err, memory.ErrCannotDelete)
		return
	}
	got := search(t, x, groupA, ask("打球"), 99)
	assert.Len(t, got, 8)
	assert.NotContains(t, got, "3")
	assert.Len(t, search(t, x, groupB, ask("打球"), 99), 9)
	require.NoError(t, x.Delete(t.Context(), groupA, got...))
	assert.Empty(t, search(t, x, groupA, ask("打球"), 99))
	put(t, x, message(groupA, "3", "打球"))
	assert.Equal(t, []string{"3"}, search(t, x, groupA, ask("打球"), 99))
}

// indexTies stores the same sentence many times. The result must be the same every time, for every k.
func indexTies(t *testing.T, x memory.Index) {
	for i := range 60 {
		r := message(groupA, fmt.Sprint(i), "早上好")
		r.At = day.Add(time.Duration(i%7) * 24 * time.Hour)
		put(t, x, r)
	}
	all := search(t, x, groupA, ask("早上好"), 60)
	require.Len(t, all, 60)
	for k := 1; k <= 60; k += 7 {
		for range 5 {
			require.Equal(t, all[:k], search(t, x, groupA, ask("早上好"), k))
		}
	}
}

func indexLargeK(t *testing.T, x memory.Index) {
	put(t, x, message(groupA, "1", "晚安"), message(groupA, "2", "晚安"))
	for _, k := range []int{2, 3, 1000, math.MaxInt32} {
		assert.Len(t, search(t, x, groupA, ask("晚安"), k), 2)
	}
}

func indexUnusualStrings(t *testing.T, x memory.Index) {
	for _, o := range unusualStrings {
		put(t, x, message(groupA, o, "奇怪的名字"))
	}
	big := message(groupA, "big", strings.Repeat("很大的一段话。", 1<<20/21))
	put(t, x, big)
	assert.ElementsMatch(t, append([]string{"big"}, unusualStrings...), search(t, x, groupA, ask("奇怪的名字，大"), 99))
	for _, o := range append(unusualStrings, "\x00", "\xff\xfe", big.Text) {
		q := ask(o)
		search(t, x, groupA, q, 5) // no text is an error
		q.Person, q.Kinds, q.Tags = o, []string{o}, []string{o}
		assert.Empty(t, search(t, x, groupA, q, 5))
	}
	err := x.Delete(t.Context(), groupA, unusualStrings...)
	if err == nil {
		assert.Equal(t, []string{"big"}, search(t, x, groupA, ask("奇怪的名字，大"), 99))
	}
}

func indexCopies(t *testing.T, x memory.Index) {
	r := message(groupA, "1", "西瓜")
	r.Tags = []string{"水果"}
	put(t, x, r, message(groupA, "2", "冬瓜"))
	clear(r.Vector)
	r.Tags[0] = "spoiled"
	q := ask("西瓜")
	q.Tags = []string{"水果"}
	assert.Equal(t, []string{"1"}, search(t, x, groupA, q, 1))
	assert.Equal(t, []string{"水果"}, q.Tags)
	assert.Equal(t, Vector("西瓜"), q.Vector, "the query is not changed")
}

// indexBadVectors: an invalid vector is rejected or not found, and never affects other records.
func indexBadVectors(t *testing.T, x memory.Index) {
	put(t, x, message(groupA, "1", "好的"), message(groupA, "2", "行吧"))
	nan := float32(math.NaN())
	for name, v := range map[string][]float32{
		"NaN": {nan, nan}, "infinite": append(Vector("好的")[:63], float32(math.Inf(1))), "zero": make([]float32, 64), "short": {1}, "long": make([]float32, 65),
	} {
		t.Run(name, func(t *testing.T) {
			r := message(groupA, "bad "+name, "坏")
			r.Vector = v
			if err := x.Put(t.Context(), r); err != nil {
				assert.ErrorIs(t, err, memory.ErrVector)
			}
			assert.Equal(t, "1", search(t, x, groupA, ask("好的"), 9)[0])
			q := ask("好的")
			q.Vector = v
			if cs, err := x.Search(t.Context(), groupA, q, 9); err != nil {
				assert.ErrorIs(t, err, memory.ErrVector)
				assert.Empty(t, cs)
			}
		})
	}
}

// indexInvalidAddress searches and deletes with invalid addresses. Nothing is found or deleted.
func indexInvalidAddress(t *testing.T, x memory.Index) {
	put(t, x, message(groupA, "1", "好的"), message(groupA, "2", "好的"))
	for _, o := range invalidAddresses {
		for _, space := range []memory.Space{memory.Space(o), groupA + memory.Space(o)} {
			if space != groupA {
				assert.Empty(t, search(t, x, space, ask("好的"), 9), "%.20q", space)
				assert.NoError(t, x.Delete(t.Context(), space, "1", "2"), "there is nothing to delete")
			}
		}
		if o != "" {
			assert.NoError(t, x.Delete(t.Context(), groupA, o, "1"+o), "an unknown ID")
		}
	}
	assert.Len(t, search(t, x, groupA, ask("好的"), 9), 2)
}

// indexRace writes and searches concurrently. A search must never return records of another space. Few vectors of a space are
// equal, because an approximate index may lose some of many equal ones.
func indexRace(t *testing.T, x memory.Index) {
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			own := memory.Space(fmt.Sprint("w", w))
			for i := range 50 {
				canary := fmt.Sprint(w, "-", i)
				assert.NoError(t, x.Put(t.Context(), message(own, canary, "canary "+canary), message(groupA, canary, "canary "+canary)))
				cs, err := x.Search(t.Context(), own, ask("canary"), 5)
				assert.NoError(t, err)
				assert.NotEmpty(t, cs)
				for _, c := range cs {
					assert.True(t, strings.HasPrefix(c.ID, fmt.Sprint(w, "-")), "%q in %q", c.ID, own)
				}
				_, err = x.Search(t.Context(), groupA, ask("canary"), 5)
				assert.NoError(t, err)
				if i%2 == 1 {
					if err := x.Delete(t.Context(), own, canary); err != nil {
						assert.ErrorIs(t, err, memory.ErrCannotDelete)
					}
				}
			}
		})
	}
	wg.Wait()
	assert.Len(t, search(t, x, groupA, ask("canary"), 999), 200)
	for w := range 4 {
		assert.Len(t, search(t, x, memory.Space(fmt.Sprint("w", w)), ask("canary"), 999), 25)
	}
}

// indexMoves moves records between a space and its counterpart during searches. At the end, each record is found once.
func indexMoves(t *testing.T, x memory.Index) {
	want := moveConcurrently(func(space memory.Space, id string) {
		assert.NoError(t, x.Put(t.Context(), message(space, id, "存折密码")))
		for _, space := range []memory.Space{groupA, groupA.Secret()} {
			_, err := x.Search(t.Context(), space, ask("存折密码"), 5)
			assert.NoError(t, err)
		}
	})
	found := append(search(t, x, groupA, ask("存折密码"), 99), search(t, x, groupA.Secret(), ask("存折密码"), 99)...)
	assert.ElementsMatch(t, want, found)
}
