package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines is a file of two conversations. The answer to the last question shares no word with it, but follows a line that
// does.
const lines = `{"kind":"turn","conv":"a","id":"1","speaker":"Ann","text":"Which lens do you use for birds?","time":"2026-03-01T12:00:00Z"}
{"kind":"turn","conv":"a","id":"2","speaker":"Bob","text":"The long white one","time":"2026-03-01T12:00:20Z"}
{"kind":"turn","conv":"a","id":"3","speaker":"Ann","text":"It rained all weekend","time":"2026-03-03T09:00:00Z"}
{"kind":"turn","conv":"a","id":"4","speaker":"Bob","text":"We stayed in and baked bread","time":"2026-03-03T12:00:00Z"}
{"kind":"turn","conv":"b","id":"1","text":"小明养了一只橘猫"}
{"kind":"turn","conv":"b","id":"2","text":"阿花下周去昆明"}

{"kind":"question","conv":"a","text":"Who baked bread?","evidence":["4"]}
{"kind":"question","conv":"b","text":"谁去昆明","evidence":["2","2"]}
{"kind":"question","conv":"b","text":"谁也不知道的","evidence":[]}
{"kind":"question","conv":"a","text":"A lens for birds","evidence":["2","1"]}
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	var packed bytes.Buffer
	var w io.Writer = &packed
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(&packed)
		defer func() {
			require.NoError(t, z.Close())
			require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
		}()
		w = z
	}
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	return path
}

// printed returns the printed lines without the microseconds.
func printed(t *testing.T, args ...string) []string {
	t.Helper()
	var out, progress bytes.Buffer
	require.NoError(t, run(t.Context(), args, &out, &progress))
	assert.Contains(t, progress.String(), "6 records indexed")
	var got []string
	for line := range strings.Lines(out.String()) {
		assert.Regexp(t, `^\S+ \S+( [01]\.\d{3}){4} \d+\n$`, line)
		got = append(got, regexp.MustCompile(` \d+\n$`).ReplaceAllString(line, ""))
	}
	return got
}

func TestRun(t *testing.T) {
	for _, name := range []string{"small.jsonl", "small.jsonl.gz"} {
		assert.Equal(t, []string{
			// the third question has two answers, so its R@1 is at most one half; bm25 finds one of them
			name + " bm25 0.833 0.833 0.833 1.000",
			name + " neighbours 0.833 1.000 1.000 1.000",
			name + " vectors 0.833 1.000 1.000 1.000", // all four turns are among the first five
			name + " default 0.833 1.000 1.000 1.000",
		}, printed(t, write(t, name, lines)))
	}
	got := printed(t, "-method", "default,bm25", write(t, "x", lines))
	require.Len(t, got, 2)
	assert.Contains(t, got[0], "x default ")
	assert.Contains(t, got[1], "x bm25 ")
}

func TestRun_BadInput(t *testing.T) {
	for name, args := range map[string][]string{
		"no file":     {},
		"no method":   {"-method", "magic", write(t, "a", lines)},
		"not there":   {filepath.Join(t.TempDir(), "none")},
		"not JSON":    {write(t, "a", lines+"oops")},
		"no question": {write(t, "a", strings.SplitAfter(lines, "\n")[0])},
		"no id":       {write(t, "a", `{"kind":"turn","conv":"a","text":"x"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			assert.Error(t, run(t.Context(), args, &out, io.Discard))
			assert.Empty(t, out.String())
		})
	}
}

// TestRun_BrokenFiles: a truncated or invalid file has no line, and the files around it have theirs.
func TestRun_BrokenFiles(t *testing.T) {
	good := write(t, "good.jsonl.gz", lines)
	packed, err := os.ReadFile(good)
	require.NoError(t, err)
	for name, broken := range map[string][]byte{
		"empty": nil, "cut": packed[:len(packed)*2/3], "no sum": packed[:len(packed)-6], "noise": append(bytes.Clone(packed[:40]), "noise and more noise"...), "two bytes": packed[:2],
	} {
		t.Run(name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad.jsonl.gz")
			require.NoError(t, os.WriteFile(bad, broken, 0o600))
			var out bytes.Buffer
			err := run(t.Context(), []string{"-method", "bm25", good, bad, good}, &out, io.Discard)
			require.ErrorContains(t, err, bad)
			assert.NotContains(t, err.Error(), "JSON")
			assert.Equal(t, 2, strings.Count(out.String(), "\n"))
			assert.NotContains(t, out.String(), "bad")
		})
	}
}

func TestScore(t *testing.T) {
	var s score
	s.count([]string{"a", "b", "c", "d", "e", "f"}, []string{"b", "f", "x", "y"})
	s.count([]string{"a"}, []string{"a"})
	s.count(nil, []string{"a"})
	s.count([]string{"z"}, []string{"a"})
	assert.Equal(t, "0.250 0.312 0.375 0.375 0", s.String())
}
