package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
)

// hideReasoning cuts the body of an error that repeats the reasoning of the request, because errors are logged. Some providers
// repeat the whole request.
func (c *conversation) hideReasoning(resp *http.Response) {
	if c == nil || len(c.used) == 0 {
		return
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(text, &e)
	if _, found := c.cutReasoning(jsonStrings(text) + string(text)); !found {
		resp.Body = readFirst(text, resp.Body)
		return
	}
	message, _ := c.cutReasoning(e.Error.Message)
	text, _ = json.Marshal(map[string]any{"error": map[string]string{"message": message}})
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(text))
	resp.ContentLength = int64(len(text))
	resp.Header.Del("Content-Length")
}

// readFirst returns a body that begins with the text that was read from it.
func readFirst(text []byte, body io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), body), body}
}

// cutReasoning returns the text before the first place that repeats 16 characters of the reasoning in the request.
func (c *conversation) cutReasoning(text string) (head string, found bool) {
	if c == nil || len(c.used) == 0 {
		return text, false
	}
	places := make(map[string]int)
	for at, part := range windows(text) {
		if _, ok := places[part]; !ok {
			places[part] = at
		}
	}
	first := len(text)
	for _, a := range c.used {
		for _, part := range windows(a.text()) {
			if at, ok := places[part]; ok {
				first, found = min(first, at), true
			}
		}
	}
	if found {
		return text[:first] + "…", true
	}
	return text, false
}

// windows returns each 16 consecutive characters of a text.
func windows(text string) iter.Seq2[int, string] {
	return func(yield func(at int, part string) bool) {
		const length = 16
		var starts []int
		for i := range text {
			starts = append(starts, i)
		}
		starts = append(starts, len(text))
		for n := length; n < len(starts); n++ {
			if from := starts[n-length]; !yield(from, text[from:starts[n]]) {
				return
			}
		}
	}
}

// text returns the reasoning in plain text.
func (a *reasonedAnswer) text() string {
	text := jsonStrings(fmt.Appendf(nil, `{%s"":0}`, a.fields))
	for _, call := range a.calls {
		text += jsonStrings(fmt.Appendf(nil, `{%s"":0}`, call.fields))
	}
	return text
}

// jsonStrings returns the strings in a JSON value, each followed by a line break. It returns "" if text is not JSON.
func jsonStrings(text []byte) string {
	var b strings.Builder
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, item := range v {
				add(item)
			}
		case map[string]any:
			for _, item := range v {
				add(item)
			}
		}
	}
	var v any
	if json.Unmarshal(text, &v) == nil {
		add(v)
	}
	return b.String()
}
