package nit

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Call answers a model's call. The answer bears the name of the tool that gave it; when that was none, or
// none that the principal may know of, the name is "unknown", never the name that was called.
// A failure is answered too, as text that begins with "error: ".
//
// A call that was made before in this view or one that it shares its quota with, with the same id, name and arguments, is
// answered as it was then, after waiting for it if it still runs: an effect never happens twice. Calls without an id, of tools that
// are ReadOnly, and those that were refused before they reached their tool, are made anew.
func (v *View) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	var name, args string
	if call.FunctionCall != nil {
		name, args = call.FunctionCall.Name, call.FunctionCall.Arguments
	}
	res, tool, err := v.answer(ctx, call.ID, name, args)
	if err != nil {
		res.Text = "error: " + strings.TrimPrefix(err.Error(), "nit: ")
	}
	return llms.ToolCallResponse{ToolCallID: call.ID, Name: tool, Content: res.Text}
}

// Do is Call for programs: without an id, arguments as a JSON object ("" for none), errors as errors.
// They match one of [ErrUnknown], [ErrArgs], [ErrQuota], [ErrRefused], [ErrTimeout] and [ErrFailed].
func (v *View) Do(ctx context.Context, name, args string) (Result, error) {
	res, _, err := v.answer(ctx, "", name, args)
	return res, err
}

// answer is a call from entry to record. tool is the name to answer by.
func (v *View) answer(ctx context.Context, id, name, args string) (res Result, tool string, err error) {
	if v == nil || v.table == nil {
		return Result{}, nobody, ErrUnknown
	}
	rec := Record{Principal: v.principal, Call: name, In: len(args)}
	res, err = v.pass(ctx, id, name, args, &rec)
	rec.Err = err
	if e, ok := err.(*callError); ok && e.kind == ErrUnknown { // the tool disowned the call: why is for the operator
		err = ErrUnknown
	}
	tool = nobody
	if err != ErrUnknown && err != ErrQuota {
		tool, rec.Tool = name, name
	}
	v.note(ctx, rec)
	return res, tool, err
}

// pass takes a call through all that stands before a tool, and its result back.
// Whatever the name is, the quotas are charged once, and nothing but the view's own table is asked about it.
func (v *View) pass(ctx context.Context, id, name, args string, rec *Record) (Result, error) {
	if n := v.turn.calls.Add(1); v.limits.Calls >= 0 && n > int64(v.limits.Calls) {
		rec.Why = Spent
		return Result{}, ErrQuota
	}
	if quota := v.reg.Quota; quota != nil && !quota.Take(time.Now(), v.principal) {
		rec.Why = Spent
		return Result{}, ErrQuota
	}
	e := v.find(name)
	if e == nil {
		if len(v.audits) > 0 || v.log != nil {
			rec.Why = v.reg.why(v, name)
		}
		return Result{}, ErrUnknown
	}
	if quota := v.reg.Quota; quota != nil && !quota.TakeTool(time.Now(), name) {
		rec.Why = Spent
		return Result{}, &callError{kind: ErrQuota, detail: "of this tool"}
	}
	if e.tier == L2 && v.principal.Mode != ModeAgent && v.redact == nil {
		rec.Why = Refused
		return Result{}, &callError{kind: ErrRefused, cause: errors.New("no Redact is set, and an L2 result would need it")}
	}
	if strings.TrimSpace(args) == "" {
		args = "{}" // models send it for a tool without parameters
	}
	inv, err := v.decode(e, args)
	if err != nil {
		rec.Why = BadArgs
		return Result{}, err
	}
	ctx = context.WithValue(ctx, principalKey{}, &v.principal)
	if id == "" || e.readOnly {
		res, _, err := v.enter(ctx, e, inv, args, rec)
		return res, err
	}
	key := attemptKey{id, name, args}
	a, first := v.turn.attempt(key)
	if !first {
		rec.Why = Replayed
		return a.again(ctx)
	}
	defer v.turn.finish(key, a)
	a.res, a.ran, a.err = v.enter(ctx, e, inv, args, rec)
	return a.res, a.err
}

