package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReader_CannotBeWidened(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, message(group, "g", "密码"), message(group.Secret(), "gs", "密码"), message(other, "o", "密码"), message(memory.Owner.Secret(), "os", "密码"))
	for name, c := range map[string]struct {
		r    *memory.Reader
		want []string
	}{
		"one":                {m.Reader(group), []string{"g"}},
		"two":                {m.Reader(other, group, other), []string{"g", "o"}},
		"none":               {m.Reader(), nil},
		"unknown":            {m.Reader("nowhere"), nil},
		"secret dropped":     {m.Reader(group, group.Secret(), "owner!", "!"), []string{"g"}},
		"secret in disguise": {m.Reader("owner!!", "owner! ", "owner\x00!", "OWNER!"), nil},
		"owner's":            {m.OwnerReader(group, group.Secret(), "owner!"), []string{"g", "gs", "os"}},
		"narrowed":           {m.OwnerReader(group, other, "owner!").Narrow("owner!", "elsewhere", group), []string{"g", "os"}},
		"never widened":      {m.Reader(group).Narrow(group, group.Secret(), other), []string{"g"}},
		"narrowed to none":   {m.Reader(group).Narrow(), nil},
		"zero":               {&memory.Reader{}, nil},
		"nil":                {nil, nil},
		"nil, narrowed":      {(*memory.Reader)(nil).Narrow(group), nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ElementsMatch(t, c.want, recall(t, c.r, "密码"))
			assert.ElementsMatch(t, c.want, recall(t, c.r, ""))
		})
	}
	assert.Empty(t, (*memory.Reader)(nil).Spaces())
	// changing the reader's list of spaces does not widen it
	named := []memory.Space{group, other, group.Secret()}
	r := m.Reader(named...)
	narrow := r.Narrow(named...)
	spaces := r.Spaces()
	assert.Equal(t, []memory.Space{group, other}, spaces)
	for i := range named {
		named[i] = memory.Owner.Secret()
	}
	spaces[0], spaces[1] = memory.Owner.Secret(), group.Secret()
	narrow.Spaces()[0] = memory.Owner.Secret()
	assert.Equal(t, []string{"g", "o"}, sorted(recall(t, r, "密码")))
	assert.Equal(t, []string{"g", "o"}, sorted(recall(t, narrow, "密码")))
	named = []memory.Space{"b", "a"}
	m.OwnerReader(named...)
	assert.Equal(t, []memory.Space{"b", "a"}, named, "the argument is not changed")
}

// TestReader_Redacted removes words from all hits, and returns no hits if the redaction fails.
func TestReader_Redacted(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	rec := message(memory.Owner, "1", "家在长安街 5 号，电话 7777")
	rec.Name, rec.Tags = "老板 7777", []string{"7777", "家"}
	put(t, m, rec, message(memory.Owner.Secret(), "2", "电话 7777"), message(group, "3", "电话 7777"))
	out := func(word string) memory.RedactFunc {
		return func(_ context.Context, text string) (string, error) {
			return strings.ReplaceAll(text, word, "[…]"), nil
		}
	}
	r := m.Reader(memory.Owner, memory.Owner.Secret(), group).Redacted(out("7777"))
	for name, r := range map[string]*memory.Reader{"once": r, "twice": r.Redacted(out("老板")), "narrowed": r.Narrow(memory.Owner, group)} {
		for _, ask := range []string{"电话", "7777", ""} {
			hits, err := r.Recall(t.Context(), noon, memory.Query{Text: ask})
			require.NoError(t, err)
			assert.NotEmpty(t, hits, "%s %q", name, ask)
			for _, h := range hits {
				assert.NotContains(t, fmt.Sprint(h), "7777", "%s %q", name, ask)
				assert.Contains(t, h.Text, "电话 […]")
				assert.NotEqual(t, "2", h.ID)
				if h.ID == "1" {
					assert.Equal(t, []string{"[…]", "家"}, h.Tags)
					assert.Equal(t, name == "twice", !strings.Contains(h.Name, "老板"))
				}
			}
		}
	}
	hits, err := m.Reader(memory.Owner).Recall(t.Context(), noon, memory.Query{})
	require.NoError(t, err)
	assert.Equal(t, rec.Tags, hits[0].Tags, "records of the store are unchanged")

	for _, part := range []string{"家在", "老板", "7777"} { // the text, the name, a tag
		n := 0
		hits, err := m.Reader(memory.Owner).Redacted(func(_ context.Context, text string) (string, error) {
			if n++; strings.HasPrefix(text, part) {
				return text, errors.New("no idea")
			}
			return text, nil
		}).Recall(t.Context(), noon, memory.Query{})
		assert.ErrorContains(t, err, "memory: redact: no idea")
		assert.Empty(t, hits)
		assert.NotZero(t, n)
	}
	for name, r := range map[string]*memory.Reader{"no redactor": r.Redacted(nil), "again": r.Redacted(nil).Redacted(out("7777")), "nil": (*memory.Reader)(nil).Redacted(out("7777"))} {
		assert.Empty(t, recall(t, r, ""), name)
	}
}

