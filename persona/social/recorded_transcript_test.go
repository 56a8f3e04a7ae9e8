package social_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// Kinds of recorded events, in the order of the golden's columns.
const (
	eventModel = "model" // a model request: messages, tools, options, and the model's role
	eventCall  = "call"  // a platform action with its parameters and response code
	eventRow   = "row"   // a store write: rows, records put and deleted, one event a transaction
	eventHost  = "host"  // callbacks and results of the host: decisions, wakes, notices, replies, counters
)

var eventKinds = []string{eventModel, eventCall, eventRow, eventHost}

// A transcript records the events of one world.
//
// It does not depend on the order in which goroutines run:
//   - Events are sorted by virtual time, kind and content.
//   - If two goroutines of the library became runnable at the same instant and competed for a lock, the scheduler would
//     decide. To prevent that, each write and each model answer takes its own virtual time, drawn from its content, and each
//     step of a script is at a time with its own microseconds.
//   - A notice to the host and a listing of spaces take time, too: a goroutine that waits for a lock just released runs first.
//   - Random text from crypto/rand is replaced: the token of scripts (see scriptToken).
//   - When a bot is stopped, its link ends a microsecond after all contexts: see recordedWorld.Run.
//   - The bot writes the rows "attention" and "budget" at each count and again 5 s later. They contain the counts so far of
//     goroutines at that instant, in an order chosen by select. They are recorded after the shutdown of an idle bot. A killed
//     or busy bot leaves the rows that it found.
//   - An interrupted model call ends a moment after its context, so that the goroutine that cancelled it runs first.
//   - Writes of a killed bot are not recorded.
//   - A dropped link dials again at the next whole second instead of after a random delay: see recordedWorld.client.
//   - Record.Seq, which the store assigns, is left out.
type transcript struct {
	names *strings.Replacer // from current names to the golden's names
	began time.Time

	mu        sync.Mutex
	events    []event
	texts     map[string]string // repeated long texts by digest: system prompts and tool lists
	requests  map[uint64]int    // counts equal model requests
	rows      map[string][]byte // one row of each written key, for the frozen names
	kinds     map[string]bool   // kinds of records
	models    int               // running model calls
	lastWrite time.Time         // time of the last write
}

type event struct {
	at   time.Duration
	kind string
	text string
}

func newTranscript(names *strings.Replacer) *transcript {
	return &transcript{names: names, began: time.Now(), texts: map[string]string{}, requests: map[uint64]int{}, rows: map[string][]byte{}, kinds: map[string]bool{}}
}

func (r *transcript) note(kind, format string, args ...any) {
	r.noteAt(time.Now(), kind, format, args...)
}

func (r *transcript) noteAt(at time.Time, kind, format string, args ...any) {
	text := r.plain(fmt.Sprintf(format, args...))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event{at: at.Sub(r.began), kind: kind, text: text})
}

