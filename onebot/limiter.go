package onebot

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// LimiterOptions are the settings of a [Limiter].
type LimiterOptions struct {
	ChatInterval    time.Duration // minimum interval between sends to one chat; 0: 3 s; negative: none
	AccountInterval time.Duration // minimum interval between any two sends; 0: 1 s; negative: none
}

// A Limiter is a rate limit for the sends of one account, because QQ restricts accounts that send too fast. All
// methods may be called concurrently. Bot.SendGroupMsg and Bot.SendPrivateMsg wait automatically if the bot has a
// Limiter. To check something between waiting and sending, call Wait yourself and then Bot.Call.
type Limiter struct {
	perChat, perAccount time.Duration
	turn                chan struct{} // held while waiting for the account

	mu    sync.Mutex
	last  time.Time // last send of the account
	chats map[string]*chatState
	prune int // number of chats that triggers the removal of old ones
}

type chatState struct {
	last    time.Time
	turn    chan struct{} // held while waiting for this chat
	waiting int
}

// NewLimiter returns a limiter for one account.
func NewLimiter(o LimiterOptions) *Limiter {
	return &Limiter{
		perChat: max(cmp.Or(o.ChatInterval, 3*time.Second), 0), perAccount: max(cmp.Or(o.AccountInterval, time.Second), 0),
		turn: make(chan struct{}, 1), chats: make(map[string]*chatState), prune: 1024,
	}
}

// Try takes permission to send to chat at now if the limit allows it. Otherwise ok is false, and retryAfter is the
// remaining wait unless another send comes first.
func (l *Limiter) Try(now time.Time, chat string) (retryAfter time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chat(now, chat)
	if wait := max(remaining(now, c.last, l.perChat), remaining(now, l.last, l.perAccount)); wait > 0 {
		return wait, false
	}
	c.last, l.last = now, now
	return 0, true
}

// remaining returns the rest of gap after last. A clock that was set back does not lengthen it.
func remaining(now, last time.Time, gap time.Duration) time.Duration {
	if last.IsZero() {
		return 0
	}
	return min(gap-now.Sub(last), gap)
}

// Wait waits for permission to send to chat and takes it. Callers for the same chat are served in order. Wait fails
// when ctx is done, and at once if ctx's deadline is earlier than the permission.
func (l *Limiter) Wait(ctx context.Context, chat string) error {
	l.mu.Lock()
	c := l.chat(time.Now(), chat)
	c.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		c.waiting--
		l.mu.Unlock()
	}()
	if err := lock(ctx, c.turn); err != nil {
		return err
	}
	defer func() { <-c.turn }()
	// First wait for the chat, without blocking other chats, and then for the account.
	if err := sleepUntil(ctx, func(now time.Time) (time.Duration, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		wait := remaining(now, c.last, l.perChat)
		return wait, wait <= 0
	}); err != nil {
		return err
	}
	if err := lock(ctx, l.turn); err != nil {
		return err
	}
	defer func() { <-l.turn }()
	return sleepUntil(ctx, func(now time.Time) (time.Duration, bool) { return l.Try(now, chat) })
}

func lock(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("onebot: rate limit: %w", ctx.Err())
	}
}

// WaitPart is like Wait for a further part of a reply. The parts of a reply count as one for the chat, so WaitPart
// waits only for the account's interval. It restarts the chat's interval.
func (l *Limiter) WaitPart(ctx context.Context, chat string) error {
	if err := lock(ctx, l.turn); err != nil {
		return err
	}
	defer func() { <-l.turn }()
	return sleepUntil(ctx, func(now time.Time) (time.Duration, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if wait := remaining(now, l.last, l.perAccount); wait > 0 {
			return wait, false
		}
		l.chat(now, chat).last, l.last = now, now
		return 0, true
	})
}

// sleepUntil sleeps for the durations returned by free until free returns true.
func sleepUntil(ctx context.Context, free func(now time.Time) (time.Duration, bool)) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("onebot: rate limit: %w", err)
		}
		now := time.Now()
		wait, ok := free(now)
		if ok {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(now.Add(wait)) {
			return fmt.Errorf("onebot: rate limit: next send in %v: %w", wait, context.DeadlineExceeded)
		}
		_ = loop.Sleep(ctx, wait) // the next iteration returns the error of ctx
	}
}

// chat returns the state of a chat. From time to time it deletes chats with an expired interval.
func (l *Limiter) chat(now time.Time, chat string) *chatState {
	if c, ok := l.chats[chat]; ok {
		return c
	}
	if len(l.chats) >= l.prune {
		for k, c := range l.chats {
			if c.waiting == 0 && remaining(now, c.last, l.perChat) <= 0 {
				delete(l.chats, k)
			}
		}
		l.prune = max(1024, 2*len(l.chats))
	}
	c := &chatState{turn: make(chan struct{}, 1)}
	l.chats[chat] = c
	return c
}

// clone returns a new limiter with the same settings; nil for nil.
func (l *Limiter) clone() *Limiter {
	if l == nil {
		return nil
	}
	return NewLimiter(LimiterOptions{ChatInterval: cmp.Or(l.perChat, -1), AccountInterval: cmp.Or(l.perAccount, -1)})
}
