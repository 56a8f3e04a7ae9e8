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
	res, tool, err := v.handle(ctx, call.ID, name, args)
	if err != nil {
		res.Text = "error: " + strings.TrimPrefix(err.Error(), "nit: ")
	}
	return llms.ToolCallResponse{ToolCallID: call.ID, Name: tool, Content: res.Text}
}

// Do is Call for programs: without an id, arguments as a JSON object ("" for none), errors as errors.
// They match one of [ErrUnknownTool], [ErrInvalidArgs], [ErrQuotaExceeded], [ErrRefused], [ErrTimeout] and [ErrFailed].
func (v *View) Do(ctx context.Context, name, args string) (Result, error) {
	res, _, err := v.handle(ctx, "", name, args)
	return res, err
}

// handle is a call from entry to record. tool is the name to answer by.
func (v *View) handle(ctx context.Context, id, name, args string) (res Result, tool string, err error) {
	if v == nil || v.tools == nil {
		return Result{}, unknownName, ErrUnknownTool
	}
	rec := Record{Principal: v.principal, CalledName: name, ArgumentBytes: len(args)}
	res, err = v.dispatch(ctx, id, name, args, &rec)
	rec.Err = err
	if e, ok := err.(*callError); ok && e.kind == ErrUnknownTool { // the tool disowned the call: why is for the operator
		err = ErrUnknownTool
	}
	tool = unknownName
	if err != ErrUnknownTool && err != ErrQuotaExceeded {
		tool, rec.Tool = name, name
	}
	v.record(ctx, rec)
	return res, tool, err
}

// dispatch takes a call through all that stands before a tool, and its result back.
// Whatever the name is, the quotas are charged once, and nothing but the view's own table is asked about it.
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
		return Result{}, &callError{kind: ErrRefused, cause: errors.New("no Redact is set, and an L2 result would need it")}
	}
	if strings.TrimSpace(args) == "" {
		args = "{}" // models send it for a tool without parameters
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

// execute lets a call in that is well formed: it asks those who decide, runs the tool, and makes what came of it
// fit to be shown. ran tells whether the tool was reached.
func (v *View) execute(ctx context.Context, e *entry, inv invocation, args string, rec *Record) (res Result, ran bool, err error) {
	if err := v.authorize(ctx, e, args, rec); err != nil {
		rec.Outcome = Refused
		return Result{}, false, err
	}
	if e.inFlight != nil { // counted before the door is looked at again: who closes it and waits, waits for this call, or it does not run
		e.inFlight.begin()
	}
	if !e.live.Load() { // while somebody was asked
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

// isRevoked tells whether e is gone from the view, and nobody can be asked about it.
func (v *View) isRevoked(e *entry) bool { return v.reg.Confirm == nil && v.state.isRevoked(e) }

// countCall ends a use of the tool when inv has ended, be it by a panic.
func countCall(inv invocation, users *callCounter) invocation {
	return func(ctx context.Context) (any, error) {
		defer users.end()
		return inv(ctx)
	}
}

// decode checks the arguments and decodes them.
func (v *View) decode(e *entry, args string) (inv invocation, err error) {
	if v.limits.ArgumentBytes >= 0 && len(args) > v.limits.ArgumentBytes {
		return nil, &callError{kind: ErrInvalidArgs, detail: "too long"}
	}
	defer func() {
		if r := recover(); r != nil { // a type's own UnmarshalJSON
			inv, err = nil, &callError{kind: ErrInvalidArgs, cause: panicError(r)}
		}
	}()
	if err := e.args.check(args); err != nil {
		return nil, &callError{kind: ErrInvalidArgs, detail: err.Error()}
	}
	inv, err = e.prepare([]byte(args))
	if err != nil {
		return nil, &callError{kind: ErrInvalidArgs, detail: "they do not fit", cause: err} // cause may quote
	}
	return inv, nil
}

// authorize asks the policies, a human where they want one, and the guards of the view.
func (v *View) authorize(ctx context.Context, e *entry, args string, rec *Record) error {
	if err := ctx.Err(); err != nil {
		return &callError{kind: ErrFailed, cause: err}
	}
	if err := v.checkPolicies(ctx, e, args, rec); err != nil {
		refused := &callError{kind: ErrRefused, cause: err}
		if t := modelError(""); errors.As(err, &t) {
			refused.detail = string(t)
		}
		return refused
	}
	if err := ctx.Err(); err != nil { // while somebody was asked
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

// render makes a tool's result, or what it wants the model to be told of its failure, fit to be shown.
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
