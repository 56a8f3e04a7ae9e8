package nit

import (
	"maps"
	"slices"
)

// A Dialect is the JSON schema variant of a model provider. It changes the listed schemas only, not validation.
type Dialect uint8

const (
	// OpenAI takes JSON schema unchanged, with type lists, unions and references.
	OpenAI Dialect = iota

	// Gemini takes the subset that Google's models support: a single type with nullable instead of null, string
	// enumerations, and known formats. References are expanded. Keywords such as additionalProperties and const are
	// removed. A schema that would become too long is listed as an object with any properties.
	Gemini

	dialects
)

// WithDialect returns a view that lists its tools in dialect. It shares the quota of v.
func (v *View) WithDialect(dialect Dialect) *View {
	if dialect >= dialects {
		return v
	}
	return v.with(func(w *View) { w.dialect = dialect })
}

// schemaIn returns the schema of the arguments in a dialect.
func (d *definition) schemaIn(dialect Dialect) map[string]any {
	if dialect == OpenAI {
		return d.listed
	}
	r := rewriter{root: d.listed, left: maxSchemaBytes}
	m := r.node(d.listed, 0)
	if r.left < 0 {
		m = map[string]any{"type": "object"}
	}
	if m["properties"] == nil {
		m["properties"] = map[string]any{}
	}
	return m
}

// A rewriter converts a validated schema for Gemini.
type rewriter struct {
	root map[string]any
	left int // approximate bytes that may still be written
}

// Keywords that are copied unchanged.
var geminiKeywords = [...]string{
	"title", "description", "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum",
}

func (r *rewriter) node(v any, depth int) map[string]any {
	from, _ := v.(map[string]any) // true and false count as an empty schema
	to := make(map[string]any)
	if r.left -= 16; r.left < 0 || depth > maxSchemaDepth*2 { // there are no cycles, so a deep schema is a long one
		r.left = -1
		return to
	}
	if ref, ok := from["$ref"].(string); ok {
		merge(to, r.node(r.target(ref), depth+1))
	}
	for _, key := range geminiKeywords {
		if value, ok := from[key]; ok {
			text, _ := value.(string)
			r.left -= len(key) + len(text) + 8
			to[key] = value
		}
	}
	r.types(from, to)
	r.enum(from, to)
	if format, _ := from["format"].(string); slices.Contains([]string{"date-time", "int32", "int64", "float", "double"}, format) {
		to["format"] = format
	}
	if props, ok := from["properties"].(map[string]any); ok && len(props) > 0 {
		written := make(map[string]any, len(props))
		for _, name := range slices.Sorted(maps.Keys(props)) { // sorted, so that truncation is deterministic
			r.left -= len(name)
			written[name] = r.node(props[name], depth+1)
		}
		to["properties"] = written
	}
	if required, ok := from["required"].([]any); ok {
		to["required"] = required
	}
	if items, ok := from["items"]; ok {
		to["items"] = r.node(items, depth+1)
	}
	all, _ := from["allOf"].([]any)
	for _, part := range all {
		merge(to, r.node(part, depth+1))
	}
	r.union(from, to, depth)
	r.complete(to)
	return to
}

func (r *rewriter) target(ref string) any {
	for _, key := range []string{"$defs", "definitions"} {
		defs, _ := r.root[key].(map[string]any)
		if target, ok := defs[refName(ref)]; ok {
			return target
		}
	}
	return nil
}

// types uses the first type that is not null.
func (r *rewriter) types(from, to map[string]any) {
	names, _ := from["type"].([]any)
	if name, ok := from["type"].(string); ok {
		names = []any{name}
	}
	for _, name := range names {
		if name == "null" {
			to["nullable"] = true
		} else if to["type"] == nil {
			to["type"] = name
		}
	}
}

// enum keeps strings. Gemini cannot express other values.
func (r *rewriter) enum(from, to map[string]any) {
	list, _ := from["enum"].([]any)
	if value, ok := from["const"]; ok {
		list = []any{value}
	}
	var words []any
	for _, e := range list {
		switch e := e.(type) {
		case nil:
			to["nullable"] = true
		case string:
			r.left -= len(e) + 4
			words = append(words, e)
		default:
			return
		}
	}
	if words != nil {
		to["enum"] = words
	}
}

// union writes anyOf and oneOf as anyOf, and merges a single alternative.
func (r *rewriter) union(from, to map[string]any, depth int) {
	list, ok := from["anyOf"].([]any)
	if !ok {
		list, ok = from["oneOf"].([]any)
	}
	var kinds []any
	for _, part := range list {
		if p, _ := part.(map[string]any); p["type"] == "null" {
			to["nullable"] = true
			continue
		}
		kinds = append(kinds, r.node(part, depth+1))
	}
	switch {
	case !ok || len(kinds) == 0:
	case len(kinds) == 1:
		merge(to, kinds[0].(map[string]any))
	case to["type"] == nil:
		to["anyOf"] = kinds
	}
}

// complete adds required keywords and removes invalid ones.
func (r *rewriter) complete(to map[string]any) {
	if to["type"] == nil && to["anyOf"] == nil {
		switch {
		case to["properties"] != nil:
			to["type"] = "object"
		case to["items"] != nil:
			to["type"] = "array"
		case to["minimum"] != nil || to["maximum"] != nil:
			to["type"] = "number"
		default:
			to["type"] = "string"
		}
	}
	if to["type"] == "array" && to["items"] == nil {
		to["items"] = map[string]any{"type": "string"}
	}
	if to["type"] != "string" {
		delete(to, "enum")
	}
	if required, ok := to["required"].([]any); ok {
		props, _ := to["properties"].(map[string]any)
		var named []any
		for _, name := range required {
			if name, ok := name.(string); ok && props[name] != nil {
				named = append(named, name)
			}
		}
		if to["required"] = named; named == nil {
			delete(to, "required")
		}
	}
}

// merge copies keywords from more that to does not have.
func merge(to, more map[string]any) {
	for key, value := range more {
		switch key {
		case "properties":
			props := make(map[string]any)
			maps.Copy(props, value.(map[string]any))
			if had, ok := to[key].(map[string]any); ok {
				maps.Copy(props, had)
			}
			to[key] = props
		case "required":
			had, _ := to[key].([]any)
			to[key] = append(slices.Clip(had), value.([]any)...)
		default:
			if _, has := to[key]; !has {
				to[key] = value
			}
		}
	}
}