// wrongSpaceStore is a store that returns records of another space than requested.
type wrongSpaceStore struct{ *memory.MemStore }

func (m wrongSpaceStore) GetWithoutVectors(ctx context.Context, _ memory.Space, ids ...string) ([]memory.Record, error) {
	return m.MemStore.GetWithoutVectors(ctx, memory.Owner.Secret(), ids...)
}

// TestReader_StoreReturnsOtherSpace: a record of another space is never a hit, even if the store returns it.
func TestReader_StoreReturnsOtherSpace(t *testing.T) {
	store := memory.NewMemStore()
	put(t, memorytest.New(t, store, memory.Options{}), message(group, "1", "密码"), message(memory.Owner.Secret(), "1", "密码"))
	m := memorytest.New(t, wrongSpaceStore{store}, memory.Options{})
	assert.Empty(t, recall(t, m.Reader(group), "密码"))
	assert.Equal(t, []string{"1"}, recall(t, m.OwnerReader(memory.Owner.Secret()), "密码"))
}

func sorted(ss []string) []string { slices.Sort(ss); return ss }

// TestReader_Isolation moves canaries between spaces at random. Each reader finds those of its own spaces only.
func TestReader_Isolation(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
		spaces := []memory.Space{"qq:group:1", "qq:group:11", "qq:group:2", "qq:private:1", "owner", "self", "' OR '1'='1"}
		lies := map[string]memory.Space{} // by ID; all spaces use the same IDs
		for step := range 300 {
			home := spaces[rng.IntN(len(spaces))]
			id := fmt.Sprint(home, "/", rng.IntN(6))
			switch s := lies[id]; {
			case s == "" || rng.IntN(4) == 0:
				if rng.IntN(3) == 0 {
					home = home.Secret()
				}
				put(t, m, message(home, id, "canary of "+id))
				lies[id] = home
			case rng.IntN(3) == 0:
				require.NoError(t, m.Delete(t.Context(), s, id))
				delete(lies, id)
			case s.IsSecret():
				require.NoError(t, m.Reveal(t.Context(), s, id))
				lies[id] = s.Base()
			default:
				require.NoError(t, m.Hide(t.Context(), s, id))
				lies[id] = s.Secret()
			}
			if step%10 != 0 {
				continue
			}
			var mine []memory.Space
			for _, s := range spaces {
				switch rng.IntN(4) {
				case 0:
					mine = append(mine, s)
				case 1:
					mine = append(mine, s, s.Secret())
				}
			}
			for who, r := range map[string]*memory.Reader{"social": m.Reader(mine...), "owner": m.OwnerReader(mine...)} {
				var want []string
				for id, s := range lies {
					if slices.Contains(mine, s) && (who == "owner" || !s.IsSecret()) {
						want = append(want, id)
					}
				}
				require.ElementsMatch(t, want, recall(t, r, "canary"), "seed %d step %d %s", seed, step, who)
			}
		}
	}
}

// untrustedIndex is an index that proposes all known records in every space.
type untrustedIndex struct{ ids []string }

func (l *untrustedIndex) Put(_ context.Context, recs ...memory.Record) error {
	for _, r := range recs {
		l.ids = append(l.ids, r.ID)
	}
	return nil
}
func (l *untrustedIndex) Delete(context.Context, memory.Space, ...string) error {
	return memory.ErrCannotDelete
}
func (l *untrustedIndex) Search(context.Context, memory.Space, memory.Query, int) (cs []memory.Candidate, err error) {
	for i, id := range append(l.ids, "made up", "", "1' OR '1'='1") {
		cs = append(cs, memory.Candidate{ID: id, Score: float64(i)})
	}
	return cs, nil
}

