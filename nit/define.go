package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Define makes a tool from a function. In is a struct, or a map with string keys. Its JSON fields become the parameters.
// A field with omitempty or omitzero is optional, and a `jsonschema:"…"` tag describes the field to the model. The model
// gets a string result as it is and any other result as JSON.
//
// The tier is L1, L2 or L3 and decides which principals see the tool. In [ModePersona] nobody sees L3. An invalid name,
// tier, option or schema is an error.
//
// fn runs on its own goroutine and must return when its context ends. Its error is logged, and the model learns only
// that the tool failed. Return a [ModelError] error to choose the text for the model. If fn returns [ErrUnknownTool], the model is
// told that the tool does not exist.
func Define[In, Out any](name string, tier Tier, description string, fn func(context.Context, In) (Out, error), opts ...Option) (Tool, error) {
	return define(name, tier, description, opts, fn == nil, func(d *definition) error {
		var err error
		if d.parameters, err = parametersOf[In](d.edits); err != nil {
			return err
		}
		d.prepare = func(args []byte) (invocation, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			return func(ctx context.Context) (any, error) { return fn(ctx, in) }, nil
		}
		return nil
	})
}

// DefineRaw makes a tool from a function with JSON arguments and a given JSON schema, for instance of a remote server.
// fn gets the arguments unchanged, after the same checks as for [Define].
//
// The schema must describe an object. It may have 64 KiB, 32 levels of schemas (64 of JSON) and 2,000 schemas with all
// references expanded. References must point to its own $defs without a cycle, and patterns must be short. All limits
// are checked before the schema is compiled, so a hostile schema costs milliseconds. The error does not quote the
// schema.
func DefineRaw(name string, tier Tier, description string, schema json.RawMessage, fn func(context.Context, json.RawMessage) (string, error), opts ...Option) (Tool, error) {
	return define(name, tier, description, opts, fn == nil, func(d *definition) error {
		if len(d.edits) > 0 {
			return errors.New("the option EditSchema applies to inferred schemas only")
		}
		s, listed, err := readSchema(schema)
		if err != nil {
			return err
		}
		d.prepare = func(args []byte) (invocation, error) {
			return func(ctx context.Context) (any, error) { return fn(ctx, args) }, nil
		}
		args, err := newArguments(s)
		d.parameters = &parameters{args, listed}
		return err
	})
}

// define makes a tool that fill completes. noFunc reports that the caller passed a nil function.
func define(name string, tier Tier, description string, opts []Option, noFunc bool, fill func(*definition) error) (Tool, error) {
	d, err := newDefinition(name, tier, description, opts)
	if err != nil {
		return Tool{}, err
	}
	if noFunc {
		err = errors.New("the function is nil")
	} else {
		err = fill(d)
	}
	if err == nil {
		err = d.checkTarget()
	}
	if err != nil {
		return Tool{}, fmt.Errorf("nit: tool %s: %w", name, err)
	}
	return Tool{d}, nil
}
