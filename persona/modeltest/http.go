package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Handler serves the model over HTTP in OpenAI's format (POST …/chat/completions), with or without streaming. It tests a real
// client with the same script:
//
//	api := httptest.NewServer(m.Handler())
//	client, err := models.OpenAI(api.URL, "m", "sk-test", models.OpenAIOptions{})
//
// A *[StatusError] becomes an HTTP status with its Retry-After. Any other Step.Err closes the connection after Text was sent.
// Step.Panic and Step.Raw close it immediately. Step.Hang keeps it open until the client closes it. Step.Body is sent unchanged.
func (m *Model) Handler() http.Handler { return http.HandlerFunc(m.serve) }

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	p, stream, err := readPrompt(r.Body)
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
	step.serve(w, r, stream, n)
}

func (s Step) serve(w http.ResponseWriter, r *http.Request, stream bool, n int) {
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
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(s.Body, "data:") || strings.HasPrefix(s.Body, "event:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, s.Body)
		return
	case s.Text == "":
		s.interrupt(r, func() {})
	}
	if stream {
		s.serveStream(w, r, n)
		return
	}
	s.interrupt(r, func() { // an incomplete answer
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
		_ = http.NewResponseController(w).Flush()
	})
	w.Header().Set("Content-Type", "application/json")
	c := s.choice(n)
	message := map[string]any{"role": "assistant", "content": c.Content}
	if c.ReasoningContent != "" {
		message["reasoning_content"] = c.ReasoningContent
	}
	if len(c.ToolCalls) > 0 {
		message["content"], message["tool_calls"] = nil, jsonCalls(c.ToolCalls)
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

// serveStream sends the answer in chunks. It sends a tool call as OpenAI does: id and name first, then the arguments in
// parts.
func (s Step) serveStream(w http.ResponseWriter, r *http.Request, n int) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		event(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil)
	c := s.choice(n)
	if c.ReasoningContent != "" {
		send(map[string]any{"reasoning_content": c.ReasoningContent}, nil)
	}
	for _, chunk := range s.chunks() {
		send(map[string]any{"content": chunk}, nil)
	}
	s.interrupt(r, func() {})
	for i, call := range c.ToolCalls {
		name, args := call.FunctionCall.Name, call.FunctionCall.Arguments
		part := func(d map[string]any) { send(map[string]any{"tool_calls": []any{d}}, nil) }
		part(map[string]any{"index": i, "id": call.ID, "type": "function", "function": map[string]any{"name": name, "arguments": ""}})
		for half := range strings.SplitAfterSeq(args, ":") {
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

func writeError(w http.ResponseWriter, e *StatusError) {
	w.Header().Set("Content-Type", "application/json")
	if e.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(e.Wait)/float64(time.Second)))))
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(e.Wait.Milliseconds(), 10))
	}
	w.WriteHeader(e.Code)
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

// A jsonCall is a tool call in OpenAI's JSON format, which llms.ToolCall does not have.
type jsonCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
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

// readPrompt decodes the messages and tools of a request.
func readPrompt(body io.Reader) (p Prompt, stream bool, err error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCalls  []jsonCall      `json:"tool_calls"`
			ToolCallID string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools      []llms.Tool `json:"tools"`
		ToolChoice any         `json:"tool_choice"`
	}
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return p, false, fmt.Errorf("modeltest: request: %w", err)
	}
	p.Options.Model, p.Options.Tools, p.Options.ToolChoice = in.Model, in.Tools, in.ToolChoice
	for _, m := range in.Messages {
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
