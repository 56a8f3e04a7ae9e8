//go:build unix

package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// BenchmarkAsleep is what a process needs for 10 000 bots that sleep: memory, goroutines, and for all of them together processor time
// and transactions in a second. wake-ms is the time from an event in the inbox to the call of Act: the median and the longest of 100.
// sleep-s is the time in which all are claimed, started and put to sleep.
//
//	go test ./examples/fleet -run xxx -bench Asleep -benchtime 1x -timeout 20m
func BenchmarkAsleep(b *testing.B) {
	const bots = 10_000
	server := newServer(b)
	pool, err := connect(b.Context(), server.DSN(pgserver.Role, pgserver.Role), "x")
	require.NoError(b, err)
	defer pool.Close()
	var beings []string
	for i := range bots {
		beings = append(beings, fmt.Sprint("asleep", i))
	}
	gate, err := postgres.OpenRelay(b.Context(), postgres.RelayOptions{ID: "x", Database: postgres.Options{Pool: pool}, Being: func(account string) (string, bool) { return account, true }})
	require.NoError(b, err)
	before, goroutines := memoryNow(), runtime.NumGoroutine()
	var slept atomic.Int64
	acts := make(chan string, bots)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	began := time.Now()
	go func() {
		done <- owner.Run(ctx, owner.Options{ID: "x", Beings: beings, Database: postgres.Options{Pool: pool}, Act: func(ctx context.Context, db *postgres.DB) error {
			if slept.Add(1) > bots {
				acts <- db.Being()
				<-ctx.Done() // it stays awake, because it does not handle the event
				return nil
			}
			return owner.SleepUntil(time.Now().Add(24 * time.Hour))
		}})
	}()
	members, err := postgres.Open(b.Context(), postgres.Options{Pool: pool, Being: "owners"})
	require.NoError(b, err)
	for asleep := 0; asleep < bots; time.Sleep(100 * time.Millisecond) {
		all, err := members.Sleepers(b.Context())
		require.NoError(b, err)
		asleep = len(all)
	}
	b.ReportMetric(time.Since(began).Seconds(), "sleep-s")
	time.Sleep(5 * time.Second)
	after := memoryNow()
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/bots, "heap-B/bot")
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/1000, "stack-kB")
	b.ReportMetric(float64(runtime.NumGoroutine()-goroutines), "goroutines")
	used, transactions := cpu(b), transactionsOf(b, pool)
	time.Sleep(30 * time.Second) // six lists of the members
	b.ReportMetric(float64((cpu(b)-used).Microseconds())/30/1000, "cpu-ms/s")
	b.ReportMetric(float64(transactionsOf(b, pool)-transactions)/30, "transactions/s")

	var took []time.Duration
	for i := range 100 {
		began := time.Now()
		require.NoError(b, gate.Publish(b.Context(), beings[i*bots/100], relay.Event{Key: "1"}))
		require.Equal(b, beings[i*bots/100], <-acts)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[50].Microseconds())/1000, "wake-ms")
	b.ReportMetric(float64(took[99].Microseconds())/1000, "longest-wake-ms")
	cancel()
	require.NoError(b, <-done)
}

// transactionsOf returns the number of transactions of a database so far.
func transactionsOf(b *testing.B, pool *pgxpool.Pool) (n int64) {
	time.Sleep(12 * time.Second) // an idle session reports them after 10 s
	require.NoError(b, pool.QueryRow(b.Context(), "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
	return n
}
