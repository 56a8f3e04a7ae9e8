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

// What a world is recorded as, in the order of the columns of the golden.
const (
	netModel = "model" // a request to a model: messages, tools, options, and which of the being's models it is
	netCall  = "call"  // an action that the platform was asked for, with its parameters and the answer's code
	netRow   = "row"   // a write of the store: rows, records put and deleted, each transaction by itself
	netHost  = "host"  // what the host is told and given: decisions, wakes, notices, replies, counters
)

var netKinds = []string{netModel, netCall, netRow, netHost}

// A netRecord is the transcript of one world.
//
// What is recorded does not depend on the order in which goroutines run:
//   - Events are sorted by virtual time, kind and content.
//   - Two goroutines of the library that become runnable at one instant and compete for a lock would be told apart by the
//     scheduler alone. So that this does not happen, each write of the store and each answer of a model takes a virtual
//     time of its own, drawn from what is written or asked, and each step of a script has a remainder of microseconds that
//     no other has.
//   - A notice to the host, and a look at which spaces there are, take a time, too: whoever waits for a lock that was given
//     up just before is done first.
//   - Text that the library draws from crypto/rand is replaced: the token of scripts (see netToken).
//   - When a being is stopped, its link ends a microsecond after all contexts have: see netWorld.Run.
//   - The rows "attention" and "budget", which the being writes as soon as something was counted and again 5 s later, hold
//     what the goroutines of that instant have counted so far, and select draws which of two ready channels counts. They
//     are recorded as they stand when a being has stopped that was idle. One that was killed, or busy, leaves those that it
//     found.
//   - A call of a model that is cut off ends a moment after its context, so that whoever cut it off is done first.
//   - What a being that was killed still tries is not recorded.
//   - A link that drops dials again at the next whole second and not when its jitter says: see netWorld.client.
//   - Record.Seq, which the store gives, is left out.
type netRecord struct {
	names *strings.Replacer // from the names of today to those of the golden
	began time.Time

	mu     sync.Mutex
	events []netEvent
	texts  map[string]string // long texts that repeat, by digest: system prompts and offered tools
	asked  map[uint64]int    // how often a model was asked the same
	rows   map[string][]byte // a row of each key that was written, for the frozen names
	kinds  map[string]bool   // kinds of records
	models int               // calls of models that are under way
	wrote  time.Time         // when a row was written last
}

type netEvent struct {
	at   time.Duration
	kind string
	text string
}

func newNetRecord(names *strings.Replacer) *netRecord {
	return &netRecord{names: names, began: time.Now(), texts: map[string]string{}, asked: map[uint64]int{}, rows: map[string][]byte{}, kinds: map[string]bool{}}
}

func (r *netRecord) note(kind, format string, args ...any) {
	r.noteAt(time.Now(), kind, format, args...)
}

func (r *netRecord) noteAt(at time.Time, kind, format string, args ...any) {
	text := r.plain(fmt.Sprintf(format, args...))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, netEvent{at: at.Sub(r.began), kind: kind, text: text})
}

