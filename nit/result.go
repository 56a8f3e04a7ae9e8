package nit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// A Result is what a tool said, fit to be shown to a model: data, never to be read for calls again.
type Result struct {
	Text string // valid UTF-8 without control and invisible characters, at most Limits.Result characters and a note
	Cut  bool   // it was longer
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

// clean makes text valid UTF-8 and takes out what a reader would not see: control characters other
// than tab and newline, direction marks, zero-width spaces, tag characters. Joiners stay, emoji need them.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r // what was invalid arrives here as U+FFFD
	}, text)
}

func unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	}
	return r <= 0x9f || // delete and C1
		r == 0x061c || r == 0x200b || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
		r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}

// limit cuts text after most characters and says how many are missing.
func limit(text string, most int) Result {
	if most < 0 || len(text) <= most {
		return Result{Text: text}
	}
	end, n := len(text), 0
	for i := range text {
		if n == most {
			end = i
		}
		n++
	}
	if n <= most {
		return Result{Text: text}
	}
	return Result{Text: fmt.Sprintf("%s… [%d more characters]", text[:end], n-most), Cut: true}
}
