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
	rules  *jsonschema.Resolved
	weight weight     // of schema
	plain  *check     // does what rules does; nil: the schema has more in it
	names  *spellings // nil: every object takes only keys that it names

	// nullIsAbsent lets an optional argument be null, which models send for "left out".
	nullIsAbsent bool
}

func newArguments(s *jsonschema.Schema) (*arguments, error) {
	w, err := checkSchema(s)
	if err != nil {
		return nil, err
	}
	rules, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &arguments{schema: s, rules: rules, weight: w, plain: compile(s), names: openNames(s)}, nil
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
	if a.names != nil && !a.names.fit(args) {
		return errVariant
	}
	if len(text)*a.weight.patterns > maxMatching {
		return errHeavy
	}
	if a.plain != nil {
		if f := a.plain.faults(args); f != nil {
			return errors.New(f.String())
		}
		return nil
	}
	if values*a.weight.work > maxWork {
		return errHeavy
	}
	if a.rules.Validate(args) != nil { // its text quotes values
		return errors.New("they do not fit the schema")
	}
	return nil
}

// spellings are the property names of a schema, for finding keys that encoding/json would take for one
// although they are spelled differently.
type spellings struct{ exact, folded map[string]bool }

// openNames gives the names in s if one of its objects takes keys that it does not name. Otherwise
// a different spelling is an unknown key, and refused as such.
func openNames(s *jsonschema.Schema) *spellings {
	n := spellings{make(map[string]bool), make(map[string]bool)}
	open := false
	_ = walk(s, func(s *jsonschema.Schema) error {
		for name := range s.Properties {
			n.exact[name], n.folded[fold(name)] = true, true
			open = open || !closed(s)
		}
		return nil
	})
	if !open {
		return nil
	}
	return &n
}

func (n *spellings) fit(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if !n.exact[key] && n.folded[fold(key)] || !n.fit(value) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !n.fit(item) {
				return false
			}
		}
	}
	return true
}
