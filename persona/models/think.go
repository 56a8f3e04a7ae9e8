package models

import "strings"

var thinkTags = [...]string{"<think>", "<thinking>"}

// think parts the thoughts at the head of a text from the rest. Thoughts that were cut off are all thought.
func think(text string) (thought, rest string) {
	var t thinker
	a, x := t.write(text)
	b, y := t.close()
	thought, rest = a+b, x+y
	if t.state == speaking && thought == "" {
		for _, tag := range thinkTags { // some templates open it in the prompt
			closing := "</" + tag[1:]
			if before, after, ok := strings.Cut(rest, closing); ok && !strings.Contains(before, tag) {
				return strings.TrimSpace(before), strings.TrimLeft(after, " \r\n")
			}
		}
	}
	return strings.TrimSpace(thought), rest
}

// A thinker parts thoughts at the head of a stream from what follows them. The zero thinker is at the head.
type thinker struct {
	state   thinking
	closing string
	held    string // not given yet: it may be the begin of a tag
}

type thinking uint8

const (
	atHead thinking = iota
	inThought
	afterThought // blanks are dropped
	speaking
)

// write takes a piece and gives what is known to be thought, and text.
func (t *thinker) write(piece string) (thought, text string) {
	t.held += piece
	for {
		switch t.state {
		case atHead:
			head := strings.TrimLeft(t.held, " \r\n\t")
			tag, partly := tagAt(head)
			switch {
			case tag != "":
				t.state, t.closing, t.held = inThought, "</"+tag[1:], head[len(tag):]
				continue
			case partly:
				return thought, text
			}
			t.state = speaking
		case inThought:
			before, after, ok := strings.Cut(t.held, t.closing)
			if !ok {
				keep := overlap(t.held, t.closing)
				thought += t.held[:len(t.held)-keep]
				t.held = t.held[len(t.held)-keep:]
				return thought, text
			}
			thought += before
			t.state, t.held = afterThought, after
		case afterThought:
			if t.held = strings.TrimLeft(t.held, " \r\n\t"); t.held == "" {
				return thought, text
			}
			t.state = speaking
		case speaking:
			text, t.held = text+t.held, ""
			return thought, text
		}
	}
}

// close gives what was held back.
func (t *thinker) close() (thought, text string) {
	held := t.held
	t.held = ""
	if t.state == inThought {
		return held, ""
	}
	if t.state == atHead {
		t.state = speaking
	}
	return "", held
}

// tagAt tells which tag a text begins with, or whether it may become one.
func tagAt(head string) (tag string, partly bool) {
	for _, tag := range thinkTags {
		if strings.HasPrefix(head, tag) {
			return tag, false
		}
		partly = partly || strings.HasPrefix(tag, head)
	}
	return "", partly
}

// overlap gives how much of the end of s is the begin of tag.
func overlap(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