// enter lets a call in that is well formed: it asks those who decide, runs the tool, and makes what came of it
// fit to be shown. ran tells whether the tool was reached.
func (v *View) enter(ctx context.Context, e *entry, inv invocation, args string, rec *Record) (res Result, ran bool, err error) {
	if err := v.permit(ctx, e, args, rec); err != nil {
		rec.Why = Refused
		return Result{}, false, err
	}
	if e.users != nil { // counted before the door is looked at again: who closes it and waits, waits for this call, or it does not run
		e.users.begin()
	}
	if !e.door.Load() { // while somebody was asked
		if e.users != nil {
			e.users.end()
		}
		rec.Why = Unloaded
		return Result{}, false, ErrUnknown
	}
	if e.sheds != 0 {
		v.turn.shed.Or(int64(e.sheds))
	}
	timeout := v.limits.Timeout
	if e.timeout != 0 {
		timeout = e.timeout
	}
	if e.users != nil {
		inv = counted(inv, e.users)
	}
	out, took, err := run(ctx, inv, timeout, &v.reg.busy)
	rec.Took = took
	res, err = v.present(ctx, e.tier == L2 && v.principal.Mode != ModeAgent, out, err, rec)
	rec.Why = whyOf(err)
	return res, true, err
}

// shedded tells whether e is gone from the view, and nobody can be asked about it.
func (v *View) shedded(e *entry) bool { return v.reg.Confirm == nil && v.turn.sheds(e) }

// counted ends a use of the tool when inv has ended, be it by a panic.
func counted(inv invocation, users *running) invocation {
	return func(ctx context.Context) (any, error) {
		defer users.end()
		return inv(ctx)
	}
}

// decode checks the arguments and decodes them.
func (v *View) decode(e *entry, args string) (inv invocation, err error) {
	if v.limits.Arguments >= 0 && len(args) > v.limits.Arguments {
		return nil, &callError{kind: ErrArgs, detail: "too long"}
	}
	defer func() {
		if r := recover(); r != nil { // a type's own UnmarshalJSON
			inv, err = nil, &callError{kind: ErrArgs, cause: panicError(r)}
		}
	}()
	if err := e.args.check(args); err != nil {
		return nil, &callError{kind: ErrArgs, detail: err.Error()}
	}
	inv, err = e.prepare([]byte(args))
	if err != nil {
		return nil, &callError{kind: ErrArgs, detail: "they do not fit", cause: err} // cause may quote
	}
	return inv, nil
}

// permit asks the policies, a human where they want one, and the guards of the view.
func (v *View) permit(ctx context.Context, e *entry, args string, rec *Record) error {
	if err := ctx.Err(); err != nil {
		return &callError{kind: ErrFailed, cause: err}
	}
	if err := v.decide(ctx, e, args, rec); err != nil {
		refused := &callError{kind: ErrRefused, cause: err}
		if t := told(""); errors.As(err, &t) {
			refused.detail = string(t)
		}
		return refused
	}
	if err := ctx.Err(); err != nil { // while somebody was asked
		return &callError{kind: ErrFailed, cause: err}
	}
	if e.readOnly || e.commits {
		return nil
	}
	for _, guard := range v.guards {
		if err := protect(func() error { return guard(ctx, e.info(v.principal.Mode)) }); err != nil {
			return &callError{kind: ErrRefused, cause: err}
		}
	}
	return nil
}

// present makes a tool's result, or what it wants the model to be told of its failure, fit to be shown.
func (v *View) present(ctx context.Context, redacted bool, out any, failed error, rec *Record) (res Result, err error) {
	var text string
	fault, _ := failed.(*callError)
	switch {
	case failed == nil:
		if err := protect(func() (err error) { text, err = encode(out); return err }); err != nil {
			return Result{}, &callError{kind: ErrFailed, cause: err}
		}
	case fault != nil && fault.detail != "":
		text = fault.detail
	default:
		return Result{}, failed
	}
	rec.Out = len(text)
	text = clean(text)
	if redacted {
		if err := protect(func() (err error) { text, err = v.redact(ctx, text); return err }); err != nil {
			return Result{}, &callError{kind: ErrFailed, cause: err}
		}
		text = clean(text)
	}
	res = limit(text, v.limits.Result)
	if fault != nil {
		fault.detail = res.Text
		return Result{}, fault
	}
	return res, nil
}

func whyOf(err error) Why {
	if err == nil {
		return Done
	}
	if e, ok := err.(*callError); ok {
		switch e.kind {
		case ErrUnknown:
			return Disowned
		case ErrTimeout:
			return Late
		}
	}
	return Failed
}
