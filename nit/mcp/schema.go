package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

const (
	maxForeignSchema = 64 << 10 // bytes
	maxForeignDepth  = 64       // levels of JSON
	maxSchemaText    = 512      // characters of a description in a schema
	maxSchemaName    = 64       // characters of a property's name
	maxSchemaValue   = 200      // characters of an enumerated text
)

var (
	errSchemaSize  = fmt.Errorf("its schema has more than %d bytes", maxForeignSchema)
	errSchemaDepth = fmt.Errorf("its schema has more than %d levels", maxForeignDepth)
	errSchemaJSON  = errors.New("its schema is no JSON object")
	errSchemaText  = errors.New("its schema has a name or a value with characters that do not belong there, or too long a one")
)

// readSchema decodes a foreign schema, small and shallow enough for everything that comes after.
func readSchema(raw json.RawMessage) (map[string]any, error) {
	switch {
	case len(raw) > maxForeignSchema:
		return nil, errSchemaSize
	case depth(raw) > maxForeignDepth:
		return nil, errSchemaDepth
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var s map[string]any
	if err := d.Decode(&s); err != nil || s == nil {
		return nil, errSchemaJSON
	}
	return s, nil
}

// depth gives the most levels of objects and arrays in raw.
func depth(raw []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// What the value of a keyword is, as far as it matters here. Keywords that are not here are dropped: titles, examples, comments,
// identifiers, extensions are no rules, but models read them.
type kind int

const (
	rule     kind = iota + 1 // numbers, booleans, and names: of types, references, properties; alone, in lists, by name
	schema                   // a schema, a boolean, or a list of them
	named                    // schemas by the names of properties or definitions
	value                    // a value, or a list of values
	hint                     // a value that is no rule
	words                    // a text for the model
	patterns                 // a regular expression
)

var keywords = map[string]kind{
	"$schema": rule, "$ref": rule, "type": rule, "required": rule, "dependentRequired": rule,
	"minimum": rule, "maximum": rule, "exclusiveMinimum": rule, "exclusiveMaximum": rule, "multipleOf": rule,
	"minLength": rule, "maxLength": rule, "minItems": rule, "maxItems": rule, "uniqueItems": rule,
	"minContains": rule, "maxContains": rule, "minProperties": rule, "maxProperties": rule,
	"items": schema, "prefixItems": schema, "allOf": schema, "anyOf": schema, "oneOf": schema,
	"additionalItems": schema, "additionalProperties": schema, "unevaluatedItems": schema, "unevaluatedProperties": schema,
	"contains": schema, "propertyNames": schema, "not": schema, "if": schema, "then": schema, "else": schema,
	"properties": named, "dependentSchemas": named, "$defs": named, "definitions": named,
	"enum": value, "const": value, "default": hint,
	"description": words, "pattern": patterns,
}

// tame gives the rules of a foreign schema: only known keywords, texts made harmless, and no name or value that could carry
// more than a name or a value. The result is fresh.
func tame(s map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(s))
	for k, v := range s {
		what, known := keywords[k]
		if !known {
			continue
		}
		tamed, keep, err := tameValue(what, v)
		if err != nil {
			return nil, err
		}
		if keep {
			out[k] = tamed
		}
	}
	return out, nil
}

func tameValue(what kind, v any) (tamed any, keep bool, err error) {
	switch what {
	case rule:
		return v, true, onlyNames(v)
	case schema:
		tamed, err = tameSchemas(v)
		return tamed, true, err
	case named:
		tamed, err = tameNamed(v)
		return tamed, true, err
	case value:
		return v, true, onlyValues(v)
	case hint:
		return v, onlyValues(v) == nil, nil
	case words:
		text, ok := v.(string)
		return neutral(text, maxSchemaText), ok && text != "", nil
	case patterns:
		text, ok := v.(string)
		if !ok || len(text) > maxSchemaValue || !plain(text, maxSchemaValue) {
			return nil, false, nil
		}
		_, err := regexp.Compile(text) // what we cannot check, the server still can
		return text, err == nil, nil
	}
	return nil, false, nil
}

func tameSchemas(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case map[string]any:
		return tame(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = tameSchemas(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, errSchemaJSON
}

func tameNamed(v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errSchemaJSON
	}
	out := make(map[string]any, len(m))
	for name, s := range m {
		var err error
		if !plain(name, maxSchemaName) {
			return nil, errSchemaText
		}
		if out[name], err = tameSchemas(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// onlyNames allows plain short texts, numbers and booleans, and lists and objects of them.
func onlyNames(v any) error { return eachText(v, maxSchemaName*2) }

// onlyValues is onlyNames for values.
func onlyValues(v any) error { return eachText(v, maxSchemaValue) }

func eachText(v any, most int) error {
	switch v := v.(type) {
	case string:
		if !plain(v, most) {
			return errSchemaText
		}
	case []any:
		for _, item := range v {
			if err := eachText(item, most); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			if !plain(name, maxSchemaName) {
				return errSchemaText
			}
			if err := eachText(item, most); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain tells whether text has at most most characters, and none that breaks a line or shows nothing.
func plain(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && strings.IndexFunc(text, unseen.Rune) < 0
}
