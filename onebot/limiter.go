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
	ChatInterval    time.Duration // between two sends to one chat; 0: 3 s; negative: none
	AccountInterval time.Duration // between any two sends; 0: 1 s; negative: none
}

// A Limiter spaces what one account sends, so that QQ does not take it for a flood. All methods may be called
// concurrently. Whoever must check something between waiting and sending waits here and then uses Bot.Call;
// Bot.SendGroupMsg and Bot.SendPrivateMsg wait by themselves when the bot has a Limiter.
type Limiter struct {
	perChat, perAccount time.Duration
	turn                chan struct{} // held by the one that waits for the account

	mu    sync.Mutex
	last  time.Time // the account's last send
	chats map[string]*chatTurn
	prune int // how many chats there may be before old ones are looked for
}

type chatTurn struct {
	last    time.Time
	turn    chan struct{} // held by the one that waits for this chat
	waiting int
}

// NewLimiter makes a limiter for one account.
func NewLimiter(o LimiterOptions) *Limiter {
	return &Limiter{
		perChat: max(cmp.Or(o.ChatInterval, 3*time.Second), 0), perAccount: max(cmp.Or(o.AccountInterval, time.Second), 0),
		turn: make(chan struct{}, 1), chats: make(map[string]*chatTurn), prune: 1024,
	}
}

// Try takes the turn to send to chat at now if it is free. If not, ok is false and retryAfter tells in how long it
// will be, unless somebody else takes it.
func (l *Limiter) Try(now time.Time, chat string) (retryAfter time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chat(now, chat)
	if wait := max(left(now, c.last, l.perChat), left(now, l.last, l.perAccount)); wait > 0 {
		return wait, false
	}
	c.last, l.last = now, now
	return 0, true
}

// left is how much of gap is still to pass after last. A clock that was set back does not lengthen it.
func left(now, last time.Time, gap time.Duration) time.Duration {
	if last.IsZero() {
		return 0
	}
	return min(gap-now.Sub(last), gap)
}

// Wait waits for the turn to send to chat and takes it. Who came first to a chat goes first. It fails when ctx
// ends, and at once when ctx's deadline is before the turn.
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
	// First the chat's own time without standing in the way of other chats, then the account's.
	if err := sleepUntil(ctx, func(now time.Time) (time.Duration, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		wait := left(now, c.last, l.perChat)
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
		return fmt.Errorf("onebot: waiting to send: %w", ctx.Err())
	}
}

// WaitPart is Wait for a further part of what is being said to chat: parts of one reply count as one, so it waits for
// the account's turn alone, and the chat's time begins anew with it.
func (l *Limiter) WaitPart(ctx context.Context, chat string) error {
	if err := lock(ctx, l.turn); err != nil {
		return err
	}
	defer func() { <-l.turn }()
	return sleepUntil(ctx, func(now time.Time) (time.Duration, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if wait := left(now, l.last, l.perAccount); wait > 0 {
			return wait, false
		}
		l.chat(now, chat).last, l.last = now, now
		return 0, true
	})
}

// sleepUntil sleeps as long as free says, until it says ok.
func sleepUntil(ctx context.Context, free func(now time.Time) (time.Duration, bool)) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("onebot: waiting to send: %w", err)
		}
		now := time.Now()
		wait, ok := free(now)
		if ok {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(now.Add(wait)) {
			return fmt.Errorf("onebot: waiting to send: turn is in %v: %w", wait, context.DeadlineExceeded)
		}
		_ = loop.Sleep(ctx, wait) // the error is that of ctx, which the next round tells
	}
}

// chat gives the state of a chat. Chats whose time has passed are forgotten now and then.
func (l *Limiter) chat(now time.Time, chat string) *chatTurn {
	if c, ok := l.chats[chat]; ok {
		return c
	}
	if len(l.chats) >= l.prune {
		for k, c := range l.chats {
			if c.waiting == 0 && left(now, c.last, l.perChat) <= 0 {
				delete(l.chats, k)
			}
		}
		l.prune = max(1024, 2*len(l.chats))
	}
	c := &chatTurn{turn: make(chan struct{}, 1)}
	l.chats[chat] = c
	return c
}

// clone gives a fresh limiter of the same settings; nil for nil.
func (l *Limiter) clone() *Limiter {
	if l == nil {
		return nil
	}
	return NewLimiter(LimiterOptions{ChatInterval: cmp.Or(l.perChat, -1), AccountInterval: cmp.Or(l.perAccount, -1)})
}
