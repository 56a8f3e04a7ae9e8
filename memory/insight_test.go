package memory_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInsight_ModelOutputIsValidated: for any output of the model, stored insights are valid records with existing
// sources.
func TestInsight_ModelOutputIsValidated(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	put(t, m, liked(group, 1, "明", "火锅", night), liked(group, 2, "红", "茶", night), liked(other, 3, "刚", "书", night))
	did := dream(t, m, night, func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		if n.Space == other {
			return nil, nil
		}
		for i := range n.Messages {
			n.Messages[i].Text, n.Messages[i].ID = "spoiled", "spoiled"
		}
		return []memory.Insight{
			{Text: "  "},
			{Text: "坏\xff的\x00一条", Sources: []string{"m1", "m3", "made up"}, Importance: 7},
			{Text: "没有来源的第二条", Importance: math.NaN(), Kind: memory.KindMessage},
			{Text: "别处的第三条事实", Sources: []string{"m3"}, Importance: -1, Replaces: []string{"m1", "m3", ""}},
			{Text: "第四条", Person: "\xff"},
			{Text: "第五条", Kind: "a\x00"},
			{Text: strings.Repeat("长", 1<<20), Tags: []string{strings.Repeat("x", 2000)}},
			{Text: strings.Repeat("长", 1<<20)},
		}, nil
	}, memory.DreamOptions{})
	assert.Equal(t, memory.DreamResult{Day: "2026-03-02", Added: 4, Rejected: 4}, did)
	for r, err := range store.Scan(t.Context(), group, 0) {
		require.NoError(t, err)
		if r.Kind == memory.KindMessage {
			assert.Contains(t, r.Text, "喜欢", "messages stay unchanged")
			continue
		}
		assert.NotEmpty(t, r.Sources)
		for _, id := range r.Sources {
			assert.Contains(t, []string{"m1", "m2"}, id)
		}
		assert.LessOrEqual(t, len(r.Text), 3*4000)
	}
	assert.Empty(t, texts(t, m, other))
}

// TestInsight_SameTextForTwoPersons: equal texts about two people stay two facts over several nights, also in the input
// of the function.
func TestInsight_SameTextForTwoPersons(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	nights := 0
	f := func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
		assert.Len(t, n.Known, min(nights, 1)*2)
		nights++
		return []memory.Insight{{Text: "喜欢在家里睡觉", Person: "明", Importance: .9}, {Text: "喜欢在家里睡觉", Person: "红", Importance: .9}, {Text: "喜欢在家里睡觉。", Person: "明"}}, nil
	}
	for i := range 3 {
		put(t, m, liked(group, i, "刚", "在家里睡觉", night))
		did := dream(t, m, night.AddDate(0, 0, i), f, memory.DreamOptions{})
		assert.Equal(t, 2, did.Added+did.Updated)
		assert.Equal(t, i == 0, did.Added == 2)
		facts, err := store.Tail(t.Context(), group, memory.KindFact, 9)
		require.NoError(t, err)
		require.Len(t, facts, 2)
		assert.Equal(t, []string{"明", "红"}, []string{facts[0].Person, facts[1].Person})
		assert.Equal(t, .9, facts[0].Importance, "the more important of equal insights")
	}
}
