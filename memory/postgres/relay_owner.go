package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/keyed"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// A relayOwner is the owner's side of an account.
type relayOwner struct {
	r       *Relay
	db      *DB
	account string

	mu   sync.Mutex
	seen relay.Link
}

func (o *relayOwner) topic(kind string) hint { return o.r.hints.topic(kind, o.db.o.Being, o.account) }

// Link implements [relay.Owner].
func (o *relayOwner) Link() relay.Link {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen
}

// see notes the state of the connection, and reports whether it is new.
func (o *relayOwner) see(l relay.Link) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	news := o.seen != l
	o.seen = l
	return news
}

// An inboxEvent is an event that is being handled.
type inboxEvent struct {
	relay.Event
	seq int64
}

// The most events that are loaded at once.
const (
	maxLoaded       = 64
	maxLoadedOfChat = 16
)

// A receiver is a Run of an owner.
type receiver struct {
	*relayOwner
	h        relay.Handler
	wake     chan struct{}
	handling keyed.Group
	fenced   context.CancelCauseFunc // ends the Run

	mu     sync.Mutex
	loaded map[int64]string // the chat of each event that is being handled, by seq
	more   bool             // further events wait in the table
}

// Run implements [relay.Owner].
func (o *relayOwner) Run(ctx context.Context, h relay.Handler) error {
	inside, cancel := context.WithCancelCause(ctx)
	v := &receiver{relayOwner: o, h: h, wake: make(chan struct{}, 1), fenced: cancel, loaded: map[int64]string{}}
	defer o.r.hints.subscribe(v.wake, o.topic(hintInbox), o.topic(hintLink))()
	v.run(inside)
	cancel(nil)
	v.handling.Wait()
	if ctx.Err() == nil {
		return context.Cause(inside)
	}
	return nil
}

// forgetInterval is the time between two deletions of calls whose caller has died.
const forgetInterval = 10 * time.Minute

func (v *receiver) run(ctx context.Context) {
	poll := time.NewTimer(0)
	defer poll.Stop()
	var forget time.Time
	for first := true; ; {
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-poll.C:
		}
		poll.Reset(v.r.o.Poll)
		if now := time.Now(); !now.Before(forget) && v.forgetCalls(ctx) == nil {
			forget = now.Add(forgetInterval)
		}
		link, events, err := v.load(ctx)
		if errors.Is(err, ErrFenced) {
			v.fenced(fmt.Errorf("%w: %w", relay.ErrFenced, err))
			return
		}
		if err != nil { // the next look repeats it
			continue
		}
		if v.see(link) || first {
			if first = false; v.h.Link != nil {
				v.h.Link(link)
			}
		}
		for _, e := range events {
			v.handling.Go(e.Chat, func() { v.handle(ctx, e) })
		}
	}
}

func (v *receiver) forgetCalls(ctx context.Context) error {
	f := v.db.fence
	if f == nil {
		f = &Fence{}
	}
	return v.db.relayExec(ctx, hint{}, step{forgetCallsSQL, []any{v.db.o.Being, v.account, f.Lease, f.Epoch}, nil})
}

