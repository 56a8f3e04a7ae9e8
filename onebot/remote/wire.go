package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A request is a call over the relay: an action, or a wait for the rate limit.
type request struct {
	Action string          `json:"action,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Wait   *wait           `json:"wait,omitempty"`
}

type wait struct {
	Chat string `json:"chat"`
	Part bool   `json:"part,omitempty"`
}

// A response is the answer to a request.
type response struct {
	Data  json.RawMessage `json:"data,omitempty"`
	API   *refusal        `json:"api,omitempty"` // the implementation refused the call
	Error string          `json:"error,omitempty"`
	Kinds []string        `json:"kinds,omitempty"` // names of the errors that Error matches
}

type refusal struct {
	Code    int    `json:"code"`
	Wording string `json:"wording,omitempty"`
}

// kinds are the errors that keep their identity over the relay.
var kinds = map[string]error{
	"unclear": onebot.ErrUnclear, "timeout": onebot.ErrTimeout, "disconnected": onebot.ErrDisconnected, "bad_params": onebot.ErrBadParams,
	"deadline": context.DeadlineExceeded,
}

// responseOf returns the response to a call that returned data or err.
func responseOf(data json.RawMessage, err error) response {
	var api *onebot.APIError
	switch {
	case err == nil:
		return response{Data: data}
	case errors.As(err, &api):
		return response{API: &refusal{api.Code, api.Wording}}
	}
	r := response{Error: err.Error()}
	for name, kind := range kinds {
		if errors.Is(err, kind) {
			r.Kinds = append(r.Kinds, name)
		}
	}
	return r
}

// result returns what the call of an action returned at the gateway.
func (r response) result(action string) (json.RawMessage, error) {
	switch {
	case r.API != nil:
		return nil, &onebot.APIError{Action: action, Code: r.API.Code, Wording: r.API.Wording}
	case r.Error != "":
		e := &gatewayError{text: r.Error}
		for _, name := range r.Kinds {
			if kind := kinds[name]; kind != nil {
				e.kinds = append(e.kinds, kind)
			}
		}
		return nil, e
	}
	return r.Data, nil
}

// A gatewayError is the error of a call at the gateway.
type gatewayError struct {
	text  string
	kinds []error
}

func (e *gatewayError) Error() string {
	return "onebot/remote: " + strings.TrimPrefix(e.text, "onebot: ")
}
func (e *gatewayError) Unwrap() []error { return e.kinds }

// A frame is an event over the relay: the event as received, or Dropped, which has no such form.
type frame struct {
	Event   json.RawMessage `json:"event,omitempty"`
	Dropped *dropped        `json:"dropped,omitempty"`
}

type dropped struct {
	At           int64     `json:"at"`
	Conversation string    `json:"conversation"`
	GroupID      int64     `json:"group_id"`
	UserID       int64     `json:"user_id"`
	Count        int       `json:"count"`
	Since        time.Time `json:"since"`
	Until        time.Time `json:"until"`
}

func encode(e onebot.Event) ([]byte, error) {
	if d, ok := e.(*onebot.Dropped); ok {
		return json.Marshal(frame{Dropped: &dropped{d.Time.Unix(), d.Conversation, d.GroupID, d.UserID, d.Count, d.Since, d.Until}})
	}
	return json.Marshal(frame{Event: e.Raw()})
}

func decode(body []byte, selfID int64) (onebot.Event, error) {
	var f frame
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, fmt.Errorf("onebot/remote: event: %w", err)
	}
	if d := f.Dropped; d != nil {
		return &onebot.Dropped{
			Common: onebot.Common{Time: time.Unix(d.At, 0), SelfID: selfID}, Conversation: d.Conversation, GroupID: d.GroupID, UserID: d.UserID,
			Count: d.Count, Since: d.Since, Until: d.Until,
		}, nil
	}
	return onebot.ParseEvent(f.Event)
}
