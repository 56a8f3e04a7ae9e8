package models

import "strings"

var thoughtTags = [...]string{"<think>", "<thinking>"}

// splitThoughts separates the thoughts at the start of a text from the rest. If the closing tag is missing, all of the text
// is thought.
func splitThoughts(text string) (thought, rest string) {
	var t thoughtSplitter
	a, x := t.write(text)
	b, y := t.flush()
	thought, rest = a+b, x+y
	if t.state == inText && thought == "" {
		for _, tag := range thoughtTags { // the opening tag may be in the prompt's template
			closing := "</" + tag[1:]
			if before, after, ok := strings.Cut(rest, closing); ok && !strings.Contains(before, tag) {
				return strings.TrimSpace(before), strings.TrimLeft(after, " \r\n")
			}
		}
	}
	return strings.TrimSpace(thought), rest
}

// A thoughtSplitter separates the thoughts at the start of a stream from the text. The zero value is ready.
type thoughtSplitter struct {
	state   thoughtState
	closing string
	pending string // held back: it may be the start of a tag
}

type thoughtState uint8

const (
	atStart thoughtState = iota
	inThought
	afterThought // drops white space
	inText
)

// write adds a chunk and returns the thought and the text that are complete.
func (t *thoughtSplitter) write(piece string) (thought, text string) {
	t.pending += piece
	for {
		switch t.state {
		case atStart:
			head := strings.TrimLeft(t.pending, " \r\n\t")
			tag, partial := leadingTag(head)
			switch {
			case tag != "":
				t.state, t.closing, t.pending = inThought, "</"+tag[1:], head[len(tag):]
				continue
			case partial:
				return thought, text
			}
			t.state = inText
		case inThought:
			before, after, ok := strings.Cut(t.pending, t.closing)
			if !ok {
				keep := overlap(t.pending, t.closing)
				thought += t.pending[:len(t.pending)-keep]
				t.pending = t.pending[len(t.pending)-keep:]
				return thought, text
			}
			thought += before
			t.state, t.pending = afterThought, after
		case afterThought:
			if t.pending = strings.TrimLeft(t.pending, " \r\n\t"); t.pending == "" {
				return thought, text
			}
			t.state = inText
		case inText:
			text, t.pending = text+t.pending, ""
			return thought, text
		}
	}
}

// flush returns the rest.
func (t *thoughtSplitter) flush() (thought, text string) {
	held := t.pending
	t.pending = ""
	if t.state == inThought {
		return held, ""
	}
	if t.state == atStart {
		t.state = inText
	}
	return "", held
}

// leadingTag returns the tag at the start of a text. partial reports that the text may be the start of a tag.
func leadingTag(head string) (tag string, partial bool) {
	for _, tag := range thoughtTags {
		if strings.HasPrefix(head, tag) {
			return tag, false
		}
		partial = partial || strings.HasPrefix(tag, head)
	}
	return "", partial
}

// overlap returns the length of the longest end of s that is the start of tag.
func overlap(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
