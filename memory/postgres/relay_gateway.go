package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Attach implements [relay.Gateway].
func (r *Relay) Attach(ctx context.Context, account string) (relay.Attachment, error) {
	db, err := r.handle(account)
	if err != nil {
		return nil, err
	}
	l, err := db.TakeOver(ctx, attachedName(account), r.o.ID, r.o.Valid)
	if err != nil {
		return nil, err
	}
	a := &attachment{
		r: r, db: db, account: account, lease: l.Fence(), renewed: time.Now(), running: map[callID]context.CancelFunc{},
		link: r.hints.topic(hintLink, db.o.Being, account), outbox: r.hints.topic(hintOutbox, db.o.Being, account),
	}
	args := []any{db.o.Being, account}
	if err := db.relayExec(ctx, a.link, step{oldAttachedSQL, args, nil}, step{attachedSQL, args, nil}); err != nil {
		_ = db.Release(ctx, a.lease) // otherwise it ends by itself
		return nil, err
	}
	return a, nil
}

type callID = [16]byte

// An attachment is the connection of an account at this process.
type attachment struct {
	r            *Relay
	db           *DB
	account      string
	lease        Fence
	renewed      time.Time
	link, outbox hint

	mu      sync.Mutex
	running map[callID]context.CancelFunc
}

// A takenCall is a call that this process may make.
type takenCall struct {
	id   callID
	left time.Duration
	body []byte
}

// Serve implements [relay.Attachment].
func (a *attachment) Serve(ctx context.Context, handle func(context.Context, []byte) []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	defer calls.Wait()
	defer cancel()
	wake := make(chan struct{}, 1)
	defer a.r.hints.subscribe(wake, a.outbox, a.link)()
	poll := time.NewTimer(0)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-poll.C:
		}
		taken, err := a.look(ctx)
		if errors.Is(err, ErrFenced) {
			return relay.ErrReplaced
		}
		for _, c := range taken {
			inside, abandon := context.WithTimeout(ctx, c.left)
			a.begin(c.id, abandon)
			calls.Go(func() {
				defer abandon()
				a.finish(inside, c, handle(inside, c.body))
			})
		}
		poll.Reset(min(a.r.o.Poll, a.r.o.Valid/5))
	}
}

// look renews the lease if that is due, ends calls that were given up, and takes new ones.
func (a *attachment) look(ctx context.Context) ([]takenCall, error) {
	if now := time.Now(); now.Sub(a.renewed) >= a.r.o.Valid/3 {
		if _, err := a.db.Renew(ctx, a.lease, a.r.o.Valid); err != nil {
			return nil, err
		}
		a.renewed = now
	}
	var newest, waiting bool
	alive := map[callID]bool{}
	err := a.db.relayExec(ctx, hint{},
		step{ownerSQL, []any{a.db.o.Being, a.lease.Lease, a.lease.Epoch}, func(rows pgx.Rows) error { return rows.Scan(&newest) }},
		step{waitingSQL, []any{a.db.o.Being, a.account}, func(rows pgx.Rows) error { return rows.Scan(&waiting) }},
		step{runningSQL, []any{a.db.o.Being, a.account, a.lease.Epoch}, func(rows pgx.Rows) error {
			var id callID
			err := rows.Scan(&id)
			alive[id] = true
			return err
		}},
	)
	if err != nil {
		return nil, err
	}
	if !newest {
		return nil, ErrFenced
	}
	a.abandon(alive)
	if !waiting {
		return nil, nil
	}
	return a.take(ctx)
}

// take marks calls as taken. They may be made only if the transaction is committed.
func (a *attachment) take(ctx context.Context) (taken []takenCall, err error) {
	err = a.db.retry(ctx, func(error) bool { return false }, func(ctx context.Context) error {
		return a.db.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			defer abort(ctx, c)
			var b pgx.Batch
			b.Queue("begin")
			a.db.settings(&b, false)
			b.Queue(a.db.q.fence, a.db.o.Being, a.lease.Lease, a.lease.Epoch).QueryRow(isHeld)
			refused := []callID{}
			a.db.queueSteps(&b, hint{}, []step{{takeSQL, []any{a.db.o.Being, a.account, a.lease.Epoch}, func(rows pgx.Rows) error {
				var t takenCall
				var state string
				var left pgtype.Interval
				err := rows.Scan(&t.id, &state, &left, &t.body)
				if t.left = durationOf(left); state == callTaken {
					taken = append(taken, t)
				} else {
					refused = append(refused, t.id)
				}
				return err
			}}})
			if err := c.SendBatch(ctx, &b).Close(); err != nil {
				return err
			}
			b = pgx.Batch{}
			for _, id := range refused {
				t := a.r.answerTopic(a.db, id)
				b.Queue(notifySQL, t.channel, t.payload)
			}
			b.Queue("commit")
			return c.SendBatch(ctx, &b).Close()
		})
	})
	if err != nil {
		return nil, a.db.final(err) // taken ones stay without an answer: their callers learn that it is unclear
	}
	return taken, nil
}

func (r *Relay) answerTopic(db *DB, id callID) hint {
	return r.hints.topic(hintAnswer, db.o.Being, string(id[:]))
}

func (a *attachment) begin(id callID, abandon context.CancelFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running[id] = abandon
}

// abandon ends the calls for whose answer nobody waits.
func (a *attachment) abandon(alive map[callID]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, abandon := range a.running {
		if !alive[id] {
			abandon()
		}
	}
}

// finish stores the answer of a call. If that fails, its caller learns that it is unclear.
func (a *attachment) finish(ctx context.Context, c takenCall, answer []byte) {
	a.mu.Lock()
	delete(a.running, c.id)
	a.mu.Unlock()
	state := callDone
	if len(answer) > relay.MaxCall {
		state, answer = callLarge, nil
	}
	_ = a.db.relayExec(context.WithoutCancel(ctx), a.r.answerTopic(a.db, c.id), step{answerSQL, []any{a.db.o.Being, c.id, answer, state}, nil})
}

// Close implements [relay.Attachment].
func (a *attachment) Close(ctx context.Context) error {
	err := a.db.Release(ctx, a.lease)
	if errors.Is(err, ErrFenced) {
		return nil
	}
	if err == nil {
		err = a.db.relayExec(ctx, a.link)
	}
	if err != nil {
		return fmt.Errorf("postgres: relay: detach: %w", err)
	}
	return nil
}
