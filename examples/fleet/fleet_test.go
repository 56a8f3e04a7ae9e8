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

// The same with reverse WebSockets, which connect to any process, also to one that does not run the bot, and with bots that sleep between
// two messages.
func TestFleet_Reverse(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("real processes take a while")
	}
	d := newDrill(t, "-accounts", "20", "-processes", "3", "-reverse", "-sleep", "300ms", "-lease", "2s", "-every", "10s", "-speed", "300", "-seed", "2")
	sleeping := func() bool {
		all, err := d.members.Sleepers(t.Context())
		return err == nil && len(all) >= 10
	}
	d.kill()
	d.until("half of the bots sleep", sleeping)
	d.pause(d.kill)
	d.kill()
	d.until("half of the bots sleep", sleeping)
	d.finish()
}
