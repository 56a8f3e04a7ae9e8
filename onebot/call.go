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

// call is one action on its way.
type call struct {
	frame []byte
	fate  atomic.Int32 // queued, then either written or withdrawn: whoever is first decides
	done  chan answer  // gets at most one, the last; has room for it
	parts *parts       // those before it, where several are expected; nil: the first is the last
}

const (
	queued    int32 = iota
	written         // the writer has begun with it
	withdrawn       // its caller went away before: it is never written
)

// answer is what an implementation said to a call.
type answer struct {
	ok      bool
	code    int
	wording string
	data    json.RawMessage
}

// calls are a link's calls without an answer yet. An echo is the link's own prefix and a number, so that an answer
// to an earlier link's call never fits.
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

// add gives a new call its number.
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

// number reads the number out of an echo of ours.
func (c *calls) number(echo string) (uint64, bool) {
	digits, ok := strings.CutPrefix(echo, c.prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// resolve hands an answer to its call. It is false when nobody waits.
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
		return x.parts.add(f.data)
	}
	x.done <- f.answer()
	return true
}

func (f *frame) answer() answer {
	return answer{
		ok:   f.status != "failed" && (f.code == 0 || f.code == 1),
		code: int(f.code), wording: f.reason(), data: f.data,
	}
}

// reason is what an implementation says about a failure, wherever it says it.
func (f *frame) reason() string {
	w := cmp.Or(f.wording, f.text)
	if f.msg != "" && f.msg != w { // go-cqhttp's code
		return strings.TrimSuffix(f.msg+": "+w, ": ")
	}
	return w
}

// accountID is the id in an answer to get_login_info; 0 when it is none.
func (f *frame) accountID() int64 { return rawInt(member(f.data, "user_id")) }

// request writes a call's frame.
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
	c := &call{done: make(chan answer, 1)}
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
		return c.unanswered(action, err)
	}
	if !a.ok {
		return a.refusal(action)
	}
	if err := a.into(result); err != nil {
		return c.unanswered(action, err)
	}
	return nil
}

// prepare writes the call's frame and enters it among those without an answer.
func (l *link) prepare(c *call, action string, params any) (n uint64, err error) {
	p, err := marshalParams(params)
	if err != nil {
		return 0, badParams(action, err)
	}
	n = l.calls.add(c)
	c.frame = l.calls.request(action, p, n)
	return n, nil
}

func (a answer) refusal(action string) error {
	return &APIError{Action: action, Code: a.code, Wording: a.wording}
}

// into reads the answer's data into result.
func (a answer) into(result any) error {
	if result == nil || len(a.data) == 0 || string(a.data) == "null" {
		return nil
	}
	if err := json.Unmarshal(a.data, result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// exchange gives the call to the writer and waits for the answer.
func (l *link) exchange(ctx context.Context, c *call, late <-chan time.Time) (answer, error) {
	if err := l.hand(ctx, c, late); err != nil {
		return answer{}, err
	}
	return l.answered(ctx, c, late)
}

// answered waits for the answer.
func (l *link) answered(ctx context.Context, c *call, late <-chan time.Time) (answer, error) {
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
	return c.orAnswer(err)
}

// orAnswer is err, unless the answer has come all the same: of several ready cases of a select any may be taken.
func (c *call) orAnswer(err error) (answer, error) {
	select {
	case a := <-c.done:
		return a, nil
	default:
		return answer{}, err
	}
}

// hand gives the call to the writer.
func (l *link) hand(ctx context.Context, c *call, late <-chan time.Time) error {
	select {
	case <-l.down: // first of all: of several ready cases below any may be taken
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

// unanswered says all that is known about a call that got no answer because of err.
func (c *call) unanswered(action string, err error) error {
	return noAnswer(action, err, !c.fate.CompareAndSwap(queued, withdrawn))
}

// noAnswer says all that is known about a call that got no answer because of err.
func noAnswer(action string, err error, written bool) error {
	kinds := []error{err}
	if errors.Is(err, context.DeadlineExceeded) {
		kinds = []error{ErrTimeout, err}
	}
	if written && isSend(action) {
		kinds = append(kinds, ErrUnclear)
	}
	return &callError{action, kinds}
}

func notWritten(action string, err error) error { return noAnswer(action, err, false) }

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
		return nil, fmt.Errorf("parameters are no object: %T", params)
	}
	return b, nil
}
