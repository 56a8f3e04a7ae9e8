package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"time"
)

// A StreamCaller is a [Caller] that supports actions with several parts in their response. All callers of this package
// do.
type StreamCaller interface {
	// Stream calls an action and yields the data of each part of its response, including the last part, as it
	// arrives. An error comes last. Its classes are those of Call. Breaking out of the loop discards the rest.
	Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error]
}

// Stream calls an action that responds in several parts, such as NapCat's download_file_stream:
//
//	for part, err := range bot.Stream(ctx, "download_file_stream", params) { … }
//
// See [StreamCaller]. [Options.CallTimeout] limits the wait for each part. Over WebSocket, [Options.QueueBytes] limits
// the parts that wait for the loop. A slower loop gets an error, because other frames of the link cannot wait for it.
// If the Bot's Caller is not a [StreamCaller], Stream yields its single response. [Bot.Call] of such an action returns
// the first part.
func (b *Bot) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	if s, ok := b.Caller.(StreamCaller); ok {
		return s.Stream(ctx, action, params)
	}
	return func(yield func(json.RawMessage, error) bool) {
		var data json.RawMessage
		err := b.Call(ctx, action, params, &data)
		yield(data, err)
	}
}

// failed returns a stream that yields only err.
func failed(err error) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) { yield(nil, err) }
}

// Stream implements [StreamCaller].
func (a *account) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		l, params, err := a.route(ctx, action, params)
		if err == nil {
			err = l.stream(ctx, action, params, func(part json.RawMessage) bool { return yield(part, nil) })
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// more reports whether other parts of the same response follow.
func (f *frame) more() bool {
	if f.stream != "stream-action" || !f.response().ok {
		return false
	}
	typ := rawText(member(f.data, "type"))
	return typ == "stream" || typ == "reset"
}

// errSlowStream ends a stream with a slow reader.
var errSlowStream = errors.New("onebot: stream reader too slow")

// parts are the parts of a response that wait for the caller. The reader adds them, the caller takes them.
type parts struct {
	limit      int           // < 0: no limit
	ready      chan struct{} // signals new parts; buffered
	mu         sync.Mutex
	items      []json.RawMessage
	bytes      int
	overflowed bool // the limit was exceeded, and later parts are lost
}

// add adds a part that keeps size bytes in memory: those of its frame. It returns false if the limit is exceeded.
func (p *parts) add(data json.RawMessage, size int) bool {
	p.mu.Lock()
	switch {
	case p.overflowed:
	case p.limit >= 0 && len(p.items) > 0 && p.bytes+size > p.limit:
		p.overflowed = true
	default:
		p.items = append(p.items, data)
		p.bytes += size
	}
	over := p.overflowed
	p.mu.Unlock()
	select {
	case p.ready <- struct{}{}:
	default:
	}
	return !over
}

func (p *parts) take() (items []json.RawMessage, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	items, p.items, p.bytes = p.items, nil, 0
	return items, p.overflowed
}

// errStopped ends a stream after the loop was left.
var errStopped = errors.New("onebot: stream stopped")

// stream calls an action over this link and passes each part of its response to yield, until yield returns false.
func (l *link) stream(ctx context.Context, action string, params any, yield func(json.RawMessage) bool) error {
	c := &call{done: make(chan response, 1), parts: &parts{limit: l.opts.QueueBytes, ready: make(chan struct{}, 1)}}
	n, err := l.prepare(c, action, params)
	if err != nil {
		return err
	}
	defer l.calls.remove(n)

	var timer *time.Timer
	var late <-chan time.Time
	if _, has := ctx.Deadline(); !has && l.opts.CallTimeout > 0 {
		timer = time.NewTimer(l.opts.CallTimeout)
		defer timer.Stop()
		late = timer.C
	}
	if err := l.enqueue(ctx, c, late); err != nil {
		return c.noResponse(action, err)
	}
	for {
		a, last, err := l.part(ctx, c, late)
		if e := c.parts.drain(yield); e == errStopped {
			return nil
		} else if e != nil {
			return c.noResponse(action, e)
		}
		switch {
		case err != nil:
			return c.noResponse(action, err)
		case last && !a.ok:
			return a.apiError(action)
		case last:
			yield(a.data)
			return nil
		}
		if timer != nil {
			timer.Reset(l.opts.CallTimeout)
		}
	}
}

// part waits for a part or for the last response.
func (l *link) part(ctx context.Context, c *call, late <-chan time.Time) (a response, last bool, err error) {
	select {
	case <-c.parts.ready:
	case a = <-c.done:
		return a, true, nil
	case <-l.down:
		err = ErrDisconnected
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
		err = ErrTimeout
	}
	if err != nil {
		a, err = c.responseOr(err)
		last = err == nil
	}
	return a, last, err
}

// drain yields all waiting parts.
func (p *parts) drain(yield func(json.RawMessage) bool) error {
	for {
		items, over := p.take()
		for _, data := range items {
			if !yield(data) {
				return errStopped
			}
		}
		switch {
		case over:
			return errSlowStream
		case len(items) == 0:
			return nil
		}
	}
}
