// Package modeljson reads JSON objects from the output of language models. It tolerates text around an object, code
// fences, full-width punctuation, line breaks within strings, invalid escapes, and trailing commas.
package modeljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Objects yields the objects in text, rewritten as JSON. It also yields malformed objects; decoding them fails.
func Objects(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if i, j := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); 0 <= i && i < j && json.Valid([]byte(text[i:j+1])) {
			yield([]byte(text[i : j+1]))
			return
		}
		for {
			i := strings.IndexAny(text, "{｛")
			if i < 0 {
				return
			}
			object, n := normalize(text[i:])
			text = text[i+n:]
			if !yield(object) {
				return
			}
		}
	}
}

// Decode decodes the only object in text into v and returns it as JSON. It returns an error if there are several
// objects, even if only one of them is valid: the intended one is unknown.
func Decode(text string, v any) (object []byte, err error) {
	n := 0
	for o := range Objects(text) {
		object = o
		n++
	}
	if n != 1 {
		return nil, fmt.Errorf("there are %d objects", n)
	}
	return object, json.Unmarshal(object, v)
}

// Count returns the number of keys of an object that encoding/json would match with name. Of several it would take
// the last.
func Count(object []byte, name string) (n int) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return 0
	}
	for d.More() {
		key, err := d.Token()
		if s, ok := key.(string); ok && strings.EqualFold(s, name) {
			n++
		}
		if errors.Join(err, d.Decode(new(json.RawMessage))) != nil {
			return n
		}
	}
	return n
}

// A Text is a string. It also accepts a number or another value in its place; null is "".
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(b []byte) error {
	var s *string
	switch {
	case json.Unmarshal(b, &s) != nil:
		*t = Text(b)
	case s != nil:
		*t = Text(*s)
	}
	return nil
}

// Texts is a list of texts. It also accepts a single text.
type Texts []Text

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Texts) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*[]Text)(l)) == nil {
		return nil
	}
	*l = make(Texts, 1)
	return (*l)[0].UnmarshalJSON(b)
}
