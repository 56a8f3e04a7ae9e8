package nit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseObject_Strict(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) }
	lists := func(n int) string { return `{"a":` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `}` }
	for _, tt := range []struct {
		text string
		want error
	}{
		{`{}`, nil},
		{" \t\r\n{ } \n", nil},
		{`{"a":1,"b":[true,false,null,"x",-0.5e-3,{}]}`, nil},
		{`{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, nil},
		{`{"a":"\ud800 alone"}`, nil},
		{`{"名":1,"字":2}`, nil},
		{nested(64), nil},
		{lists(63), nil},
		{nested(65), errDepth},
		{lists(64), errDepth},
		{strings.Repeat(`{"a":`, 100_000), errDepth},
		{``, errNotObject},
		{`null`, errNotObject},
		{`[]`, errNotObject},
		{`"{}"`, errNotObject},
		{"\ufeff{}", errNotObject},
		{`{} {}`, errTrailing},
		{`{}x`, errTrailing},
		{"{}\x00", errTrailing},
		{`{"a":1,"a":1}`, errDuplicateKey},
		{`{"a":1,"\u0061":1}`, errDuplicateKey},
		{`{"o":{"a":1,"b":2,"a":3}}`, errDuplicateKey},
		{`{"mode":1,"MODE":2}`, errKeyCase},
		{`{"Mode":1,"mode":2}`, errKeyCase},
		{`{"mode":1,"x":2,"mOde":2}`, errKeyCase},
		{`{"s":1,"ſ":2}`, errKeyCase},
		{`{"ſ":1,"S":2}`, errKeyCase},
		{"{\"k\":1,\"\u212a\":2}", errKeyCase},
		{`{"straße":1,"strasse":2}`, nil},
		{`{"Ä":1,"ä":2}`, errKeyCase},
		{`{"a":"\u0000"}`, errNUL},
		{`{"a\u0000":1}`, errNUL},
		{"{\"a\x00\":1}", errSyntax},
		{"{\"a\":\"\n\"}", errSyntax},
		{"{\"a\":\"\xff\"}", errSyntax},
		{"{\"a\":\"\\n\xff\"}", errSyntax},
		{`{"a":"\x"}`, errSyntax},
		{`{"a":"\u12"}`, errSyntax},
		{`{"a":"\`, errSyntax},
		{`{"a":01}`, errSyntax},
		{`{"a":+1}`, errSyntax},
		{`{"a":1.}`, errSyntax},
		{`{"a":.5}`, errSyntax},
		{`{"a":1e}`, errSyntax},
		{`{"a":1e999}`, errSyntax},
		{`{"a":NaN}`, errSyntax},
		{`{"a":tru}`, errSyntax},
		{`{"a":1,}`, errSyntax},
		{`{"a":[1,]}`, errSyntax},
		{`{"a" 1}`, errSyntax},
		{`{a:1}`, errSyntax},
		{`{'a':1}`, errSyntax},
		{`{"a":1 "b":2}`, errSyntax},
		{`{"a":1`, errSyntax},
		{`{`, errSyntax},
		{`{"a":`, errSyntax},
		{`{"a":1} // why`, errTrailing},
	} {
		v, _, err := parseObject(tt.text, maxArgumentDepth)
		short := tt.text[:min(len(tt.text), 60)]
		assert.Equal(t, tt.want, err, short)
		if tt.want == nil {
			var want map[string]any
			require.NoError(t, json.Unmarshal([]byte(tt.text), &want))
			assert.Equal(t, want, v, short)
		}
	}
}

// fuzzed are schemas like those that Define infers, with all supported keywords.
var fuzzed = []string{
	`{"type":"object","additionalProperties":false,"required":["content"],"properties":{
		"content":{"type":"string","minLength":1,"maxLength":5,"pattern":"^[a-z]*$"},"type":{"type":"string","enum":["group","private"]},
		"id":{"type":["string","integer"]},"n":{"type":"integer","minimum":-3,"maximum":3},"f":{"type":"number","maximum":0.5},"ok":{"type":"boolean"},"any":{},
		"list":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer"}}}}}}`,
	`{"type":"object","required":["a","b"],"properties":{"a":{"type":["null","array"]},"b":{"enum":["x"]}},"additionalProperties":{"type":"integer"}}`,
	`{"type":"object","properties":{"A":{"type":"string"},"k":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}}}`,
}

// FuzzArguments compares the strict parser with encoding/json and the compiled check with the library. Accepted texts
// decode alike, have no duplicate keys in any spelling, and are valid exactly if the library says so. Errors quote no
// values.
func FuzzArguments(f *testing.F) {
	for i := range fuzzed {
		for _, s := range []string{
			`{"content":"abc","type":"group","id":12,"n":-3.0,"f":0.25,"ok":true,"any":[{}],"list":[{"a":1},{}]}`,
			`{"content":"qqqqqqqqqq","type":"zzz","id":1.5,"n":4,"f":1,"ok":0,"list":[]}`,
			`{"content":null,"list":[{"a":1.5},{"b":"zqzq"},{}]}`, `{"Content":"a"}`, `{"content":"a","CONTENT":"b"}`,
			`{"a":null,"b":"x","c":1}`, `{"a":[],"b":"y","c":"zqzq"}`, `{"k":{"x":["y"],"z":[1]}}`, `{"a":1}`, `{"ſ":1,"s":2}`,
			`{"a":"\ud83d\ude00\u0000"}`, `{"a":[[[[[[1]]]]]]}`, `{"a":1e400}`, "{}\n", `{"a":"` + strings.Repeat(`\\`, 50) + `"}`,
		} {
			f.Add(s, uint8(i))
		}
	}
	var all []*arguments
	var full []*jsonschema.Resolved
	for _, text := range fuzzed {
		s := new(jsonschema.Schema)
		require.NoError(f, json.Unmarshal([]byte(text), s))
		a, err := newArguments(s)
		require.NoError(f, err)
		require.NotNil(f, a.fast, "the check knows all of it")
		rules, err := s.Resolve(nil)
		require.NoError(f, err)
		all, full = append(all, a), append(full, rules)
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		i := int(which) % len(all)
		a := all[i]
		args, _, err := parseObject(text, maxArgumentDepth)
		if checked := a.check(text); checked != nil {
			quoted(t, text, checked.Error())
		}
		if err != nil {
			return
		}
		var want map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		require.Equal(t, want, args)
		require.True(t, utf8.ValidString(text))
		distinct(t, json.NewDecoder(strings.NewReader(text)))
		require.Equal(t, full[i].Validate(args) == nil, a.fast.validate(args) == nil, text)
	})
}

// quoted finds text in an error that can only come from the arguments.
func quoted(t *testing.T, text, got string) {
	for _, mark := range []string{"qqqq", "zzz", "zqzq"} {
		if strings.Contains(text, mark) {
			require.NotContains(t, got, mark)
		}
	}
	for _, r := range got {
		require.Less(t, r, rune(utf8.RuneSelf))
	}
}

// distinct reads one value by tokens and fails if encoding/json would assign two keys of an object to one field.
func distinct(t *testing.T, d *json.Decoder) {
	tok, err := d.Token()
	require.NoError(t, err)
	switch tok {
	case json.Delim('{'):
		var keys []string
		for d.More() {
			k, err := d.Token()
			require.NoError(t, err)
			for _, other := range keys {
				require.False(t, strings.EqualFold(other, k.(string)), "%q and %q", other, k)
			}
			keys = append(keys, k.(string))
			distinct(t, d)
		}
	case json.Delim('['):
		for d.More() {
			distinct(t, d)
		}
	default:
		return
	}
	_, err = d.Token()
	require.NoError(t, err)
}

func TestCompiled_FaultsNamePlaceAndRule(t *testing.T) {
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(fuzzed[0]), s))
	a, err := newArguments(s)
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{}`:                                                   "content is missing",
		`{"content":"a","SECRET":1}`:                           "has a key that the tool does not know",
		`{"content":"a","Type":"group"}`:                       "has a key that the tool does not know",
		`{"content":7,"type":"SECRET"}`:                        `content is not of type string; type is none of ["group" "private"]`,
		`{"content":"a","list":[{},{"a":"SECRET"}]}`:           "list[1].a is not of type integer",
		`{"content":"SECRET","n":99,"id":[]}`:                  "content is too long; id is not of type string or integer; n is out of its range",
		`{"content":"A","list":[],"ok":1,"f":2,"n":.5}`:        "not valid JSON",
		`{"content":"A","list":[],"ok":1,"f":2,"n":0.5}`:       "content does not match its pattern; f is out of its range; list has too few or too many items; n is not of type integer; ok is not of type boolean",
		`{"content":"","list":[],"ok":1,"f":2,"n":9,"type":1}`: "content is too short; f is out of its range; list has too few or too many items; n is out of its range; ok is not of type boolean",
	} {
		err := a.check(text)
		if assert.Error(t, err, text) {
			assert.Equal(t, want, err.Error(), text)
		}
	}
}

func TestCompiled_DoesNotAllocate(t *testing.T) {
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(fuzzed[0]), s))
	a, err := newArguments(s)
	require.NoError(t, err)
	args, _, err := parseObject(`{"content":"abc","type":"group","id":12,"n":-3,"list":[{"a":1},{}]}`, maxArgumentDepth)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = a.fast.validate(args) }))
}

func TestCompile_SimpleSchemasOnly(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"object"}`: true,
		`{"type":"object","title":"t","description":"d","$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"type":"string","format":"uri","default":"x","examples":["y"]}}}`: true,
		`{"type":"object","properties":{"a":{"enum":[1]}}}`:                                   false,
		`{"type":"object","properties":{"a":{"const":"x"}}}`:                                  false,
		`{"type":"object","properties":{"a":{"items":{"anyOf":[{"type":"string"}]}}}}`:        false,
		`{"type":"object","additionalProperties":{"multipleOf":2}}`:                           false,
		`{"type":"object","required":["unnamed"]}`:                                            false,
		`{"type":"object","patternProperties":{"x":{}}}`:                                      false,
		`{"type":"object","properties":{"a":{"exclusiveMinimum":0}}}`:                         false,
		`{"type":"object","$defs":{"x":{}},"properties":{"a":{"$ref":"#/$defs/x"}}}`:          false,
		`{"type":"object","properties":{"a":{"type":"array","uniqueItems":true}}}`:            false,
		`{"type":"object","additionalProperties":{"not":{"type":"string"}}}`:                  false,
		`{"type":"object","properties":{"a":{"enum":[]}}}`:                                    false,
		`{"type":"object","properties":{"a":true,"b":false}}`:                                 false,
		`{"type":"object","properties":{"a":{"type":"string","contentEncoding":"base64"}}}`:   false,
		`{"type":"object","properties":{"a":{"type":"string","x-order":1}},"required":["a"]}`: true,
	} {
		s, _, err := readSchema([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, compile(s) != nil, text)
	}
}

func TestArguments_RejectsCostlyChecks(t *testing.T) {
	var any []string
	for i := range 300 {
		any = append(any, fmt.Sprintf(`{"type":"string","minLength":%d}`, i+100_000))
	}
	s, _, err := readSchema([]byte(`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[` + strings.Join(any, ",") + `]}}}}`))
	require.NoError(t, err)
	a, err := newArguments(s)
	require.NoError(t, err)
	assert.NoError(t, a.check(`{"a":[]}`))
	assert.EqualError(t, a.check(`{"a":["x"]}`), "they do not fit the schema")
	assert.Equal(t, errCostlyArguments, a.check(`{"a":[`+strings.Repeat(`0,`, 30_000)+`0]}`))
}
