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
	maxSchemaText    = 512      // characters of a description
	maxSchemaName    = 64       // characters of a property name
	maxSchemaValue   = 200      // characters of an enumerated string
)

var (
	errSchemaSize   = fmt.Errorf("schema larger than %d bytes", maxForeignSchema)
	errSchemaDepth  = fmt.Errorf("schema deeper than %d levels", maxForeignDepth)
	errSchemaJSON   = errors.New("schema is not a JSON object")
	errSchemaString = errors.New("schema has a name or value that is too long or has invalid characters")
)

// readSchema decodes a remote schema within limits of size and depth.
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

// depth returns the nesting depth of raw.
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

// The kind of a keyword's value. Unknown keywords are dropped: titles, examples, comments and extensions are no rules,
// but models read them.
type kind int

const (
	rule          kind = iota + 1 // numbers, booleans and names, in lists or objects
	schema                        // a schema, a boolean, or a list of them
	named                         // schemas by property or definition name
	value                         // a value or a list of values
	optionalValue                 // a value that is not a rule
	text                          // text for the model
	patterns                      // a regular expression
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
	"enum": value, "const": value, "default": optionalValue,
	"description": text, "pattern": patterns,
}

// sanitizeSchema returns a new schema with only the rules of a remote one. It drops unknown keywords, sanitizes texts,
// and rejects names and values that could carry instructions.
func sanitizeSchema(s map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(s))
	for k, v := range s {
		what, known := keywords[k]
		if !known {
			continue
		}
		tamed, keep, err := sanitizeValue(what, v)
		if err != nil {
			return nil, err
		}
		if keep {
			out[k] = tamed
		}
	}
	return out, nil
}

func sanitizeValue(what kind, v any) (tamed any, keep bool, err error) {
	switch what {
	case rule:
		return v, true, checkNames(v)
	case schema:
		tamed, err = sanitizeSchemas(v)
		return tamed, true, err
	case named:
		tamed, err = sanitizeNamed(v)
		return tamed, true, err
	case value:
		return v, true, checkValues(v)
	case optionalValue:
		return v, checkValues(v) == nil, nil
	case text:
		text, ok := v.(string)
		return sanitize(text, maxSchemaText), ok && text != "", nil
	case patterns:
		text, ok := v.(string)
		if !ok || len(text) > maxSchemaValue || !isPlain(text, maxSchemaValue) {
			return nil, false, nil
		}
		_, err := regexp.Compile(text) // the server can still check patterns that Go does not support
		return text, err == nil, nil
	}
	return nil, false, nil
}

func sanitizeSchemas(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case map[string]any:
		return sanitizeSchema(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = sanitizeSchemas(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, errSchemaJSON
}

func sanitizeNamed(v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errSchemaJSON
	}
	out := make(map[string]any, len(m))
	for name, s := range m {
		var err error
		if !isPlain(name, maxSchemaName) {
			return nil, errSchemaString
		}
		if out[name], err = sanitizeSchemas(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkNames allows short plain strings, numbers and booleans, and lists and objects of them.
func checkNames(v any) error { return checkTexts(v, maxSchemaName*2) }

// checkValues is checkNames with the limit for values.
func checkValues(v any) error { return checkTexts(v, maxSchemaValue) }

func checkTexts(v any, limit int) error {
	switch v := v.(type) {
	case string:
		if !isPlain(v, limit) {
			return errSchemaString
		}
	case []any:
		for _, item := range v {
			if err := checkTexts(item, limit); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			if !isPlain(name, maxSchemaName) {
				return errSchemaString
			}
			if err := checkTexts(item, limit); err != nil {
				return err
			}
		}
	}
	return nil
}

// isPlain reports whether text has at most limit characters, without line breaks and invisible ones.
func isPlain(text string, limit int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= limit && strings.IndexFunc(text, unseen.Rune) < 0
}
