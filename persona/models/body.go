package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxErrorBody limits the bytes of a body that are kept to explain a failure.
const maxErrorBody = 8 << 10

// keep stores the start of a body.
func (s *httpStatus) keep(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = append(s.body, body[:min(len(body), maxErrorBody-len(s.body))]...)
}

// isPage reports whether the response is a web page: the request reached a web server or a proxy, not the model's API. Errors of
// gateways come as web pages, too, but their status says enough.
func (s *httpStatus) isPage() bool {
	return (s.status < 400 || s.status == 403 || s.status == 405) && bytes.HasPrefix(bytes.TrimSpace(s.body), []byte("<"))
}

// isWhole reports whether the body is an answer with a text, and so no stream.
func (s *httpStatus) isWhole() bool {
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	return json.Unmarshal(s.body, &answer) == nil && len(answer.Choices) > 0 && strings.TrimSpace(answer.Choices[0].Message.Content) != ""
}

// explain replaces the failure and the error of an empty answer if the body says why it is empty: it is a web page, an error
// with status 200, or an answer that is no stream.
func (s *httpStatus) explain(k FailureKind, err error) (FailureKind, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || k != EmptyAnswer {
		return k, err
	}
	if s.isPage() {
		return WebPage, errPage
	}
	if s.isWhole() {
		return k, errNoStream
	}
	if text := errorText(s.body); text != "" && !bytes.HasPrefix(bytes.TrimSpace(s.body), []byte("data:")) {
		return errorInBody(k, s.status, text)
	}
	return k, err
}

// errorInBody returns the failure that the text of an error with a good status describes. Its kind is k if the text does not say.
func errorInBody(k FailureKind, status int, text string) (FailureKind, error) {
	if kind := kindOfWords(strings.ToLower(text)); kind != Unknown {
		k = kind
	}
	return k, fmt.Errorf("an error with status %d: %s", status, text)
}

var (
	errPage     = errors.New("the answer is a web page")
	errNoStream = errors.New("the service ignores \"stream\": true and sends its answer as a whole, where a stream is needed")
)

// errorText returns code, type and message of the error in a body, or "". OpenAI and most others write
// {"error": {"message", "type", "code"}}, Ollama's own API {"error": "…"}, older versions of vLLM and DashScope the fields without
// "error", and FastAPI {"detail": "…"}. Other fields may repeat the request, so they are ignored.
func errorText(body []byte) string {
	type fields struct {
		Code, Type, Message, Detail any
	}
	var outer struct {
		fields
		Error json.RawMessage
	}
	if json.Unmarshal(body, &outer) != nil {
		return ""
	}
	f, text := outer.fields, ""
	if len(outer.Error) > 0 && json.Unmarshal(outer.Error, &text) != nil {
		f = fields{}
		_ = json.Unmarshal(outer.Error, &f)
	}
	var words []string
	for _, v := range []any{f.Code, f.Type, f.Message, f.Detail, text} {
		switch v := v.(type) {
		case string:
			if v != "" {
				words = append(words, v)
			}
		case float64:
			words = append(words, fmt.Sprintf("%.0f", v))
		}
	}
	return strings.Join(words, ": ")
}
