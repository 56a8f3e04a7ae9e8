package main

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// A kind says why a bot moved.
type kind string

const (
	killed  kind = "kill"
	paused  kind = "pause"
	stopped kind = "stop"
)

// A takeover is the move of one bot to another process.
type takeover struct {
	Being    string
	Kind     kind
	From, To string
	At       time.Time     // the connection of the new process
	Took     time.Duration // since the kill, pause or stop
	Gap      time.Duration // in which the account had no connection
}

// takeovers measures how long moves take.
type takeovers struct {
	mu      sync.Mutex
	pending map[*account]takeover
	all     []takeover
}

// begin notes that the accounts of a process lose it.
func (t *takeovers) begin(why kind, process string, accounts []*account, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range accounts {
		if t.pending[a].Being == "" {
			t.pending[a] = takeover{Being: a.being, Kind: why, From: process, At: now}
		}
	}
}

// forget drops what was begun for a process that goes on.
func (t *takeovers) forget(process string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for a, is := range t.pending {
		if is.From == process {
			delete(t.pending, a)
		}
	}
}

// connected notes that a process has connected an account.
func (t *takeovers) connected(a *account, process string, now time.Time) {
	a.mu.Lock()
	lost := a.lost
	a.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	is, ok := t.pending[a]
	if !ok || is.From == process {
		return
	}
	delete(t.pending, a)
	is.Took, is.At, is.To = now.Sub(is.At), now, process
	if lost.After(now.Add(-is.Took)) {
		is.Gap = now.Sub(lost)
	}
	t.all = append(t.all, is)
}

// accounts returns those that no other process has taken over yet.
func (t *takeovers) accounts() []*account {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.pending))
}

// waiting returns the number of accounts that no other process has taken over yet.
func (t *takeovers) waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pending)
}

// last returns the last n takeovers, the newest first.
func (t *takeovers) last(n int) []takeover {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.all[max(0, len(t.all)-n):])
	slices.Reverse(out)
	return out
}

// durations returns the sorted durations of the takeovers of a kind.
func (t *takeovers) durations(why kind, of func(takeover) time.Duration) (all []time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.all {
		if one.Kind == why {
			all = append(all, of(one))
		}
	}
	slices.SortFunc(all, cmp.Compare[time.Duration])
	return all
}

// quantile returns a quantile of sorted durations; 0 without any.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Round(time.Millisecond)
}
