package modeljson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type answer struct {
	Text Text  `json:"text"`
	From Texts `json:"from"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]answer{
		`{"text":"你好","from":["1","2"]}`:             {"你好", Texts{"1", "2"}},
		"好的：\n```json\n{\"text\": \"a\"}\n```\n就这样。": {"a", nil},
		`｛“text”：“他说："好"”，“from”：［“1”、2，］｝`:          {`他说："好"`, Texts{"1", "2"}},
		`｛见下｝ 或者 ｛{"text":"a","from":"7"}`:           {"a", Texts{"7"}},
		"{\"text\":\"一\n二\",}":                       {"一\n二", nil},
		`{"text":"a\_b","from":[null,{"id":1}]}`:     {"a_b", Texts{"", `{"id":1}`}},
		`{"text":null,"from":null}`:                  {},
		`{"text":12.5,"from":true}`:                  {"12.5", Texts{"true"}},
		`{"TEXT":["a"]}`:                             {`["a"]`, nil},
		`{}`:                                         {},
	} {
		var got answer
		_, err := Decode(text, &got)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestDecode_Refuses(t *testing.T) {
	for _, text := range []string{
		"", "好的", "[]", `{"text":"a"`, `{"text":"a" "from":"b"}`, `{"text":"a"} {"text":"b"}`, `{oh} {"text":"a"}`, `{"text":"a"} 就这样{笑}`, "}{",
	} {
		_, err := Decode(text, new(answer))
		assert.Error(t, err, text)
	}
}

func TestObjects(t *testing.T) {
	var all []string
	for o := range Objects(`一 {"a":1,} 二 ｛“b”：2｝ {oh} {"c":`) {
		all = append(all, string(o))
	}
	assert.Equal(t, []string{`{"a":1}`, `{"b":2}`, `{oh}`, `{"c":`}, all)
	for range Objects("{} {}") {
		break // the loop may end early
	}
}

func TestCount(t *testing.T) {
	for object, want := range map[string]int{
		`{}`: 0, `{"decision":1}`: 1, `{"decision":"a","Decision":"b","deci\u0073ion":[]}`: 3,
		`{"x":{"decision":1},"y":["decision",{"decision":2}],"z":"decision"}`: 0, `{"x":"}","DECIſION":null}`: 1, ``: 0, `{"decision":`: 1,
	} {
		assert.Equal(t, want, Count([]byte(object), "decision"), object)
	}
}

// The time for a long answer is linear in its length.
func TestObjects_LinearTime(t *testing.T) {
	for _, s := range []string{"{", "{}", `{"`, "｛“", `{"a":`, `{]`, "[{"} {
		n := 0
		for o := range Objects(strings.Repeat(s, 1<<15)) {
			n += len(o)
		}
		assert.LessOrEqual(t, n, len(s)<<16, s)
	}
}

// FuzzDecode checks that Decode reads text from the first brace to the last as encoding/json does, with any text
// around it.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"text":"x","from":["1",2]}`, "```json\n{}\n```", `｛“text”：“a”，｝`, `{"text":"a\"b\\"}`, `{"text":"`, `“{"text":"a"}”`, `｛ {"text":"a"}`, "{\"text\":\"\xff\"}", `{} {}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got answer
		object, err := Decode(text, &got)
		if err == nil {
			require.True(t, json.Valid(object))
			var again answer
			_, err := Decode(string(object), &again)
			require.NoError(t, err)
			require.Equal(t, got, again)
		}
		i, j := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
		if i < 0 || j < i {
			return
		}
		var plain answer
		if json.Unmarshal([]byte(text[i:j+1]), &plain) == nil {
			require.NoError(t, err)
			require.Equal(t, plain, got)
		}
	})
}
