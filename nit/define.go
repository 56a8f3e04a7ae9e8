package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Define makes a tool of a function. In is a struct (or a map with string keys): its JSON fields become
// the parameters, those with omitempty or omitzero may be left out, and a `jsonschema:"…"` tag describes one to the model.
// The model gets Out as text: a string as it is, anything else as JSON.
//
// The tier is L1, L2 or L3 and decides which principals see the tool; in [ModePersona] nobody sees L3. An invalid name,
// tier, option or schema is an error.
//
// fn runs on a goroutine of its own and must end when its context does. Its error goes to the log, and
// the model only learns that the tool failed; what it should learn instead is said with [ModelError].
// An error that is [ErrUnknownTool] makes the door answer as if there were no such tool.
func Define[In, Out any](name string, tier Tier, description string, fn func(context.Context, In) (Out, error), opts ...Option) (Tool, error) {
	return define(name, tier, description, opts, fn == nil, func(d *definition) error {
		checked, listed, err := infer[In](d.edits)
		if err != nil {
			return err
		}
		if d.args, err = newArguments(checked); err != nil {
			return err
		}
		d.args.nullIsAbsent = true // encoding/json leaves the field alone
		d.prepare = func(args []byte) (invocation, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			return func(ctx context.Context) (any, error) { return fn(ctx, in) }, nil
		}
		d.listed, err = schemaMap(listed)
		return err
	})
}

// DefineRaw makes a tool of a function that takes its arguments as JSON, with a JSON schema from elsewhere.
// The schema describes an object, in at most 64 KiB, 32 levels of schemas (64 of JSON) and 2 000 of them with all references
// written out, and refers to nothing but its own $defs, in no circle; its patterns are short. All that is checked
// before anything is made of it, so that a hostile one costs milliseconds and is refused; the error quotes none of it.
// Arguments are checked as for [Define] before fn sees them, exactly as they came.
func DefineRaw(name string, tier Tier, description string, schema json.RawMessage, fn func(context.Context, json.RawMessage) (string, error), opts ...Option) (Tool, error) {
	return define(name, tier, description, opts, fn == nil, func(d *definition) error {
		if len(d.edits) > 0 {
			return errors.New("option Schema edits an inferred schema only")
		}
		s, listed, err := readSchema(schema)
		if err != nil {
			return err
		}
		d.prepare = func(args []byte) (invocation, error) {
			return func(ctx context.Context) (any, error) { return fn(ctx, args) }, nil
		}
		d.listed = listed
		d.args, err = newArguments(s)
		return err
	})
}

// define makes a tool, which fill completes. nothing says that it has no function.
func define(name string, tier Tier, description string, opts []Option, nothing bool, fill func(*definition) error) (Tool, error) {
	d, err := newDefinition(name, tier, description, opts)
	if err != nil {
		return Tool{}, err
	}
	if nothing {
		err = errors.New("no function")
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
