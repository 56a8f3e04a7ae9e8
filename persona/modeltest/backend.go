package modeltest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// A Server is a program that serves models on one's own machine.
type Server uint8

// Servers that a [Backend] imitates.
const (
	Ollama Server = iota
	VLLM
	LlamaCpp
)

// A Backend imitates the OpenAI endpoints of Ollama, vLLM or llama.cpp: POST /v1/chat/completions with the answers of Model, and
// GET /v1/models. It has their ids, usage, field for reasoning and errors. llama.cpp also has GET /health.
//
// It was written by hand from the documentation of these servers and from reports of their users in 2026. Nothing in it was
// recorded from a real server.
type Backend struct {
	Server  Server
	Model   *Model          // answers; nil fails every request
	Name    string          // name of the model; "" means "m"
	Loading <-chan struct{} // until it is closed, the model is being loaded; nil means it is loaded
	Context int             // runes of a prompt that fit; Ollama cuts a longer prompt silently; 0 means no limit
}

// Handler returns the HTTP handler. While the model loads, llama.cpp answers 503, Ollama answers when it is loaded, and vLLM closes the
// connection, because it does not listen yet.
func (b Backend) Handler() http.Handler {
	b.Name = cmp.Or(b.Name, "m")
	var count atomic.Int64
	field := Reasoning
	if b.Server == LlamaCpp {
		field = ReasoningContent
	}
	h := newHandler(b.Model, HandlerOptions{Reasoning: field})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", b.health)
	mux.HandleFunc("GET /v1/models", b.models)
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { b.chat(h, w, r, count.Add(1)) })
	return mux
}

func (b Backend) isLoading() bool {
	select {
	case <-b.Loading:
		return false
	default:
		return b.Loading != nil
	}
}

// load waits for the model or answers the request. It reports whether the model is loaded.
func (b Backend) load(w http.ResponseWriter, r *http.Request) bool {
	if !b.isLoading() {
		return true
	}
	switch b.Server {
	case LlamaCpp:
		b.fail(w, http.StatusServiceUnavailable, "unavailable_error", "Loading model")
		return false
	case VLLM:
		panic(http.ErrAbortHandler)
	}
	select {
	case <-b.Loading:
		return true
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (b Backend) health(w http.ResponseWriter, r *http.Request) {
	switch {
	case b.Server == Ollama:
		http.NotFound(w, r)
	case b.load(w, r) && b.Server == LlamaCpp:
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	}
}

func (b Backend) models(w http.ResponseWriter, r *http.Request) {
	if b.Server != Ollama && !b.load(w, r) { // Ollama lists what it has on disk
		return
	}
	owner := map[Server]string{Ollama: "library", VLLM: "vllm", LlamaCpp: "llamacpp"}[b.Server]
	w.Header().Set("Content-Type", "application/json")
	write200(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": b.Name, "object": "model", "created": 1764000000, "owned_by": owner}}})
}

// fail writes an error in the server's form.
func (b Backend) fail(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	switch b.Server {
	case VLLM:
		write200(w, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": status}})
	case LlamaCpp:
		write200(w, map[string]any{"error": map[string]any{"code": status, "message": message, "type": kind}})
	default:
		write200(w, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}})
	}
}

func (b Backend) chat(h *handler, w http.ResponseWriter, r *http.Request, n int64) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var asked struct{ Model string }
	_ = json.Unmarshal(body, &asked)
	if b.Server != LlamaCpp && asked.Model != b.Name { // llama.cpp serves its only model under any name
		if b.Server == Ollama {
			b.fail(w, http.StatusNotFound, "api_error", fmt.Sprintf("model %q not found, try pulling it first", asked.Model))
		} else {
			b.fail(w, http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", asked.Model))
		}
		return
	}
	if !b.load(w, r) {
		return
	}
	p, _, err := h.readPrompt(bytes.NewReader(body))
	size := len([]rune(p.Text()))
	switch {
	case err != nil || b.Model == nil:
		b.fail(w, http.StatusBadRequest, "invalid_request_error", "bad request")
		return
	case b.Context > 0 && size > b.Context && b.Server == VLLM:
		b.fail(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf("This model's maximum context length is %d tokens. However, your request has %d input tokens. Please reduce the length of the input messages.", b.Context, size))
		return
	case b.Context > 0 && size > b.Context && b.Server == LlamaCpp:
		b.fail(w, http.StatusBadRequest, "exceed_context_size_error", fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", size, b.Context))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.serve(&backendWriter{ResponseWriter: w, backend: b, n: n}, r)
}

// A backendWriter rewrites answers in OpenAI's form to the form of a server. Each Write has one whole JSON object or one event.
type backendWriter struct {
	http.ResponseWriter
	backend Backend
	n       int64
}

// Unwrap returns the writer for [http.ResponseController].
func (w *backendWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes a part of an answer.
func (w *backendWriter) Write(text []byte) (int, error) {
	out := text
	if data, ok := bytes.CutPrefix(text, []byte("data: ")); ok {
		if v := w.rewrite(data, "chat.completion.chunk"); v != nil {
			out = fmt.Appendf(nil, "data: %s\n\n", v)
		}
	} else if v := w.rewrite(text, "chat.completion"); v != nil {
		out = v
	}
	_, err := w.ResponseWriter.Write(out)
	return len(text), err
}

// rewrite returns an answer with the fields of the server, or nil if text is no answer.
func (w *backendWriter) rewrite(text []byte, object string) []byte {
	var v map[string]any
	if json.Unmarshal(text, &v) != nil || v["choices"] == nil {
		return nil
	}
	v["object"], v["created"], v["model"] = object, 1764000000, w.backend.Name
	switch w.backend.Server {
	case Ollama:
		v["id"], v["system_fingerprint"] = fmt.Sprintf("chatcmpl-%d", w.n), "fp_ollama"
	case VLLM:
		v["id"], v["prompt_logprobs"] = fmt.Sprintf("chatcmpl-%032x", w.n), nil
	case LlamaCpp:
		v["id"], v["system_fingerprint"] = "chatcmpl-"+strings.Repeat("x", 32), "b8681-debian"
		v["timings"] = map[string]any{"prompt_n": 10, "predicted_n": 2}
	}
	if v["usage"] == nil && object == "chat.completion" {
		v["usage"] = map[string]any{"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
	}
	out, _ := json.Marshal(v)
	return out
}
