// Package modeljson reads the JSON object in the answer of a language model.
//
// It accepts text and code fences around the object, thoughts in tags before it, single and Chinese quotes, full-width
// punctuation, keys and words without quotes, quotes and line breaks within strings, invalid escapes, comments, trailing
// commas, a missing comma at the end of a line, Python's True, False and None, NaN, and a missing end.
//
// # What is not an answer
//
// An answer may quote other people, and they may write JSON. Therefore [Decode] does not choose among objects. All objects
// with a wanted key must be equal. An object that begins as JSON and cannot be read makes the whole answer unreadable, and
// so does a key that an object has twice. Objects within strings or within other objects do not count. An object that
// repeats a message word for word counts only if the answer contains nothing else.
//
// The time is linear in the length of the answer.
package modeljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// Options tell [Decode] which object is wanted.
type Options struct {
	Keys     []string // the object has at least one of these keys. The empty object counts if it is the whole answer
	Messages []string // messages that the answer may quote
	Complete bool     // reject an object without its end
}

var (
	errNone    = errors.New("there is no JSON object of this form")
	errSeveral = errors.New("there are several JSON objects, and they differ")
	errCut     = errors.New("the JSON object has no end")
)

// maxObjects limits the objects in one answer.
const maxObjects = 64

// Decode decodes the object in an answer into v.
func Decode(answer string, v any, o Options) error {
	answer = unquoted(withoutThoughts(answer))
	all, err := objectsIn(answer)
	if err != nil {
		return err
	}
	messages := squeeze(strings.Join(o.Messages, "\n"))
	var chosen *object
	for i := range all {
		one := &all[i]
		alone := isFence(answer[:one.from]) && isFence(answer[one.to:])
		switch {
		case !one.hasAny(o.Keys) && (!alone || len(one.keys) > 0):
		case !alone && strings.Contains(messages, squeeze(answer[one.from:one.to])): // a quote
		case chosen != nil && !bytes.Equal(chosen.json, one.json):
			return errSeveral
		default:
			chosen = one
		}
	}
	switch {
	case chosen == nil:
		return errNone
	case chosen.cut && o.Complete:
		return errCut
	}
	return json.Unmarshal(chosen.json, v)
}

// An object is a JSON object in an answer.
type object struct {
	json     []byte          // without white space between the tokens
	keys     map[string]bool // folded
	from, to int             // its place in the answer
	cut      bool            // the answer ends before the object does
}

func (o *object) hasAny(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return o.keys[foldKey(k)] })
}

// objectsIn returns the objects of an answer. Braces that do not begin an object are text.
func objectsIn(answer string) (all []object, err error) {
	for from := 0; ; {
		i := strings.IndexAny(answer[from:], "{｛")
		if i < 0 {
			return all, nil
		}
		p := parser{text: answer, pos: from + i}
		one := object{from: p.pos}
		p.next()
		from = p.pos
		if !p.beginsObject() {
			continue
		}
		p.pos = one.from
		if one.keys, err = p.object(); err != nil {
			return nil, err
		}
		one.json, one.to, one.cut = p.out, p.pos, p.cut
		if all, from = append(all, one), p.pos; len(all) > maxObjects {
			return nil, errSeveral
		}
	}
}

// isFence reports whether the text before or after an object is only white space, a code fence or its language.
func isFence(text string) bool {
	text = strings.Trim(text, " \t\r\n\ufeff`")
	return text == "" || strings.EqualFold(text, "json")
}

// squeeze removes white space, so that quotes can be found.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// withoutThoughts removes blocks of thoughts at the start. A block without an end is removed completely.
func withoutThoughts(answer string) string {
	for {
		head := strings.TrimLeft(answer, " \t\r\n\ufeff")
		i := slices.IndexFunc(thoughtTags[:], func(tag string) bool { return strings.HasPrefix(head, "<"+tag+">") })
		if i < 0 {
			return answer
		}
		_, answer, _ = strings.Cut(head, "</"+thoughtTags[i]+">")
	}
}

var thoughtTags = [...]string{"think", "thinking", "thought", "reasoning"}

// unquoted returns the text of an answer that is one JSON string, or that has the escapes of one.
func unquoted(answer string) string {
	s := strings.TrimSpace(answer)
	if strings.HasPrefix(s, `{\"`) {
		s = `"` + s + `"`
	}
	var text string
	if strings.HasPrefix(s, `"`) && json.Unmarshal([]byte(s), &text) == nil {
		return text
	}
	return answer
}

// foldKey maps keys that encoding/json would match to the same text.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, key)
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

// Word returns the word of a list that the text is. Case, hyphens for underscores, and an explanation after a colon or in
// parentheses do not matter, unless the explanation has another word of the list. ok is false for any other text.
func (t Text) Word(words ...string) (word string, ok bool) {
	s := strings.ToLower(strings.Trim(string(t), " \t\r\n-*`"))
	head, about := s, ""
	if i := strings.IndexAny(s, ":：(（"); i >= 0 {
		head, about = s[:i], s[i:]
	}
	head = strings.ReplaceAll(strings.TrimRight(head, " \t*`"), "-", "_")
	if !slices.Contains(words, head) || slices.ContainsFunc(words, func(w string) bool { return w != head && strings.Contains(about, w) }) {
		return "", false
	}
	return head, true
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
