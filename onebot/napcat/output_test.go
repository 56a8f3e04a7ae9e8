package napcat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClean_HidesTokens(t *testing.T) {
	r := newRedactor([]string{"my secret+1", "my secret", "", `qu"ote`})
	for in, want := range map[string]string{
		"nothing to hide":                      "nothing to hide",
		"a my secret+1 b my secret c":          "a *** b *** c",
		"GET /?x=my+secret%2B1&y=my%20secret":  "GET /?x=***&y=***",
		`{"a":"qu\"ote"}`:                      `{"a":"***"}`,
		"\x1b[32mmy sec\x1b[0mret\x1b[0m\r\n":  "***",
		"my\x00 sec\x07ret":                    "***",
		"[NapCat] [WebUi] WebUi Token: 3f9a":   "[NapCat] [WebUi] WebUi Token: ***",
		"http://127.0.0.1:6099/webui?token=3f": "http://127.0.0.1:6099/webui?token=***",
		"已更新 WebUI Token 为 3f9a":               "已更新 WebUI Token 为 ***",
		"新密码: 3f9a":                            "新密码: ***",
		`{"access_token":"3f9a","port":3001}`:  `{"access_token":"***","port":3001}`,
		`{\"token\":\"3f9a\"}`:                 `{\"token\":\"***\"}`,
		"Authorization: Bearer 3f9a.x":         "Authorization: Bearer ***",
		"sent bearer 3f9a":                     "sent bearer ***",
		"p_skey=3f9a; skey=@x;":                "p_skey=***; skey=***;",
		"token验证失败":                            "token验证失败",
		"used 5 tokens: fine":                  "used 5 tokens: fine",
		"bad \xff\xfe bytes":                   "bad \uFFFD bytes",
		"列\t表 🐱":                               "列\t表 🐱",
	} {
		assert.Equal(t, want, r.clean([]byte(in), false))
	}
}

// No prefix of a secret is logged, wherever a line is cut.
func TestOutput_HidesCutSecrets(t *testing.T) {
	const secret = "s3cr3t-and-long"
	for at := range 80 {
		for _, announced := range []string{"", "token="} {
			var log bytes.Buffer
			o := testOutput(&log, 40, secret)
			o.copy(strings.NewReader(strings.Repeat("x", at) + announced + secret + strings.Repeat("y", 80) + "\n"))
			assert.NotContains(t, log.String(), "s3c", "at %d", at)
			assert.LessOrEqual(t, strings.Count(log.String(), "x")+strings.Count(log.String(), "y"), 40+2)
		}
	}
}

func testOutput(w io.Writer, maxLine int, secrets ...string) *output {
	return &output{log: slog.New(slog.NewTextHandler(w, nil)), stream: "stdout", maxLine: maxLine,
		redact: newRedactor(secrets), budget: budget{perSecond: -1}}
}

// A reader that returns a few bytes at a time and then fails.
type slowReader struct {
	data []byte
	step int
}

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, errors.New("broken pipe")
	}
	n := copy(b[:min(r.step, len(b))], r.data)
	r.data = r.data[n:]
	return n, nil
}

func TestOutput_Lines(t *testing.T) {
	for step := 1; step < 20; step++ {
		var log bytes.Buffer
		testOutput(&log, 100).copy(&slowReader{data: []byte("one\n\n  two \r\nthree"), step: step})
		assert.Equal(t, 3, strings.Count(log.String(), "\n"), "an empty line says nothing")
		for _, want := range []string{"line=one\n", "line=\"  two \"\n", "line=three\n"} {
			assert.Contains(t, log.String(), want)
		}
	}
}

func TestBudget_LinesPerSecond(t *testing.T) {
	b := budget{perSecond: 2}
	take := func(after time.Duration) []any {
		dropped, ok := b.allow(t0.Add(after))
		return []any{dropped, ok}
	}
	assert.Equal(t, []any{0, true}, take(0))
	assert.Equal(t, []any{0, true}, take(1))
	assert.Equal(t, []any{0, false}, take(2))
	assert.Equal(t, []any{0, false}, take(time.Second-1))
	assert.Equal(t, []any{2, true}, take(time.Second))
	assert.Equal(t, []any{0, true}, take(time.Second+1))
	assert.Equal(t, []any{0, false}, take(time.Second+2))
	assert.Equal(t, []any{1, true}, take(-time.Hour), "the clock was set back")
	assert.Zero(t, b.unreported())
}

// A log line is valid text within its limit, without control characters and secrets.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("a\x1b[31mhunter2hunter2\x1b[0m token=x\n"), 3)
	f.Add([]byte("\xff\x00hunter2hunter2"), 1)
	f.Add([]byte("hunter2\r\nhunter2hunter2hunter2"), 10)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		const secret = "hunter2hunter2"
		limit = 1 + (limit&0xff)%64
		var lines []string
		o := testOutput(io.Discard, limit, secret)
		o.log = slog.New(lineHandler{slog.DiscardHandler, &lines})
		o.copy(bytes.NewReader(data))
		for _, line := range lines {
			require.True(t, utf8.ValidString(line))
			require.LessOrEqual(t, len(line), limit)
			require.NotContains(t, line, secret)
			require.Equal(t, -1, strings.IndexFunc(line, func(c rune) bool { return c < 32 && c != '\t' }))
		}
	})
}

// A lineHandler records the "line" attribute of each record.
type lineHandler struct {
	slog.Handler
	lines *[]string
}

func (h lineHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "line" {
			*h.lines = append(*h.lines, a.Value.String())
		}
		return true
	})
	return nil
}
