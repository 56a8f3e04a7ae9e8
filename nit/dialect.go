package nit

import (
	"maps"
	"slices"
)

// A Dialect is the kind of schemas that a model's provider takes. It changes what models are shown, never what is checked.
type Dialect uint8

const (
	// OpenAI takes JSON schema as it is: types, unions and references of foreign schemas as they came.
	OpenAI Dialect = iota

	// Gemini takes the part of it that Google's models know: one type each, with nullable beside it where null may stand,
	// references written out, no additionalProperties, no const, enumerations of strings only, formats that
	// it knows. A schema that would be too long with its references written out becomes an object of anything.
	Gemini

	dialects
)

// WithDialect gives a view that lists its tools in dialect. It shares v's quota.
func (v *View) WithDialect(dialect Dialect) *View {
	if dialect >= dialects {
		return v
	}
	return v.with(func(w *View) { w.dialect = dialect })
}

// parameters gives the schema of the tool's arguments in a dialect.
func (d *definition) parameters(dialect Dialect) map[string]any {
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

// A rewriter writes a schema that was checked in what Gemini knows.
type rewriter struct {
	root map[string]any
	left int // bytes that may still be written, about
}

// What is taken over as it is.
var geminiKeywords = [...]string{
	"title", "description", "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum",
}

func (r *rewriter) node(v any, depth int) map[string]any {
	from, _ := v.(map[string]any) // true and false are taken for anything
	to := make(map[string]any)
	if r.left -= 16; r.left < 0 || depth > maxSchemaDepth*2 { // circles were refused: deep is long
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
		for _, name := range slices.Sorted(maps.Keys(props)) { // in order: what is too long is so each time
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

// types takes the first type that is not null.
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

// enum keeps words. Others could not be told.
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

// union writes anyOf and oneOf as anyOf; of one kind, or null, as that kind.
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

// complete adds what must not be missing and takes out what must not stand there.
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

// merge adds to a schema what another says that it does not.
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
