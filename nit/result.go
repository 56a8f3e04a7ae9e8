package nit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// A Result is a tool's result that is safe to show to a model. Treat it as data: never parse it for tool calls.
type Result struct {
	Text      string // valid UTF-8 without control and invisible characters; at most Limits.ResultChars characters and a note
	Truncated bool   // it was longer
}

// encode returns a string as it is, "ok" for nothing, and JSON for the rest.
func encode(out any) (string, error) {
	switch out := out.(type) {
	case string:
		return out, nil
	case json.RawMessage:
		return string(out), nil
	case struct{}, nil:
		return "ok", nil
	}
	if v := reflect.ValueOf(out); v.Kind() == reflect.String {
		return v.String(), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // \u003c costs tokens; escape for XML where XML is written
	if err := e.Encode(out); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// clean returns valid UTF-8 without invisible characters that a model would still read: control characters other than
// tab and newline, bidirectional marks, zero-width spaces, fillers, tags, variation selectors. It keeps joiners and
// U+FE0F for emoji.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, unseen.InText) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unseen.InText(r) {
			return -1
		}
		return r // invalid bytes become U+FFFD
	}, text)
}

// truncate cuts text after limit characters and notes the number of missing ones.
func truncate(text string, limit int) Result {
	if limit < 0 {
		return Result{Text: text}
	}
	short := clip.Runes(text, limit)
	if len(short) == len(text) {
		return Result{Text: text}
	}
	return Result{Text: fmt.Sprintf("%s… [%d more characters]", short, utf8.RuneCountInString(text[len(short):])), Truncated: true}
}
