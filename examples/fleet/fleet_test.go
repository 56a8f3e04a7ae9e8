package main

import (
	"testing"
)

// Three processes run fifty bots while processes are killed and paused longer than their leases. Nothing that people say is lost or
// remembered twice, nothing is said twice, and no process writes without the lease.
func TestFleet(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("real processes take a minute")
	}
	d := newDrill(t, "-accounts", "50", "-processes", "3", "-lease", "2s", "-every", "5s", "-speed", "10", "-seed", "1")
	for i := range 10 {
		if i%3 == 1 {
			d.pause(d.kill)
		} else {
			d.kill()
		}
	}
	d.replace(d.one())
	d.finish()
}

// The same with reverse WebSockets, which connect to any process, also to one that does not run the bot.
func TestFleet_Reverse(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("real processes take a while")
	}
	d := newDrill(t, "-accounts", "20", "-processes", "3", "-reverse", "-lease", "2s", "-every", "5s", "-speed", "10", "-seed", "2")
	d.kill()
	d.pause(d.kill)
	d.kill()
	d.finish()
}
