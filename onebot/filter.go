package onebot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

// A Filter is asked before every send: whatever shows something to other people, by which method or action name
// ever, quick operations included. It may change the Send; an error refuses it, and the caller gets that error.
// It is called in the caller's goroutine after any [Limiter], and possibly for several sends at once.
type Filter func(ctx context.Context, s *SendRequest) error

// A SendRequest is an action on its way that shows something to other people. A [Filter] may change Message and Params.
type SendRequest struct {
	SelfID  int64           // the account; 0 as long as nothing told it
	Action  string          // "send_group_msg", …
	GroupID int64           // where to; 0: no group
	UserID  int64           // to whom; 0: nobody
	Message Message         // what is said; nil when the action carries no message, such as a poke or a forward
	Params  json.RawMessage // all parameters, an object. A changed Message goes over the one in here.
}

// WithFilter gives a Caller that asks f before every send by c. It is for callers of your own: [Options] has a Filter.
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

// Stream implements Streamer.
func (c *filtered) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	params, err := c.filter.apply(ctx, c.selfID, action, params)
	if err != nil {
		return failed(err)
	}
	return (&Bot{Caller: c.Caller}).Stream(ctx, action, params)
}

// apply gives the parameters to go on with.
func (f Filter) apply(ctx context.Context, selfID int64, action string, params any) (any, error) {
	if f == nil || !isSend(action) {
		return params, nil
	}
	raw, err := marshalParams(params)
	if err != nil {
		return nil, badParams(action, err)
	}
	s := &SendRequest{SelfID: selfID, Action: action, Params: raw}
	quick := s.read(raw)
	before, _ := s.Message.MarshalJSON()
	if err := f(ctx, s); err != nil {
		return nil, &callError{action, []error{errRefused, err}}
	}
	after, err := json.Marshal(s.Message)
	if err != nil {
		return nil, badParams(action, err)
	}
	if bytes.Equal(before, after) {
		return s.Params, nil
	}
	if raw, err = marshalParams(s.Params); err != nil {
		return nil, badParams(action, err)
	}
	// auto_escape belonged to a message in string form
	key := "message"
	if quick {
		key, after = "operation", withMember(member(raw, "operation"), "reply", after, "auto_escape")
	}
	return json.RawMessage(withMember(raw, key, after, "auto_escape")), nil
}

func badParams(action string, err error) error {
	return fmt.Errorf("onebot: call %s: %w: %w", action, ErrBadParams, err)
}

// read fills in what the parameters tell. It is true for those of a quick operation, whose message is the reply.
func (s *SendRequest) read(raw []byte) (quick bool) {
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
		case "context": // of a quick operation: the event
			chat := SendRequest{Action: s.Action}
			chat.read(o.raw())
			s.GroupID, s.UserID = chat.GroupID, chat.UserID
		case "operation":
			quick = true
			s.Message, _ = (&decoder{b: member(o.raw(), "reply")}).message(0, 1)
		default:
			o.skip()
		}
	}
	return quick
}
