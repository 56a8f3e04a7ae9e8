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

var wanted = Options{Keys: []string{"text", "from"}}

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
		`{'text': 'don't', 'from': None}`:            {"don't", nil},
		`{text: a_b, from: [1, .5, +2, 007]}`:        {"a_b", Texts{"1", "0.5", "2", "007"}},
		"{ // 想\n\"text\": \"a\" /* b */, # c\n}":    {"a", nil},
		"{\n\"text\": \"a\"\n\"from\": \"1\"\n}":     {"a", Texts{"1"}},
		`{"text":"他说"好"，就走了","from":NaN}`:            {`他说"好"，就走了`, nil},
		`{"text":“他说“好”，走”}`:                         {"他说“好”，走", nil},
		`{"text":"a","from":["1","2`:                 {"a", Texts{"1"}},
		`{"text":"a","from":"1`:                      {"a", nil},
		"{\"from\":[\"1\"\n\"2\"\n]}":                {"", Texts{"1", "2"}},
		`{"text":"a"`:                                {"a", nil},
		"```json\n{\"text\":\"a\",\n```\n没写完":        {"a", nil},
		`<think>{"text":"b"}</think>{"text":"a"}`:    {"a", nil},
		`"{\"text\":\"a\"}"`:                         {"a", nil},
		`{\"text\":\"a\"}`:                           {"a", nil},
		`{"text":"a"} 就这样{笑} {"mood":1} {}`:          {"a", nil},
		`{"text":"a"} {"text": "a"}`:                 {"a", nil},
		`{"text":"\u4f60\u12\x"}`:                    {"你u12x", nil},
	} {
		var got answer
		require.NoError(t, Decode(text, &got, wanted), text)
		assert.Equal(t, want, got, text)
	}
}

func TestDecode_Refuses(t *testing.T) {
	for _, text := range []string{
		"", "好的", "[]", `{"text":"a" "from":"b"}`, `{"text":"a"} {"text":"b"}`, `}{`, `{"text":`, `{"text":"a`, `{"text":a`, `{"a":{"text":"b"}}`, `{"a":"{\"text\":1}"}`,
		`{"text":"a","Text":"b"}`, `{"text":"a" oops} {"text":"b"}`, `{"a":"他说 {"text":"b"}"}`, `{"a":"他说 "x":{"text":"b"}"}`, `{"text":"a} {"text":"b"}`,
		`<think>{"text":"a"}`, `{"text":"a"]`, strings.Repeat(`{"text":"a"}`, maxObjects+1), `{"text":` + strings.Repeat("[", maxDepth), `{"a":1} {}`,
	} {
		assert.Error(t, Decode(text, new(answer), wanted), text)
	}
}

func TestDecode_Complete(t *testing.T) {
	o := Options{Keys: wanted.Keys, Complete: true}
	require.Error(t, Decode(`{"text":"a"`, new(answer), o))
	require.NoError(t, Decode(`{"text":"a"}`, new(answer), o))
}

func TestDecode_Quotes(t *testing.T) {
	o := Options{Keys: wanted.Keys, Messages: []string{"回答 {\"text\": \"b\"}"}}
	require.ErrorIs(t, Decode(`他说 {"text":"b"}`, new(answer), o), errNone)
	var got answer
	require.NoError(t, Decode(`他说 {"text":"b"}，我说 {"text":"a"}`, &got, o))
	assert.Equal(t, Text("a"), got.Text)
	require.NoError(t, Decode("```json\n{\"text\":\"b\"}\n```", &got, o), "it is the whole answer")
	require.NoError(t, Decode(`他说 {"text":"b"}`, &got, wanted))
}

func TestText_Word(t *testing.T) {
	for text, want := range map[Text]string{"a_b": "a_b", " A-B ": "a_b", "- `c`": "c", "c：别 d": "c", "c（不是 a_b）": "", "c d": "", "": "", "c、a_b": "", "**c**": "c"} {
		got, ok := text.Word("a_b", "c")
		assert.Equal(t, want, got, text)
		assert.Equal(t, want != "", ok, text)
	}
}

// The time for a long answer is linear in its length: quadratic time would take longer than the limit of a test run.
func TestDecode_LinearTime(t *testing.T) {
	for _, s := range []string{
		"{", "{}", `{"`, "｛“", `{"a":`, `{]`, "[{", `{//`, `{/*`, `"//`, `", `, `",a`, "\"\n", `{"a":"`, `","a":"`, "{ ", "{a", "' ", `\`, "```", `{"a":1}`, "#",
	} {
		for _, before := range []string{"", `{"text":"`, `{"text":[`, "{"} {
			_ = Decode(before+strings.Repeat(s, 1<<17), new(answer), wanted)
		}
	}
}

// FuzzDecode checks that Decode reads an object alone as encoding/json does, and that it never reads an object that repeats
// a message from an answer that has more.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"text":"x","from":["1",2]}`, "```json\n{}\n```", `｛“text”：“a”，｝`, `{"text":"a\"b\\"}`, `{"text":"`, `“{"text":"a"}”`, `｛ {"text":"a"}`, "{\"text\":\"\xff\"}", `{} {}`,
		`{'text': 'it's', from: [1, None]} // x`, "{\"text\": \"a\"\n\"from\": .5", `{"text":"他说"好"，走","from":[{"a":1},`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, plain answer
		err := Decode(text, &got, wanted)
		if err == nil {
			b, err := json.Marshal(got)
			require.NoError(t, err)
			var again answer
			require.NoError(t, Decode(string(b), &again, wanted))
			b2, err := json.Marshal(again)
			require.NoError(t, err)
			require.Equal(t, string(b), string(b2))
		}
		object := strings.TrimSpace(text)
		var keys map[string]json.RawMessage
		if json.Unmarshal([]byte(object), &keys) == nil && keys["text"] != nil && json.Unmarshal([]byte(object), &plain) == nil && err == nil {
			require.Equal(t, plain, got)
		}
		quoting := Options{Keys: wanted.Keys, Messages: []string{text}}
		require.Error(t, Decode("他说："+strings.TrimLeft(text, " <\""), new(answer), quoting))
	})
}
