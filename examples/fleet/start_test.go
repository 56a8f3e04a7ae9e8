//go:build unix

package main

import (
	"fmt"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/stretchr/testify/require"
)

// BenchmarkStart is the cost of a takeover: to open the memory of a bot that knows some chats, and to start it. statements are
// those that the database ran.
func BenchmarkStart(b *testing.B) {
	server := newServer(b)
	o, err := parse(nil, nil)
	require.NoError(b, err)
	pool, err := connect(b.Context(), server.DSN(pgserver.Role, pgserver.Role), "x")
	require.NoError(b, err)
	defer pool.Close()
	start := func(i int, talk bool) func() {
		db, err := postgres.Open(b.Context(), postgres.Options{Pool: pool, Being: fmt.Sprint("b", i)})
		require.NoError(b, err)
		link := newQuietLink()
		stop := startBot(b, o, db, link)
		<-link.ready
		for n := range 5 {
			if talk {
				link.tell(b.Context(), n, "今天好冷啊")
			}
		}
		return stop
	}
	for i := range b.N {
		start(i, true)()
	}
	before := cpu(b)
	b.ResetTimer()
	var stops []func()
	for i := range b.N {
		stops = append(stops, start(i, false))
	}
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	for _, stop := range stops {
		stop()
	}
}
