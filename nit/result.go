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

// A Result is what a tool said, fit to be shown to a model: data, never to be read for calls again.
type Result struct {
	Text      string // valid UTF-8 without control and invisible characters, at most Limits.Result characters and a note
	Truncated bool   // it was longer
}

// encode writes what a tool returned: strings as they are, nothing as "ok", the rest as JSON.
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
	e.SetEscapeHTML(false) // \u003c costs tokens; who puts this into XML escapes it there
	if err := e.Encode(out); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// clean makes text valid UTF-8 and takes out what a reader would not see, and a model would read: control characters other
// than tab and newline, direction marks, zero-width spaces, fillers, tags, variation selectors. What emoji need stays: joiners, U+FE0F.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, unseen.InText) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unseen.InText(r) {
			return -1
		}
		return r // what was invalid arrives here as U+FFFD
	}, text)
}

// truncate cuts text after most characters and says how many are missing.
func truncate(text string, most int) Result {
	if most < 0 {
		return Result{Text: text}
	}
	short := clip.Runes(text, most)
	if len(short) == len(text) {
		return Result{Text: text}
	}
	return Result{Text: fmt.Sprintf("%s… [%d more characters]", short, utf8.RuneCountInString(text[len(short):])), Truncated: true}
}
