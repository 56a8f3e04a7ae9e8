package main

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	long     = flag.Bool("long", false, "run the long drill")
	accounts = flag.Int("accounts", 200, "number of accounts of the long drill")
	kills    = flag.Int("kills", 100, "number of kills of the long drill")
	pauses   = flag.Int("pauses", 10, "number of pauses of 30 to 60 s")
	restarts = flag.Int("restarts", 4, "number of restarts of the database, half of them without warning")
	deploys  = flag.Int("deploys", 2, "number of rolling deploys")
	seed     = flag.Uint64("drill-seed", 1, "seed of the long drill")
)

// The long drill: kills, long pauses, restarts of the database and rolling deploys, with the default lease. It takes about an hour:
//
//	go test ./examples/fleet -run Long -long -timeout 2h -v
func TestLong(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
	d := newDrill(t, "-accounts", fmt.Sprint(*accounts), "-processes", "3", "-every", "20s", "-speed", "10", "-seed", fmt.Sprint(*seed))
	var deeds []func()
	add := func(n int, do func()) {
		for range n {
			deeds = append(deeds, do)
		}
	}
	add(*kills, d.kill)
	add(*pauses, func() {
		d.pause(func() { time.Sleep(time.Duration(d.rng.Int64N(int64(30 * time.Second)))) }) // others have taken over before
	})
	add(*restarts/2, func() { d.restart(d.server.Kill) })
	add(*restarts-*restarts/2, func() { d.restart(d.server.Stop) })
	add(*deploys, d.deploy)
	d.rng.Shuffle(len(deeds), func(i, j int) { deeds[i], deeds[j] = deeds[j], deeds[i] })
	for i, do := range deeds {
		do()
		if i%10 == 9 {
			t.Logf("%d of %d", i+1, len(deeds))
			d.report()
		}
	}
	assert.Zero(t, d.finish(), "messages that are remembered behind a newer one")
	after := func(k kind, of func(takeover) time.Duration) time.Duration {
		return quantile(d.takeovers.durations(k, of), .99)
	}
	assert.Less(t, after(killed, func(t takeover) time.Duration { return t.Took }), 20*time.Second, "takeover after a kill")
	assert.Less(t, after(stopped, func(t takeover) time.Duration { return t.Gap }), time.Second, "hand-over")
}

// restart ends the database, and starts it again after some seconds.
func (d *drill) restart(end func() error) {
	d.t.Helper()
	require.NoError(d.t, end())
	time.Sleep(time.Duration(d.rng.Int64N(int64(10 * time.Second))))
	require.NoError(d.t, d.server.Launch())
	d.until("all work again", func() bool { return d.settled() && len(d.unremembered()) == 0 })
}
