package script

import (
	"context"
	"errors"
	"fmt"
)

// Run reads src and runs it, without labels and without a context: call is called for each call in turn, and what it
// returned last is returned. An error is an *[Error]; at every stage but [StageRun], nothing was called.
// Unless opts.Compatible is set, call is called concurrently for async calls.
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

// Run makes the calls in order and gives the result of the last one. A call that fails ends the script;
// the error is an *[Error] of [StageRun] with its place, and wraps what call returned. A panic of call is such an error.
//
// An async call runs at the same time as what comes after it, unless the script is Compatible. A call that uses its variable waits
// for it. It is joined in any case before Run returns; if it failed and nobody waited for it, the script fails then.
// When ctx ends, no further call is begun.
//
// A result bears the labels that call gave it, the name of the tool, and the labels of all arguments.
func (s *Script) Run(ctx context.Context, call func(context.Context, Call) (Value, error)) (Value, error) {
	return s.run(ctx, func(ctx context.Context, _ int, c Call) (Value, error) { return call(ctx, c) })
}

// run is Run for a call that wants to know which one of the script it is.
func (s *Script) run(ctx context.Context, call func(ctx context.Context, i int, c Call) (Value, error)) (Value, error) {
	r := runner{script: s, call: call, variables: make(map[string]*result)}
	defer r.join()
	var last *result
	for i := range s.calls {
		var err error
		if last, err = r.statement(ctx, i); err != nil {
			return Value{}, err
		}
	}
	r.join()
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

// A runner runs a script once.
type runner struct {
	script    *Script
	call      func(context.Context, int, Call) (Value, error)
	variables map[string]*result
	pending   []*result // of async calls, in order
}

// A result is that of a call which may still run.
type result struct {
	done  chan struct{} // nil: it is there
	value Value
	err   error
}

func (res *result) wait() (Value, error) {
	if res.done != nil {
		<-res.done
	}
	return res.value, res.err
}

// join waits for all calls that still run.
func (r *runner) join() {
	for _, res := range r.pending {
		<-res.done
	}
}

func (r *runner) statement(ctx context.Context, i int) (*result, error) {
	c := &r.script.calls[i]
	made := Call{Name: c.name, Args: make(map[string]any, len(c.args)), Async: c.async}
	for j := range c.args {
		f := &c.args[j]
		data, from, err := r.evaluate(&f.value)
		if err != nil {
			return nil, err
		}
		made.Args[f.name] = data
		delete(made.ArgProvenance, f.name) // the last of one name counts
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
	res := new(result)
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

// invoke makes a call and fills res.
func (r *runner) invoke(ctx context.Context, i int, made Call, res *result) {
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

// evaluate gives what a value is now, and where that came from.
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
	return v.num, nil, nil // a number or a word
}
