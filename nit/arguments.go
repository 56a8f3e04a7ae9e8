package nit

import (
	"errors"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

const maxArgumentDepth = 64 // levels of objects and arrays

// arguments checks the arguments of one tool.
type arguments struct {
	schema *jsonschema.Schema
	full   *jsonschema.Resolved
	cost   cost      // of schema
	fast   *compiled // does what rules does; nil: the schema has more in it
	keys   *keyCase  // nil: every object takes only keys that it names

	// nullIsAbsent lets an optional argument be null, which models send for "left out".
	nullIsAbsent bool
}

func newArguments(s *jsonschema.Schema) (*arguments, error) {
	w, err := validateSchema(s)
	if err != nil {
		return nil, err
	}
	rules, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &arguments{schema: s, full: rules, cost: w, fast: compile(s), keys: keyCaseOf(s)}, nil
}

// check tells what is wrong with the arguments, without a value of theirs or a name that the schema does not have.
func (a *arguments) check(text string) error {
	args, values, err := parseObject(text, maxArgumentDepth)
	if err != nil {
		return err
	}
	if a.nullIsAbsent {
		for k, v := range args {
			if v == nil && a.schema.Properties[k] != nil && !slices.Contains(a.schema.Required, k) {
				delete(args, k)
			}
		}
	}
	if a.keys != nil && !a.keys.consistent(args) {
		return errKeyCase
	}
	if len(text)*a.cost.patterns > maxMatching {
		return errCostlyArguments
	}
	if a.fast != nil {
		if f := a.fast.validate(args); f != nil {
			return errors.New(f.String())
		}
		return nil
	}
	if values*a.cost.work > maxWork {
		return errCostlyArguments
	}
	if a.full.Validate(args) != nil { // its text quotes values
		return errors.New("they do not fit the schema")
	}
	return nil
}

// keyCase are the property names of a schema, for finding keys that encoding/json would take for one
// although they are spelled differently.
type keyCase struct{ exact, folded map[string]bool }

// keyCaseOf gives the names in s if one of its objects takes keys that it does not name. Otherwise
// a different spelling is an unknown key, and refused as such.
func keyCaseOf(s *jsonschema.Schema) *keyCase {
	n := keyCase{make(map[string]bool), make(map[string]bool)}
	open := false
	_ = walk(s, func(s *jsonschema.Schema) error {
		for name := range s.Properties {
			n.exact[name], n.folded[foldCase(name)] = true, true
			open = open || !closed(s)
		}
		return nil
	})
	if !open {
		return nil
	}
	return &n
}

func (n *keyCase) consistent(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if !n.exact[key] && n.folded[foldCase(key)] || !n.consistent(value) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !n.consistent(item) {
				return false
			}
		}
	}
	return true
}
