// Package modeljson reads the JSON objects that models answer with. Text around an object does no harm, nor do code fences,
// full-width punctuation, line breaks within strings, escapes that JSON does not have, and commas too many.
package modeljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Objects yields the objects in text, as JSON has them. One that is broken is yielded, too: the decoder tells.
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
			object, n := strict(text[i:])
			text = text[i+n:]
			if !yield(object) {
				return
			}
		}
	}
}

// Decode reads the only object in text into v, and returns it as JSON has it. Several are an error, even where all but one
// are broken: nobody knows which one counts.
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

// Count is how many keys of an object encoding/json takes for the one of that name: of several it would take the last.
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

// A Text is a string, or a number or the like that stands in its place; null is empty.
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

// Texts are a list of texts, or one alone.
type Texts []Text

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Texts) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*[]Text)(l)) == nil {
		return nil
	}
	*l = make(Texts, 1)
	return (*l)[0].UnmarshalJSON(b)
}
