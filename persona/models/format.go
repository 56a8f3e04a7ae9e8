package models

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hearth-bot/hearth/persona/prompt"
)

// A formatter adds the schema of the answer to the requests of a client, as response_format. If the server rejects the
// schema, it asks for any JSON object, and if the server rejects that, for text. It then remembers what the server accepts.
type formatter struct {
	base  http.RoundTripper
	level atomic.Int32 // index in formats of the first that the server did not reject
}

// formats are the values of response_format, best first. The last sends none.
var formats = [...]func(*prompt.Schema) any{
	func(s *prompt.Schema) any {
		return map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": s.Name, "strict": true, "schema": s.JSON}}
	},
	func(*prompt.Schema) any { return map[string]any{"type": "json_object"} },
	func(*prompt.Schema) any { return nil },
}

// RoundTrip implements [http.RoundTripper].
func (f *formatter) RoundTrip(req *http.Request) (*http.Response, error) {
	schema := prompt.SchemaOf(req.Context())
	first := f.level.Load()
	if schema == nil || req.Body == nil || int(first) == len(formats)-1 {
		return f.base.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	for level := first; ; level++ {
		resp, err := f.base.RoundTrip(withFormat(req, body, formats[level](schema)))
		if err == nil && int(level) < len(formats)-1 && rejectsFormat(resp) {
			continue
		}
		if err == nil && resp.StatusCode == http.StatusOK && level > first {
			f.level.CompareAndSwap(first, level)
		}
		return resp, err
	}
}

// withFormat returns a copy of a request with this response_format, unless its body, a JSON object, has one.
func withFormat(req *http.Request, body []byte, format any) *http.Request {
	const key = `,"response_format":`
	object, ok := bytes.CutSuffix(bytes.TrimSpace(body), []byte("}"))
	if text, err := json.Marshal(format); ok && err == nil && format != nil && !bytes.Contains(object, []byte(key)) {
		body = slices.Concat(object, []byte(key), text, []byte("}"))
	}
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return out
}

// Texts of OpenAI, DeepSeek, DashScope, vLLM and others about a response_format, in lower case.
var formatWords = []string{"response_format", "response format", "json_schema", "json schema", "json_object", "json mode", "structured output", "guided"}

// rejectsFormat reports whether a server rejects the response_format. It closes the body if it does.
func rejectsFormat(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	const most = 64 << 10
	head, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err == nil && containsAny(strings.ToLower(string(head)), formatWords) {
		_ = resp.Body.Close()
		return true
	}
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failedReader{err}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), resp.Body}
	return false
}

// A failedReader returns an error that was read before.
type failedReader struct{ error }

// Read implements [io.Reader].
func (r failedReader) Read([]byte) (int, error) { return 0, r.error }
