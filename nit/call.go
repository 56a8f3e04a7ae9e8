package nit

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Call answers a tool call of a model. The response carries the name of the tool that answered. If no tool of the view
// has the requested name, it carries "unknown" and never repeats that name. A failure is answered with text that begins
// with "error: ".
//
// Calls with an id are idempotent: a second call with the same id, name and arguments returns the result of the first,
// and waits for it if it still runs. This holds for v and all views derived from it. Calls without an id and calls of
// read-only tools always run. A call that was refused before it reached its tool may be retried.
func (v *View) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	var name, args string
	if call.FunctionCall != nil {
		name, args = call.FunctionCall.Name, call.FunctionCall.Arguments
	}
	res, tool, err := v.handle(ctx, call.ID, name, args)
	if err != nil {
		res.Text = "error: " + strings.TrimPrefix(err.Error(), "nit: ")
	}
	return llms.ToolCallResponse{ToolCallID: call.ID, Name: tool, Content: res.Text}
}

// Do is Call for programs. It takes no id, and args is a JSON object ("" means none). An error matches one of
// [ErrUnknownTool], [ErrInvalidArgs], [ErrQuotaExceeded], [ErrRefused], [ErrTimeout] and [ErrFailed].
func (v *View) Do(ctx context.Context, name, args string) (Result, error) {
	res, _, err := v.handle(ctx, "", name, args)
	return res, err
}

// handle runs a call and records it. tool is the name for the response.
func (v *View) handle(ctx context.Context, id, name, args string) (res Result, tool string, err error) {
	if v == nil || v.tools == nil {
		return Result{}, unknownName, ErrUnknownTool
	}
	rec := Record{Principal: v.principal, CalledName: name, ArgumentBytes: len(args)}
	res, err = v.dispatch(ctx, id, name, args, &rec)
	rec.Err = err
	if e, ok := err.(*callError); ok && e.kind == ErrUnknownTool { // the model must not see the cause
		err = ErrUnknownTool
	}
	tool = unknownName
	if err != ErrUnknownTool && err != ErrQuotaExceeded {
		tool, rec.Tool = name, name
	}
	v.record(ctx, rec)
	return res, tool, err
}

// dispatch charges the quotas, finds the tool, decodes the arguments and executes the call. It charges the quotas once
// for every name and looks names up in the view's own toolset only, so hidden tools cost the same as missing ones.
func (v *View) dispatch(ctx context.Context, id, name, args string, rec *Record) (Result, error) {
	if n := v.state.calls.Add(1); v.limits.Calls >= 0 && n > int64(v.limits.Calls) {
		rec.Outcome = QuotaExceeded
		return Result{}, ErrQuotaExceeded
	}
	if quota := v.reg.Quota; quota != nil && !quota.Allow(time.Now(), v.principal) {
		rec.Outcome = QuotaExceeded
		return Result{}, ErrQuotaExceeded
	}
	e := v.find(name)
	if e == nil {
		if len(v.audits) > 0 || v.log != nil {
			rec.Outcome = v.reg.unknownOutcome(v, name)
		}
		return Result{}, ErrUnknownTool
	}
	if quota := v.reg.Quota; quota != nil && !quota.AllowTool(time.Now(), name) {
		rec.Outcome = QuotaExceeded
		return Result{}, &callError{kind: ErrQuotaExceeded, detail: "of this tool"}
	}
	if e.tier == L2 && v.principal.Mode != ModeAgent && v.redact == nil {
		rec.Outcome = Refused
		return Result{}, &callError{kind: ErrRefused, cause: errors.New("L2 results need Registry.Redact, which is nil")}
	}
	if strings.TrimSpace(args) == "" {
		args = "{}" // models send an empty string for a tool without parameters
	}
	inv, err := v.decode(e, args)
	if err != nil {
		rec.Outcome = InvalidArgs
		return Result{}, err
	}
	ctx = context.WithValue(ctx, principalKey{}, &v.principal)
	if id == "" || e.readOnly {
		res, _, err := v.execute(ctx, e, inv, args, rec)
		return res, err
	}
	key := attemptKey{id, name, args}
	a, first := v.state.replays.begin(key)
	if !first {
		rec.Outcome = Replayed
		return a.wait(ctx)
	}
	defer v.state.replays.finish(key, a)
	a.res, a.reached, a.err = v.execute(ctx, e, inv, args, rec)
	return a.res, a.err
}

