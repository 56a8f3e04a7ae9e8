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

// A Decision is the verdict of a [Policy]. The zero Decision denies.
type Decision uint8

// Decisions.
const (
	Deny  Decision = iota // refuse the call
	Ask                   // ask a human, see [Registry].Confirm
	Allow                 // run the call
)

// String gives "deny", "ask" or "allow".
func (d Decision) String() string {
	if d > Allow {
		d = Deny
	}
	return [...]string{"deny", "ask", "allow"}[d]
}

// A Request is a resolved call with valid arguments. It is not for the model.
type Request struct {
	Principal Principal
	Tool      ToolInfo
	Args      json.RawMessage // as received, {} if empty; do not modify
}

// A Policy decides a call, also of tools that are ReadOnly or SelfCommitting. With several policies the strictest
// decision wins. An error, a panic and an invalid Decision deny. A denied tool stays listed. The model gets "not allowed
// now", with a reason if the error contains a [ModelError] error. To hide a tool use tiers, modes or [View.Filter]. A Policy
// may be called concurrently. ctx carries the Principal.
type Policy func(context.Context, Request) (Decision, error)

// Confirm asks a human whether a call may run and returns the answer. An error, a panic or no answer within
// Limits.ConfirmTimeout means no. Invisible and bidirectional characters in Args are escaped as \uXXXX, which is
// equivalent JSON. Confirm runs on its own goroutine and must return when its context ends. It may be called
// concurrently, for at most 16 calls of a registry at a time; more are refused.
type Confirm func(context.Context, Request) (bool, error)

const maxConfirming = 16

// WithPolicy returns a view that also asks policy. It shares the quota of v. A nil policy denies every call.
func (v *View) WithPolicy(policy Policy) *View {
	return v.with(func(w *View) { w.policies = append(slices.Clip(v.policies), policy) })
}

var (
	errDenied            = errors.New("a policy denied the call")
	errNoConfirm         = errors.New("Registry.Confirm is nil")
	errTooManyConfirming = fmt.Errorf("%d calls already wait for confirmation", maxConfirming)
	errRejected          = errors.New("a human rejected the call")
)

// checkPolicies asks the policies and, if required, a human. The error is for the operator.
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

// Confirm asks a human about a future call, for instance a planned one. r names the tool, and r.Args describe the
// purpose. It returns nil if the human agrees. The rules of [Registry].Confirm apply. r.Principal is ignored: the view's
// Principal is used.
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
		return fmt.Errorf("no confirmation: %w", cause(err))
	case yes != true:
		return errRejected
	}
	return nil
}

// readable returns equivalent JSON with invisible characters escaped.
func readable(args json.RawMessage) json.RawMessage {
	hidden := func(r rune) bool { return r >= ' ' && unseen.InText(r) } // below ' ' is only white space between values
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

// cause returns the hidden cause of a callError.
func cause(err error) error {
	if e, ok := err.(*callError); ok && e.cause != nil {
		return e.cause
	}
	return err
}
