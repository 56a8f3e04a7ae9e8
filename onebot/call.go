package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// call is a call of one action in progress.
type call struct {
	frame []byte
	state atomic.Int32  // queued, then either written or withdrawn: the first change decides
	done  chan response // receives at most the last response; buffered
	parts *parts        // parts before the last response, for streams; nil: the first response is the last
}

const (
	queued    int32 = iota
	written         // the writer has started to write it
	withdrawn       // the caller gave up before: never written
)

// response is the response to a call.
type response struct {
	ok      bool
	code    int
	wording string
	data    json.RawMessage
}

// calls are the pending calls of a link. An echo consists of a prefix unique to the link and a number, so that a
// response to a call of an earlier link never matches.
type calls struct {
	prefix  string
	mu      sync.Mutex
	serial  uint64
	pending map[uint64]*call
}

func (c *calls) init(link uint64) {
	c.prefix = "h" + strconv.FormatUint(link, 36) + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + "-"
	c.pending = make(map[uint64]*call)
}

// add assigns a number to a new call.
func (c *calls) add(x *call) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serial++
	c.pending[c.serial] = x
	return c.serial
}

func (c *calls) remove(n uint64) {
	c.mu.Lock()
	delete(c.pending, n)
	c.mu.Unlock()
}

// number extracts the number from an echo of this link.
func (c *calls) number(echo string) (uint64, bool) {
	digits, ok := strings.CutPrefix(echo, c.prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// resolve passes a response to its call. It returns false if no call waits for it.
func (c *calls) resolve(n uint64, f *frame) bool {
	c.mu.Lock()
	x := c.pending[n]
	more := x != nil && x.parts != nil && f.more()
	if !more {
		delete(c.pending, n)
	}
	c.mu.Unlock()
	switch {
	case x == nil:
		return false
	case more:
		return x.parts.add(f.data, len(f.raw))
	}
	x.done <- f.response()
	return true
}

func (f *frame) response() response {
	return response{
		ok:   f.status != "failed" && (f.code == 0 || f.code == 1),
		code: int(f.code), wording: f.reason(), data: f.data,
	}
}

// reason returns the failure text of a response, from any of the fields that implementations use.
func (f *frame) reason() string {
	w := cmp.Or(f.wording, f.text)
	if f.msg != "" && f.msg != w { // go-cqhttp's error code
		return strings.TrimSuffix(f.msg+": "+w, ": ")
	}
	return w
}

// accountID returns the id in a response to get_login_info; 0 if there is none.
func (f *frame) accountID() int64 { return rawInt(member(f.data, "user_id")) }

// request encodes a call's frame.
func (c *calls) request(action string, params []byte, n uint64) []byte {
	b := make([]byte, 0, len(action)+len(params)+len(c.prefix)+64)
	b = append(b, `{"action":`...)
	b = appendString(b, action)
	b = append(b, `,"params":`...)
	b = append(b, params...)
	b = append(b, `,"echo":"`...)
	b = append(b, c.prefix...)
	b = strconv.AppendUint(b, n, 10)
	return append(b, `"}`...)
}

// call calls an action over this link.
func (l *link) call(ctx context.Context, action string, params, result any) error {
	c := &call{done: make(chan response, 1)}
	n, err := l.prepare(c, action, params)
	if err != nil {
		return err
	}
	defer l.calls.remove(n)

	var late <-chan time.Time
	if _, has := ctx.Deadline(); !has && l.opts.CallTimeout > 0 {
		timer := time.NewTimer(l.opts.CallTimeout)
		defer timer.Stop()
		late = timer.C
	}
	a, err := l.exchange(ctx, c, late)
	if err != nil {
		return c.noResponse(action, err)
	}
	if !a.ok {
		return a.apiError(action)
	}
	if err := a.decode(result); err != nil {
		return c.noResponse(action, err)
	}
	return nil
}

// prepare encodes the call's frame and registers the call as pending.
func (l *link) prepare(c *call, action string, params any) (n uint64, err error) {
	p, err := marshalParams(params)
	if err != nil {
		return 0, badParamsError(action, err)
	}
	n = l.calls.add(c)
	c.frame = l.calls.request(action, p, n)
	return n, nil
}

func (a response) apiError(action string) error {
	return &APIError{Action: action, Code: a.code, Wording: a.wording}
}

// decode decodes the response's data into result.
func (a response) decode(result any) error {
	if result == nil || len(a.data) == 0 || string(a.data) == "null" {
		return nil
	}
	if err := json.Unmarshal(a.data, result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// exchange passes the call to the writer and waits for the response.
func (l *link) exchange(ctx context.Context, c *call, late <-chan time.Time) (response, error) {
	if err := l.enqueue(ctx, c, late); err != nil {
		return response{}, err
	}
	return l.awaitResponse(ctx, c, late)
}

// awaitResponse waits for the response.
func (l *link) awaitResponse(ctx context.Context, c *call, late <-chan time.Time) (response, error) {
	var err error
	select {
	case a := <-c.done:
		return a, nil
	case <-l.down:
		err = ErrDisconnected
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
		err = ErrTimeout
	}
	return c.responseOr(err)
}

// responseOr returns the response if it has arrived, otherwise err: a select with several ready cases may choose any.
func (c *call) responseOr(err error) (response, error) {
	select {
	case a := <-c.done:
		return a, nil
	default:
		return response{}, err
	}
}

// enqueue passes the call to the writer.
func (l *link) enqueue(ctx context.Context, c *call, late <-chan time.Time) error {
	select {
	case <-l.down: // check this first: a select with several ready cases may choose any
		return ErrDisconnected
	default:
	}
	select {
	case l.writes <- c:
		return nil
	case <-l.down:
		return ErrDisconnected
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return ErrTimeout
	}
}

// noResponse returns the error of a call without a response, caused by err.
func (c *call) noResponse(action string, err error) error {
	return noResponseError(action, err, !c.state.CompareAndSwap(queued, withdrawn))
}

// noResponseError returns the error of a call without a response, caused by err.
func noResponseError(action string, err error, written bool) error {
	kinds := []error{err}
	if errors.Is(err, context.DeadlineExceeded) {
		kinds = []error{ErrTimeout, err}
	}
	if written && isSend(action) {
		kinds = append(kinds, ErrUnclear)
	}
	return &callError{action, kinds}
}

func notWrittenError(action string, err error) error { return noResponseError(action, err, false) }

func marshalParams(params any) ([]byte, error) {
	if params == nil {
		return []byte("{}"), nil
	}
	b, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	if string(b) == "null" {
		return []byte("{}"), nil
	}
	if b[0] != '{' {
		return nil, fmt.Errorf("parameters are not a JSON object: %T", params)
	}
	return b, nil
}
