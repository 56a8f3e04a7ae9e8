package relay

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/internal/keyed"
	"github.com/hearth-bot/hearth/internal/loop"
)

// A Memory is a relay within one process. All methods may be called concurrently.
type Memory struct {
	mu       sync.Mutex
	accounts map[string]*memoryAccount
}

var _ Gateway = (*Memory)(nil)

// NewMemory returns a relay without events.
func NewMemory() *Memory { return &Memory{accounts: map[string]*memoryAccount{}} }

// A memoryAccount is one account. change is closed and replaced at each change.
type memoryAccount struct {
	mu     sync.Mutex
	change chan struct{}
	link   Link
	owner  int64 // epoch of the newest owner
	events []*memoryEvent
	calls  []*memoryCall // not taken yet
}

type memoryEvent struct {
	Event
	taken int64 // the owner that handles it now; 0: none
}

// A memoryCall is a call. Its fields are guarded by the account.
type memoryCall struct {
	body    []byte
	owner   int64
	taken   bool
	done    bool
	answer  []byte
	err     error              // why it was not called
	ended   chan struct{}      // closed when done
	abandon context.CancelFunc // ends the context of a call that is running
}

// refuse ends a call that was not taken. The account is locked.
func (c *memoryCall) refuse(err error) {
	c.err = err
	close(c.ended)
}

func (m *Memory) account(name string) *memoryAccount {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.accounts[name]
	if a == nil {
		a = &memoryAccount{change: make(chan struct{})}
		m.accounts[name] = a
	}
	return a
}

// changed wakes all that wait for a change. mu is held.
func (a *memoryAccount) changed() {
	close(a.change)
	a.change = make(chan struct{})
}

// Attach implements [Gateway].
func (m *Memory) Attach(_ context.Context, account string) (Attachment, error) {
	a := m.account(account)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.link = Link{Connected: true, Gateway: "memory", Epoch: a.link.Epoch + 1}
	a.changed()
	return &attachment{a, a.link.Epoch}, nil
}

// Owner makes the caller the owner of an account. All earlier owners are fenced.
func (m *Memory) Owner(account string) Owner {
	a := m.account(account)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.owner++
	a.changed()
	return &memoryOwner{account: a, epoch: a.owner}
}

// Waiting returns the number of events of an account that are not handled yet.
func (m *Memory) Waiting(account string) int {
	a := m.account(account)
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.events)
}

// Publish implements [Gateway].
func (m *Memory) Publish(ctx context.Context, account string, e Event) error {
	if len(e.Body) > MaxEvent {
		return fmt.Errorf("%w: an event has %d bytes, at most %d", ErrTooLarge, len(e.Body), MaxEvent)
	}
	a := m.account(account)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if !slices.ContainsFunc(a.events, func(old *memoryEvent) bool { return old.Key == e.Key }) {
		e.Body = slices.Clone(e.Body)
		a.events = append(a.events, &memoryEvent{Event: e})
		a.changed()
	}
	return nil
}

type attachment struct {
	*memoryAccount
	epoch int64
}

// Serve implements [Attachment].
func (g *attachment) Serve(ctx context.Context, handle func(context.Context, []byte) []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for {
		g.mu.Lock()
		if g.link.Epoch != g.epoch {
			g.mu.Unlock()
			return ErrReplaced
		}
		change := g.change
		var take []*memoryCall
		if ctx.Err() == nil {
			take, g.calls = g.calls, nil
		}
		for _, c := range take {
			if c.owner != g.owner {
				c.refuse(ErrFenced)
				continue
			}
			c.taken = true
			inside, abandon := context.WithCancel(ctx)
			c.abandon = abandon
			wg.Go(func() {
				defer abandon()
				g.finish(c, handle(inside, c.body))
			})
		}
		g.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-change:
		}
	}
}

// finish stores an answer.
func (g *attachment) finish(c *memoryCall, answer []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.done, c.answer = true, answer
	close(c.ended)
}

