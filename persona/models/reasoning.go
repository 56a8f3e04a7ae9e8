package models

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxReasoning = 1 << 20          // bytes that a Transport keeps
	reasoningAge = 10 * time.Minute // since the last request that needed it
)

// A reasoningStore keeps the reasoning that a model returned together with tool calls, until the turn ends. The zero value is
// ready. It may be used concurrently.
//
// The key is a hash of the whole request that the model answered: address, API key, model and all messages. Only a
// conversation that begins with exactly these messages gets the reasoning back. Ids of tool calls alone would mix up chats,
// because many servers number the calls of each answer from 0.
type reasoningStore struct {
	mu      sync.Mutex
	answers []*reasonedAnswer // least recently used first
	size    int
}

// A reasonedAnswer is the reasoning of one answer with tool calls.
type reasonedAnswer struct {
	request [sha256.Size]byte
	calls   []reasonedCall
	fields  []byte // fields of the message as JSON, each followed by a comma
	size    int
	used    time.Time
}

type reasonedCall struct {
	callDelta
	fields []byte // as above, of the call
}

// keep adds an answer and drops the least recently used ones above the limit.
func (s *reasoningStore) keep(a *reasonedAnswer, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.used = now
	s.answers = append(s.answers, a)
	s.size += a.size
	for s.size > maxReasoning {
		s.remove(0)
	}
}

// find returns the latest answer to a request that made these calls, or nil.
func (s *reasoningStore) find(request [sha256.Size]byte, calls []callDelta, now time.Time) *reasonedAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, a := range slices.Backward(s.answers) {
		if a.request == request && a.made(calls) {
			s.answers = append(slices.Delete(s.answers, i, i+1), a)
			a.used = now
			return a
		}
	}
	return nil
}

// forget removes answers.
func (s *reasoningStore) forget(answers []*reasonedAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range answers {
		if i := slices.Index(s.answers, a); i >= 0 {
			s.remove(i)
		}
	}
}

// expire removes the answers of turns that ended without a final answer.
func (s *reasoningStore) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.answers) > 0 && now.Sub(s.answers[0].used) > reasoningAge {
		s.remove(0)
	}
}

func (s *reasoningStore) remove(i int) {
	s.size -= s.answers[i].size
	s.answers = slices.Delete(s.answers, i, i+1)
}

// made reports whether the answer made these calls. The caller of the model may have replaced an id that is empty or occurs
// twice, or a name that is unknown.
func (a *reasonedAnswer) made(calls []callDelta) bool {
	return slices.EqualFunc(a.calls, calls, func(made reasonedCall, c callDelta) bool {
		return c.ID != "" && c.ID == made.ID || c.Function.Name != "" && c.Function == made.Function
	})
}

// A conversation is a request for the next message of a conversation with tools.
type conversation struct {
	store   *reasoningStore
	request [sha256.Size]byte
	body    []byte            // with the reasoning; nil if nothing was inserted
	used    []*reasonedAnswer // whose reasoning is in body
}

// converse reads a request. It returns nil if this is no request for a chat completion or if it has no tools.
func (s *reasoningStore) converse(req *http.Request, now time.Time) *conversation {
	s.expire(now)
	if req.GetBody == nil || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		return nil
	}
	body, err := readBody(req)
	if err != nil || !bytes.Contains(body, []byte(`"tool`)) {
		return nil
	}
	var chat struct {
		Model    string
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(body, &chat) != nil {
		return nil
	}
	c := &conversation{store: s}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n%s\n", req.URL, req.Header.Get("Authorization"), chat.Model)
	in := inserter{rest: body}
	for _, message := range chat.Messages {
		in.skipTo(message)
		hash.Sum(c.request[:0])
		c.giveBack(&in, message, now)
		hash.Write(message)
	}
	hash.Sum(c.request[:0])
	if len(c.used) > 0 {
		c.body = append(in.out, in.rest...)
	}
	return c
}

