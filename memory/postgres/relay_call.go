package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A relayCall is a call that waits for its answer.
type relayCall struct {
	*relayOwner
	id   callID
	wake chan struct{}
}

// Call implements [relay.Owner].
func (o *relayOwner) Call(ctx context.Context, body []byte) ([]byte, error) {
	deadline, limited := ctx.Deadline()
	switch {
	case ctx.Err() != nil:
		return nil, because(relay.ErrNotCalled, ctx.Err())
	case !limited:
		return nil, fmt.Errorf("%w: postgres: the context has no deadline: %w", relay.ErrNotCalled, memory.ErrInvalid)
	case len(body) > relay.MaxCall:
		return nil, fmt.Errorf("%w: %w: a call has %d bytes, at most %d", relay.ErrNotCalled, relay.ErrTooLarge, len(body), relay.MaxCall)
	}
	c := &relayCall{relayOwner: o, wake: make(chan struct{}, 1)}
	rand.Read(c.id[:]) // never fails
	defer o.r.hints.subscribe(c.wake, o.r.answerTopic(o.db, c.id), o.topic(hintLink))()
	if err := c.insert(ctx, time.Until(deadline), body); err != nil {
		return nil, err
	}
	return c.await(ctx)
}

// insert makes the call visible to the gateway. Without an error the call is there.
func (c *relayCall) insert(ctx context.Context, left time.Duration, body []byte) error {
	var may, connected bool
	var made int
	fence := c.db.fence
	if fence == nil {
		fence = &Fence{}
	}
	if body == nil {
		body = []byte{}
	}
	limited, cancel := c.db.limit(ctx)
	defer cancel()
	err := c.db.relayOnce(limited, c.topic(hintOutbox), step{
		callSQL, []any{c.db.o.Being, c.id, c.account, fence.Lease, fence.Epoch, left, body, attachedName(c.account)},
		func(rows pgx.Rows) error { return rows.Scan(&may, &connected, &made) },
	})
	switch {
	case err != nil:
		return c.settle(ctx, blame(ctx, limited, c.db.final(err)))
	case !may:
		return fmt.Errorf("%w: %w", relay.ErrNotCalled, relay.ErrFenced)
	case !connected:
		return fmt.Errorf("%w: %w", relay.ErrNotCalled, relay.ErrDisconnected)
	}
	return nil
}

// settle handles the error of an insertion. It makes sure that the call will not be made, if it can. It returns nil if a gateway has
// taken the call already.
func (c *relayCall) settle(ctx context.Context, err error) error {
	if errors.As(err, new(*pgconn.PgError)) && !isLost(err) { // the server refused it
		return fmt.Errorf("%w: %w", relay.ErrNotCalled, err)
	}
	var state string
	failed := c.db.relayExec(context.WithoutCancel(ctx), hint{}, step{
		withdrawSQL, []any{c.db.o.Being, c.id, c.account}, func(rows pgx.Rows) error { return rows.Scan(&state) },
	})
	switch {
	case failed != nil:
		return because(because(relay.ErrUnclear, err), failed)
	case state == callWithdrawn:
		return fmt.Errorf("%w: %w", relay.ErrNotCalled, err)
	}
	return nil
}

// await waits for the answer.
func (c *relayCall) await(ctx context.Context) ([]byte, error) {
	poll := time.NewTimer(c.r.o.Poll)
	defer poll.Stop()
	var lost time.Time // since when the gateway that has taken it is gone
	for {
		select {
		case <-ctx.Done():
			return c.end(ctx, ctx.Err())
		case <-c.wake:
			if answer, err, ok := c.result(ctx); ok {
				return answer, err
			}
		case <-poll.C:
			poll.Reset(c.r.o.Poll)
		}
		state, reachable, err := c.look(ctx)
		switch {
		case err != nil: // wait on: the answer is stored
			continue
		case state == callNew && !reachable:
			return c.end(ctx, relay.ErrDisconnected)
		case state == callNew || state == callTaken && reachable:
			lost = time.Time{}
		case state == callTaken && lost.IsZero():
			lost = time.Now()
		case state == callTaken && time.Since(lost) < c.r.o.Poll: // it may still answer
		default:
			return c.end(ctx, relay.ErrDisconnected)
		}
	}
}

// look returns the state of the call, "" if it is gone, and whether its gateway lives.
func (c *relayCall) look(ctx context.Context) (state string, reachable bool, err error) {
	err = c.db.relayExec(ctx, hint{}, step{callStateSQL, []any{c.db.o.Being, c.id, attachedName(c.account)}, func(rows pgx.Rows) error {
		return rows.Scan(&state, &reachable)
	}})
	return state, reachable, err
}

// result returns the result if there is one.
func (c *relayCall) result(ctx context.Context) (answer []byte, err error, ok bool) {
	state := ""
	failed := c.db.relayExec(ctx, hint{}, step{callResultSQL, []any{c.db.o.Being, c.id}, func(rows pgx.Rows) error { return rows.Scan(&state, &answer) }})
	if failed != nil || state == "" {
		return nil, nil, false
	}
	answer, err = c.outcome(state, answer, nil)
	return answer, err, true
}

// end deletes the call, so that it is not made any more, and returns its result.
func (c *relayCall) end(ctx context.Context, cause error) ([]byte, error) {
	var state string
	var answer []byte
	err := c.db.relayExec(context.WithoutCancel(ctx), c.topic(hintOutbox), step{callEndSQL, []any{c.db.o.Being, c.id}, func(rows pgx.Rows) error { return rows.Scan(&state, &answer) }})
	if err != nil {
		return nil, because(because(relay.ErrUnclear, cause), err)
	}
	return c.outcome(state, answer, cause)
}

// outcome returns the result of a call that was deleted in a state; "": it was gone.
func (c *relayCall) outcome(state string, answer []byte, cause error) ([]byte, error) {
	switch state {
	case callDone:
		return answer, nil
	case callNew, callWithdrawn:
		return nil, because(relay.ErrNotCalled, cause)
	case callFenced:
		return nil, because(relay.ErrNotCalled, relay.ErrFenced)
	case callLarge:
		return nil, because(relay.ErrUnclear, fmt.Errorf("%w: the answer has more than %d bytes", relay.ErrTooLarge, relay.MaxCall))
	}
	return nil, because(relay.ErrUnclear, cause)
}

// because returns an error that matches err and, if there is one, its cause.
func because(err, cause error) error {
	if cause == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
