package memory_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

// derivedFrom returns a claim about somebody from these messages.
func derivedFrom(id string, sources ...string) memory.Record {
	return memory.Record{ID: id, Kind: memory.KindClaim, Person: "9", Text: "北京", Sources: sources, At: noon}
}

func TestPutDerived(t *testing.T) {
	ctx, store := t.Context(), memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	require.NoError(t, m.Put(ctx,
		memory.Record{ID: "a", Space: group, Person: "1", Text: "他在北京", At: noon},
		memory.Record{ID: "b", Space: group, Person: "2", Text: "嗯", At: noon},
		memory.Record{ID: "gone", Space: group, Person: "2", Text: "不对", At: noon}))
	require.NoError(t, m.Delete(ctx, group, "gone"))
	n, err := memory.PutDerived(ctx, m, group, memory.DerivedFact, derivedFrom("x", "a", "b"), derivedFrom("y", "a", "gone"))
	require.NoError(t, err)
	assert.Equal(t, 1, n, "a source of y was deleted")
	recs, err := m.Get(ctx, group, "x", "y")
	require.NoError(t, err)
	require.Len(t, recs, 1)
	assert.Equal(t, []string{"from:1", "from:2"}, recs[0].Tags)
	assert.Equal(t, memory.Untrusted(group), recs[0].LabelOrDefault())

	_, err = memory.PutDerived(ctx, m, group, memory.DerivedFact, derivedFrom("z"))
	assert.ErrorIs(t, err, memory.ErrInvalid, "no sources")
	require.NoError(t, m.Hide(ctx, group, "a"))
	n, err = memory.PutDerived(ctx, m, group, memory.DerivedFact, derivedFrom("z", "a"))
	require.NoError(t, err)
	assert.Zero(t, n, "the source is secret")
}

func TestErasePerson_TagAbout(t *testing.T) {
	ctx, m := t.Context(), memorytest.New(t, memory.NewMemStore(), memory.Options{})
	require.NoError(t, m.Put(ctx, memory.Record{ID: "a", Space: group, Person: "1", Text: "我和他在一起了", At: noon}))
	about := derivedFrom("x", "a")
	about.Tags = []string{memory.TagAbout + "5"}
	_, err := memory.PutDerived(ctx, m, group, memory.DerivedFact, about, derivedFrom("y", "a"))
	require.NoError(t, err)
	_, err = m.ErasePerson(ctx, "5", memory.EraseOptions{})
	require.NoError(t, err)
	recs, err := m.Get(ctx, group, "a", "x", "y")
	require.NoError(t, err)
	require.Len(t, recs, 2)
	assert.Equal(t, "a", recs[0].ID)
	assert.Equal(t, "y", recs[1].ID)
}

// A countingEmbedder counts texts.
type countingEmbedder struct{ texts []string }

func (e *countingEmbedder) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	e.texts = append(e.texts, texts...)
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{1, 2}
	}
	return vectors, nil
}

func (e *countingEmbedder) EmbedQuery(context.Context, string) ([]float32, error) {
	return []float32{1, 2}, nil
}

// Claims cost no embedding, and Recall does not find them, also after a restart.
func TestKindClaim_NotSearched(t *testing.T) {
	ctx, store, e := t.Context(), memory.NewMemStore(), &countingEmbedder{}
	for range 2 {
		m := memorytest.New(t, store, memory.Options{Embedder: e, EmbedderID: "e"})
		require.NoError(t, m.Preload(ctx))
		require.NoError(t, m.Put(ctx, memory.Record{ID: "a", Space: group, Person: "1", Text: "他在北京", At: noon}))
		_, err := memory.PutDerived(ctx, m, group, memory.DerivedFact, derivedFrom("x", "a"))
		require.NoError(t, err)
		require.NoError(t, m.EmbedMissing(ctx, nil))
		for _, q := range []memory.Query{{Text: "北京"}, {}} {
			hits, err := m.Reader(group).Recall(ctx, noon, q)
			require.NoError(t, err)
			require.Len(t, hits, 1)
			assert.Equal(t, "a", hits[0].ID)
		}
	}
	for _, text := range e.texts {
		assert.Equal(t, "他在北京", text)
	}
	assert.NotEmpty(t, e.texts)
}

func TestRevision(t *testing.T) {
	ctx, m := t.Context(), memorytest.New(t, memory.NewMemStore(), memory.Options{})
	last := memory.Revision(m, group)
	changed := func() bool {
		now := memory.Revision(m, group)
		is := now != last
		last = now
		return is
	}
	require.NoError(t, m.Put(ctx, memory.Record{ID: "a", Space: group, Text: "一", At: noon}, memory.Record{ID: "b", Space: group, Text: "二", At: noon}))
	_, err := memory.PutDerived(ctx, m, group, memory.DerivedFact, derivedFrom("x", "b"))
	require.NoError(t, err)
	require.NoError(t, m.Delete(ctx, "qq:group:2", "a"))
	assert.False(t, changed())
	require.NoError(t, m.Hide(ctx, group, "a"))
	assert.True(t, changed())
	require.NoError(t, m.Delete(ctx, group.Secret(), "a"))
	assert.True(t, changed(), "a space and its counterpart have one number")
	o, err := m.Declassify(ctx, noon, group, "x")
	require.NoError(t, err)
	assert.True(t, changed())
	require.NoError(t, m.Revoke(ctx, o.ID))
	assert.True(t, changed())
	require.NoError(t, m.Put(ctx, memory.Record{ID: "x", Space: group, Kind: memory.KindClaim, Text: "上海", Sources: []string{"b"}, At: noon}))
	assert.True(t, changed())
}

func TestPosition(t *testing.T) {
	ctx, m := t.Context(), memorytest.New(t, memory.NewMemStore(), memory.Options{})
	n, err := memory.Position(ctx, m, group, "x")
	require.NoError(t, err)
	assert.Zero(t, n)
	require.NoError(t, memory.SetPosition(ctx, m, group, "x", 7))
	require.NoError(t, memory.SetPosition(ctx, m, group, "xy", 9))
	n, err = memory.Position(ctx, m, group, "x")
	require.NoError(t, err)
	assert.Equal(t, uint64(7), n)
	_, err = m.EraseSpace(ctx, group, memory.EraseOptions{})
	require.NoError(t, err)
	n, err = memory.Position(ctx, m, group, "x")
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.ErrorIs(t, memory.SetPosition(ctx, m, "", "x", 1), memory.ErrInvalid)
}
