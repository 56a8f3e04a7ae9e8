package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/require"
)

// fillSpace returns a space of 10 000 messages. Each hundredth message has a derived fact.
func fillSpace(b *testing.B) *memory.Memory {
	db := fresh(b)
	recs := make([]memory.Record, 0, 10_100)
	for i := range 10_000 {
		r := said(i)
		r.Text = fmt.Sprint("第 ", i, " 句：晚上一起去吃火锅吗，学校后门新开了一家", i%97)
		if recs = append(recs, r); i%100 == 0 {
			recs = append(recs, memory.Record{ID: fmt.Sprint("f", i), Space: group, Kind: memory.KindFact, Text: r.Text, Sources: []string{r.ID}})
		}
	}
	require.NoError(b, db.Put(context.Background(), recs...))
	m := memorytest.New(b, db, memory.Options{})
	require.NoError(b, m.Preload(context.Background()))
	return m
}

// BenchmarkForget durably deletes one of 10 000 messages with its derived data.
func BenchmarkForget(b *testing.B) {
	m := fillSpace(b)
	for i := 0; b.Loop(); i++ {
		if err := m.Delete(context.Background(), group, fmt.Sprint(i%10_000)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSummaryDue checks after 60 new messages whether a summary is due, as after each turn.
func BenchmarkSummaryDue(b *testing.B) {
	m := fillSpace(b)
	s := m.Summarizer(func(context.Context, string, []memory.Record) (string, error) { return "", nil }, memory.SummaryOptions{})
	require.NoError(b, m.SetSummary(context.Background(), group, memory.RollingSummary{Text: "x", FirstSeq: 1, LastSeq: 10_040}))
	for b.Loop() {
		if _, err := s.Due(context.Background(), group); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDream runs a dream over 10 000 messages without a model.
func BenchmarkDream(b *testing.B) {
	f := func(_ context.Context, n memory.DreamInput) (out []memory.Insight, err error) {
		for _, r := range n.Messages[:min(20, len(n.Messages))] {
			out = append(out, memory.Insight{Text: r.Text, Sources: []string{r.ID}})
		}
		return out, nil
	}
	for b.Loop() {
		b.StopTimer()
		m := fillSpace(b)
		b.StartTimer()
		if _, err := m.Dream(context.Background(), time.Unix(1.8e9, 0), f, memory.DreamOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkForgetPerson erases one of two people with 5 000 messages each, and scrubs the file.
func BenchmarkForgetPerson(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		db := open(b, filepath.Join(b.TempDir(), "p.db"))
		recs := make([]memory.Record, 10_000)
		for i := range recs {
			recs[i] = said(i)
			recs[i].Person = fmt.Sprint("p", i%2)
		}
		require.NoError(b, db.Put(context.Background(), recs...))
		m := memorytest.New(b, db, memory.Options{})
		b.StartTimer()
		if n, err := m.ErasePerson(context.Background(), "p1", memory.EraseOptions{}); err != nil || n != 5_000 {
			b.Fatal(n, err)
		}
	}
}