// execute authorizes a valid call, runs the tool and renders its result. reached reports whether the tool was started.
func (v *View) execute(ctx context.Context, e *entry, inv invocation, args string, rec *Record) (res Result, reached bool, err error) {
	if err := v.authorize(ctx, e, args, rec); err != nil {
		rec.Outcome = Refused
		return Result{}, false, err
	}
	if e.inFlight != nil { // count before checking live again, so that Unload waits for this call or this call is rejected
		e.inFlight.begin()
	}
	if !e.live.Load() { // it was removed during the confirmation
		if e.inFlight != nil {
			e.inFlight.end()
		}
		rec.Outcome = Removed
		return Result{}, false, ErrUnknownTool
	}
	if e.revokes != 0 {
		v.state.revoked.Or(int64(e.revokes))
	}
	timeout := v.limits.Timeout
	if e.timeout != 0 {
		timeout = e.timeout
	}
	if e.inFlight != nil {
		inv = countCall(inv, e.inFlight)
	}
	out, took, err := run(ctx, inv, timeout, &v.reg.inFlight)
	rec.Duration = took
	res, err = v.render(ctx, e.tier == L2 && v.principal.Mode != ModeAgent, out, err, rec)
	rec.Outcome = outcomeOf(err)
	return res, true, err
}

// isRevoked reports whether e was revoked and cannot be confirmed by a human either.
func (v *View) isRevoked(e *entry) bool { return v.reg.Confirm == nil && v.state.isRevoked(e) }

// countCall ends the count when inv returns or panics.
func countCall(inv invocation, counter *callCounter) invocation {
	return func(ctx context.Context) (any, error) {
		defer counter.end()
		return inv(ctx)
	}
}

// decode validates and decodes the arguments.
func (v *View) decode(e *entry, args string) (inv invocation, err error) {
	if v.limits.ArgumentBytes >= 0 && len(args) > v.limits.ArgumentBytes {
		return nil, &callError{kind: ErrInvalidArgs, detail: "too long"}
	}
	defer func() {
		if r := recover(); r != nil { // from UnmarshalJSON of the argument type
			inv, err = nil, &callError{kind: ErrInvalidArgs, cause: panicError(r)}
		}
	}()
	if err := e.args.check(args); err != nil {
		return nil, &callError{kind: ErrInvalidArgs, detail: err.Error()}
	}
	inv, err = e.prepare([]byte(args))
	if err != nil {
		return nil, &callError{kind: ErrInvalidArgs, detail: "they do not fit", cause: err} // cause may quote arguments
	}
	return inv, nil
}

// authorize asks the policies, a human if one of them demands it, and the guards of the view.
func (v *View) authorize(ctx context.Context, e *entry, args string, rec *Record) error {
	if err := ctx.Err(); err != nil {
		return &callError{kind: ErrFailed, cause: err}
	}
	if err := v.checkPolicies(ctx, e, args, rec); err != nil {
		refused := &callError{kind: ErrRefused, cause: err}
		if text := modelError(""); errors.As(err, &text) {
			refused.detail = string(text)
		}
		return refused
	}
	if err := ctx.Err(); err != nil { // it may end during the confirmation
		return &callError{kind: ErrFailed, cause: err}
	}
	if e.readOnly || e.selfCommitting {
		return nil
	}
	for _, guard := range v.guards {
		if err := catchPanic(func() error { return guard(ctx, e.info(v.principal.Mode)) }); err != nil {
			return &callError{kind: ErrRefused, cause: err}
		}
	}
	return nil
}

// render turns the result of a tool, or its error text for the model, into safe text.
func (v *View) render(ctx context.Context, redacted bool, out any, failed error, rec *Record) (res Result, err error) {
	var text string
	fault, _ := failed.(*callError)
	switch {
	case failed == nil:
		if err := catchPanic(func() (err error) { text, err = encode(out); return err }); err != nil {
			return Result{}, &callError{kind: ErrFailed, cause: err}
		}
	case fault != nil && fault.detail != "":
		text = fault.detail
	default:
		return Result{}, failed
	}
	rec.ResultBytes = len(text)
	text = clean(text)
	if redacted {
		if err := catchPanic(func() (err error) { text, err = v.redact(ctx, text); return err }); err != nil {
			return Result{}, &callError{kind: ErrFailed, cause: err}
		}
		text = clean(text)
	}
	res = truncate(text, v.limits.ResultChars)
	if fault != nil {
		fault.detail = res.Text
		return Result{}, fault
	}
	return res, nil
}

func outcomeOf(err error) Outcome {
	if err == nil {
		return OK
	}
	if e, ok := err.(*callError); ok {
		switch e.kind {
		case ErrUnknownTool:
			return ReturnedUnknown
		case ErrTimeout:
			return TimedOut
		}
	}
	return Failed
}
