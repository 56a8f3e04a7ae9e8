package nit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func list(n int, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ",")
}

// nested puts core under some levels of properties.
func nested(levels int, core string) string {
	return `{"type":"object","properties":` + strings.Repeat(`{"a":{"properties":`, levels) + core + strings.Repeat(`}}`, levels) + `}`
}

// property returns a schema with one property.
func property(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }

// Schemas that would take the library seconds or crash it are rejected before. Times are printed; a missing limit shows
// as a test that takes minutes or crashes.
func TestDefineRaw_HostileSchemas(t *testing.T) {
	circle := `{"type":"object","$defs":{` + list(100, func(i int) string {
		return fmt.Sprintf(`"d%d":{"items":{"$ref":"#/$defs/d%d"}}`, i, (i+1)%100)
	}) + `},"properties":{"a":{"$ref":"#/$defs/d0"}}}`
	for name, schema := range map[string]string{
		"itself":                     `{"type":"object","$ref":"#"}`,
		"itself, escaped":            `{"type":"object","properties":{"a":{"$ref":"\u0023"}}}`,
		"itself through a pointer":   `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
		"a definition in itself":     `{"type":"object","$defs":{"x":{"$ref":"#/$defs/x"}}}`,
		"a circle below not":         `{"type":"object","$defs":{"x":{"not":{"$ref":"#/$defs/x"}}}}`,
		"a circle of a hundred":      circle,
		"a circle by dynamicRef":     `{"type":"object","$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}}`,
		"a file":                     property(`{"$ref":"file:///etc/passwd"}`),
		"a network address":          property(`{"$ref":"http://169.254.169.254/"}`),
		"a relative one":             property(`{"$ref":"other.json#/$defs/x"}`),
		"a base":                     `{"$id":"http://example.com/","type":"object","properties":{"a":{"$ref":"x"}}}`,
		"deep":                       strings.Repeat(`{"type":"object","not":`, 4800) + `{}` + strings.Repeat(`}`, 4800),
		"deep in an unknown word":    `{"type":"object","x":` + strings.Repeat(`[`, 30_000) + strings.Repeat(`]`, 30_000) + `}`,
		"deep, with much below":      nested(29, `{"x":{"description":"`+strings.Repeat("y", 60_000)+`"}}`),
		"deep, with many below":      nested(29, `{`+list(1900, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) })+`}`),
		"megabytes":                  `{"type":"object","description":"` + strings.Repeat("x", 10<<20) + `"}`,
		"many nodes":                 property(`{"allOf":[` + list(3000, func(int) string { return `{}` }) + `]}`),
		"a pattern of much":          property(`{"pattern":"(` + strings.Repeat("abcdefghij", 300) + `){1000}"}`),
		"a pattern of classes":       property(`{"pattern":"(?i)(\\pL){1000}"}`),
		"many patterns":              `{"type":"object","properties":{` + list(1000, func(i int) string { return fmt.Sprintf(`"p%d":{"pattern":"a{999}"}`, i) }) + `}}`,
		"many patterns of keys":      `{"type":"object","patternProperties":{` + list(999, func(i int) string { return fmt.Sprintf(`"a{%d}":{}`, i) }) + `}}`,
		"a pattern behind many $ref": `{"type":"object","$defs":{"p":{"pattern":"a{500}"}},"properties":{` + list(100, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/p"}`, i) }) + `}}`,
		"no pattern":                 property(`{"pattern":"SECRET("}`),
		"another type":               `{"type":"array"}`,
		"a type that there is not":   property(`{"type":"SECRET"}`),
		"words where numbers stand":  property(`{"maxLength":"SECRET"}`),
		"two types":                  `{"type":"object","type":"object"}`,
		"two spellings":              `{"type":"object","TYPE":"array"}`,
		"a number that is none":      property(`{"maximum":1e999}`),
	} {
		start := time.Now()
		_, err := nit.DefineRaw("a", nit.L3, "d", json.RawMessage(schema), raw)
		if took := time.Since(start); took > 20*time.Millisecond {
			t.Logf("%s took %v", name, took)
		}
		if assert.Error(t, err, name) {
			assert.NotContains(t, err.Error(), "SECRET", name)
			assert.Less(t, len(err.Error()), 200, name)
		}
	}
}

// Arguments that are costly to validate against an accepted schema are rejected.
func TestDefineRaw_CostlyArguments(t *testing.T) {
	ones := func(int) string { return `1` }
	for name, tt := range map[string]struct{ schema, args string }{
		"a long enumeration of words":   {property(`{"items":{"enum":[` + list(10_000, func(int) string { return `"a"` }) + `]}}`), `{"a":[` + list(15_000, func(int) string { return `"b"` }) + `]}`},
		"a long enumeration":            {property(`{"items":{"enum":[` + list(20_000, ones) + `]}}`), `{"a":[` + list(30_000, func(int) string { return `2` }) + `]}`},
		"contains":                      {property(`{"contains":{"enum":[` + list(15_000, ones) + `]}}`), `{"a":[` + list(30_000, func(int) string { return `2` }) + `]}`},
		"much required":                 {property(`{"items":{"required":[` + list(6000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}}`), `{"a":[` + list(20_000, func(int) string { return `{}` }) + `]}`},
		"patterns and a long text":      {property(`{"allOf":[` + list(90, func(int) string { return `{"pattern":"(a|aa|a)*$"}` }) + `]}`), `{"a":"` + strings.Repeat("a", 60_000) + `"}`},
		"one pattern and a long text":   {property(`{"pattern":"^(a|aa|a){150}b$"}`), `{"a":"` + strings.Repeat("a", 60_000) + `"}`},
		"a long const":                  {property(`{"items":{"const":[` + list(20_000, ones) + `]}}`), `{"a":[` + list(5, func(int) string { return `[` + list(5000, ones) + `]` }) + `]}`},
		"names that the schema forbids": {`{"type":"object","propertyNames":{"enum":[` + list(5000, func(i int) string { return fmt.Sprintf(`"x%d"`, i) }) + `]}}`, `{` + list(6000, func(i int) string { return fmt.Sprintf(`"y%d":1`, i) }) + `}`},
	} {
		tool, err := nit.DefineRaw("a", nit.L1, "d", json.RawMessage(tt.schema), raw)
		require.NoError(t, err, name)
		var r nit.Registry
		add(t, &r, tool)
		start := time.Now()
		_, err = r.View(persona).Do(t.Context(), "a", tt.args)
		t.Logf("%s: %v", name, time.Since(start))
		require.ErrorIs(t, err, nit.ErrInvalidArgs, name)
		assert.Less(t, len(err.Error()), 400, name)
		if name != "a long enumeration of words" { // looked up in a set
			assert.ErrorContains(t, err, "more values than the schema can be checked for", name)
		}
		_, err = r.View(persona).Do(t.Context(), "a", `{}`)
		assert.NoError(t, err, name)
	}
}

func TestDialect_Gemini(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"nothing", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"null beside a type", property(`{"type":["null","array"],"items":{"type":["integer","null"]}}`), property(`{"type":"array","nullable":true,"items":{"type":"integer","nullable":true}}`)},
		{"a union with null", property(`{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"description":"d"}`), property(`{"type":"string","nullable":true,"maxLength":3,"description":"d"}`)},
		{"a union", property(`{"oneOf":[{"type":"string"},{"type":"integer"}]}`), property(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`)},
		{"a reference", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"p":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}},"properties":{"a":{"$ref":"#/$defs/p","description":"own"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","required":["a"],"properties":{"a":{"type":"object","description":"own","required":["x"],"properties":{"x":{"type":"number"}}}}}`},
		{"const and enum", `{"type":"object","properties":{"a":{"const":"x"},"b":{"enum":["y",null]},"c":{"enum":[1,2],"type":"integer"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"string","enum":["y"],"nullable":true},"c":{"type":"integer"}}}`},
		{"parts of one", property(`{"allOf":[{"type":"object","properties":{"x":{}},"required":["x"]},{"properties":{"y":true},"required":["y","z"]}]}`),
			property(`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x","y"]}`)},
		{"formats", `{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string","format":"date-time"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","format":"date-time"}}}`},
		{"items that are not told", property(`{"type":"array"}`), property(`{"type":"array","items":{"type":"string"}}`)},
		{"long when written out", `{"type":"object","$defs":{"p":{"type":"string","description":"` + strings.Repeat("d", 8000) + `"}},"properties":{` + list(100, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/p"}`, i) }) + `}}`,
			`{"type":"object","properties":{}}`},
	} {
		tool, err := nit.DefineRaw("a", nit.L1, "d", json.RawMessage(tt.schema), raw)
		require.NoError(t, err, tt.name)
		r := nit.Registry{Dialect: nit.Gemini}
		add(t, &r, tool)
		assert.JSONEq(t, tt.want, asJSON(t, r.View(persona).Tools()[0].Function.Parameters), tt.name)
		assert.JSONEq(t, withProperties(t, tt.schema), asJSON(t, r.View(persona).WithDialect(nit.OpenAI).Tools()[0].Function.Parameters), "%s: as it came", tt.name)
	}
	v := new(nit.Registry).View(persona)
	assert.Same(t, v, v.WithDialect(200))
	assert.Nil(t, (*nit.View)(nil).WithDialect(nit.Gemini))
}

func withProperties(t testing.TB, schema string) string {
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(schema), &m))
	if m["properties"] == nil {
		m["properties"] = map[string]any{}
	}
	return asJSON(t, m)
}