// keep records rows for the frozen names.
func (r *transcript) keep(rows map[string][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, row := range rows {
		if row != nil {
			r.rows[key+"\x00"+digestOf(string(row))] = row
		}
	}
}

// scriptToken matches the token of scripts and of tool calls as text, which is random in each conversation.
var scriptToken = regexp.MustCompile(`(nit|tool_call)-[A-Z2-7]{26}`)

// plain returns a text in the form for records and for seeding dice.
func (r *transcript) plain(text string) string {
	return r.names.Replace(scriptToken.ReplaceAllString(text, "$1-TOKEN"))
}

// digest records a repeated text once and returns its digest.
func (r *transcript) digest(text string) string {
	text = r.plain(text)
	sum := digestOf(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[sum] = text
	return sum
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// dice returns a generator seeded by a text, so that it does not depend on the order of goroutines.
func (r *transcript) dice(what ...string) *rand.Rand {
	h := fnv.New64a()
	for _, s := range what {
		_, _ = h.Write([]byte(r.plain(s) + "\x00"))
	}
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// pause sleeps for less than 200 µs, depending on a text.
func (r *transcript) pause(what ...string) {
	time.Sleep(time.Duration(1 + r.dice(what...).Int64N(200_000)))
}

// sorted returns the sorted events. It must be called after the last event.
func (r *transcript) sorted() []event {
	slices.SortFunc(r.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
	})
	return r.events
}

// line returns the golden line of a world: the number of events of each kind and their digest.
func (r *transcript) line(seed uint64) string {
	out := fmt.Sprintf("seed=%02d", seed)
	for _, kind := range eventKinds {
		h, n := sha256.New(), 0
		for _, e := range r.sorted() {
			if e.kind == kind {
				n++
				_, _ = fmt.Fprintf(h, "%d %s\n", e.at, e.text)
			}
		}
		if kind == eventModel {
			for _, sum := range slices.Sorted(mapKeys(r.texts)) {
				_, _ = fmt.Fprintln(h, sum)
			}
		}
		out += fmt.Sprintf(" %s=%d:%s", kind, n, hex.EncodeToString(h.Sum(nil)[:8]))
	}
	return out
}

// dump writes the transcript to a directory for diffing.
func (r *transcript) dump(t *testing.T, dir string, seed uint64) {
	var b strings.Builder
	for _, e := range r.sorted() {
		_, _ = fmt.Fprintf(&b, "%v %s %s\n", e.at, e.kind, e.text)
	}
	for _, sum := range slices.Sorted(mapKeys(r.texts)) {
		_, _ = fmt.Fprintf(&b, "\n==== %s\n%s\n", sum, r.texts[sum])
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("world%02d.txt", seed)), []byte(b.String()), 0o644))
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// A recordingStore records writes. Each write takes virtual time.
type recordingStore struct {
	*crashingStore
	rec *transcript
}

// record executes a write, which takes virtual time, and records it. Writes after a kill or with an ended context are
// not executed: a real process could not make the former, and for the latter select would decide.
func (s recordingStore) record(ctx context.Context, ids []string, text string, do func() error) error {
	if s.hasCrashed() {
		return errKilled
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.rec.pause(ids...)
	if s.hasCrashed() {
		return errKilled
	}
	err := do()
	s.rec.mu.Lock()
	s.rec.lastWrite = time.Now()
	s.rec.mu.Unlock()
	failed := ""
	if err != nil {
		failed = " (" + err.Error() + ")"
	}
	s.rec.note(eventRow, "%s%s %s", ids[0], failed, text)
	return err
}

func (s recordingStore) Spaces(ctx context.Context) ([]memory.Space, error) {
	s.rec.pause("spaces")
	return s.crashingStore.Spaces(ctx)
}

func (s recordingStore) Put(ctx context.Context, recs ...memory.Record) error {
	var b strings.Builder
	ids := []string{"put"}
	for _, r := range recs {
		ids = append(ids, string(r.Space), r.ID, fmt.Sprint(len(r.Vector)))
		r.Seq, r.Vector = 0, nil
		row, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&b, "\n  %s", row)
		s.rec.mu.Lock()
		s.rec.kinds[r.Kind] = true
		s.rec.mu.Unlock()
	}
	return s.record(ctx, ids, b.String(), func() error { return s.crashingStore.Put(ctx, recs...) })
}

func (s recordingStore) Delete(ctx context.Context, space memory.Space, ids ...string) error {
	return s.record(ctx, append([]string{"delete", string(space)}, ids...), fmt.Sprintf("%s %q", space, ids), func() error { return s.crashingStore.Delete(ctx, space, ids...) })
}

// counterRows are the rows of counters.
var counterRows = []string{"attention", "budget"}

func (s recordingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	keys := slices.Sorted(mapKeys(rows))
	if slices.Equal(keys, counterRows) {
		if s.hasCrashed() {
			return errKilled
		}
		return s.MemStore.Apply(ctx, rows)
	}
	var b strings.Builder
	for _, key := range keys {
		_, _ = fmt.Fprintf(&b, "\n  %s = %s", key, rows[key])
	}
	s.rec.keep(rows)
	return s.record(ctx, append([]string{"apply"}, keys...), b.String(), func() error { return s.crashingStore.Apply(ctx, rows) })
}

// A recordingEmbedder takes virtual time.
type recordingEmbedder struct{ rec *transcript }

func (e recordingEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	e.rec.pause(append([]string{"embed"}, texts...)...)
	vs := make([][]float32, len(texts))
	for i, text := range texts {
		vs[i] = append(memorytest.Vector(text), make([]float32, 1024-64)...) // the golden has vectors of 1024 components
	}
	return vs, nil
}

func (e recordingEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return append(memorytest.Vector(text), make([]float32, 1024-64)...), nil
}

// An emptyIndex finds nothing: the worlds were recorded with vectors that nobody searches.
type emptyIndex struct{}

func (emptyIndex) Put(context.Context, ...memory.Record) error           { return nil }
func (emptyIndex) Delete(context.Context, memory.Space, ...string) error { return nil }
func (emptyIndex) Search(context.Context, memory.Space, memory.Query, int) ([]memory.Candidate, error) {
	return nil, nil
}

// A recordingModel is one of the bot's models. It records requests; the world answers them.
type recordingModel struct {
	rec    *transcript
	role   string
	answer func(p modeltest.Prompt, dice *rand.Rand) modeltest.Step
}

func (m recordingModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m recordingModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	p := modeltest.Prompt{Messages: messages}
	for _, o := range options {
		o(&p.Options)
	}
	text := m.request(p)
	m.rec.note(eventModel, "%s", text)
	dice := m.rec.dice(text)
	m.rec.mu.Lock()
	sum := dice.Uint64()
	m.rec.requests[sum]++
	m.rec.models++
	again := m.rec.requests[sum]
	m.rec.mu.Unlock()
	dice = m.rec.dice(text, fmt.Sprint(again))
	step := m.answer(p, dice)
	for i := range step.Calls {
		step.Calls[i].ID = fmt.Sprintf("call_%08x_%d", dice.Uint32(), i)
	}
	step.Delay += time.Duration(dice.Int64N(int64(4 * time.Second)))
	resp, err := modeltest.Always(step).GenerateContent(ctx, messages, options...)
	if ctx.Err() != nil {
		time.Sleep(time.Duration(1 + dice.Int64N(100_000)))
	}
	m.rec.mu.Lock()
	m.rec.models--
	m.rec.mu.Unlock()
	return resp, err
}

// busy reports whether a model call is running or a write was made in the last 30 seconds.
func (r *transcript) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.models > 0 || time.Since(r.lastWrite) < 30*time.Second
}

// request formats a model request with all its options.
func (m recordingModel) request(p modeltest.Prompt) string {
	var b strings.Builder
	o := p.Options
	_, _ = fmt.Fprintf(&b, "%s: %q, temperature %v, at most %d tokens, top %v/%v, seed %v, stop %q, JSON %v, choice %v, streams %v",
		m.role, part(p), o.Temperature, o.MaxTokens, o.TopP, o.TopK, o.Seed, o.StopWords, o.JSONMode, o.ToolChoice, o.StreamingFunc != nil)
	if len(o.Tools) > 0 {
		tools, err := json.MarshalIndent(o.Tools, "", " ")
		if err != nil {
			return err.Error()
		}
		_, _ = fmt.Fprintf(&b, "\n  tools %s %s", m.rec.digest(string(tools)), p.ToolNames())
	}
	for _, msg := range p.Messages {
		for _, part := range msg.Parts {
			_, _ = fmt.Fprintf(&b, "\n  [%s] ", msg.Role)
			switch part := part.(type) {
			case llms.TextContent:
				if msg.Role == llms.ChatMessageTypeSystem {
					b.WriteString(m.rec.digest(part.Text))
				} else {
					b.WriteString(part.Text)
				}
			case llms.BinaryContent:
				_, _ = fmt.Fprintf(&b, "%s %q", part.MIMEType, part.Data)
			case llms.ToolCall:
				_, _ = fmt.Fprintf(&b, "call %s %s(%s)", part.ID, part.FunctionCall.Name, part.FunctionCall.Arguments)
			case llms.ToolCallResponse:
				_, _ = fmt.Fprintf(&b, "result %s %s: %s", part.ToolCallID, part.Name, part.Content)
			default:
				_, _ = fmt.Fprintf(&b, "%T %v", part, part)
			}
		}
	}
	return b.String()
}
