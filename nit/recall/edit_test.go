package recall_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// in lists the texts of a space by id.
func (h *house) in(s memory.Space) (texts []string) {
	hits, err := h.m.OwnerReader(s).Recall(h.t.Context(), day, memory.Query{Limit: 100})
	require.NoError(h.t, err)
	for _, hit := range hits {
		texts = append(texts, hit.Text)
	}
	slices.Sort(texts)
	return texts
}

// The owner's memory is written, corrected, hidden and forgotten. Messages are never changed.
func TestEdit(t *testing.T) {
	h := newHouse(t, recall.Options{})
	edit := func(args map[string]any) string { return h.do(h.r.View(agent), "memory_edit", args) }
	var done struct{ IDs []string }
	first := edit(map[string]any{"op": "write", "text": "主人对花生过敏", "importance": .9})
	require.NoError(t, json.Unmarshal([]byte(first), &done), first)
	assert.Equal(t, first, edit(map[string]any{"op": "write", "text": "主人对花生过敏", "importance": .9}), "the same in one turn is one fact")
	fact := done.IDs[0]
	edit(map[string]any{"op": "write", "text": "银行卡在抽屉里", "secret": true})
	assert.Equal(t, []string{"主人对花生过敏"}, h.in(memory.Owner))
	assert.Equal(t, []string{"银行卡在抽屉里"}, h.in(memory.Owner.Secret()))

	assert.Contains(t, edit(map[string]any{"op": "correct", "ids": []string{fact}, "text": "主人对虾过敏"}), fact)
	got := h.read(agent, "read_owner_memory", map[string]any{"query": "过敏"})
	assert.Equal(t, []string{"主人对虾过敏"}, got.texts())
	assert.Empty(t, h.read(agent, "memory_ops", map[string]any{"query": "花生"}).texts(), "not found by what it no longer says")

	for range 2 { // the second time nothing changes
		assert.Contains(t, edit(map[string]any{"op": "hide", "ids": []string{fact}}), `"done":"hide"`)
		assert.Empty(t, h.in(memory.Owner))
		assert.Empty(t, h.read(group1, "read_owner_memory", map[string]any{"query": "过敏"}).Memories)
	}
	for range 2 {
		assert.Contains(t, edit(map[string]any{"op": "reveal", "ids": []string{fact}}), `"done":"reveal"`)
		assert.Equal(t, []string{"主人对虾过敏"}, h.in(memory.Owner))
	}
	assert.Contains(t, edit(map[string]any{"op": "forget", "ids": []string{fact}}), fact)
	assert.Empty(t, h.in(memory.Owner))
}

// Edits in chats by place, with derived records. A mistake changes nothing.
func TestEdit_OtherSpaces(t *testing.T) {
	h := newHouse(t, recall.Options{})
	edit := func(args map[string]any) string { return h.do(h.r.View(agent), "memory_edit", args) }
	h.keep("qq:group:1", "m1", "7", "我搬家了", day)
	h.keep("qq:group:2", "m1", "7", "另一个群的", day)
	h.keep(memory.Owner, "m1", "owner", "主人的原话", day)
	require.NoError(t, h.m.Put(t.Context(), memory.Record{ID: "f1", Space: "qq:group:1", Kind: memory.KindFact, Text: "七搬家了", At: day, Sources: []string{"m1"}}))
	for _, c := range []struct {
		args map[string]any
		says string
	}{
		{map[string]any{"op": "correct", "ids": []string{"m1"}, "text": "假的", "where": "group_1"}, "说过的原话"},
		{map[string]any{"op": "correct", "ids": []string{"m1"}, "text": "假的"}, "说过的原话"},
		{map[string]any{"op": "correct", "ids": []string{"f1"}, "where": "group_1"}, "text 是空的"},
		{map[string]any{"op": "correct", "ids": []string{"f1", "m1"}, "text": "x", "where": "group_1"}, "只写一个"},
		{map[string]any{"op": "forget"}, "ids 里要写"},
		{map[string]any{"op": "forget", "ids": []string{"m1", "gone"}, "where": "group_1"}, "2 个 id 里找到 1 个，什么也没有改"},
		{map[string]any{"op": "forget", "ids": []string{"f1"}}, "找到 0 个"},
		{map[string]any{"op": "forget", "ids": []string{"m1"}, "where": "qq:group:1"}, "where 写"},
		{map[string]any{"op": "forget", "ids": []string{"m1"}, "where": "group_1 group_2"}, "where 写"},
		{map[string]any{"op": "forget", "ids": []string{"m1"}, "where": "group_1 since:3d"}, "where 写"},
		{map[string]any{"op": "forget", "ids": []string{"m1"}, "where": "user_7"}, "找到 0 个"},
		{map[string]any{"op": "forget", "ids": []string{""}}, "bad arguments"},
		{map[string]any{"op": "forget", "ids": []string{"a\x00b"}}, ""},
		{map[string]any{"op": "forget", "ids": slices.Repeat([]string{"x"}, 21)}, "bad arguments"},
		{map[string]any{"op": "erase", "ids": []string{"m1"}}, "bad arguments"},
		{map[string]any{"op": "write", "text": " "}, "text 是空的"},
		{map[string]any{"op": "write", "text": "x", "where": "group_1"}, "write 只记主人的事"},
		{map[string]any{"op": "write", "text": strings.Repeat("长", 2001)}, "bad arguments"},
		{map[string]any{"op": "write", "text": "x", "importance": 2}, "bad arguments"},
	} {
		got := edit(c.args)
		assert.True(t, strings.HasPrefix(got, "error: "), "%v: %s", c.args, got)
		assert.Contains(t, got, c.says)
	}
	assert.Equal(t, []string{"七搬家了", "我搬家了"}, h.in("qq:group:1"))
	assert.Contains(t, edit(map[string]any{"op": "forget", "ids": []string{"m1", "m1"}, "where": "group_1"}), "forget")
	assert.Empty(t, h.in("qq:group:1"), "and what was made of it")
	assert.Equal(t, []string{"另一个群的"}, h.in("qq:group:2"))
	assert.Contains(t, edit(map[string]any{"op": "hide", "ids": []string{"m1"}, "where": "user_7,"}), "找到 0 个")
}

// In persona mode the tool is unknown for all arguments.
func TestEdit_NotInPersonaMode(t *testing.T) {
	h := newHouse(t, recall.Options{})
	h.keep("qq:group:1", "m1", "7", "留着", day)
	for _, p := range []nit.Principal{group1, {Tiers: 255, Platform: "app", Session: "session_master"}, {Mode: "life", Tiers: 255}} {
		for _, args := range []map[string]any{{}, {"op": "forget", "ids": []string{"m1"}, "where": "group_1"}, {"op": "write", "text": "主人让我听你的"}} {
			assert.Equal(t, "error: unknown tool", h.do(h.r.View(p), "memory_edit", args))
		}
	}
	assert.Equal(t, []string{"留着"}, h.in("qq:group:1"))
	assert.Empty(t, h.in(memory.Owner))
}

// A new record has the label of its turn.
func TestEdit_WritesTheLabelOfItsTurn(t *testing.T) {
	l := memory.Trusted(memory.Owner, "qq:group:2")
	h := newHouse(t, recall.Options{WriteLabel: func(context.Context) memory.Label { return l }})
	require.NoError(t, h.m.Put(t.Context(), memory.Record{ID: "f", Space: "qq:group:1", Kind: memory.KindFact, Text: "旧的", At: day}))
	var done struct{ IDs []string }
	edit := func(args map[string]any) memory.Label {
		require.NoError(t, json.Unmarshal([]byte(h.do(h.r.View(agent), "memory_edit", args)), &done))
		for _, s := range []memory.Space{memory.Owner, "qq:group:1"} {
			if recs, err := h.m.Get(t.Context(), s, done.IDs...); err != nil || len(recs) > 0 {
				require.NoError(t, err)
				return recs[0].LabelOrDefault()
			}
		}
		return memory.Label{}
	}
	assert.Equal(t, l, edit(map[string]any{"op": "write", "text": "在群二说的"}))
	assert.Equal(t, "U owner qq:group:1 qq:group:2", edit(map[string]any{"op": "correct", "ids": []string{"f"}, "where": "group_1", "text": "新的"}).String())
	l = memory.Trusted(memory.Owner)
	assert.Equal(t, l, edit(map[string]any{"op": "write", "text": "在这里说的"}))
	require.NoError(t, h.m.Put(t.Context(), memory.Record{ID: "g", Space: "qq:group:1", Kind: memory.KindFact, Text: "旧的", At: day}))
	assert.Equal(t, "U qq:group:1", edit(map[string]any{"op": "correct", "ids": []string{"g"}, "where": "group_1", "text": "新的"}).String(), "the owner puts it there")
}
