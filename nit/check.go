package nit

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// compiled is a compiled simple schema, like those inferred from Go types. It gives the same verdict as
// jsonschema.Resolved.Validate without allocating. Its errors name the place and the rule and never quote a value. The
// library checks all other schemas.
type compiled struct {
	types      []string        // nil means any
	enum       []string        // strings only; nil means any
	enumSet    map[string]bool // set of enum if it is long
	minimum    *float64
	maximum    *float64
	minLength  *int // characters
	maxLength  *int
	pattern    *regexp.Regexp
	items      *compiled
	minItems   *int
	maxItems   *int
	props      []property // sorted by name
	closed     bool       // rejects other keys
	additional *compiled  // schema of other keys; nil means any
}

type property struct {
	name     string
	required bool
	*compiled
}

// compile returns nil if s uses keywords that compiled does not support.
func compile(s *jsonschema.Schema) *compiled {
	if !isSimple(s) {
		return nil
	}
	c := &compiled{
		types: s.Types, minimum: s.Minimum, maximum: s.Maximum, minLength: s.MinLength, maxLength: s.MaxLength,
		minItems: s.MinItems, maxItems: s.MaxItems, closed: closed(s),
	}
	if s.Type != "" {
		c.types = []string{s.Type}
	}
	for _, e := range s.Enum {
		word, ok := e.(string)
		if !ok {
			return nil
		}
		c.enum = append(c.enum, word)
	}
	if len(c.enum) > maxListedEnum {
		c.enumSet = make(map[string]bool, len(c.enum))
		for _, word := range c.enum {
			c.enumSet[word] = true
		}
	}
	if s.Pattern != "" {
		c.pattern = regexp.MustCompile(s.Pattern) // Resolve compiled it before
	}
	if s.Items != nil {
		if c.items = compile(s.Items); c.items == nil {
			return nil
		}
	}
	if s.AdditionalProperties != nil && !c.closed {
		if c.additional = compile(s.AdditionalProperties); c.additional == nil {
			return nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := compile(s.Properties[name])
		if p == nil {
			return nil
		}
		c.props = append(c.props, property{name, slices.Contains(s.Required, name), p})
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			return nil
		}
	}
	return c
}

// isSimple reports whether s uses only keywords that compiled supports or that validate nothing.
func isSimple(s *jsonschema.Schema) bool {
	rest := *s
	rest.Schema, rest.Comment, rest.Title, rest.Description, rest.Format = "", "", "", "", ""
	rest.Default, rest.Examples, rest.PropertyOrder, rest.Extra = nil, nil, nil, nil
	rest.Deprecated, rest.ReadOnly, rest.WriteOnly = false, false, false
	rest.Type, rest.Types, rest.Minimum, rest.Maximum = "", nil, nil, nil
	rest.MinLength, rest.MaxLength, rest.Pattern = nil, nil, ""
	rest.Items, rest.MinItems, rest.MaxItems = nil, nil, nil
	rest.Properties, rest.Required, rest.AdditionalProperties = nil, nil, nil
	if len(rest.Enum) > 0 {
		rest.Enum = nil
	}
	return reflect.ValueOf(rest).IsZero()
}

// closed reports whether s rejects properties that it does not name.
func closed(s *jsonschema.Schema) bool {
	p := s.AdditionalProperties
	return p != nil && p.Not != nil && reflect.ValueOf(*p.Not).IsZero() && s.PatternProperties == nil
}

// faults are violations with their paths. A path has property names and positions, and "*" for other keys.
type faults []fault

type fault struct{ path, text string }

const (
	maxFaults     = 5
	maxListedEnum = 20 // longer enumerations use a map, and the error does not list them
)

func (f faults) String() string {
	texts := make([]string, len(f))
	for i, one := range f {
		texts[i] = strings.TrimPrefix(strings.TrimPrefix(one.path, ".")+" "+one.text, " ")
	}
	return strings.Join(texts, "; ")
}

// under adds the faults below path element step.
func (f faults) under(step string, below faults) faults {
	for _, one := range below {
		if len(f) == maxFaults {
			break
		}
		f = append(f, fault{step + one.path, one.text})
	}
	return f
}

// validate checks a value from parseObject.
func (c *compiled) validate(v any) faults {
	if c.types != nil && !c.hasType(v) {
		return faults{{"", "is not of type " + strings.Join(c.types, " or ")}}
	}
	if s, ok := v.(string); c.enumSet != nil && (!ok || !c.enumSet[s]) {
		return faults{{"", "is none of the values that it may have"}}
	} else if c.enumSet == nil && c.enum != nil && (!ok || !slices.Contains(c.enum, s)) {
		return faults{{"", fmt.Sprintf("is none of %q", c.enum)}}
	}
	switch v := v.(type) {
	case float64:
		if c.minimum != nil && v < *c.minimum || c.maximum != nil && v > *c.maximum {
			return faults{{"", "is out of its range"}}
		}
	case string:
		return c.checkString(v)
	case []any:
		return c.checkArray(v)
	case map[string]any:
		return c.checkObject(v)
	}
	return nil
}

func (c *compiled) hasType(v any) bool {
	for _, t := range c.types {
		var ok bool
		switch v := v.(type) {
		case nil:
			ok = t == "null"
		case bool:
			ok = t == "boolean"
		case string:
			ok = t == "string"
		case float64:
			ok = t == "number" || t == "integer" && v == math.Trunc(v)
		case []any:
			ok = t == "array"
		case map[string]any:
			ok = t == "object"
		}
		if ok {
			return true
		}
	}
	return false
}

func (c *compiled) checkString(v string) faults {
	if c.minLength != nil || c.maxLength != nil {
		n := utf8.RuneCountInString(v)
		if c.minLength != nil && n < *c.minLength {
			return faults{{"", "is too short"}}
		}
		if c.maxLength != nil && n > *c.maxLength {
			return faults{{"", "is too long"}}
		}
	}
	if c.pattern != nil && !c.pattern.MatchString(v) {
		return faults{{"", "does not match its pattern"}}
	}
	return nil
}

func (c *compiled) checkArray(v []any) (f faults) {
	if c.minItems != nil && len(v) < *c.minItems || c.maxItems != nil && len(v) > *c.maxItems {
		return faults{{"", "has too few or too many items"}}
	}
	if c.items == nil {
		return nil
	}
	for i, item := range v {
		if below := c.items.validate(item); below != nil {
			f = f.under(fmt.Sprintf("[%d]", i), below)
		}
	}
	return f
}

func (c *compiled) checkObject(v map[string]any) (f faults) {
	known := 0
	for _, p := range c.props {
		value, given := v[p.name]
		if !given {
			if p.required {
				f = f.under("."+p.name, faults{{"", "is missing"}})
			}
			continue
		}
		known++
		if below := p.validate(value); below != nil {
			f = f.under("."+p.name, below)
		}
	}
	if known == len(v) {
		return f
	}
	if c.closed {
		return f.under("", faults{{"", "has a key that the tool does not know"}})
	}
	if c.additional != nil {
		for key, value := range v {
			if _, found := slices.BinarySearchFunc(c.props, key, func(p property, k string) int { return strings.Compare(p.name, k) }); found {
				continue
			}
			if below := c.additional.validate(value); below != nil {
				return f.under(".*", below) // keys have no order, so one fault is enough
			}
		}
	}
	return f
}
