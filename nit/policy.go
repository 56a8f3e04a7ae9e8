package nit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// A Decision says what becomes of a call. The zero Decision refuses.
type Decision uint8

// The decisions.
const (
	Deny  Decision = iota // it is refused
	Ask                   // a human decides, see [Registry].Confirm
	Allow                 // it is made
)

// String gives "deny", "ask" or "allow".
func (d Decision) String() string {
	if d > Allow {
		d = Deny
	}
	return [...]string{"deny", "ask", "allow"}[d]
}

// A Request is a call that somebody decides about: it was resolved, and its arguments fit. It is not for the model.
type Request struct {
	Principal Principal
	Tool      ToolInfo
	Args      json.RawMessage // as they came, {} for none; not to be changed
}

// A Policy decides about a call, also of tools that are ReadOnly or Commit. Of several, the strictest decision
// counts. An error, a panic and a Decision that there is none of deny. What is denied stays listed, and the model
// is told "not allowed now", with the reason where the error is made with [ModelError]: what it may not know of is kept out of the view, by tiers, modes and [View.Filter].
// It may be called concurrently, and ctx carries the Principal.
type Policy func(context.Context, Request) (Decision, error)

// Confirm asks a human whether a call may be made, and waits for the answer: true is yes. No answer within Limits.Confirm,
// an error and a panic are no; an answer that comes later changes nothing. In the Args, what a reader would not see, or what
// turns around what they see, is written as \u and its number, which is the same JSON. It may be called concurrently, for 16
// calls of a registry at a time: further ones are refused. It runs on a goroutine of its own and must end when its context does.
type Confirm func(context.Context, Request) (bool, error)

const maxConfirming = 16

// WithPolicy gives a view that asks policy, too. It shares v's quota. A nil policy denies.
func (v *View) WithPolicy(policy Policy) *View {
	return v.with(func(w *View) { w.policies = append(slices.Clip(v.policies), policy) })
}

var (
	errDenied            = errors.New("a policy denies it")
	errNoConfirm         = errors.New("no Confirm is set to ask a human")
	errTooManyConfirming = fmt.Errorf("%d calls wait for a human already", maxConfirming)
	errRejected          = errors.New("the human said no")
)

// checkPolicies asks the policies and, where one wants it, a human. The error is the reason for the operator.
func (v *View) checkPolicies(ctx context.Context, e *entry, args string, rec *Record) error {
	ask := e.confirm || v.state.isRevoked(e)
	if len(v.policies) == 0 && !ask {
		return nil
	}
	req := Request{v.principal, e.info(v.principal.Mode), json.RawMessage(args)}
	for _, policy := range v.policies {
		d := Deny
		if err := catchPanic(func() (err error) { d, err = policy(ctx, req); return err }); err != nil {
			return err
		}
		switch d {
		case Allow:
		case Ask:
			ask = true
		default:
			return errDenied
		}
	}
	if !ask {
		return nil
	}
	rec.ConfirmationAsked = true
	return v.Confirm(ctx, req)
}

// Confirm asks a human about a call that is not made yet, such as one that is planned: r names the tool, and its Args say what
// it is for. Nil is a yes; all that [Registry].Confirm says of no holds here. The Principal is the view's, whatever r says.
func (v *View) Confirm(ctx context.Context, r Request) error {
	if v == nil || v.reg == nil || v.reg.Confirm == nil {
		return errNoConfirm
	}
	r.Principal, r.Args = v.principal, readable(r.Args)
	if v.reg.confirming.Add(1) > maxConfirming {
		v.reg.confirming.Add(-1)
		return errTooManyConfirming
	}
	defer v.reg.confirming.Add(-1)
	yes, _, err := run(ctx, func(ctx context.Context) (any, error) {
		yes, err := v.reg.Confirm(ctx, r)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx) // too late
		}
		return yes && err == nil, err
	}, v.limits.ConfirmTimeout, &v.reg.inFlight)
	switch {
	case err != nil:
		return fmt.Errorf("no answer of a human: %w", cause(err))
	case yes != true:
		return errRejected
	}
	return nil
}

// readable is the same JSON without characters in its strings that a reader would not see.
func readable(args json.RawMessage) json.RawMessage {
	hidden := func(r rune) bool { return r >= ' ' && unseen.InText(r) } // what is less stands between values alone
	if bytes.IndexFunc(args, hidden) < 0 {
		return args
	}
	var b []byte
	for _, r := range string(args) {
		if !hidden(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, u)
		}
	}
	return b
}

// cause is what a callError keeps from the model.
func cause(err error) error {
	if e, ok := err.(*callError); ok && e.cause != nil {
		return e.cause
	}
	return err
}
