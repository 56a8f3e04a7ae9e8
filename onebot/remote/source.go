package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/relay"
)

// SourceOptions configure a [Source].
type SourceOptions struct {
	CallTimeout time.Duration // limits calls whose context has no deadline; 0 means 30 s
}

// A Source is the account of a bot whose connection is at a [Gateway]. It receives events as a *onebot.Server does.
type Source struct {
	owner  relay.Owner
	selfID int64
	o      SourceOptions
	bot    *onebot.Bot
	since  atomic.Pointer[time.Time] // of the last change of the link
	alone  chan struct{}             // held while an event without a chat is handled
	told   atomic.Int64              // epoch of the newest connection of which the handler knows
}

// NewSource returns the source of an account.
func NewSource(owner relay.Owner, selfID int64, o SourceOptions) *Source {
	if o.CallTimeout == 0 {
		o.CallTimeout = 30 * time.Second
	}
	s := &Source{owner: owner, selfID: selfID, o: o, alone: make(chan struct{}, 1)}
	s.bot = onebot.NewBot(caller{s}, selfID)
	return s
}

// Bot returns the account.
func (s *Source) Bot() *onebot.Bot { return s.bot }

// Run passes events to h until ctx ends. Then it returns nil. When it returns, all handlers have returned. It returns
// [relay.ErrFenced] if another process runs the bot now.
func (s *Source) Run(ctx context.Context, h onebot.Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	links := make(chan struct{}, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.announce(ctx, h, links)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	return s.owner.Run(ctx, relay.Handler{
		Event: func(ctx context.Context, e relay.Event) error {
			event, err := decode(e.Body, s.selfID)
			if err != nil {
				return nil // it would fail each time
			}
			return s.handle(ctx, h, event)
		},
		Link: func(relay.Link) {
			now := time.Now()
			s.since.Store(&now)
			select {
			case links <- struct{}{}:
			default: // one event tells the newest state
			}
		},
	})
}

// announce passes an event to h for each connection of the account.
func (s *Source) announce(ctx context.Context, h onebot.Handler, links <-chan struct{}) {
	s.told.Store(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-links:
		}
		l := s.owner.Link()
		if !l.Connected || l.Epoch == s.told.Load() {
			continue
		}
		raw := fmt.Sprintf(`{"time":%d,"self_id":%d,"post_type":"meta_event","meta_event_type":"lifecycle","sub_type":"connect"}`, time.Now().Unix(), s.selfID)
		if e, err := onebot.ParseEvent([]byte(raw)); err == nil {
			_ = s.handle(ctx, h, e)
		}
		s.told.Store(l.Epoch)
	}
}

// Announced reports whether the handler knows of the newest connection. A bot that is stopped before may have missed messages.
func (s *Source) Announced() bool {
	l := s.owner.Link()
	return !l.Connected || l.Epoch == s.told.Load()
}

// handle passes an event to h. Those without a chat come one after the other.
func (s *Source) handle(ctx context.Context, h onebot.Handler, e onebot.Event) error {
	if onebot.Conversation(e) == "" {
		select {
		case s.alone <- struct{}{}:
			defer func() { <-s.alone }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	h(ctx, s.bot, e)
	return nil
}

// Health returns the state of the connection at the gateway.
func (s *Source) Health() []onebot.Health {
	h := onebot.Health{SelfID: s.selfID, Connected: s.owner.Link().Connected}
	if since := s.since.Load(); since != nil {
		h.Since = *since
	}
	return []onebot.Health{h}
}

// Stats returns zero: the gateway counts. It makes a Source a onebotlink.Monitor.
func (s *Source) Stats() onebot.Stats { return onebot.Stats{} }

// Limiter returns the rate limit of the account, which is at the gateway.
func (s *Source) Limiter() Limiter { return Limiter{s} }

// A Limiter waits for the rate limit at the gateway. It has the methods of *onebot.Limiter that package onebotlink uses.
type Limiter struct{ s *Source }

// Wait waits for permission to send to chat and takes it.
func (l Limiter) Wait(ctx context.Context, chat string) error { return l.s.wait(ctx, wait{Chat: chat}) }

// WaitPart is like Wait for a further part of a reply: see [onebot.Limiter.WaitPart].
func (l Limiter) WaitPart(ctx context.Context, chat string) error {
	return l.s.wait(ctx, wait{Chat: chat, Part: true})
}

// maxWait limits a wait for the rate limit whose context has no deadline.
const maxWait = 10 * time.Minute

func (s *Source) wait(ctx context.Context, w wait) error {
	r, err := s.exchange(ctx, request{Wait: &w}, maxWait)
	if err == nil {
		_, err = r.result("")
	}
	if err != nil {
		return fmt.Errorf("onebot/remote: rate limit: %w", err)
	}
	return nil
}

// exchange sends a request and returns the response.
func (s *Source) exchange(ctx context.Context, q request, limit time.Duration) (r response, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return r, fmt.Errorf("%w: %w", onebot.ErrBadParams, err)
	}
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	answer, err := s.owner.Call(ctx, body)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return r, fmt.Errorf("%w: %w", relay.ErrUnclear, err)
	}
	return r, nil
}
