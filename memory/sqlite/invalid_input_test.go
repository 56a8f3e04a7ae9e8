package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_InvalidInput: each invalid input gives a sentinel error, and the store stays unchanged.
func TestDB_InvalidInput(t *testing.T) {
	db := fresh(t)
	m := memorytest.New(t, db, memory.Options{Indexes: []memory.Index{flat.New()}})
	ctx := t.Context()
	now := time.Unix(1.77e9, 0)
	first := memory.Record{ID: "1", Space: group, Text: "火锅", Person: "p", At: now, Vector: []float32{1, 2, 3}}
	require.NoError(t, m.Put(ctx, first))
	require.NoError(t, m.Notes(group).SetSlot(ctx, now, "a", "b"))
	export := func() string {
		var b bytes.Buffer
		require.NoError(t, m.Export(ctx, &b, memory.ExportOptions{}))
		return b.String()
	}
	before := export()
	bad := func(change func(*memory.Record)) error {
		r := first
		r.Text = "changed"
		second := r
		second.ID = "2"
		change(&second)
		return m.Put(ctx, r, second)
	}
	newer := strings.Replace(before, `"hearth_memory":1`, `"hearth_memory":9`, 1)
	_, imported := m.Import(ctx, strings.NewReader(newer), nil)
	_, cut := m.Import(ctx, strings.NewReader(before[:len(before)-9]), nil)
	_, nobody := m.ErasePerson(ctx, "", memory.EraseOptions{})
	_, nowhere := m.EraseSpace(ctx, "a!!", memory.EraseOptions{})
	_, mood := m.People(group).RecordInteraction(ctx, now, "p", memory.Interaction{Feeling: memory.Happy, Mood: math.NaN()})
	_, quota := m.Trim(ctx, group, memory.Quota{Bytes: -1})
	for name, c := range map[string]struct{ err, want error }{
		"vector of another length": {bad(func(r *memory.Record) { r.Vector = []float32{1} }), memory.ErrVector},
		"NaN":                      {bad(func(r *memory.Record) { r.Vector = []float32{1, float32(math.NaN()), 1} }), memory.ErrVector},
		"zero vector":              {bad(func(r *memory.Record) { r.Vector = make([]float32, 3) }), memory.ErrVector},
		"10 MB of text":            {bad(func(r *memory.Record) { r.Text = strings.Repeat("x", 10<<20) }), memory.ErrTooLong},
		"no space":                 {bad(func(r *memory.Record) { r.Space = "" }), memory.ErrInvalid},
		"no ID":                    {bad(func(r *memory.Record) { r.ID = "" }), memory.ErrInvalid},
		"NUL in an address":        {bad(func(r *memory.Record) { r.Person = "\x00" }), memory.ErrInvalid},
		"importance":               {bad(func(r *memory.Record) { r.Importance = math.Inf(1) }), memory.ErrInvalid},
		"year":                     {bad(func(r *memory.Record) { r.At = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC) }), memory.ErrInvalid},
		"hide the unknown":         {m.Hide(ctx, group, "1", "unknown"), memory.ErrNotFound},
		"a newer export":           {imported, memory.ErrFormat},
		"half an export":           {cut, memory.ErrFormat},
		"erase nobody":             {nobody, memory.ErrInvalid},
		"erase nowhere":            {nowhere, memory.ErrInvalid},
		"a mood of NaN":            {mood, memory.ErrInvalid},
		"a quota below zero":       {quota, memory.ErrInvalid},
		"a key of 1 MB":            {db.Apply(ctx, map[string][]byte{strings.Repeat("k", 1<<20): {1}}), memory.ErrInvalid},
	} {
		assert.ErrorIs(t, c.err, c.want, name)
	}
	assert.Equal(t, before, export())

	hits, err := m.Reader("unknown").Recall(ctx, now, memory.Query{Text: "火锅"})
	assert.NoError(t, err, "an unknown space is empty")
	assert.Empty(t, hits)
	assert.NoError(t, m.Delete(ctx, "unknown", "1"))
	assert.Equal(t, before, export())

	// These are no errors: the last record counts, text may be empty, and a clock may step back.
	again := first
	again.Text = "草稿"
	require.NoError(t, m.Put(ctx, again, first, memory.Record{ID: "empty", Space: group, At: now.Add(-time.Hour)}))
	recent, err := m.Recent(ctx, group, 9)
	require.NoError(t, err)
	require.Len(t, recent, 2)
	assert.Equal(t, "火锅", recent[0].Text)
	assert.Equal(t, "empty", recent[1].ID, "the order is by arrival")
}

// TestDB_ReadOnlyFile: opening a file that is not writable fails at once and does not change it.
func TestDB_ReadOnlyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1)))
	require.NoError(t, db.Close())
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o400))
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		f.Close()
		t.Skip("whoever runs this may write every file")
	}
	_, err = sqlite.Open(path, sqlite.Options{})
	assert.ErrorIs(t, err, os.ErrPermission)
	assert.ErrorIs(t, err, sqlite.ErrReadOnly)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// TestDream_OnDisk runs a dream over a file, and reads the results after reopening it.
func TestDream_OnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	now := time.Unix(1.77e9, 0).UTC()
	for night := range 3 {
		db := open(t, path)
		m := memorytest.New(t, db, memory.Options{})
		for i := range 30 {
			require.NoError(t, m.Put(t.Context(), memory.Record{ID: fmt.Sprint(night, "-", i), Space: group, Person: "p", Text: fmt.Sprint("第", night, "晚的第", i, "句"), At: now}))
		}
		failed := false
		f := func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
			if !failed {
				failed = true
				return nil, errors.New("no model")
			}
			in := memory.Insight{Text: fmt.Sprint("一共", len(n.Messages), "句，第", night, "晚"), Importance: .9}
			for _, k := range n.Known {
				in.Replaces = append(in.Replaces, k.ID)
			}
			return []memory.Insight{in}, nil
		}
		at := now.AddDate(0, 0, night)
		_, err := m.Dream(t.Context(), at, f, memory.DreamOptions{})
		require.Error(t, err)
		did, err := m.Dream(t.Context(), at.Add(time.Minute), f, memory.DreamOptions{})
		require.NoError(t, err)
		assert.Equal(t, 1, did.Added+did.Updated)
		require.NoError(t, db.Close())
	}
	db := open(t, path)
	facts, err := db.Tail(t.Context(), group, memory.KindFact, 9)
	require.NoError(t, err)
	require.Len(t, facts, 1)
	assert.Equal(t, "一共30句，第2晚", facts[0].Text)
	assert.Len(t, facts[0].Sources, 90, "and of the replaced record")
}
