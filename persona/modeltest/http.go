package modeltest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Handler serves the model over HTTP in OpenAI's format (POST …/chat/completions), with or without streaming. Paths that end in
// /audio/transcriptions and /audio/speech serve the same script as transcripts and, with [Voice], as speech. It tests a real client with the
// same script:
//
//	api := httptest.NewServer(m.Handler())
//	client, err := models.OpenAI(api.URL, "m", "sk-test", models.OpenAIOptions{})
//
// A *[StatusError] becomes an HTTP status with its Retry-After. Any other Step.Err closes the connection after Text was sent.
// Step.Panic and Step.Raw close it immediately. Step.Hang keeps it open until the client closes it. Step.Body is sent unchanged.
func (m *Model) Handler() http.Handler { return m.HandlerWith(HandlerOptions{}) }

// HandlerOptions are the options of [Model.HandlerWith].
type HandlerOptions struct {
	// Reasoning is the place of Step.Reasoning in an answer. The default is ReasoningContent.
	Reasoning ReasoningField

	// RequireReasoning refuses a request with status 400 if a message with tool calls lacks the reasoning of the answer with
	// these calls, as DeepSeek and Gemini do.
	RequireReasoning bool
}

// HandlerWith is like [Model.Handler] with options.
func (m *Model) HandlerWith(o HandlerOptions) http.Handler {
	return http.HandlerFunc(newHandler(m, o).serve)
}

func newHandler(m *Model, o HandlerOptions) *handler {
	return &handler{model: m, field: cmp.Or(o.Reasoning, ReasoningContent), strict: o.RequireReasoning, reasoning: make(map[string][]string)}
}

type handler struct {
	model  *Model
	field  ReasoningField
	strict bool

	mu        sync.Mutex
	reasoning map[string][]string // of all answers, by the ids of their tool calls
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	m := h.model
	p, write, err := h.read(r)
	if err != nil {
		writeError(w, &StatusError{Code: http.StatusBadRequest, Message: err.Error()})
		return
	}
	step, n, err := m.next(p)
	if err != nil {
		writeError(w, &StatusError{Code: http.StatusBadRequest, Message: err.Error()})
		return
	}
	if m.answer != nil {
		step = m.answer(r.Context(), p)
	}
	h.remember(step.choice(n))
	h.answer(w, r, step, n, write)
}

// A writeFunc writes the answer to call number n, unless the step fails before.
type writeFunc func(w http.ResponseWriter, r *http.Request, s Step, n int)

// read reads a request, and returns the function that writes answers to it.
func (h *handler) read(r *http.Request) (Prompt, writeFunc, error) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/audio/transcriptions"):
		p, err := readTranscription(r)
		return p, writeTranscript, err
	case strings.HasSuffix(r.URL.Path, "/audio/speech"):
		p, err := readSpeech(r.Body)
		return p, writeSpeech, err
	}
	p, stream, err := h.readPrompt(r.Body)
	if stream {
		return p, h.stream, err
	}
	return p, h.whole, err
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, s Step, n int, write writeFunc) {
	s.delay(r.Context())
	if s.BlockUntil != nil {
		<-s.BlockUntil
	}
	var status *StatusError
	switch {
	case s.Panic != nil, s.Raw != nil:
		panic(http.ErrAbortHandler)
	case errors.As(s.Err, &status):
		writeError(w, status)
		return
	case s.Body != "":
		w.Header().Set("Content-Type", contentType(s.Body))
		_, _ = io.WriteString(w, s.Body)
		return
	case s.Text == "":
		s.interrupt(r, func() {})
	}
	write(w, r, s, n)
}

// whole sends the answer without streaming.
func (h *handler) whole(w http.ResponseWriter, r *http.Request, s Step, n int) {
	s.interrupt(r, func() { // an incomplete answer
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
		_ = http.NewResponseController(w).Flush()
	})
	w.Header().Set("Content-Type", "application/json")
	c := s.choice(n)
	message := jsonMessage{jsonReasoning: h.field.whole(c.ReasoningContent), Role: "assistant", Content: &c.Content}
	if len(c.ToolCalls) > 0 {
		message.Content, message.Calls = nil, h.field.calls(c)
	}
	write200(w, map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": c.StopReason}},
		"usage":   usageOf(s.Info),
	})
}

// interrupt calls begin and then blocks or closes the connection, if the step has Hang or Err.
func (s Step) interrupt(r *http.Request, begin func()) {
	if s.Hang || s.Err != nil {
		begin()
		if s.Hang {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
}

// stream sends the answer in chunks. It sends a tool call as OpenAI does: id and name first, then the arguments in
// parts.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, s Step, n int) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish any) {
		event(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil)
	c := s.choice(n)
	for _, part := range h.field.parts(c.ReasoningContent) {
		send(part, nil)
	}
	for _, chunk := range s.chunks() {
		send(map[string]any{"content": chunk}, nil)
	}
	s.interrupt(r, func() {})
	for i, call := range h.field.calls(c) {
		part := func(d map[string]any) { send(map[string]any{"tool_calls": []any{d}}, nil) }
		first := map[string]any{"index": i, "id": call.ID, "type": "function", "function": map[string]any{"name": call.Function.Name, "arguments": ""}}
		if call.Extra != nil {
			first["extra_content"] = call.Extra
		}
		part(first)
		for half := range strings.SplitAfterSeq(call.Function.Arguments, ":") {
			part(map[string]any{"index": i, "function": map[string]any{"arguments": half}})
		}
	}
	send(map[string]any{}, c.StopReason)
	if u := usageOf(s.Info); u != nil {
		event(w, map[string]any{"choices": []any{}, "usage": u})
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func event(w http.ResponseWriter, v any) {
	b, _ := json.Marshal(v)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
	_ = http.NewResponseController(w).Flush()
}

func write200(w http.ResponseWriter, v any) {
	b, _ := json.Marshal(v)
	_, _ = w.Write(b)
}

// contentType returns the type of a body.
func contentType(body string) string {
	switch {
	case strings.HasPrefix(body, "data:"), strings.HasPrefix(body, "event:"):
		return "text/event-stream"
	case strings.HasPrefix(body, "<"):
		return "text/html"
	}
	return "application/json"
}

func writeError(w http.ResponseWriter, e *StatusError) {
	w.Header().Set("Content-Type", contentType(e.Body))
	if e.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(e.Wait)/float64(time.Second)))))
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(e.Wait.Milliseconds(), 10))
	}
	w.WriteHeader(e.Code)
	if e.Body != "" {
		_, _ = io.WriteString(w, e.Body)
		return
	}
	write200(w, map[string]any{"error": map[string]any{"message": e.Message, "code": nil}})
}

// usageOf returns OpenAI's usage object from the names that langchaingo uses in GenerationInfo.
func usageOf(info map[string]any) any {
	if info == nil {
		return nil
	}
	return map[string]any{
		"prompt_tokens": info["PromptTokens"], "completion_tokens": info["CompletionTokens"], "total_tokens": info["TotalTokens"],
		"prompt_tokens_details":     map[string]any{"cached_tokens": info["PromptCachedTokens"]},
		"completion_tokens_details": map[string]any{"reasoning_tokens": info["CompletionReasoningTokens"]},
	}
}

// A jsonMessage is an answer in OpenAI's JSON format.
type jsonMessage struct {
	jsonReasoning
	Role    string     `json:"role"`
	Content *string    `json:"content"`
	Calls   []jsonCall `json:"tool_calls,omitempty"`
}

// A jsonCall is a tool call in OpenAI's JSON format, which llms.ToolCall does not have.
type jsonCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra *extraContent `json:"extra_content,omitempty"`
}

func jsonCalls(calls []llms.ToolCall) []jsonCall {
	out := make([]jsonCall, len(calls))
	for i, c := range calls {
		out[i].ID, out[i].Type = c.ID, c.Type
		if f := c.FunctionCall; f != nil {
			out[i].Function.Name, out[i].Function.Arguments = f.Name, f.Arguments
		}
	}
	return out
}

// readPrompt decodes the messages and tools of a request, and checks their reasoning.
func (h *handler) readPrompt(body io.Reader) (p Prompt, stream bool, err error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			jsonReasoning
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCalls  []jsonCall      `json:"tool_calls"`
			ToolCallID string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools      []llms.Tool `json:"tools"`
		ToolChoice any         `json:"tool_choice"`

		Format json.RawMessage `json:"response_format"`
	}
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return p, false, fmt.Errorf("modeltest: request: %w", err)
	}
	p.Options.Model, p.Options.Tools, p.Options.ToolChoice = in.Model, in.Tools, in.ToolChoice
	p.Format = string(in.Format)
	for _, m := range in.Messages {
		if err := h.check(m.ToolCalls, m.jsonReasoning); err != nil {
			return p, false, err
		}
		text := contentText(m.Content)
		out := llms.MessageContent{Role: llms.ChatMessageTypeHuman}
		switch m.Role {
		case "system", "developer":
			out.Role = llms.ChatMessageTypeSystem
		case "assistant":
			out.Role = llms.ChatMessageTypeAI
		case "tool":
			out.Role = llms.ChatMessageTypeTool
			out.Parts = []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ToolCallID, Content: text}}
			text = ""
		}
		if text != "" {
			out.Parts = append(out.Parts, llms.TextContent{Text: text})
		}
		for _, c := range m.ToolCalls {
			out.Parts = append(out.Parts, llms.ToolCall{ID: c.ID, Type: c.Type, FunctionCall: &llms.FunctionCall{Name: c.Function.Name, Arguments: c.Function.Arguments}})
		}
		p.Messages = append(p.Messages, out)
	}
	return p, in.Stream, nil
}

// contentText decodes a content, which is a string or a list of parts.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