func readBody(req *http.Request) ([]byte, error) {
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// giveBack inserts the reasoning that came with a message. The inserter is at the start of the message.
func (c *conversation) giveBack(in *inserter, message json.RawMessage, now time.Time) {
	if !bytes.Contains(message, []byte(`"tool_calls"`)) {
		return
	}
	var m struct {
		thinking
		Calls []json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(message, &m) != nil || len(m.Calls) == 0 || m.fields() != nil {
		return
	}
	calls := make([]callDelta, len(m.Calls))
	for i, raw := range m.Calls {
		if json.Unmarshal(raw, &calls[i]) != nil {
			return
		}
	}
	a := c.store.find(c.request, calls, now)
	if a == nil {
		return
	}
	c.used = append(c.used, a)
	in.insert(a.fields)
	for i, raw := range m.Calls {
		if len(calls[i].Extra) == 0 {
			in.skipTo(raw)
			in.insert(a.calls[i].fields)
		}
	}
}

// An inserter copies a JSON text and inserts fields into some of its objects.
type inserter struct{ out, rest []byte }

// skipTo copies the text before a value. The value is the next one with this text.
func (in *inserter) skipTo(value []byte) {
	i := bytes.Index(in.rest, value)
	in.out, in.rest = append(in.out, in.rest[:i]...), in.rest[i:]
}

// insert inserts fields at the start of the object that follows.
func (in *inserter) insert(fields []byte) {
	in.out, in.rest = append(append(in.out, '{'), fields...), in.rest[1:]
}

// apply returns the request with the reasoning. Like a RoundTripper it closes the body of req.
func (c *conversation) apply(req *http.Request) *http.Request {
	if c == nil || c.body == nil {
		return req
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	req = req.WithContext(req.Context())
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(c.body))
	return req
}

// answered keeps the reasoning of an answer with tool calls. A text without tool calls ends the turn.
func (c *conversation) answered(t thinking, hasText bool, calls []callDelta, now time.Time) {
	if c == nil {
		return
	}
	if len(calls) == 0 {
		if hasText {
			c.store.forget(c.used)
		}
		return
	}
	a := &reasonedAnswer{request: c.request, fields: t.fields()}
	useful := a.fields != nil
	a.size = 256 + len(a.fields)
	for _, call := range calls {
		made := reasonedCall{callDelta: call, fields: jsonField(nil, "extra_content", call.Extra)}
		made.Extra = nil
		made.Function.Arguments = cmp.Or(made.Function.Arguments, "{}") // as Normalize does
		useful = useful || made.fields != nil
		a.size += 128 + len(call.ID) + len(call.Function.Name) + len(call.Function.Arguments) + len(made.fields)
		a.calls = append(a.calls, made)
	}
	if useful && a.size <= maxReasoning {
		c.store.keep(a, now)
	}
}

// thinking holds the fields of an assistant message that carry reasoning. A provider gets them back under the same names,
// because some reject names that they do not know.
type thinking struct {
	ReasoningContent json.RawMessage `json:"reasoning_content"` // DeepSeek, Kimi, GLM, Qwen; DeepSeek requires it even if empty
	Reasoning        json.RawMessage `json:"reasoning"`         // vLLM, Ollama, Groq, Cerebras
	Details          json.RawMessage `json:"reasoning_details"` // OpenRouter, with signatures
}

// fields returns the fields as JSON, each followed by a comma, or nil if there are none.
func (t thinking) fields() []byte {
	b := jsonField(nil, "reasoning_content", t.ReasoningContent)
	b = jsonField(b, "reasoning", t.Reasoning)
	return jsonField(b, "reasoning_details", t.Details)
}

func jsonField(b []byte, name string, value json.RawMessage) []byte {
	if isNull(value) {
		return b
	}
	return fmt.Appendf(b, "%q:%s,", name, value)
}

func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }
