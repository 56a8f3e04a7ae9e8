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

// A correction replaces the text, deletes what was derived from the old text, and keeps sources, label and messages.
func TestCorrect(t *testing.T) {
	store := memory.NewMemStore()
	m := fillStore(t, store)
	fact, deep, msg := "f"+string(group), "d"+string(group), "v"+string(group)
	put(t, m, memory.Record{ID: "self", Space: memory.Self, Kind: memory.KindFact, Text: "大家都这么说", Sources: []string{fact}, Label: memory.Untrusted(group)},
		memory.Record{ID: "quote", Space: group, Kind: memory.KindMessage, Own: true, Text: "我听说据说" + canary})
	require.NoError(t, m.Notes(group).SetSlot(t.Context(), noon, "from the fact", "记着", fact))
	require.NoError(t, m.People(group).SetImpression(t.Context(), noon, "bystander", "由它来的", fact))
	_, err := m.Endorse(t.Context(), noon, group, fact)
	require.NoError(t, err)
	before, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	require.NotEmpty(t, before.Text)
	require.Contains(t, recall(t, m.OwnerReader(group), "据说"), fact)

	ok, err := memory.Correct(t.Context(), m, group, fact, "据说"+canary, " 其实是火锅\x00 ")
	require.NoError(t, err)
	assert.True(t, ok)
	recs, err := m.Get(t.Context(), group, fact, deep, msg, "quote")
	require.NoError(t, err)
	require.Len(t, recs, 3, "the derived record is deleted, the messages stay")
	assert.Equal(t, "其实是火锅\uFFFD", recs[0].Text)
	assert.Equal(t, []string{memory.TagCorrected}, recs[0].Tags)
	assert.Equal(t, []string{msg, "b" + string(group)}, recs[0].Sources)
	assert.Equal(t, memory.Trusted(group), recs[0].LabelOrDefault(), "it stays endorsed")
	overrides, err := m.LabelOverrides(t.Context())
	require.NoError(t, err)
	require.Len(t, overrides, 1)
	require.NoError(t, m.Revoke(t.Context(), overrides[0].ID))
	recs, err = m.Get(t.Context(), group, fact)
	require.NoError(t, err)
	assert.Equal(t, memory.Untrusted(group), recs[0].LabelOrDefault())

	assert.Contains(t, recall(t, m.OwnerReader(group), "火锅"), fact, "it is found by its new words")
	shared, err := m.Get(t.Context(), memory.Self, "self")
	require.NoError(t, err)
	assert.Empty(t, shared)
	slots, err := m.Notes(group).Slots(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"1=小" + canary + "要来", "2=旁人要来"}, names(slots))
	assert.Empty(t, person(t, m, group, "bystander").Impression)
	after, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	assert.Equal(t, before, after, "a summary is made from messages")

	ok, err = memory.Correct(t.Context(), m, group, fact, recs[0].Text, "又改一次")
	require.NoError(t, err)
	assert.True(t, ok)
	recs, err = m.Get(t.Context(), group, fact)
	require.NoError(t, err)
	assert.Equal(t, []string{memory.TagCorrected}, recs[0].Tags, "the tag is not repeated")
}

// A correction that is late, empty, or of a message changes nothing.
func TestCorrect_Refused(t *testing.T) {
	store := memory.NewMemStore()
	m := fillStore(t, store)
	fact, msg := "f"+string(group), "v"+string(group)
	before := dump(t, store)
	ok, err := memory.Correct(t.Context(), m, group, fact, "别的", "新的")
	require.NoError(t, err)
	assert.False(t, ok)
	ok, err = memory.Correct(t.Context(), m, group, fact, "据说"+canary, "据说"+canary)
	require.NoError(t, err)
	assert.True(t, ok, "the same text")
	for _, c := range []struct {
		space    memory.Space
		id, text string
		want     error
	}{
		{group, msg, "新的", memory.ErrInvalid}, {group, fact, " \n ", memory.ErrInvalid}, {group, "no such record", "新的", memory.ErrNotFound}, {"", fact, "新的", memory.ErrInvalid},
		{group.Secret(), fact, "新的", memory.ErrNotFound}, {group, fact, strings.Repeat("长", memory.MaxText/3+1), memory.ErrTooLong},
	} {
		_, err := memory.Correct(t.Context(), m, c.space, c.id, "据说"+canary, c.text)
		assert.ErrorIs(t, err, c.want)
	}
	assert.Equal(t, before, dump(t, store))
}

// After a crash at any write, a repeated correction ends with the same data.
func TestCorrect_AfterAnyWrite(t *testing.T) {
	correct := func(ctx context.Context, m *memory.Memory) error {
		_, err := memory.Correct(ctx, m, group, "f"+string(group), "据说"+canary, "其实是火锅")
		return err
	}
	want := memory.NewMemStore()
	require.NoError(t, correct(t.Context(), fillStore(t, want)))
	for at := 1; ; at++ {
		store := memory.NewMemStore()
		fillStore(t, store)
		err := correct(t.Context(), memorytest.New(t, &crashingStore{MemStore: store, at: at}, memory.Options{}))
		if err == nil {
			assert.Greater(t, at, 2, "too few writes")
			return
		}
		require.ErrorIs(t, err, errCrashed)
		require.NoError(t, correct(t.Context(), memorytest.New(t, store, memory.Options{})))
		assert.Equal(t, dump(t, want), dump(t, store))
	}
}

// A corrected record gets a vector of its new text.
func TestCorrect_Vector(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{Embedder: Topics{}, EmbedderID: "topics"})
	put(t, m, memory.Record{ID: "1", Space: group, Kind: memory.KindFact, Text: "新显卡到了", At: noon}, memory.Record{ID: "2", Space: group, Kind: memory.KindFact, Text: "晚饭吃了面条", At: noon})
	require.NoError(t, m.EmbedMissing(t.Context(), nil))
	vectors := func() map[string]float64 {
		hits, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "有点饿"})
		require.NoError(t, err)
		all := map[string]float64{}
		for _, h := range hits {
			for _, term := range h.Terms {
				if term.Name == "vector" {
					all[h.ID] = term.Value
				}
			}
		}
		return all
	}
	before := vectors()
	require.Less(t, before["1"], .9*before["2"])
	_, err := memory.Correct(t.Context(), m, group, "1", "新显卡到了", "昨晚那家火锅不错")
	require.NoError(t, err)
	assert.Equal(t, 1, memory.Vectors(m).Waiting)
	require.NoError(t, m.EmbedMissing(t.Context(), nil))
	assert.Greater(t, vectors()["1"], before["1"]+.1)
}
