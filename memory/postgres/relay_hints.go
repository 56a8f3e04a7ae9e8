package postgres

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The kinds of hints.
const (
	hintInbox  = "inbox"  // an event was published
	hintOutbox = "outbox" // a call was made or given up
	hintAnswer = "answer" // a call was answered
	hintLink   = "link"   // an account was attached or detached
)

// A hint is a notification that something has changed in the tables. It contains no names, because all roles of a database can
// receive it.
type hint struct{ channel, payload string }

// hints wake those who wait for a change.
type hints struct {
	channel string
	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool // by payload
}

func newHints(schema string) *hints {
	return &hints{channel: fmt.Sprintf("hearth_%016x", hash(schema)), waiting: map[string]map[chan struct{}]bool{}}
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// topic returns the hint about a kind of change of an account or a call.
func (h *hints) topic(kind, being, of string) hint {
	return hint{h.channel, fmt.Sprintf("%016x", hash(kind, being, of))}
}

// subscribe adds a channel that gets a signal after each hint about a topic.
func (h *hints) subscribe(c chan struct{}, topics ...hint) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range topics {
		if h.waiting[t.payload] == nil {
			h.waiting[t.payload] = map[chan struct{}]bool{}
		}
		h.waiting[t.payload][c] = true
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, t := range topics {
			if delete(h.waiting[t.payload], c); len(h.waiting[t.payload]) == 0 {
				delete(h.waiting, t.payload)
			}
		}
	}
}

func (h *hints) wake(payload string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.waiting[payload] {
		signal(c)
	}
}

func (h *hints) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, waiting := range h.waiting {
		for c := range waiting {
			signal(c)
		}
	}
}

// signal sends to a channel with a buffer of 1, unless a signal is in it.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run listens until ctx ends. After a failure it connects again.
func (h *hints) run(ctx context.Context, pool *pgxpool.Pool, pause time.Duration) {
	for ctx.Err() == nil {
		h.listen(ctx, pool)
		_ = loop.Sleep(ctx, pause)
	}
}

// listen listens until the connection is lost. Notifications may have been missed before.
func (h *hints) listen(ctx context.Context, pool *pgxpool.Pool) {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return
	}
	c := pooled.Hijack() // nobody else must use a connection that listens
	defer c.Close(context.WithoutCancel(ctx))
	if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{h.channel}.Sanitize()); err != nil {
		return
	}
	h.wakeAll()
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return
		}
		h.wake(n.Payload)
	}
}