var geminis = []string{"title", "description", "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength",
	"pattern", "minimum", "maximum", "type", "nullable", "enum", "format", "properties", "required", "items", "anyOf"}

// gemini fails if a schema has keywords that Gemini does not support.
func gemini(t testing.TB, m map[string]any) {
	for key := range m {
		if !slices.Contains(geminis, key) {
			t.Fatalf("it has %s", key)
		}
	}
	kind, ok := m["type"].(string)
	if _, union := m["anyOf"]; (!ok || kind == "null") && !union {
		t.Fatalf("its type is %v", m["type"])
	}
	props, _ := m["properties"].(map[string]any)
	for _, p := range props {
		gemini(t, p.(map[string]any))
	}
	if items, ok := m["items"].(map[string]any); ok {
		gemini(t, items)
	}
	union, _ := m["anyOf"].([]any)
	for _, p := range union {
		gemini(t, p.(map[string]any))
	}
}

// A remote schema is either rejected or usable: listed in every dialect, within limits, and validated against. No error
// quotes it.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","$ref":"#"}`, property(`{"$ref":"#/$defs/x"}`), `{"type":"object","$defs":{"x":{"type":["string","null"],"enum":["zqzq",null]}},"properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"]}`,
		property(`{"anyOf":[{"const":1},{"type":"null"},true,{"not":{}}]}`), property(`{"pattern":"(a{100}){10}","format":"date-time"}`), `{"type":"object","patternProperties":{"^x":{"minimum":1}},"propertyNames":{"maxLength":3}}`,
		`{"type":"object","if":{"required":["a"]},"then":{"properties":{"a":{"multipleOf":0.1}}},"dependentRequired":{"a":["b"]},"unevaluatedProperties":false}`,
		property(`{"allOf":[{"properties":{"x":{}},"required":["x"]},{"prefixItems":[{}],"contains":{},"uniqueItems":true}]}`), `{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","definitions":{"p":{}},"dependencies":{"a":["b"],"c":{}}}`,
		`{"Type":"object","properties":{"a":{}}}`,
	} {
		f.Add(s, `{"a":{"x":[1,"zqzq"]},"b":null}`)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		tool, err := nit.DefineRaw("a", nit.L1, "d", json.RawMessage(schema), raw)
		if err != nil {
			if strings.Contains(schema, "zqzq") {
				require.NotContains(t, err.Error(), "zqzq")
			}
			return
		}
		var r nit.Registry
		add(t, &r, tool)
		for _, d := range []nit.Dialect{nit.OpenAI, nit.Gemini} {
			params := r.View(persona).WithDialect(d).Tools()[0].Function.Parameters.(map[string]any)
			require.LessOrEqual(t, len(asJSON(t, params)), 6*(64<<10)) // escapes
			require.Equal(t, "object", params["type"])
			if d == nit.Gemini {
				gemini(t, params)
			}
		}
		res, err := r.View(persona).Do(t.Context(), "a", args)
		if err != nil {
			require.ErrorIs(t, err, nit.ErrInvalidArgs)
		} else if strings.TrimSpace(args) != "" {
			require.True(t, res.Truncated || res.Text != "")
		}
	})
}
