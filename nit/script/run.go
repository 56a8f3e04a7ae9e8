package script

import (
	"context"
	"errors"
	"fmt"
)

// Run parses and runs src without provenance and context. It invokes call for each call and returns the last result. An
// error is an *[Error]; at every stage except [StageRun], no call was made. Async calls invoke call concurrently, unless
// opts.Legacy is set.
func Run(src string, opts Options, call func(name string, args map[string]any) (any, error)) (any, error) {
	s, err := Parse(src, opts)
	if err != nil {
		return nil, err
	}
	last, err := s.Run(context.Background(), func(_ context.Context, c Call) (Value, error) {
		data, err := call(c.Name, c.Args)
		return Value{Data: data}, err
	})
	return last.Data, err
}

// Run makes the calls in order and returns the last result. A failed call ends the script. The error is an *[Error] of
// [StageRun] with the position and wraps the error of call. A panic of call is also such an error.
//
// An async call runs concurrently with the following calls, unless the script is legacy. A call that uses its variable
// waits for it. Run returns after all async calls have ended, and fails if one of them failed. After ctx ends, no
// further call starts.
//
// The provenance of a result is the one that call returned, plus the tool's name and the provenance of all arguments.
func (s *Script) Run(ctx context.Context, call func(context.Context, Call) (Value, error)) (Value, error) {
	return s.run(ctx, func(ctx context.Context, _ int, c Call) (Value, error) { return call(ctx, c) })
}

// run is Run with the index of each call.
func (s *Script) run(ctx context.Context, call func(ctx context.Context, i int, c Call) (Value, error)) (Value, error) {
	r := runner{script: s, call: call, variables: make(map[string]*callResult)}
	defer r.waitAll()
	var last *callResult
	for i := range s.calls {
		var err error
		if last, err = r.statement(ctx, i); err != nil {
			return Value{}, err
		}
	}
	r.waitAll()
	for _, res := range r.pending {
		if res.err != nil {
			return Value{}, res.err
		}
	}
	if last == nil {
		return Value{}, nil
	}
	return last.value, nil
}

// A runner is one run of a script.
type runner struct {
	script    *Script
	call      func(context.Context, int, Call) (Value, error)
	variables map[string]*callResult
	pending   []*callResult // results of async calls in order
}

// A callResult is the result of a call that may still run.
type callResult struct {
	done  chan struct{} // nil if the result is set
	value Value
	err   error
}

func (res *callResult) wait() (Value, error) {
	if res.done != nil {
		<-res.done
	}
	return res.value, res.err
}

// waitAll waits for all running async calls.
func (r *runner) waitAll() {
	for _, res := range r.pending {
		<-res.done
	}
}

func (r *runner) statement(ctx context.Context, i int) (*callResult, error) {
	c := &r.script.calls[i]
	made := Call{Name: c.name, Args: make(map[string]any, len(c.args)), Async: c.async}
	for j := range c.args {
		f := &c.args[j]
		data, from, err := r.evaluate(&f.value)
		if err != nil {
			return nil, err
		}
		made.Args[f.name] = data
		delete(made.ArgProvenance, f.name) // the last duplicate wins
		if len(from) > 0 {
			if made.ArgProvenance == nil {
				made.ArgProvenance = make(map[string]Provenance)
			}
			made.ArgProvenance[f.name] = from
		}
	}
	if ctx.Err() != nil {
		return nil, r.fault(c, context.Cause(ctx))
	}
	res := new(callResult)
	if c.async && !r.script.compatible {
		res.done = make(chan struct{})
		r.pending = append(r.pending, res)
		go func() {
			defer close(res.done)
			r.invoke(ctx, i, made, res)
		}()
	} else if r.invoke(ctx, i, made, res); res.err != nil {
		return nil, res.err
	}
	if c.assigns {
		r.variables[c.target] = res
	}
	return res, nil
}

var errExited = errors.New("the call ended its goroutine")

// invoke makes a call and sets res.
func (r *runner) invoke(ctx context.Context, i int, made Call, res *callResult) {
	c := &r.script.calls[i]
	returned := false
	defer func() {
		if p := recover(); p != nil {
			res.err = r.fault(c, fmt.Errorf("panic: %v", p))
		} else if !returned { // runtime.Goexit
			res.err = r.fault(c, errExited)
		}
	}()
	value, err := r.call(ctx, i, made)
	if returned = true; err != nil {
		res.err = r.fault(c, err)
		return
	}
	value.Provenance = made.Provenance().Union(NewProvenance(value.Provenance...)).Union(Provenance{c.name})
	res.value, res.err = value, nil
}

func (r *runner) fault(c *statement, err error) error {
	e := r.script.fault(StageRun, c.pos, err.Error())
	e.Err = err
	return e
}

// evaluate returns the current value of v and its provenance.
func (r *runner) evaluate(v *value) (data any, from Provenance, err error) {
	switch v.kind {
	case text:
		return v.text, nil, nil
	case variable:
		res := r.variables[v.text]
		if res == nil {
			return nil, nil, nil
		}
		value, err := res.wait()
		return value.Data, value.Provenance, err
	case openList:
		list := make([]any, len(v.items))
		for i := range v.items {
			data, l, err := r.evaluate(&v.items[i].value)
			if err != nil {
				return nil, nil, err
			}
			list[i], from = data, from.Union(l)
		}
		return list, from, nil
	case openObject:
		object := make(map[string]any, len(v.items))
		for i := range v.items {
			data, l, err := r.evaluate(&v.items[i].value)
			if err != nil {
				return nil, nil, err
			}
			object[v.items[i].name], from = data, from.Union(l)
		}
		return object, from, nil
	}
	return v.num, nil, nil // number or literal
}
