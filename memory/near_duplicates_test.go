package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// similarNaive is the definition: Jaccard similarity of the sets of five-rune grams at least .8.
func similarNaive(a, b string) bool {
	sets := [2]map[string]bool{{}, {}}
	for i, text := range [...]string{a, b} {
		var rs []rune
		for _, r := range text {
			if r, c := fold(r); c == word || c == glyph {
				rs = append(rs, r)
			}
		}
		if len(rs) > 0 && len(rs) <= gramSize {
			sets[i][string(rs)] = true
		}
		for j := 0; len(rs) > gramSize && j+gramSize <= len(rs); j++ {
			sets[i][string(rs[j:j+gramSize])] = true
		}
	}
	both := 0
	for g := range sets[0] {
		if sets[1][g] {
			both++
		}
	}
	all := len(sets[0]) + len(sets[1]) - both
	return all > 0 && 5*both >= 4*all
}

func foldable(a, b string) bool {
	var g gramReader
	x, y := g.sketch(a), g.sketch(b)
	return x.maybeSimilar(&y) && (a == b || similar(g.sortedSet(a), g.sortedSet(b)))
}

// TestSimilar_EqualsJaccard compares texts that differ in some runes, close to .8.
func TestSimilar_EqualsJaccard(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	yes, no := 0, 0
	for range 4000 {
		text := make([]rune, 1+rng.IntN(400))
		for i := range text {
			text[i] = rune(0x4e00 + rng.IntN(1500))
		}
		if rng.IntN(10) == 0 {
			text = []rune(strings.Repeat(string(text[:1+len(text)/20]), 20))
		}
		changed := slices.Clone(text)
		for range rng.IntN(2 + len(text)/30) {
			changed[rng.IntN(len(changed))] = rune(0x5000 + rng.IntN(1500))
		}
		if rng.IntN(3) == 0 {
			changed = changed[:1+rng.IntN(len(changed))]
		}
		want := similarNaive(string(text), string(changed))
		require.Equal(t, want, foldable(string(text), string(changed)), "%s\n%s", string(text), string(changed))
		if want {
			yes++
		} else {
			no++
		}
	}
	assert.Greater(t, min(yes, no), 400, "both cases occur")
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", false}, {"😂", "😂", false}, {"早", "早！", true}, {"早", "晚", false}, {"ＯＫ", "ok", true}, {strings.Repeat("长", 9000), strings.Repeat("长", 9000), true},
		{strings.Repeat("哈", 40), strings.Repeat("哈", 200), true}, {"+1", "1", true}, {"12345", "123456", false},
	} {
		assert.Equal(t, c.want, foldable(c.a, c.b), "%.20q %.20q", c.a, c.b)
	}
}

