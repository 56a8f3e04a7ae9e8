package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// dial connects the accounts to the processes, and watches who takes over: the connection of an account says nothing about the
// owner of its bot.
func (s *fleet) dial() {
	ctx, cancel := context.WithCancel(context.Background())
	var turn atomic.Uint64
	var all sync.WaitGroup
	all.Go(func() {
		s.platform.dial(ctx, func() (process, url string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			for range s.processes {
				if p := s.processes[turn.Add(1)%uint64(len(s.processes))]; p.state == running {
					return p.id, p.url
				}
			}
			return "", ""
		})
	})
	all.Go(func() {
		for loop.Sleep(ctx, 50*time.Millisecond) == nil {
			for _, a := range s.takeovers.accounts() {
				if owner := s.ownerOf(ctx, a); owner != "" {
					s.takeovers.connected(a, owner, time.Now())
				}
			}
		}
	})
	s.hangUp = func() { cancel(); all.Wait() }
}

// ownerOf returns the process that has the lease of the bot of an account, or "".
func (s *fleet) ownerOf(ctx context.Context, a *account) string {
	l, err := s.beings[a.being].Lease(ctx, "")
	if err != nil || l.Left <= 0 {
		return ""
	}
	return l.Owner
}

// held returns the accounts of which a process runs the bot.
func (s *fleet) held(process string) (all []*account) {
	if !s.o.reverse {
		return s.platform.held(process)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, a := range s.platform.accounts {
		if s.ownerOf(ctx, a) == process {
			all = append(all, a)
		}
	}
	return all
}