// keep notes rows for the frozen names.
func (r *netRecord) keep(rows map[string][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, row := range rows {
		if row != nil {
			r.rows[key+"\x00"+netDigest(string(row))] = row
		}
	}
}

// netToken is the token of scripts, which is drawn anew for each conversation.
var netToken = regexp.MustCompile(`nit-[A-Z2-7]{26}`)

// plain is a text as it is recorded, and as chance is drawn from it.
func (r *netRecord) plain(text string) string {
	return r.names.Replace(netToken.ReplaceAllString(text, "nit-TOKEN"))
}

// once gives the digest of a text that repeats.
func (r *netRecord) once(text string) string {
	text = r.plain(text)
	sum := netDigest(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[sum] = text
	return sum
}

func netDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// dice are drawn from a text, and not from the order in which goroutines run.
func (r *netRecord) dice(what ...string) *rand.Rand {
	h := fnv.New64a()
	for _, s := range what {
		_, _ = h.Write([]byte(r.plain(s) + "\x00"))
	}
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// pause takes a virtual time, of less than 200 µs, that follows from a text.
func (r *netRecord) pause(what ...string) {
	time.Sleep(time.Duration(1 + r.dice(what...).Int64N(200_000)))
}

// sorted gives the events in their order. Nothing may be noted any more.
func (r *netRecord) sorted() []netEvent {
	slices.SortFunc(r.events, func(a, b netEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
	})
	return r.events
}

// line is what the golden holds of a world: how many events there are of each kind, and their digest.
func (r *netRecord) line(seed uint64) string {
	out := fmt.Sprintf("seed=%02d", seed)
	for _, kind := range netKinds {
		h, n := sha256.New(), 0
		for _, e := range r.sorted() {
			if e.kind == kind {
				n++
				_, _ = fmt.Fprintf(h, "%d %s\n", e.at, e.text)
			}
		}
		if kind == netModel {
			for _, sum := range slices.Sorted(mapKeys(r.texts)) {
				_, _ = fmt.Fprintln(h, sum)
			}
		}
		out += fmt.Sprintf(" %s=%d:%s", kind, n, hex.EncodeToString(h.Sum(nil)[:8]))
	}
	return out
}

// dump writes the transcript into a directory, for diff.
func (r *netRecord) dump(t *testing.T, dir string, seed uint64) {
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

// A netStore records what is written, and takes a time for it.
type netStore struct {
	*mortal
	rec *netRecord
}

// record makes a write, which takes a time of its own, and records it. What a being that was killed still tries is nothing
// that a process could, and what its context forbids is not made: select draws whether it is tried at all.
func (s netStore) record(ctx context.Context, ids []string, text string, do func() error) error {
	if s.died() {
		return errKilled
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.rec.pause(ids...)
	if s.died() {
		return errKilled
	}
	err := do()
	s.rec.mu.Lock()
	s.rec.wrote = time.Now()
	s.rec.mu.Unlock()
	failed := ""
	if err != nil {
		failed = " (" + err.Error() + ")"
	}
	s.rec.note(netRow, "%s%s %s", ids[0], failed, text)
	return err
}

func (s netStore) Spaces(ctx context.Context) ([]memory.Space, error) {
	s.rec.pause("spaces")
	return s.mortal.Spaces(ctx)
}

func (s netStore) Put(ctx context.Context, recs ...memory.Record) error {
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
	return s.record(ctx, ids, b.String(), func() error { return s.mortal.Put(ctx, recs...) })
}

func (s netStore) Delete(ctx context.Context, space memory.Space, ids ...string) error {
	return s.record(ctx, append([]string{"delete", string(space)}, ids...), fmt.Sprintf("%s %q", space, ids), func() error { return s.mortal.Delete(ctx, space, ids...) })
}

// netCounts are the rows that hold what was counted so far.
var netCounts = []string{"attention", "budget"}

func (s netStore) Apply(ctx context.Context, rows map[string][]byte) error {
	keys := slices.Sorted(mapKeys(rows))
	if slices.Equal(keys, netCounts) {
		if s.died() {
			return errKilled
		}
		return s.MemStore.Apply(ctx, rows)
	}
	var b strings.Builder
	for _, key := range keys {
		_, _ = fmt.Fprintf(&b, "\n  %s = %s", key, rows[key])
	}
	s.rec.keep(rows)
	return s.record(ctx, append([]string{"apply"}, keys...), b.String(), func() error { return s.mortal.Apply(ctx, rows) })
}

// A netEmbedder takes a time of its own.
type netEmbedder struct{ rec *netRecord }

func (e netEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	e.rec.pause(append([]string{"embed"}, texts...)...)
	vs := make([][]float32, len(texts))
	for i, text := range texts {
		vs[i] = append(memorytest.Vector(text), make([]float32, 1024-64)...) // 1024 components were recorded
	}
	return vs, nil
}

func (e netEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return append(memorytest.Vector(text), make([]float32, 1024-64)...), nil
}

// A netIndex finds nothing: the worlds were recorded with vectors that nobody looks for.
type netIndex struct{}

func (netIndex) Put(context.Context, ...memory.Record) error           { return nil }
func (netIndex) Delete(context.Context, memory.Space, ...string) error { return nil }
func (netIndex) Search(context.Context, memory.Space, memory.Query, int) ([]memory.Candidate, error) {
	return nil, nil
}

// A netMind is one of the being's models: it records what it is asked, and answers as its world says.
type netMind struct {
	rec    *netRecord
	which  string
	answer func(p modeltest.Prompt, dice *rand.Rand) modeltest.Step
}

func (m netMind) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m netMind) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	p := modeltest.Prompt{Messages: messages}
	for _, o := range options {
		o(&p.Options)
	}
	text := m.request(p)
	m.rec.note(netModel, "%s", text)
	dice := m.rec.dice(text)
	m.rec.mu.Lock()
	sum := dice.Uint64()
	m.rec.asked[sum]++
	m.rec.models++
	again := m.rec.asked[sum]
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

// busy reports that something is under way, or was a moment ago.
func (r *netRecord) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.models > 0 || time.Since(r.wrote) < 30*time.Second
}

// request is all that a model is asked.
func (m netMind) request(p modeltest.Prompt) string {
	var b strings.Builder
	o := p.Options
	_, _ = fmt.Fprintf(&b, "%s: %q, temperature %v, at most %d tokens, top %v/%v, seed %v, stop %q, JSON %v, choice %v, streams %v",
		m.which, part(p), o.Temperature, o.MaxTokens, o.TopP, o.TopK, o.Seed, o.StopWords, o.JSONMode, o.ToolChoice, o.StreamingFunc != nil)
	if len(o.Tools) > 0 {
		tools, err := json.MarshalIndent(o.Tools, "", " ")
		if err != nil {
			return err.Error()
		}
		_, _ = fmt.Fprintf(&b, "\n  tools %s %s", m.rec.once(string(tools)), p.ToolNames())
	}
	for _, msg := range p.Messages {
		for _, part := range msg.Parts {
			_, _ = fmt.Fprintf(&b, "\n  [%s] ", msg.Role)
			switch part := part.(type) {
			case llms.TextContent:
				if msg.Role == llms.ChatMessageTypeSystem {
					b.WriteString(m.rec.once(part.Text))
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
