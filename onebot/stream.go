package onebot

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"time"
)

// A StreamCaller is a [Caller] that can call actions which answer in several parts. The callers of this package can.
type StreamCaller interface {
	// Stream calls an action and yields the data of each part of its answer as it comes, the last one included. An
	// error is the last thing that is yielded, of the same classes as those of Call. Breaking out of the loop leaves
	// the rest.
	Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error]
}

// Stream calls an action that answers in several parts, as NapCat's download_file_stream does:
//
//	for part, err := range bot.Stream(ctx, "download_file_stream", params) { … }
//
// See [StreamCaller]. [Options.CallTimeout] bounds the wait for each part. Over WebSocket the parts that wait for the
// loop are bounded by [Options.QueueBytes]: a loop slower than that gets an error, because the link's other frames
// cannot wait for it. When the Bot's Caller is no Streamer, the one answer is yielded. [Bot.Call] of such an action
// gives the first part.
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

// failed is a stream that is nothing but an error.
func failed(err error) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) { yield(nil, err) }
}

// Stream implements Streamer.
func (a *account) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		l, params, err := a.way(ctx, action, params)
		if err == nil {
			err = l.stream(ctx, action, params, func(part json.RawMessage) bool { return yield(part, nil) })
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// more tells that other parts of the same answer follow this one.
func (f *frame) more() bool {
	if f.stream != "stream-action" || !f.answer().ok {
		return false
	}
	typ := rawText(member(f.data, "type"))
	return typ == "stream" || typ == "reset"
}

// errSlowStream ends a stream that nobody reads fast enough.
var errSlowStream = errors.New("onebot: parts came in faster than they were taken")

// parts are those of an answer that nobody has taken yet. The reader adds, the caller takes.
type parts struct {
	limit int           // < 0: none
	some  chan struct{} // there is something to take; has room for one
	mu    sync.Mutex
	items []json.RawMessage
	bytes int
	over  bool // too many came, and the later ones are lost
}

// add is false when there is no room.
func (p *parts) add(data json.RawMessage) bool {
	p.mu.Lock()
	switch {
	case p.over:
	case p.limit >= 0 && len(p.items) > 0 && p.bytes+len(data) > p.limit:
		p.over = true
	default:
		p.items = append(p.items, data)
		p.bytes += len(data)
	}
	over := p.over
	p.mu.Unlock()
	select {
	case p.some <- struct{}{}:
	default:
	}
	return !over
}

func (p *parts) take() (items []json.RawMessage, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	items, p.items, p.bytes = p.items, nil, 0
	return items, p.over
}

// errStopped ends a stream whose loop was left.
var errStopped = errors.New("onebot: stopped")

// stream calls an action over this link and gives each part of its answer to yield, as long as that is true.
func (l *link) stream(ctx context.Context, action string, params any, yield func(json.RawMessage) bool) error {
	c := &call{done: make(chan answer, 1), parts: &parts{limit: l.opts.QueueBytes, some: make(chan struct{}, 1)}}
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
	if err := l.hand(ctx, c, late); err != nil {
		return c.unanswered(action, err)
	}
	for {
		a, last, err := l.part(ctx, c, late)
		if e := c.parts.drain(yield); e == errStopped {
			return nil
		} else if e != nil {
			return c.unanswered(action, e)
		}
		switch {
		case err != nil:
			return c.unanswered(action, err)
		case last && !a.ok:
			return a.refusal(action)
		case last:
			yield(a.data)
			return nil
		}
		if timer != nil {
			timer.Reset(l.opts.CallTimeout)
		}
	}
}

// part waits until there is some part, or the last one.
func (l *link) part(ctx context.Context, c *call, late <-chan time.Time) (a answer, last bool, err error) {
	select {
	case <-c.parts.some:
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
		a, err = c.orAnswer(err)
		last = err == nil
	}
	return a, last, err
}

// drain yields what is there.
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
