package script_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A vector is a script with the result of the first NIT 2.0 interpreter.
type vector struct {
	ID    string              `json:"id"`
	Src   string              `json:"src"`
	Ref   string              `json:"ref"` // "ok" or "error"
	Trace [][]json.RawMessage `json:"trace"`
	Last  json.RawMessage     `json:"last"`
	Async []bool              `json:"is_async"`
	Stage string              `json:"stage"`
	Line  int                 `json:"line"` // 0: unknown
	Col   int                 `json:"col"`
}

// In the legacy dialect, every script that the first interpreter accepts makes the same calls, and every other one fails
// at the same position. The scripts in testdata are our own; the expected results come from that interpreter.
// HEARTH_NIT_VECTORS names further vector files.
func TestParse_Vectors(t *testing.T) {
	files := []string{"testdata/vectors.jsonl"}
	if more := os.Getenv("HEARTH_NIT_VECTORS"); more != "" {
		files = append(files, strings.Split(more, string(os.PathListSeparator))...)
	}
	for _, file := range files {
		accepted, failed := 0, 0
		for _, v := range readVectors(t, file) {
			if v.Ref == "ok" {
				accepted++
			} else {
				failed++
			}
			assert.Equal(t, expected(t, v), actual(t, v.Src), "%s: %q", v.ID, v.Src)
		}
		t.Logf("%s: %d accepted, %d failed", file, accepted, failed)
		require.NotZero(t, accepted)
		require.NotZero(t, failed)
	}
}

func readVectors(t testing.TB, file string) (all []vector) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, len(b)+1)
	for lines.Scan() {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		all = append(all, v)
	}
	return all
}

// A run is the effect of a script.
type run struct {
	Calls []string // names and arguments as JSON, with numbers in script syntax
	Last  any
	Stage string
	Line  int
	Col   int
}

func expected(t testing.TB, v vector) run {
	if v.Ref != "ok" {
		stages := map[string]string{"NITLexerError": "lex", "NITParserError": "parse", "ValueError": "lex"}
		return run{Stage: stages[v.Stage], Line: v.Line, Col: v.Col}
	}
	var r run
	for _, call := range v.Trace {
		var name string
		require.NoError(t, json.Unmarshal(call[0], &name))
		r.Calls = append(r.Calls, name+exact(t, call[1]))
	}
	require.NoError(t, json.Unmarshal(v.Last, &r.Last))
	return r
}

// actual runs src with calls that return "R1", "R2" and so on.
func actual(t testing.TB, src string) run {
	var r run
	last, err := script.Run(src, compatible, func(name string, args map[string]any) (any, error) {
		r.Calls = append(r.Calls, name+canonical(args))
		return fmt.Sprintf("R%d", len(r.Calls)), nil
	})
	if err == nil {
		r.Last = last
		return r
	}
	var e *script.Error
	require.ErrorAs(t, err, &e)
	require.Empty(t, r.Calls, "something ran")
	r = run{Stage: string(e.Stage), Line: e.Line, Col: e.Col}
	if e.Stage == script.StageLex && strings.Contains(e.Message, "number") {
		r.Line, r.Col = 0, 0 // the first interpreter gives no position
	}
	return r
}

var compatible = script.Options{Legacy: true, Limits: script.NoLimits()}

// exact returns canonical JSON.
func exact(t testing.TB, raw []byte) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	return canonical(v)
}

// canonical writes a value with exact digits, and distinguishes whole numbers from others.
func canonical(v any) string {
	switch v := v.(type) {
	case map[string]any:
		parts := []string{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%q:%s", k, canonical(v[k])))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := []string{}
		for _, item := range v {
			parts = append(parts, canonical(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			f, _ := v.Float64()
			return canonical(f)
		}
		return v.String()
	case float64:
		return fmt.Sprintf("float %g", v)
	case string:
		return strconv.Quote(v)
	case nil, bool, int64, *big.Int:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%T!", v)
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// The extensions change no script that the first interpreter accepts: the strict dialect makes the same calls or rejects
// the script for its stricter rules.
func TestParse_StrictAcceptsLegacyScripts(t *testing.T) {
	strict := script.Options{Limits: script.NoLimits()}
	same, refused := 0, 0
	for _, v := range readVectors(t, "testdata/vectors.jsonl") {
		if v.Ref != "ok" || strings.Contains(v.Src, `\u`) || strings.Contains(v.Src, "async") {
			continue
		}
		calls, err := trace(t, v.Src, strict)
		if err != nil {
			assert.Regexp(t, "given twice|no call before assigns", err.Error(), "%s: %q", v.ID, v.Src)
			refused++
			continue
		}
		assert.Equal(t, expected(t, v).Calls, calls, "%s: %q", v.ID, v.Src)
		same++
	}
	assert.NotZero(t, same)
	assert.NotZero(t, refused)
}
