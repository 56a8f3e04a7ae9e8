package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func export(t testing.TB, m *memory.Memory, o memory.ExportOptions) string {
	var b bytes.Buffer
	require.NoError(t, m.Export(context.Background(), &b, o))
	return b.String()
}

// comparableLines returns the content of a store line by line, without summaries and dreams, because those contain Seqs.
func comparableLines(t testing.TB, s *memory.MemStore) (lines []string) {
	for line := range strings.Lines(dump(t, s)) {
		if !strings.Contains(line, "/summary: ") && !strings.Contains(line, "/dream: ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestExport_ImportRoundTrip(t *testing.T) {
	a := memory.NewMemStore()
	m := fillStore(t, a)
	put(t, m, memory.Record{ID: "' OR '1'='1", Space: "a/b%", Kind: "odd", Text: "<&>\n\"\u2028" + strings.Repeat("长", 100_000), Person: "p", Name: "n", ReplyTo: "r", Own: true,
		Tags: []string{"", "x"}, Importance: .1, At: noon, Sources: []string{"s"}, Vector: []float32{.1, -3e-20, math.MaxFloat32 / 4}, Embedder: "e"})
	put(t, m, memory.Record{ID: "empty", Space: group, Kind: memory.KindMessage})
	require.NoError(t, m.SetConfig(t.Context(), "name", "not {json"))
	talk(t, m, "late", 0, 30)
	sums := m.Summarizer(digest, memory.SummaryOptions{MaxMessages: 10, TopicWindow: -1})
	for range 3 {
		require.True(t, update(t, sums, noon, "late"))
	}
	dream(t, m, night, learn, memory.DreamOptions{HalfLife: -1})
	talk(t, m, "late", 30, 30)
	require.NoError(t, m.SetSummary(t.Context(), other, memory.RollingSummary{Text: "他说", FirstSeq: 3, LastSeq: 9}))

	b := memory.NewMemStore()
	n := memorytest.New(t, b, memory.Options{})
	var told []int
	text := export(t, m, memory.ExportOptions{Progress: func(done, of int) { told = append(told, done*100/of) }})
	require.True(t, slices.IsSorted(told))
	require.Equal(t, 100, told[len(told)-1])
	told = nil
	records, err := n.Import(t.Context(), strings.NewReader(text), func(done, of int) { told = append(told, done*100/of) })
	require.NoError(t, err)
	assert.Equal(t, strings.Count(text, `{"record":`), records)
	assert.True(t, slices.IsSorted(told))
	assert.Equal(t, 100, told[len(told)-1])
	assert.Equal(t, comparableLines(t, a), comparableLines(t, b))
	for _, s := range []memory.Space{group, other, "late", group.Secret(), memory.Owner.Secret()} {
		assert.Equal(t, summary(t, m, s), summary(t, n, s))
	}

	// Summaries and dreams continue at the same messages, even in another order of arrival.
	for range 3 {
		require.True(t, update(t, sums, noon, "late"))
		require.True(t, update(t, n.Summarizer(digest, memory.SummaryOptions{MaxMessages: 10, TopicWindow: -1}), noon, "late"))
		assert.Equal(t, summary(t, m, "late"), summary(t, n, "late"))
	}
	var of [2][]string
	for i, m := range []*memory.Memory{m, n} {
		dream(t, m, night.AddDate(0, 0, 1), func(_ context.Context, n memory.DreamInput) ([]memory.Insight, error) {
			for _, r := range n.Messages {
				of[i] = append(of[i], r.ID)
			}
			return []memory.Insight{{Text: string(n.Space)}}, nil
		}, memory.DreamOptions{HalfLife: -1})
	}
	assert.Len(t, of[0], 60)
	assert.Equal(t, of[0], of[1])
	assert.Equal(t, comparableLines(t, a), comparableLines(t, b))

	again := dump(t, b)
	_, err = n.Import(t.Context(), strings.NewReader(export(t, n, memory.ExportOptions{})), nil)
	require.NoError(t, err)
	assert.Equal(t, again, dump(t, b), "importing again changes nothing")
}

func TestExport_SelectedSpaces(t *testing.T) {
	m := fillStore(t, memory.NewMemStore())
	b := memory.NewMemStore()
	_, err := memorytest.New(t, b, memory.Options{}).Import(t.Context(), strings.NewReader(export(t, m, memory.ExportOptions{Spaces: []memory.Space{group, group}})), nil)
	require.NoError(t, err)
	spaces, err := b.Spaces(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []memory.Space{group}, spaces, "its secret counterpart only if named")
	assert.NotContains(t, dump(t, b), "秘密")
	assert.NotContains(t, dump(t, b), string(other))
	assert.ErrorIs(t, m.Export(t.Context(), io.Discard, memory.ExportOptions{Spaces: []memory.Space{""}}), memory.ErrInvalid)
}

// TestImport_Invalid: an incomplete or invalid export changes nothing.
func TestImport_Invalid(t *testing.T) {
	store := memory.NewMemStore()
	m := fillStore(t, store)
	before := dump(t, store)
	from := memory.NewMemStore()
	good := memorytest.New(t, from, memory.Options{})
	talk(t, good, group, 0, 300)
	require.NoError(t, good.Notes(group).SetInnerState(t.Context(), noon, "困"))
	text := export(t, good, memory.ExportOptions{})
	lines := strings.SplitAfter(text, "\n")
	with := func(i int, line string) string {
		l := slices.Clone(lines)
		l[i] = line
		return strings.Join(l, "")
	}
	const record, rowed = `{"record":{"id":"x","space":"s","text":"x"%s}}`, `{"row":{"key":%q,"json":%s}}`
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":           {"", memory.ErrFormat},
		"another file":      {"hello\nworld\n", memory.ErrFormat},
		"newer":             {with(0, "{\"hearth_memory\":2}\n"), memory.ErrFormat},
		"no version":        {with(0, "{}\n"), memory.ErrFormat},
		"version twice":     {with(1, lines[0]), memory.ErrFormat},
		"cut off":           {strings.Join(lines[:200], ""), memory.ErrFormat},
		"cut in a line":     {text[:len(text)/2], memory.ErrFormat},
		"no end":            {with(len(lines)-2, ""), memory.ErrFormat},
		"end twice":         {text + lines[len(lines)-2], memory.ErrFormat},
		"one is missing":    {with(7, ""), memory.ErrFormat},
		"one too many":      {with(7, lines[7]+lines[8]), memory.ErrFormat},
		"unknown field":     {with(7, "{\"record\":{\"id\":\"x\",\"space\":\"s\",\"secret\":true}}\n"), memory.ErrFormat},
		"two in a line":     {with(7, strings.TrimSpace(lines[7])+lines[8]), memory.ErrFormat},
		"record, no space":  {with(7, `{"record":{"id":"x"}}`+"\n"), memory.ErrInvalid},
		"record, NUL":       {with(7, fmt.Sprintf(record, `,"person":"\u0000"`)+"\n"), memory.ErrInvalid},
		"vector, odd bytes": {with(7, fmt.Sprintf(record, `,"vector":"AAA="`)+"\n"), memory.ErrVector},
		"vector, zero":      {with(7, fmt.Sprintf(record, `,"vector":"AAAAAA=="`)+"\n"), memory.ErrVector},
		"vectors, lengths":  {with(7, fmt.Sprintf(record, `,"vector":"AACAPw=="`)+"\n"+fmt.Sprintf(record, `,"vector":"AACAPwAAgD8="`)+"\n"), memory.ErrVector},
		"text of 10 MB":     {with(7, fmt.Sprintf(record, `,"name":"`+strings.Repeat("x", 10<<20)+`"`)+"\n"), memory.ErrTooLong},
		"row of others":     {with(7, fmt.Sprintf(rowed, "errand/1", "{}")+"\n"), memory.ErrFormat},
		"row, no space":     {with(7, fmt.Sprintf(rowed, "memory/a!!/summary", "{}")+"\n"), memory.ErrFormat},
		"row, two names":    {with(7, fmt.Sprintf(rowed, "memory/a%2fb/summary", "{}")+"\n"), memory.ErrFormat},
		"row, unknown":      {with(7, fmt.Sprintf(rowed, "memory/a/x", "{}")+"\n"), memory.ErrFormat},
		"row, bare":         {with(7, fmt.Sprintf(rowed, "memory/a", "{}")+"\n"), memory.ErrFormat},
		"row, other value":  {with(7, fmt.Sprintf(rowed, "memory/a/summary", `[1]`)+"\n"), memory.ErrFormat},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := m.Import(t.Context(), strings.NewReader(c.text), nil)
			assert.ErrorIs(t, err, c.want)
			assert.Equal(t, before, dump(t, store))
		})
	}
	_, err := memorytest.New(t, minimalStore{memory.NewMemStore()}, memory.Options{}).Import(t.Context(), strings.NewReader(text), nil)
	assert.ErrorIs(t, err, memory.ErrNoState)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Import(ctx, strings.NewReader(text), nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, before, dump(t, store))

	crlf := memory.NewMemStore()
	_, err = memorytest.New(t, crlf, memory.Options{}).Import(t.Context(), strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), nil)
	assert.NoError(t, err)
	assert.Equal(t, dump(t, from), dump(t, crlf))
}

// TestImport_InterruptedAtAnyWrite: another import completes an interrupted one.
func TestImport_InterruptedAtAnyWrite(t *testing.T) {
	from := memory.NewMemStore()
	m := fillStore(t, from)
	talk(t, m, group, 0, 400)
	text := export(t, m, memory.ExportOptions{})
	for at := 1; ; at++ {
		store := memory.NewMemStore()
		_, err := memorytest.New(t, &crashingStore{MemStore: store, at: at}, memory.Options{}).Import(t.Context(), strings.NewReader(text), nil)
		if err == nil {
			assert.Greater(t, at, 10)
			break
		}
		require.ErrorIs(t, err, errCrashed)
		_, err = memorytest.New(t, store, memory.Options{}).Import(t.Context(), strings.NewReader(text), nil)
		require.NoError(t, err)
		require.Equal(t, comparableLines(t, from), comparableLines(t, store), "death %d", at)
	}
	assert.Error(t, m.Export(t.Context(), fullDisk{}, memory.ExportOptions{}))
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }
