package nit

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Call answers a model's call. The answer bears the name of the tool that gave it; when that was none, or
// none that the principal may know of, the name is "unknown", never the name that was called.
// A failure is answered too, as text that begins with "error: ".
func (v *View) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	var name, args string
	if call.FunctionCall != nil {
		name, args = call.FunctionCall.Name, call.FunctionCall.Arguments
	}
	res, tool, err := v.answer(ctx, name, args)
	if err != nil {
		res.Text = "error: " + strings.TrimPrefix(err.Error(), "nit: ")
	}
	return llms.ToolCallResponse{ToolCallID: call.ID, Name: tool, Content: res.Text}
}

// Do is Call for programs: arguments as a JSON object ("" for none), errors as errors.
// They match one of [ErrUnknown], [ErrArgs], [ErrQuota], [ErrRefused], [ErrTimeout] and [ErrFailed].
func (v *View) Do(ctx context.Context, name, args string) (Result, error) {
	res, _, err := v.answer(ctx, name, args)
	return res, err
}

// answer is a call from entry to record. tool is the name to answer by.
func (v *View) answer(ctx context.Context, name, args string) (res Result, tool string, err error) {
	if v == nil || v.table == nil {
		return Result{}, nobody, ErrUnknown
	}
	rec := Record{Principal: v.principal, Call: name, In: len(args)}
	res, rec.Err = v.pass(ctx, name, args, &rec)
	tool = nobody
	if rec.Err != ErrUnknown && rec.Err != ErrQuota {
		tool, rec.Tool = name, name
	}
	v.note(ctx, rec)
	return res, tool, rec.Err
}

// pass takes a call through all that stands before a tool, and its result back.
// Whatever the name is, the quota is charged once, and nothing but the view's own table is asked about it.
func (v *View) pass(ctx context.Context, name, args string, rec *Record) (Result, error) {
	if n := v.calls.Add(1); v.limits.Calls >= 0 && n > int64(v.limits.Calls) {
		rec.Why = Spent
		return Result{}, ErrQuota
	}
	e := v.table.entries[name]
	if e == nil || !e.live.Load() {
		if v.audit != nil || v.log != nil {
			rec.Why = v.reg.why(v, name)
		}
		return Result{}, ErrUnknown
	}
	redacted := e.tier == L2 && v.principal.Mode != ModeAgent
	if redacted && v.redact == nil {
		rec.Why = Refused
		return Result{}, &callError{kind: ErrRefused, cause: errors.New("no Redact is set, and an L2 result would need it")}
	}
	inv, err := v.decode(e, args)
	if err != nil {
		rec.Why = BadArgs
		return Result{}, err
	}
	ctx = context.WithValue(ctx, principalKey{}, &v.principal)
	if err := v.permit(ctx, e); err != nil {
		rec.Why = Refused
		return Result{}, err
	}
	timeout := v.limits.Timeout
	if e.timeout != 0 {
		timeout = e.timeout
	}
	out, took, err := run(ctx, inv, timeout, &v.reg.busy)
	rec.Took = took
	res, err := v.present(ctx, redacted, out, err, rec)
	rec.Why = whyOf(err)
	return res, err
}

// decode checks the arguments and decodes them.
func (v *View) decode(e *entry, args string) (inv invocation, err error) {
	if v.limits.Arguments >= 0 && len(args) > v.limits.Arguments {
		return nil, &callError{kind: ErrArgs, detail: "too long"}
	}
	if strings.TrimSpace(args) == "" {
		args = "{}" // models send it for a tool without parameters
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

// permit asks the guards of the view.
func (v *View) permit(ctx context.Context, e *entry) error {
	if err := ctx.Err(); err != nil {
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
	e, ok := err.(*callError)
	switch {
	case !ok:
		return Disowned
	case e.kind == ErrTimeout:
		return Late
	}
	return Failed
}
