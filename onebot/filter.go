package onebot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

// A Filter is called before every send: any action visible to other users, by method or by name, including quick
// operations. It may change the SendRequest. If it returns an error, the send is refused and the caller gets that error. It
// runs on the caller's goroutine, after any [Limiter], and may run concurrently.
type Filter func(ctx context.Context, s *SendRequest) error

// A SendRequest is an action that is visible to other users, before it is sent. A [Filter] may change Message and Params.
type SendRequest struct {
	SelfID  int64           // the account; 0 until an event contains it
	Action  string          // "send_group_msg", …
	GroupID int64           // target group; 0: none
	UserID  int64           // target user; 0: none
	Message Message         // nil if the action has no message, such as a poke or a forward
	Params  json.RawMessage // all parameters, an object; a changed Message replaces the one in Params
}

// WithFilter returns a Caller that calls f before every send by c. Use it for your own callers; [Options] has a Filter
// field.
func WithFilter(c Caller, f Filter) Caller { return &filtered{c, f, 0} }

type filtered struct {
	Caller
	filter Filter
	selfID int64
}

func (c *filtered) Call(ctx context.Context, action string, params, result any) error {
	params, err := c.filter.apply(ctx, c.selfID, action, params)
	if err != nil {
		return err
	}
	return c.Caller.Call(ctx, action, params, result)
}

// Stream implements [StreamCaller].
func (c *filtered) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	params, err := c.filter.apply(ctx, c.selfID, action, params)
	if err != nil {
		return failed(err)
	}
	return (&Bot{Caller: c.Caller}).Stream(ctx, action, params)
}

// apply returns the parameters after the filter.
func (f Filter) apply(ctx context.Context, selfID int64, action string, params any) (any, error) {
	if f == nil || !isSend(action) {
		return params, nil
	}
	raw, err := marshalParams(params)
	if err != nil {
		return nil, badParamsError(action, err)
	}
	s := &SendRequest{SelfID: selfID, Action: action, Params: raw}
	quick, err := s.parse(raw)
	if err != nil {
		return nil, badParamsError(action, err)
	}
	before, _ := s.Message.MarshalJSON()
	if err := f(ctx, s); err != nil {
		return nil, &callError{action, []error{errRefused, err}}
	}
	after, err := json.Marshal(s.Message)
	if err != nil {
		return nil, badParamsError(action, err)
	}
	if bytes.Equal(before, after) {
		return s.Params, nil
	}
	if raw, err = marshalParams(s.Params); err != nil {
		return nil, badParamsError(action, err)
	}
	// auto_escape belonged to a message in string form
	key := "message"
	if quick {
		key, after = "operation", withMember(member(raw, "operation"), "reply", after, "auto_escape")
	}
	return json.RawMessage(withMember(raw, key, after, "auto_escape")), nil
}

func badParamsError(action string, err error) error {
	return fmt.Errorf("onebot: call %s: %w: %w", action, ErrBadParams, err)
}

// parse fills in the fields from the parameters. quick is true for a quick operation, whose message is the reply. It
// returns an error for a message with more segments than the filter can be shown.
func (s *SendRequest) parse(raw []byte) (quick bool, err error) {
	d := decoder{b: raw}
	o := openObject(raw, skipSpace(raw, 0), 0)
	for o.next() {
		switch string(o.key()) {
		case "group_id":
			s.GroupID = o.int()
		case "user_id":
			s.UserID = o.int()
		case "message":
			s.Message, o.i = d.message(o.i, 1)
		case "context": // the event of a quick operation
			chat := SendRequest{Action: s.Action}
			_, _ = chat.parse(o.raw()) // its message is not sent
			s.GroupID, s.UserID = chat.GroupID, chat.UserID
		case "operation":
			quick = true
			reply := decoder{b: member(o.raw(), "reply")}
			s.Message, _ = reply.message(0, 1)
			d.err = cmp.Or(d.err, reply.err)
		default:
			o.skip()
		}
	}
	if d.err != nil || len(s.Message) >= maxSegments {
		err = errTooMany
	}
	return quick, err
}