// Close implements [Attachment].
func (g *attachment) Close(context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.link.Epoch == g.epoch {
		g.link.Connected = false
		for _, c := range g.calls {
			c.refuse(ErrDisconnected)
		}
		g.calls = nil
		g.changed()
	}
	return nil
}

type memoryOwner struct {
	account *memoryAccount
	epoch   int64
	seen    Link // guarded by account.mu
}

// Link implements [Owner].
func (o *memoryOwner) Link() Link {
	o.account.mu.Lock()
	defer o.account.mu.Unlock()
	return o.seen
}

// Run implements [Owner].
func (o *memoryOwner) Run(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	a := o.account
	var handling keyed.Group
	defer handling.Wait()
	defer cancel()
	defer o.untake()
	for first := true; ; first = false {
		a.mu.Lock()
		if a.owner != o.epoch {
			a.mu.Unlock()
			return ErrFenced
		}
		change, link := a.change, a.link
		news := first || link != o.seen
		o.seen = link
		var take []*memoryEvent
		for _, e := range a.events {
			if e.taken != o.epoch && ctx.Err() == nil {
				e.taken = o.epoch
				take = append(take, e)
			}
		}
		a.mu.Unlock()
		if news && h.Link != nil {
			h.Link(link)
		}
		for _, e := range take {
			handling.Go(e.Chat, func() { o.handle(ctx, e, h) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-change:
		}
	}
}

// untake leaves the events to the next Run.
func (o *memoryOwner) untake() {
	o.account.mu.Lock()
	defer o.account.mu.Unlock()
	for _, e := range o.account.events {
		if e.taken == o.epoch {
			e.taken = 0
		}
	}
}

func (o *memoryOwner) handle(ctx context.Context, e *memoryEvent, h Handler) {
	for pause := MinRetry; ctx.Err() == nil; pause = min(2*pause, MaxRetry) {
		if err := h.Event(ctx, e.Event); err == nil {
			o.remove(e)
			return
		}
		_ = loop.Sleep(ctx, pause)
	}
}

func (o *memoryOwner) remove(e *memoryEvent) {
	a := o.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owner == o.epoch {
		a.events = slices.DeleteFunc(a.events, func(other *memoryEvent) bool { return other == e })
	}
}

// Call implements [Owner].
func (o *memoryOwner) Call(ctx context.Context, body []byte) ([]byte, error) {
	c := &memoryCall{body: slices.Clone(body), owner: o.epoch, ended: make(chan struct{})}
	if err := o.add(ctx, c); err != nil {
		return nil, because(ErrNotCalled, err)
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
	return o.take(ctx, c)
}

func (o *memoryOwner) add(ctx context.Context, c *memoryCall) error {
	a := o.account
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case len(c.body) > MaxCall:
		return fmt.Errorf("%w: a call has %d bytes, at most %d", ErrTooLarge, len(c.body), MaxCall)
	case ctx.Err() != nil:
		return ctx.Err()
	case a.owner != o.epoch:
		return ErrFenced
	case !a.link.Connected:
		return ErrDisconnected
	}
	a.calls = append(a.calls, c)
	a.changed()
	return nil
}

// take returns the answer of a call, or withdraws the call.
func (o *memoryOwner) take(ctx context.Context, c *memoryCall) ([]byte, error) {
	a := o.account
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case c.done && len(c.answer) > MaxCall:
		return nil, because(ErrUnclear, fmt.Errorf("%w: an answer has %d bytes, at most %d", ErrTooLarge, len(c.answer), MaxCall))
	case c.done:
		return c.answer, nil
	case c.taken:
		c.abandon()
		return nil, because(ErrUnclear, ctx.Err())
	case c.err != nil:
		return nil, because(ErrNotCalled, c.err)
	}
	a.calls = slices.DeleteFunc(a.calls, func(other *memoryCall) bool { return other == c })
	return nil, because(ErrNotCalled, ctx.Err())
}
