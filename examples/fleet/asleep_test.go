//go:build unix

package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/stretchr/testify/require"
)

// BenchmarkAsleep is what a process needs for a bot that it owns and does not assemble: memory, goroutines, and the processor time of
// its lease for a second, here and in PostgreSQL.
//
//	go test ./examples/fleet -run xxx -bench Asleep -benchtime 1x
func BenchmarkAsleep(b *testing.B) {
	const bots = 2000
	server := newServer(b)
	pool, err := connect(b.Context(), server.DSN(pgserver.Role, pgserver.Role), "x")
	require.NoError(b, err)
	defer pool.Close()
	var beings []string
	for i := range bots {
		beings = append(beings, fmt.Sprint("asleep", i))
	}
	before, goroutines := memoryNow(), runtime.NumGoroutine()
	var asleep atomic.Int64
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	go func() {
		done <- owner.Run(ctx, owner.Options{ID: "x", Beings: beings, Database: postgres.Options{Pool: pool}, Act: func(ctx context.Context, _ *postgres.DB) error {
			asleep.Add(1)
			owner.Ready(ctx)
			<-ctx.Done()
			return nil
		}})
	}()
	for asleep.Load() < bots {
		time.Sleep(10 * time.Millisecond)
	}
	after := memoryNow()
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/bots/1000, "heap-kB/bot")
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/bots/1000, "stack-kB/bot")
	b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/bots, "goroutines/bot")
	used := cpu(b)
	time.Sleep(15 * time.Second) // three renewals
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-used).Microseconds())/15/bots, "cpu-µs/s/bot")
	cancel()
	require.NoError(b, <-done)
}