func TestReader_IndexIsNotTrusted(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{Indexes: []memory.Index{&untrustedIndex{}}})
	require.NoError(t, m.Preload(t.Context()))
	for _, s := range []memory.Space{group, other, memory.Owner.Secret()} {
		recall(t, m.OwnerReader(s), "x") // load the space
	}
	put(t, m, message(group, "a", "canary"), message(other, "b", "canary"), message(memory.Owner.Secret(), "c", "canary"), message(group, "gone", "canary"), message(group, "hidden", "canary"))
	assert.ErrorIs(t, m.Delete(t.Context(), group, "gone"), memory.ErrCannotDelete)
	require.NoError(t, m.Hide(t.Context(), group, "hidden"))
	assert.Equal(t, []string{"a"}, recall(t, m.Reader(group), "nothing of the sort"))
	hits, err := m.Reader(group, other).Recall(t.Context(), noon, memory.Query{Text: "canary", Person: "somebody else"})
	require.NoError(t, err)
	assert.Empty(t, hits, "the record decides whether it matches")
}

func TestHit_TermsSumToScore(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	fact := memory.Record{ID: "fact", Space: group, Kind: memory.KindFact, Text: "小明喜欢火锅", Importance: .8, At: noon.Add(-60 * 24 * time.Hour), Sources: []string{"17", "18"}}
	put(t, m, message(group, "1", "谁想吃火锅"), message(group, "2", "我"), message(group, "3", "天气不错"), message(group, "4", "作业呢"), message(group, "5", "下课了"), fact)
	hits, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "火锅"})
	require.NoError(t, err)
	by := map[string]memory.Hit{}
	for i, h := range hits {
		by[h.ID] = h
		sum := 0.
		for _, term := range h.Terms {
			assert.True(t, term.Value > 0 && term.Value <= 1 && term.Weight > 0, "%v", term)
			sum += term.Value * term.Weight
		}
		assert.InDelta(t, sum, h.Score, 1e-12)
		assert.Nil(t, h.Vector)
		if i > 0 {
			assert.LessOrEqual(t, h.Score, hits[i-1].Score)
		}
	}
	value := func(id, name string) float64 {
		for _, term := range by[id].Terms {
			if term.Name == name {
				return term.Value
			}
		}
		return 0
	}
	assert.Equal(t, []string{"17", "18"}, by["fact"].Sources)
	assert.Equal(t, []string{"1"}, by["1"].Sources, "a message is its own source")
	assert.InDelta(t, .25, value("fact", "recency"), 1e-9, "two half-lives")
	assert.Equal(t, .8, value("fact", "importance"))
	assert.Equal(t, 1., value("1", "recency"))
	assert.Positive(t, value("1", "words"))
	assert.Zero(t, value("2", "words"))
	assert.Positive(t, value("2", "near"))
	assert.NotContains(t, by, "5", "too far from it")
}

// TestRecall_PriorsBreakTies: among equal texts, newer and more important ones come first.
func TestRecall_PriorsBreakTies(t *testing.T) {
	fact := func(id string, importance float64, days int) memory.Record {
		return memory.Record{ID: id, Space: group, Kind: memory.KindFact, Text: "火锅店搬家了", Importance: importance, At: noon.Add(-time.Duration(days) * 24 * time.Hour)}
	}
	recs := []memory.Record{fact("old", 0, 90), fact("new", 0, 1), fact("important", 1, 90)}
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	put(t, m, recs...)
	assert.Equal(t, []string{"important", "new", "old"}, recall(t, m.Reader(group), "火锅店"))
	assert.Equal(t, []string{"new", "important", "old"}, recall(t, m.Reader(group), ""), "without words the newest come first, then the last arrived")
	timeless := memorytest.New(t, memory.NewMemStore(), memory.Options{HalfLife: -1})
	put(t, timeless, recs...)
	hits, err := timeless.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "火锅店", KeepDuplicates: true})
	require.NoError(t, err)
	assert.Equal(t, hits[1].Score, hits[2].Score)
}

func TestRecall_Limits(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	for i := range 30 {
		put(t, m, message(group, fmt.Sprint(i), "早"))
	}
	for limit, want := range map[int]int{0: 10, 3: 3, 30: 30, 5000: 30, -1: 0} {
		hits, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "早", Limit: limit, KeepDuplicates: true})
		require.NoError(t, err)
		assert.Len(t, hits, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Reader(group).Recall(ctx, noon, memory.Query{Text: "早"})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSpace_Secret(t *testing.T) {
	assert.Equal(t, group.Secret(), group.Secret().Secret())
	assert.Equal(t, group, group.Secret().Base())
	assert.Equal(t, group, group.Counterpart().Counterpart())
	assert.True(t, group.Secret().IsSecret())
	assert.False(t, group.IsSecret())
	for _, s := range []memory.Space{"", "!", "!!", "a!!", "a\x00", "\xff"} {
		assert.ErrorIs(t, s.Validate(), memory.ErrInvalid, "%q", s)
	}
}
