package nit

import (
	"errors"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

const maxArgumentDepth = 64 // levels of objects and arrays

// arguments validates the arguments of one tool. It keeps no more of the schema than the checks need, because a process may have
// thousands of bots with dozens of tools.
type arguments struct {
	required map[string]bool      // by property of the schema: whether it is required
	full     *jsonschema.Resolved // nil with fast
	cost     cost                 // of the schema
	fast     *compiled            // fast check for simple schemas; nil: use full
	keys     *keyCase             // nil if every object rejects unknown keys

	// nullIsAbsent treats null as absent for optional arguments, since models send it.
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
	a := &arguments{required: make(map[string]bool, len(s.Properties)), cost: w, fast: compile(s), keys: keyCaseOf(s)}
	for name, p := range s.Properties {
		if p != nil {
			a.required[name] = slices.Contains(s.Required, name)
		}
	}
	if a.fast == nil {
		a.full = rules
	}
	return a, nil
}

// has reports whether the schema has a property.
func (a *arguments) has(name string) bool {
	_, ok := a.required[name]
	return ok
}

// check returns a text for the model. The text quotes no argument value and no unknown key.
func (a *arguments) check(text string) error {
	args, values, err := parseObject(text, maxArgumentDepth)
	if err != nil {
		return err
	}
	if a.nullIsAbsent {
		for k, v := range args {
			if required, ok := a.required[k]; v == nil && ok && !required {
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
	if a.full.Validate(args) != nil { // its error quotes values
		return errors.New("they do not fit the schema")
	}
	return nil
}

// keyCase holds the property names of a schema. It finds keys that encoding/json would assign to a property although
// their case differs.
type keyCase struct{ exact, folded map[string]bool }

// keyCaseOf returns the property names of s if one of its objects allows unknown keys. Otherwise it returns nil, because
// such a key is rejected as unknown.
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
