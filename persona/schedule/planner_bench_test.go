package schedule_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// simulateDay simulates a day from empty rows: 6 conversations of 40 messages, 24 cron firings, 12 tasks and the autonomous
// wakes. Each wake is done at once. It returns the number of wakes and of writes.
func simulateDay(b *testing.B) (wakes, writes int) {
	ctx := b.Context()
	r, now := statetest.New(nil), statetest.T0
	h := newPlanner(b, r, statetest.T0, schedule.PlannerOptions{IdleOrigin: byOwner})
	_, err := h.timers.Set(ctx, statetest.T0, byOwner, "cron:0 * * * *", "")
	require.NoError(b, err)
	until := func(end time.Time) {
		for {
			if next, ok := h.Next(now); ok && next.Before(end) {
				now = latestOf(now, next)
			} else {
				now = end
			}
			for w, err := range h.Due(ctx, now) {
				if err != nil || h.Done(ctx, now, w.ID, nil) != nil {
					b.Fatal(err)
				}
				wakes++
			}
			if next, ok := h.Next(now); !now.Before(end) && (!ok || next.After(now)) {
				return
			}
		}
	}
	for i := range 12 {
		if _, err := h.tasks.Add(ctx, now, schedule.Task{Title: "x", ScheduledAt: now.Add(time.Hour)}); err != nil {
			b.Fatal(err)
		}
		for range 40 * (1 - i%2) {
			if err := h.Observe(ctx, now, inGroup, 1); err != nil {
				b.Fatal(err)
			}
			until(now.Add(10 * time.Second))
		}
		until(statetest.T0.Add(time.Duration(i+1) * 2 * time.Hour))
	}
	return wakes, r.Applies
}

func latestOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// BenchmarkLifeDay simulates a whole day with rows in memory.
func BenchmarkLifeDay(b *testing.B) {
	b.ReportAllocs()
	wakes, writes := 0, 0
	for b.Loop() {
		wakes, writes = simulateDay(b)
	}
	b.ReportMetric(float64(wakes), "wakes/op")
	b.ReportMetric(float64(writes), "writes/op")
}

// BenchmarkLifeNext calls Next with 100 active conversations. A host does this after every other call.
func BenchmarkLifeNext(b *testing.B) {
	h := manyConversations(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := h.Next(statetest.T0); !ok {
			b.Fatal("none")
		}
	}
}

// BenchmarkLifeDue calls Due when nothing is due.
func BenchmarkLifeDue(b *testing.B) {
	h := manyConversations(b)
	b.ReportAllocs()
	for b.Loop() {
		for w := range h.Due(b.Context(), statetest.T0) {
			b.Fatal("too early", w)
		}
	}
}

// BenchmarkLifeHeard is the cost of one observed message with rows in memory.
func BenchmarkLifeHeard(b *testing.B) {
	h := manyConversations(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := h.Observe(b.Context(), statetest.T0, inGroup, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func manyConversations(b *testing.B) setup {
	h := newPlanner(b, statetest.New(nil), statetest.T0, schedule.PlannerOptions{ReflectEvery: -1})
	for i := range 100 {
		m := inGroup
		m.Chat.ID = string(rune('一' + i))
		require.NoError(b, h.Observe(b.Context(), statetest.T0, m, 1))
	}
	for range h.Due(b.Context(), statetest.T0) {
		b.Fatal("too early")
	}
	return h
}
