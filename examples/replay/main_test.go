package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

func runReplay(t testing.TB, in string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(append([]string{"-lang", "en"}, args...), strings.NewReader(in), &out, &bytes.Buffer{})
	return out.String(), err
}

func TestWarnsOfInterject(t *testing.T) {
	for policy, warns := range map[string]bool{"mention,interject": true, "mention": false} {
		var said bytes.Buffer
		require.NoError(t, run([]string{"-lang", "en", "-policy", policy, "-as", "ann", "-score", "testdata/small.jsonl"}, nil, &bytes.Buffer{}, &said))
		assert.Equal(t, warns, strings.Contains(said.String(), "interject decides as mention"), policy)
	}
}

// The output for two small logs: one with labels, and an evening that groupbot recorded.
func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"as-ann":       {"-policy", "mention", "-as", "ann", "testdata/small.jsonl"},
		"as-all":       {"-policy", "mention,partner", "-as", "*", "-min", "3", "-chat", "炉边", "testdata/small.jsonl"},
		"score":        {"-policy", "mention,partner,interject", "-as", "*", "-min", "3", "-score", "testdata/small.jsonl"},
		"listen-small": {"-policy", "mention", "-name", "ann", "testdata/small.jsonl"},
		"evening":      {"-policy", "mention,interject", "-lang", "zh", "testdata/evening.jsonl"},
		"evening-rate": {"-policy", "mention", "-score", "-chat", "qq:group:714286", "testdata/evening.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := runReplay(t, "", args...)
			require.NoError(t, err)
			file := filepath.Join("testdata", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

// The learned policy is the default.
func TestRun_DefaultPolicy(t *testing.T) {
	for _, args := range [][]string{{"-as", "*", "-min", "3", "testdata/small.jsonl"}, {"testdata/evening.jsonl"}} {
		got, err := runReplay(t, "", args...)
		require.NoError(t, err)
		want, err := runReplay(t, "", append([]string{"-policy", "learned"}, args...)...)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		other, err := runReplay(t, "", append([]string{"-policy", "mention"}, args...)...)
		require.NoError(t, err)
		assert.NotEqual(t, other, got)
	}
}

// A log is the same with or without compression or a byte order mark, from a file or from standard input.
func TestRun_GzipAndStandardInput(t *testing.T) {
	text, err := os.ReadFile("testdata/small.jsonl")
	require.NoError(t, err)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	name := filepath.Join(t.TempDir(), "small.jsonl.gz")
	require.NoError(t, os.WriteFile(name, packed.Bytes(), 0o644))

	want, err := runReplay(t, "", "-as", "*", "-min", "2", "testdata/small.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, want)
	for _, in := range []string{string(text), packed.String(), byteOrderMark + string(text)} {
		got, err := runReplay(t, in, "-as", "*", "-min", "2", "-")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	got, err := runReplay(t, "", "-as", "*", "-min", "2", name)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// Wrong flags are errors that list the valid values.
func TestFlags(t *testing.T) {
	const small = "testdata/small.jsonl"
	for want, args := range map[string][]string{
		"which log?":                            {},
		"-h lists the flags":                    {"-nope", small},
		`unexpected argument "-score"`:          {small, "-score"},
		`"nope" is unknown: learned, mention`:   {"-policy", "nope", small},
		"none is named":                         {"-policy", ",", small},
		`it has no parameter "bass": base`:      {"-policy", "interject:bass=1", small},
		`"base" is no parameter`:                {"-policy", "interject:base", small},
		`base: strconv.ParseFloat: parsing "x"`: {"-policy", "interject:base=x", small},
		"must be at most 1":                     {"-policy", "interject:base=2", small},
		"it has none":                           {"-policy", "mention:base=1", small},
		"-min -1":                               {"-as", "*", "-min", "-1", small},
		"-min is for -as":                       {"-as", "ann", "-min", "3", small},
		"no visible character":                  {"-name", "\u200b", small},
		"-name is empty":                        {"-name", "", small},
		"-name is for a bot that listens":       {"-as", "ann", "-name", "小炉", small},
		"-seed must not be 0":                   {"-seed", "0", small},
		`-lang "fr"`:                            {"-lang", "fr", small},
		"two policies at most":                  {"-html", "x", "-policy", "mention,mention,mention", small},
		"name them by -as":                      {"-html", "x", "-as", "*", small},
		"no such file":                          {"testdata/none.jsonl"},
		`nobody called "eve"`:                   {"-as", "eve", small},
		"nobody in the log said 15":             {"-as", "*", small},
		`no chat "attic"`:                       {"-chat", "attic", small},
		"OneBot events: leave -as out":          {"-as", "小满", "testdata/evening.jsonl"},
		"/nowhere/page.html":                    {"-html", "/nowhere/page.html", small},
	} {
		_, err := runReplay(t, "", args...)
		assert.ErrorContains(t, err, want, args)
	}
	got, err := runReplay(t, "", "-h")
	require.Error(t, err)
	assert.Empty(t, got)
}

// The error of a broken log contains the line and, if known, the field.
func TestRun_BrokenLogs(t *testing.T) {
	small, err := os.ReadFile("testdata/small.jsonl")
	require.NoError(t, err)
	evening, err := os.ReadFile("testdata/evening.jsonl")
	require.NoError(t, err)
	for log, want := range map[string]string{
		"":                                      "the log is empty",
		"\n\n":                                  "the log is empty",
		"\x1f\x8b":                              "EOF",
		"hello":                                 "line 1: ",
		"[1]\n" + string(small):                 "line 1: is no JSON object: array",
		string(small) + "3":                     "line 21: is no JSON object: number",
		string(evening) + "[1]\n":               "line 25: is no JSON object: array",
		string(small) + `{"chat":"a"}`:          `line 21: field "id" is missing`,
		string(small[:len(small)-20]):           "line 20: ",
		string(evening) + "{}\n":                "line 25: ",
		string(evening) + `{"event":{}}` + "\n": "line 25: ",
		`{"received":"2024-03-02T20:00:00Z","event":{"post_type":"meta_event"}}`: "no message in it",
		`{"received":"soon","event":{"post_type":"message"}}` + "\n":             `line 1: field "received": parsing time "soon"`,
		`{"event":{"post_type":"meta_event","time":1}}` + "\n":                   `line 1: field "received" is missing`,
		`{"received":"2024-03-02T20:00:00Z","event":"post_type"}` + "\n":         "line 1: ",
	} {
		_, err := runReplay(t, log, "-")
		assert.ErrorContains(t, err, want)
	}
}

// Some speakers have names that nobody can mention.
func TestRun_NamelessSpeaker(t *testing.T) {
	log := `{"chat":"a","id":"1","time":"2024-01-01T10:00:00Z","sender":"\u200b","text":"hello","labeled":true}
{"chat":"a","id":"2","time":"2024-01-01T10:00:10Z","sender":"ann","text":"hello \u200b","labeled":true}
`
	got, err := runReplay(t, log, "-as", "*", "-min", "1", "-policy", "mention", "-")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(got, `"speak":false`))
}

// A recording with an incomplete last line is played up to it.
func TestRun_IncompleteRecording(t *testing.T) {
	evening, err := os.ReadFile("testdata/evening.jsonl")
	require.NoError(t, err)
	whole, err := runReplay(t, string(evening), "-")
	require.NoError(t, err)
	torn, err := runReplay(t, string(evening)+`{"received":"2024-03-02T20:03:00Z","event":{"post_ty`, "-")
	require.NoError(t, err)
	assert.Equal(t, whole, torn)
	marked, err := runReplay(t, byteOrderMark+string(evening), "-")
	require.NoError(t, err)
	assert.Equal(t, whole, marked)
}

// A log with decreasing times is shown in its order, with times that do not decrease.
func TestRun_DecreasingTimes(t *testing.T) {
	const log = `{"chat":"a","id":"1","time":"2024-01-01T10:00:00Z","sender":"ann","text":"hello","labeled":true}
{"chat":"a","id":"2","time":"2024-01-01T09:00:00Z","sender":"bob","text":"ann?","labeled":true}
{"chat":"a","id":"3","time":"2024-01-01T11:00:00Z","sender":"bob","text":"ann!","labeled":true}
`
	for _, as := range [][]string{nil, {"-as", "ann"}} {
		name := filepath.Join(t.TempDir(), "page.html")
		_, err := runReplay(t, log, append(as, "-policy", "mention", "-html", name, "-")...)
		require.NoError(t, err)
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		var axis []string
		for _, tick := range regexp.MustCompile(`<time>(\d\d:\d\d)</time>`).FindAllStringSubmatch(string(page), -1) {
			axis = append(axis, tick[1])
		}
		assert.Equal(t, []string{"10:00", "11:00"}, axis, "equal times have one label")
	}
}

// A message that arrives too late gets no answer, and the trace has the reason.
func TestRun_StaleMessages(t *testing.T) {
	const late = `{"received":"2024-03-02T20:05:00Z","event":{"post_type":"message","message_type":"private","sub_type":"friend",` +
		`"self_id":1,"user_id":2,"sender":{"nickname":"ann"},"message_id":7,"time":1709409600,"message":"在吗"}}` + "\n"
	for _, policy := range []string{"mention", "hfc"} {
		got, err := runReplay(t, late, "-policy", policy, "-")
		require.NoError(t, err)
		assert.Equal(t, `2024-03-02 20:05:00 [ann] silent: it is too long ago | ann: 在吗
1 messages, 1 batches: spoke 0, refused 0, silent as stale 1
`, got, policy)

		name := filepath.Join(t.TempDir(), "page.html")
		_, err = runReplay(t, late, "-policy", policy, "-html", name, "-")
		require.NoError(t, err)
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Contains(t, string(page), "it is too long ago <code>stale</code>", policy)
	}
}

// The page has the messages of the recorded bot once, also if its implementation reports them. They do not change decisions, but
// who quotes one addresses the bot.
func TestRun_SentMessages(t *testing.T) {
	line := func(kind, second, id, post, user, message string) string {
		return `{"received":"2024-03-02T20:00:` + second + `Z","` + kind + `":{"post_type":"` + post + `","message_type":"group","group_id":5,"self_id":1,"user_id":` + user +
			`,"sender":{"nickname":"n` + user + `"},"message_id":` + id + `,"time":17094096` + second + `,"message":` + message + "}}\n"
	}
	asked, quoted := line("event", "00", "7", "message", "2", `"晚上吃什么"`), line("event", "40", "9", "message", "2", `[{"type":"reply","data":{"id":"8"}},{"type":"text","data":{"text":"好"}}]`)
	sent, reported := line("sent", "10", "8", "message_sent", "1", `"吃面吧"`), line("event", "11", "8", "message_sent", "1", `"吃面吧"`)
	for _, policy := range []string{"mention", "learned", "hfc"} {
		plain, err := runReplay(t, asked, "-policy", policy, "-score", "-")
		require.NoError(t, err)
		with, err := runReplay(t, asked+sent, "-policy", policy, "-score", "-")
		require.NoError(t, err)
		assert.Equal(t, strings.Replace(plain, "1 messages", "2 messages", 1), with, policy)
	}
	for _, log := range []string{asked + sent + quoted, asked + sent + reported + quoted, asked + reported + sent + quoted} {
		got, err := runReplay(t, log, "-policy", "mention", "-")
		require.NoError(t, err)
		assert.Contains(t, got, "3 messages, 2 batches: spoke 1", "the quote is answered")
		name := filepath.Join(t.TempDir(), "page.html")
		_, err = runReplay(t, log, "-policy", "mention", "-html", name, "-")
		require.NoError(t, err)
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(page), "吃面吧"))
		assert.Regexp(t, `class="row own".*n1.*吃面吧`, string(page))
	}
	without, err := runReplay(t, asked+quoted, "-policy", "mention", "-")
	require.NoError(t, err)
	assert.Contains(t, without, "spoke 0")
}

// FuzzLog checks that any log is played or rejected.
func FuzzLog(f *testing.F) {
	for _, name := range []string{"testdata/small.jsonl", "testdata/evening.jsonl"} {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:300])
	}
	f.Add([]byte(`{"post_type":"message","message_type":"private","self_id":1,"user_id":2,"time":1,"message":"hi"}`))
	f.Add([]byte(`{"received":"2024-03-02T20:00:00Z","sent":{"post_type":"message_sent","message_type":"private","self_id":1,"user_id":1,"target_id":2,"time":1,"message":"hi"}}`))
	f.Add([]byte(`{"post_type":"notice","notice_type":"group_recall","self_id":1,"group_id":2,"message_id":3,"time":1}`))
	f.Add([]byte(`{"chat":"a!!","id":"\u0000","time":"0001-01-01T00:00:00Z","sender":"小炉","text":"小炉"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := runReplay(t, string(b), "-name", "小炉,ann", "-")
		again, err2 := runReplay(t, string(b), "-name", "小炉,ann", "-")
		assert.Equal(t, first, again)
		assert.Equal(t, err == nil, err2 == nil)
		_, _ = runReplay(t, string(b), "-as", "*", "-min", "1", "-")
	})
}
