package nit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

func TestDefine_ListsAPlainSchema(t *testing.T) {
	type in struct {
		Who   nit.ID            `json:"who" jsonschema:"其QQ号"`
		Also  *nit.ID           `json:"also,omitempty"`
		Tags  []string          `json:"tags,omitempty"`
		Depth *int              `json:"depth,omitempty"`
		Map   map[string]string `json:"map,omitempty"`
		Kind  string            `json:"kind,omitempty"`
	}
	tool, err := nit.Define("look", nit.L1, "看", func(context.Context, in) (string, error) { return "", nil },
		nit.EditSchema(func(s *jsonschema.Schema) { s.Properties["kind"].Enum = []any{"group", "private"} }))
	require.NoError(t, err)
	var r nit.Registry
	add(t, &r, tool)
	got := r.View(persona).Tools()
	require.Len(t, got, 1)
	assert.Equal(t, "function", got[0].Type)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["who"],"properties":{
		"who":{"type":"string","minLength":1,"maxLength":128,"description":"其QQ号"},
		"also":{"type":"string","minLength":1,"maxLength":128},
		"tags":{"type":"array","items":{"type":"string"}},
		"depth":{"type":"integer"},
		"map":{"type":"object","additionalProperties":{"type":"string"}},
		"kind":{"type":"string","enum":["group","private"]}}}`, asJSON(t, got[0].Function.Parameters))
}

func TestDefine_RejectsBadInput(t *testing.T) {
	ok := func(context.Context, none) (string, error) { return "", nil }
	for name, define := range map[string]func() (nit.Tool, error){
		"no name":             func() (nit.Tool, error) { return nit.Define("", nit.L3, "d", ok) },
		"a path as name":      func() (nit.Tool, error) { return nit.Define("dir/tool", nit.L3, "d", ok) },
		"a Chinese name":      func() (nit.Tool, error) { return nit.Define("工具", nit.L3, "d", ok) },
		"a long name":         func() (nit.Tool, error) { return nit.Define(strings.Repeat("a", 65), nit.L3, "d", ok) },
		"the name of no tool": func() (nit.Tool, error) { return nit.Define("unknown", nit.L3, "d", ok) },
		"no description":      func() (nit.Tool, error) { return nit.Define("a", nit.L3, "", ok) },
		"a huge description":  func() (nit.Tool, error) { return nit.Define("a", nit.L3, strings.Repeat("d", 1<<20), ok) },
		"no function":         func() (nit.Tool, error) { return nit.Define[none, string]("a", nit.L3, "d", nil) },
		"two tiers":           func() (nit.Tool, error) { return nit.Define("a", nit.L1|nit.L3, "d", ok) },
		"no tier":             func() (nit.Tool, error) { return nit.Define("a", 0, "d", ok) },
		"a tier of its own":   func() (nit.Tool, error) { return nit.Define("a", 8, "d", ok) },
		"Only without modes":  func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.OnlyIn()) },
		"persona misnamed":    func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.OnlyIn("persona")) },
		"two descriptions": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.DescribeIn("", "x"), nit.DescribeIn("", "y"))
		},
		"described out of Only": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.OnlyIn("agent"), nit.DescribeIn("", "y"))
		},
		"ReadOnly and Commits": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.ReadOnly(), nit.SelfCommitting())
		},
		"an integrity that there is none of":   func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.ResultIntegrity(3)) },
		"ActsOn without words":                 func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.ActsOn(nil, "x")) },
		"ActsOn with an empty word":            func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.ActsOn([]string{" "}, "x")) },
		"ActsOn without arguments":             func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.ActsOn([]string{"kick"})) },
		"ActsOn an argument that is not there": func() (nit.Tool, error) { return nit.Define("a", nit.L3, "d", ok, nit.ActsOn([]string{"kick"}, "x")) },
		"ActsOn a raw argument that is not there": func() (nit.Tool, error) {
			return nit.DefineRaw("a", nit.L3, "d", json.RawMessage(`{"type":"object","properties":{"y":{}}}`), raw, nit.ActsOn([]string{"kick"}, "x"))
		},
		"ActsOn twice": func() (nit.Tool, error) {
			kick := nit.ActsOn([]string{"kick"}, "y")
			return nit.DefineRaw("a", nit.L3, "d", json.RawMessage(`{"type":"object","properties":{"y":{}}}`), raw, kick, kick)
		},
		"arguments that are no object": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", func(context.Context, []string) (string, error) { return "", nil })
		},
		"a type of no JSON": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", func(context.Context, struct{ C chan int }) (string, error) { return "", nil })
		},
		"a type that contains itself": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", func(context.Context, tree) (string, error) { return "", nil })
		},
		"an edit that refers to itself": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.EditSchema(func(s *jsonschema.Schema) { s.Ref = "#" }))
		},
		"an edit that contains itself": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.EditSchema(func(s *jsonschema.Schema) { s.Items = s }))
		},
		"an edit with a nil part": func() (nit.Tool, error) {
			return nit.Define("a", nit.L3, "d", ok, nit.EditSchema(func(s *jsonschema.Schema) { s.AllOf = []*jsonschema.Schema{nil} }))
		},
		"Schema on a raw tool": func() (nit.Tool, error) {
			return nit.DefineRaw("a", nit.L3, "d", json.RawMessage(`{"type":"object"}`), raw, nit.EditSchema(func(*jsonschema.Schema) {}))
		},
	} {
		tool, err := define()
		assert.Error(t, err, name)
		assert.Empty(t, tool.Name(), name)
		assert.Error(t, new(nit.Registry).Add(tool), name)
	}
}

func raw(_ context.Context, args json.RawMessage) (string, error) { return string(args), nil }

func TestDefineRaw_LimitsSchemas(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
	}
	laughs := `{"type":"object","$defs":{"l0":{"type":"string"}` // each level doubles the size
	for _, p := range [][2]string{{"1", "0"}, {"2", "1"}, {"3", "2"}, {"4", "3"}, {"5", "4"}, {"6", "5"}, {"7", "6"}, {"8", "7"}, {"9", "8"}, {"10", "9"}, {"11", "10"}, {"12", "11"}, {"13", "12"}, {"14", "13"}, {"15", "14"}} {
		laughs += `,"l` + p[0] + `":{"allOf":[{"$ref":"#/$defs/l` + p[1] + `"},{"$ref":"#/$defs/l` + p[1] + `"}]}`
	}
	laughs += `},"properties":{"x":{"$ref":"#/$defs/l15"}}}`
	for _, tt := range []struct {
		name, schema string
		ok           bool
	}{
		{"plain", `{"type":"object","properties":{"a":{"type":"string"}}}`, true},
		{"own definitions", `{"type":"object","$defs":{"p":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/p"},"b":{"$ref":"#/$defs/p"}}}`, true},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"p":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/p"}}}`, true},
		{"another draft", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, false},
		{"no object", `{"type":"string"}`, false},
		{"no type", `{}`, false},
		{"true", `true`, false},
		{"refers to itself", `{"type":"object","$ref":"#"}`, false},
		{"a part refers to the whole", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, false},
		{"a circle of two", `{"type":"object","$defs":{"p":{"$ref":"#/$defs/q"},"q":{"items":{"$ref":"#/$defs/p"}}},"properties":{"a":{"$ref":"#/$defs/p"}}}`, false},
		{"a missing definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/p"}}}`, false},
		{"a remote schema", `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`, false},
		{"an anchor", `{"type":"object","$anchor":"x"}`, false},
		{"a dynamic reference", `{"type":"object","$dynamicRef":"#x"}`, false},
		{"an id", `{"type":"object","$id":"https://example.com/x"}`, false},
		{"deep enough", deep(20), true},
		{"too deep", deep(40), false},
		{"far too deep", deep(4000), false},
		{"too large", `{"type":"object","description":"` + strings.Repeat("x", 65<<10) + `"}`, false},
		{"large when written out", laughs, false},
		{"a bad pattern", `{"type":"object","properties":{"a":{"pattern":"("}}}`, false},
		{"a key twice", `{"type":"object","type":"object"}`, false},
		{"no JSON", `{"type":"object"`, false},
	} {
		_, err := nit.DefineRaw("a", nit.L3, "d", json.RawMessage(tt.schema), raw)
		assert.Equal(t, tt.ok, err == nil, "%s: %v", tt.name, err)
	}
}

func TestDefineRaw_PassesArgumentsUnchanged(t *testing.T) {
	tool, err := nit.DefineRaw("a", nit.L1, "d", json.RawMessage(`{"type":"object","properties":{"mode":{"enum":["ro"]},"id":{"type":"integer"}},"anyOf":[{"required":["id"]},{"required":["mode"]}]}`), raw)
	require.NoError(t, err)
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	add(t, &r, tool)
	v := r.View(persona)
	res, err := v.Do(t.Context(), "a", ` {"id": 9007199254740993, "more":[1.50]} `)
	require.NoError(t, err)
	assert.Equal(t, ` {"id": 9007199254740993, "more":[1.50]} `, res.Text)
	for _, args := range []string{`{"mode":"rw"}`, `{"MODE":"rw","id":1}`, `{"id":1,"deep":[{"Mode":"rw"}]}`, `{}`, `{"id":"SECRET"}`} {
		_, err := v.Do(t.Context(), "a", args)
		assert.ErrorIs(t, err, nit.ErrInvalidArgs, args)
		assert.NotContains(t, err.Error(), "SECRET")
	}
}

func TestDefine_Results(t *testing.T) {
	type point struct {
		X int `json:"x"`
		S string
	}
	type word string
	for _, tt := range []struct {
		define func() (nit.Tool, error)
		want   string
	}{
		{func() (nit.Tool, error) { return result("<b>你好&\n") }, "<b>你好&\n"},
		{func() (nit.Tool, error) { return result(word("词")) }, "词"},
		{func() (nit.Tool, error) { return result(point{1, "<a>"}) }, `{"x":1,"S":"<a>"}`},
		{func() (nit.Tool, error) { return result(struct{}{}) }, "ok"},
		{func() (nit.Tool, error) { return result[any](nil) }, "ok"},
		{func() (nit.Tool, error) { return result([]int(nil)) }, "null"},
		{func() (nit.Tool, error) { return result(json.RawMessage(`{"a": 1}`)) }, `{"a": 1}`},
		{func() (nit.Tool, error) { return result("a\u202eb\u200bc\x00\x1b[31md\U000E0041 👨‍👩‍👧") }, "abc[31md 👨‍👩‍👧"},
		{func() (nit.Tool, error) {
			return result("❤️a\U000E0130b\ufe01c\u00add\u3164e\u034ff\u180eg\uffa0h\u2028i\u2066\ufff9j \u0600١")
		}, "❤️abcdefghij \u0600١"},
		{func() (nit.Tool, error) { return result("bad \xff utf8") }, "bad \uFFFD utf8"},
		{func() (nit.Tool, error) { return result(strings.Repeat("字", 12)) }, strings.Repeat("字", 10) + "… [2 more characters]"},
		{func() (nit.Tool, error) { return result(strings.Repeat("字", 10)) }, strings.Repeat("字", 10)},
	} {
		tool, err := tt.define()
		require.NoError(t, err)
		r := nit.Registry{Limits: nit.Limits{ResultChars: 10}}
		if !strings.Contains(tt.want, "more characters") {
			r.Limits.ResultChars = 0
		}
		add(t, &r, tool)
		res, err := r.View(persona).Do(t.Context(), "out", "")
		require.NoError(t, err)
		assert.Equal(t, tt.want, res.Text)
		assert.Equal(t, strings.Contains(tt.want, "more characters"), res.Truncated)
	}
	tool, err := result(func() {})
	require.NoError(t, err)
	var r nit.Registry
	add(t, &r, tool)
	_, err = r.View(persona).Do(t.Context(), "out", "")
	assert.ErrorIs(t, err, nit.ErrFailed, "what cannot be encoded")
}

func result[T any](out T) (nit.Tool, error) {
	return nit.Define("out", nit.L1, "d", func(context.Context, none) (T, error) { return out, nil })
}

func TestID_KeepsEveryDigit(t *testing.T) {
	type in struct {
		ID  nit.ID   `json:"id,omitempty"`
		IDs []nit.ID `json:"ids,omitempty"`
	}
	tool, err := nit.Define("id", nit.L1, "d", func(_ context.Context, in in) (string, error) {
		var all []string
		for _, id := range append([]nit.ID{in.ID}, in.IDs...) {
			all = append(all, string(id))
		}
		return strings.Join(all, ","), nil
	})
	require.NoError(t, err)
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	add(t, &r, tool)
	v := r.View(persona)
	for _, tt := range []struct{ args, want string }{
		{`{"id":9007199254740993}`, "9007199254740993"},
		{`{"id":"9007199254740993"}`, "9007199254740993"},
		{`{"id":18446744073709551617}`, "18446744073709551617"},
		{`{"id":"00123"}`, "00123"},
		{`{"id":-100123}`, "-100123"},
		{`{"id":"group_1\u0032"}`, "group_12"},
		{`{"ids":[1,"2"]}`, ",1,2"},
		{`{"id":null}`, ""},
		{`{}`, ""},
	} {
		res, err := v.Do(t.Context(), "id", tt.args)
		require.NoError(t, err, tt.args)
		assert.Equal(t, tt.want, res.Text)
	}
	for _, args := range []string{`{"id":1e3}`, `{"id":1.0}`, `{"id":1.5}`, `{"id":""}`, `{"id":true}`, `{"id":[1]}`, `{"ids":[null]}`,
		`{"id":"` + strings.Repeat("1", 129) + `"}`, `{"id":` + strings.Repeat("1", 129) + `}`} {
		_, err := v.Do(t.Context(), "id", args)
		assert.ErrorIs(t, err, nit.ErrInvalidArgs, args)
	}
	for text, want := range map[nit.ID]int64{"12": 12, "-5": -5, "9223372036854775807": 9223372036854775807} {
		n, err := text.Int64()
		require.NoError(t, err)
		assert.Equal(t, want, n)
	}
	for _, id := range []nit.ID{"", "+1", "1 ", "0x1", "1_0", "9223372036854775808", "１"} {
		_, err := id.Int64()
		assert.Error(t, err, id)
	}
	assert.Error(t, new(nit.ID).UnmarshalJSON(nil))
}

func TestModelError_ReachesTheModel(t *testing.T) {
	var r nit.Registry
	secret := errors.New("dial tcp 10.0.0.7: SECRET")
	add(t, &r, fails(t, "plain", nit.L1, secret), fails(t, "told", nit.L1, errors.Join(nit.ModelError("没有这个群"), secret)))
	v := r.View(persona)
	assert.Equal(t, "error: the tool failed", v.Call(t.Context(), call("plain", "")).Content)
	assert.Equal(t, "error: the tool failed: 没有这个群", v.Call(t.Context(), call("told", "")).Content)
	_, err := v.Do(t.Context(), "told", "")
	assert.ErrorIs(t, err, nit.ErrFailed)
	assert.ErrorIs(t, err, secret, "programs reach the cause")
	assert.NotContains(t, err.Error(), "SECRET")
}