func TestRecall_MergesNearDuplicates(t *testing.T) {
	said := func(id, person, text string, minutes int) Record {
		return Record{ID: id, Space: "s", Kind: KindMessage, Person: person, Text: text, At: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	const rule = "群公告：周五晚上八点在三号楼集合，记得带身份证和水"
	m := newMemory(t, NewMemStore(), Options{})
	fact := said("fact", "", rule, 5000)
	fact.Kind, fact.Sources, fact.Importance = KindFact, []string{"1"}, .5
	older, another := fact, fact
	older.ID, older.At, older.Sources, older.Importance = "older", noon, []string{"0", "1"}, .75
	another.ID, another.Person = "another", "b" // a fact about another person
	require.NoError(t, m.Put(t.Context(),
		said("1", "a", rule, 0), said("2", "a", rule+"！！", 3000), said("3", "a", "[置顶]"+rule, 6000), // one person over days
		said("4", "b", rule, 6010), said("5", "c", rule, 6035), // repeated by others, each within half an hour of the next
		said("6", "d", rule, 4000),   // another person at another time
		said("7", "a", "周五集合", 6040), // a different text
		fact, older, another,
	))
	hits, err := m.Reader("s").Recall(t.Context(), noon.Add(5000*time.Hour), Query{Text: rule})
	require.NoError(t, err)
	by := map[string]Hit{}
	for _, h := range hits {
		by[h.ID] = h
	}
	require.Len(t, by, 6, "%v", by)
	assert.Equal(t, []string{"4", "3"}, by["5"].NearDuplicates, "newest first")
	assert.Equal(t, []string{"5", "4", "3"}, by["5"].Sources)
	assert.Equal(t, []string{"1"}, by["2"].NearDuplicates, "by the same person, but not by the newest one")
	assert.Equal(t, []string{"6"}, by["6"].Sources)
	assert.Equal(t, []string{"older"}, by["fact"].NearDuplicates, "kinds are merged separately")
	assert.Equal(t, []string{"1", "0"}, by["fact"].Sources)
	assert.Equal(t, .75, by["fact"].Importance)
	assert.Nil(t, by["another"].NearDuplicates)
	assert.Nil(t, by["7"].NearDuplicates)

	hits, err = m.Reader("s").Recall(t.Context(), noon, Query{Text: rule, KeepDuplicates: true})
	require.NoError(t, err)
	assert.Len(t, hits, 10)
	hits, err = m.Reader("s").Recall(t.Context(), noon, Query{})
	require.NoError(t, err)
	assert.Len(t, hits, 10, "listing the newest merges nothing")
}

// TestRecall_DuplicatesDoNotFillTheLimit: a chat that repeats one message does not hide other hits.
func TestRecall_DuplicatesDoNotFillTheLimit(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	for i := range 400 {
		require.NoError(t, m.Put(t.Context(), Record{ID: fmt.Sprint(i), Space: "s", Text: "今晚火锅走起来", Person: "a", At: noon.Add(time.Duration(i) * time.Second)}))
	}
	for i := range 1000 {
		require.NoError(t, m.Put(t.Context(), Record{ID: fmt.Sprint("talk", i), Space: "s", Text: fmt.Sprintf("天气不错%d", i), Person: "c"}))
	}
	for i, text := range []string{"火锅太辣了", "谁说的火锅", "不想去吃火锅"} {
		require.NoError(t, m.Put(t.Context(), Record{ID: fmt.Sprint("other", i), Space: "s", Text: text, Person: "b", At: noon.Add(time.Hour * time.Duration(i+1))}))
	}
	hits, err := m.Reader("s").Recall(t.Context(), noon, Query{Text: "火锅走起来", Limit: 4})
	require.NoError(t, err)
	require.Len(t, hits, 4)
	assert.Equal(t, "399", hits[0].ID)
	assert.Len(t, hits[0].NearDuplicates, 399)
	again, err := m.Reader("s").Recall(t.Context(), noon, Query{Text: "火锅走起来", Limit: 4})
	require.NoError(t, err)
	assert.Equal(t, hits, again)
}

// TestRecall_ComparesTextsOfTheStore: texts changed directly in the store are compared in their new form.
func TestRecall_ComparesTextsOfTheStore(t *testing.T) {
	const one, two = "群公告：周五晚上八点在三号楼集合，记得带身份证和水，别迟到，也别忘了伞", "谁看见我的钥匙了，早上还放在公告栏下面的桌子上，现在怎么也找不到"
	store := NewMemStore()
	m := newMemory(t, store, Options{})
	a, b := Record{ID: "a", Space: "s", Kind: KindMessage, Text: one}, Record{ID: "b", Space: "s", Kind: KindMessage, Text: two}
	require.NoError(t, m.Put(t.Context(), a, b))
	found := func() int {
		hits, err := m.Reader("s").Recall(t.Context(), noon, Query{Text: "公告"})
		require.NoError(t, err)
		return len(hits)
	}
	assert.Equal(t, 2, found())
	b.Text = one + "！"
	require.NoError(t, store.Put(t.Context(), b))
	assert.Equal(t, 1, found())
	require.NoError(t, m.Put(t.Context(), b))
	assert.Equal(t, 1, found())
	b.Text = two
	require.NoError(t, m.Put(t.Context(), b))
	assert.Equal(t, 2, found())
}