// load reads the state of the connection and the next events. It returns ErrFenced if another process is the owner.
func (v *receiver) load(ctx context.Context) (l relay.Link, events []inboxEvent, err error) {
	v.mu.Lock()
	limit := maxLoaded - len(v.loaded)
	seqs := slices.Collect(maps.Keys(v.loaded))
	perChat, full := map[string]int{}, []string{}
	for _, chat := range v.loaded {
		if perChat[chat]++; perChat[chat] == maxLoadedOfChat {
			full = append(full, chat)
		}
	}
	v.more = true // until the table says otherwise
	v.mu.Unlock()
	if seqs == nil {
		seqs = []int64{}
	}
	steps := []step{}
	held := v.db.fence == nil
	if !held {
		steps = append(steps, step{ownerSQL, []any{v.db.o.Being, v.db.fence.Lease, v.db.fence.Epoch}, func(rows pgx.Rows) error { return rows.Scan(&held) }})
	}
	if limit > 0 {
		steps = append(steps, step{eventsSQL, []any{v.db.o.Being, v.account, seqs, full, limit}, func(rows pgx.Rows) error {
			var e inboxEvent
			err := rows.Scan(&e.seq, &e.Key, &e.Chat, &e.Message, &e.Body)
			events = append(events, e)
			return err
		}})
	}
	// after the events, so that an event of a new connection does not come before the state
	steps = append(steps, step{leaseSQL, []any{v.db.o.Being, attachedName(v.account)}, func(rows pgx.Rows) error {
		var left pgtype.Interval
		err := rows.Scan(&l.Gateway, &l.Epoch, &left)
		l.Connected = durationOf(left) > 0
		return err
	}})
	limited, cancel := v.db.limit(ctx)
	defer cancel()
	if err = v.db.relayOnce(limited, hint{}, steps...); err != nil {
		return l, nil, err
	}
	if !held {
		return l, nil, ErrFenced
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range events {
		v.loaded[e.seq] = e.Chat
	}
	v.more = len(events) == limit || len(full) > 0
	return l, events, nil
}

// maxAttempts limits how often an event is handled whose handler fails for another reason than the database. So one bad event does not
// stop its chat for ever.
const maxAttempts = 10

// handle handles an event until that succeeds or ctx ends.
func (v *receiver) handle(ctx context.Context, e inboxEvent) {
	attempts := 0
	for pause := relay.MinRetry; ctx.Err() == nil; pause = min(2*pause, relay.MaxRetry) {
		handled, err := v.handleOnce(ctx, e)
		if !isOutage(err) {
			attempts++
		}
		if !handled && attempts == maxAttempts {
			handled = v.delete(ctx, e) == nil
		}
		if errors.Is(err, ErrFenced) {
			v.fenced(fmt.Errorf("%w: %w", relay.ErrFenced, err))
			return
		}
		if handled || v.isGone(ctx, e) {
			v.unload(e)
			return
		}
		_ = loop.Sleep(ctx, pause)
	}
}

// isOutage reports whether an error ends when the database is well again.
func isOutage(err error) bool {
	for _, outage := range []error{ErrUnavailable, ErrUnclear, ErrReadOnly, ErrDiskFull} {
		if errors.Is(err, outage) {
			return true
		}
	}
	return false
}

// handleOnce calls the handler and deletes the event, unless the handler has stored it.
func (v *receiver) handleOnce(ctx context.Context, e inboxEvent) (handled bool, err error) {
	if e.Key == "" { // an attachment: the link was passed on before
		err = v.delete(ctx, e)
		return err == nil, err
	}
	r := &receipt{core: v.db.core, seq: e.seq, message: e.Message}
	err = v.h.Event(context.WithValue(ctx, receiptKey{}, r), e.Event)
	deleted, failed := r.outcome()
	if deleted {
		return true, nil
	}
	if err = errors.Join(err, failed); err != nil {
		return false, err
	}
	for pause := relay.MinRetry; ; pause = min(2*pause, relay.MaxRetry) {
		if err = v.delete(ctx, e); err == nil {
			return true, nil
		}
		if errors.Is(err, ErrFenced) || loop.Sleep(ctx, pause) != nil {
			return false, err
		}
	}
}

func (v *receiver) delete(ctx context.Context, e inboxEvent) error {
	f := v.db.fence
	if f == nil {
		return v.db.relayExec(ctx, hint{}, step{eventDoneSQL, []any{v.db.o.Being, e.seq}, nil})
	}
	var held bool
	var deleted int
	err := v.db.relayExec(ctx, hint{}, step{eventDoneFencedSQL, []any{v.db.o.Being, e.seq, f.Lease, f.Epoch}, func(rows pgx.Rows) error {
		return rows.Scan(&held, &deleted)
	}})
	if err == nil && !held {
		err = ErrFenced
	}
	return err
}

// isGone reports whether an event was deleted although the Put of its message has failed: its commit was unclear.
func (v *receiver) isGone(ctx context.Context, e inboxEvent) bool {
	exists := true
	err := v.db.relayExec(ctx, hint{}, step{eventExistsSQL, []any{v.db.o.Being, e.seq}, func(rows pgx.Rows) error { return rows.Scan(&exists) }})
	return err == nil && !exists
}

func (v *receiver) unload(e inboxEvent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.loaded, e.seq)
	if v.more {
		signal(v.wake)
	}
}
