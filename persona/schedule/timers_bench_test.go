package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
)

// thousand returns 1 000 timers of 50 sessions. Half of them are cron lines.
func thousand(b *testing.B) *schedule.Timers {
	timers := schedule.NewTimers(statetest.New(nil), schedule.TimerOptions{Location: time.UTC})
	for i := range 1000 {
		m := inGroup
		m.Chat.ID = fmt.Sprint(i / 20)
		spec := fmt.Sprintf("%dmin", 1000+i)
		if i%2 == 0 {
			spec = fmt.Sprintf("cron:%d %d * * *", i%60, i%24)
		}
		_, err := timers.Set(b.Context(), statetest.T0, m, spec, "喝水")
		require.NoError(b, err)
	}
	return timers
}

// BenchmarkTimersNext calls Next. A host does this after every other call.
func BenchmarkTimersNext(b *testing.B) {
	timers := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := timers.Next(); !ok {
			b.Fatal("none")
		}
	}
}

// BenchmarkTimersDue calls Due when nothing is due, as a loop does every 30 s.
func BenchmarkTimersDue(b *testing.B) {
	timers := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		for range timers.Due(b.Context(), statetest.T0) {
			b.Fatal("too early")
		}
	}
}

// BenchmarkTimersFire fires and ends one of 1 000 timers, with rows in memory.
func BenchmarkTimersFire(b *testing.B) {
	timers := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		next, _ := timers.Next()
		for f, err := range timers.Due(b.Context(), next) {
			if err != nil || timers.Done(b.Context(), f.ID) != nil {
				b.Fatal(err)
			}
			break
		}
		if _, ok := timers.Next(); !ok {
			b.Fatal("none")
		}
	}
}

var cronLines = []string{"0 8 * * *", "*/5 * * * *", "30 2 * * 1-5", "0 0 1 1 *", "0 0 29 2 *"}

// BenchmarkCronNext computes the next time of some lines. The baseline is the search of robfig/cron.
func BenchmarkCronNext(b *testing.B) {
	loc := zone(b, "Europe/Berlin")
	for _, line := range cronLines {
		p, err := schedule.ParseTimer("cron:" + line)
		require.NoError(b, err)
		bare, err := cron.ParseStandard(line)
		require.NoError(b, err)
		at := statetest.T0.In(loc)
		b.Run("ours/"+line, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Next(at, loc)
			}
		})
		b.Run("bare/"+line, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bare.Next(at)
			}
		})
	}
}

func BenchmarkScheduleDue(b *testing.B) {
	s := schedule.NewTasks(statetest.New(nil), schedule.TaskOptions{Location: time.UTC, MaxPerPrincipal: 200})
	for i := range 200 {
		_, err := s.Add(b.Context(), statetest.T0, schedule.Task{Title: "喝水", ScheduledAt: statetest.T0.Add(time.Duration(i+1) * time.Hour)})
		require.NoError(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := s.Due(b.Context(), statetest.T0); ok || err != nil {
			b.Fatal("too early", err)
		}
	}
}
