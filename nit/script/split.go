package script

import (
	"bytes"
	"cmp"
	"strings"
)

// A Form is how a model writes a call in its text.
type Form uint8

const (
	FormNIT  Form = iota // a script in <nit-TOKEN>…</nit-TOKEN>
	FormJSON             // <tool_call-TOKEN>{"name": …, "arguments": {…}}</tool_call-TOKEN>
	FormXML              // <tool_call-TOKEN><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call-TOKEN>
)

// A Block is what a model wrote between two tags.
type Block struct {
	Form    Form
	Body    string // without the tags
	TooLong bool   // it was too long, and Body is empty
}

// SplitOptions say what a [Splitter] takes for a block.
type SplitOptions struct {
	Token         string // of the turn; "" means that no tag with a token begins a block
	BareScripts   bool   // <nit>…</nit>, without a token, is a block too: whoever can make the model repeat a text can then call tools
	BareCalls     bool   // <tool_call>…</tool_call>, without a token, is a block too: as with Plain
	MaxBlockBytes int    // bytes of a block; 0 means 256 KiB, negative no bound
}

// A Splitter parts the text of a model, as it comes in, into what people may see and blocks. How the text is cut into
// chunks makes no difference. No part of a block is ever shown, and one that is not closed is dropped with all after it.
// The end of a script is found as its lexer would find it, not in a string or a comment; that of a JSON call not in a string, that
// of an XML call not in a parameter. A tag with any other token is text. A <think>…</think> at the very beginning is neither shown nor read for blocks.
//
// What is held back because it may become a tag is never longer than a tag. The zero Splitter shows everything but thoughts.
// It is not safe for concurrent use.
type Splitter struct {
	o SplitOptions

	state  state
	begun  bool   // something but white space was read
	held   []byte // in maybe
	closer string // in thinking, script, object and function
	body   []byte // in thinking, script, object, function
	long   bool
	quote  byte // in script and object: of the string that is open; '#' for a comment, 0 for none
	after  bool // a backslash
	param  bool // in function: within a parameter

	show    []byte
	thought string
	blocks  []Block
}

type state uint8

const (
	showing  state = iota
	maybe          // in what may be a tag
	thinking       // in <think>
	opened         // behind the tag of a call: JSON or XML?
	script
	object
	function
)

// NewSplitter makes a Splitter.
func NewSplitter(o SplitOptions) *Splitter {
	o.MaxBlockBytes = cmp.Or(o.MaxBlockBytes, 256<<10)
	return &Splitter{o: o}
}

// Write takes the next chunk and gives what may be shown now.
func (s *Splitter) Write(chunk string) string {
	s.show = s.show[:0]
	for i := 0; i < len(chunk); i++ {
		if s.state == showing && s.begun { // most of a text
			n := strings.IndexByte(chunk[i:], '<')
			if n < 0 {
				n = len(chunk) - i
			}
			s.show = append(s.show, chunk[i:i+n]...)
			if i += n; i == len(chunk) {
				break
			}
		}
		s.feed(chunk[i])
	}
	return string(s.show)
}

// Close ends the text and gives what may still be shown. Half a tag is dropped, but for a single "<".
func (s *Splitter) Close() string {
	if s.state == thinking {
		s.thought = string(s.body)
	}
	if s.state == maybe && (len(s.held) == 1 || !s.opening(string(s.held))) {
		return string(s.held)
	}
	return ""
}

// Unclosed tells whether a block was begun and is not closed. After [Splitter.Close], it never will be.
func (s *Splitter) Unclosed() bool {
	switch s.state {
	case showing, thinking:
		return false
	case maybe:
		return len(s.held) > 1 && s.opening(string(s.held)) && (s.begun || !strings.HasPrefix(tagThink, string(s.held)))
	}
	return true
}

// Blocks gives those that were closed so far, in order.
func (s *Splitter) Blocks() []Block { return s.blocks }

// Reasoning gives what stood in <think>, once it is closed or the text is over.
func (s *Splitter) Reasoning() string { return s.thought }

func (s *Splitter) feed(c byte) {
	switch s.state {
	case showing:
		s.text(c)
	case maybe:
		s.tag(c)
	case thinking:
		if s.body = append(s.body, c); c == '>' && bytes.HasSuffix(s.body, []byte(s.closer)) {
			s.thought = string(s.body[:len(s.body)-len(s.closer)])
			s.state = showing
		}
	case opened:
		if s.body = append(s.body, c); !blank(c) {
			s.state = object
			if c == '<' {
				s.state = function
			}
			s.inside(c)
		}
	default:
		s.body = append(s.body, c)
		s.inside(c)
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// last keeps the last n bytes.
func last(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	return append(b[:0], b[len(b)-n:]...)
}

func (s *Splitter) text(c byte) {
	if c == '<' {
		s.state, s.held = maybe, append(s.held[:0], c)
		return
	}
	s.begun = s.begun || !blank(c)
	s.show = append(s.show, c)
}

const (
	tagNIT       = "<nit>"
	tagNITToken  = "<nit-"
	tagCall      = "<tool_call>"
	tagCallToken = "<tool_call-"
	tagThink     = "<think>"
)

// tag goes on in what may be a tag.
func (s *Splitter) tag(c byte) {
	s.held = append(s.held, c)
	held := string(s.held)
	switch {
	case s.o.BareCalls && held == tagCall:
		s.enter(opened, "</tool_call>")
	case s.o.BareScripts && held == tagNIT:
		s.enter(script, "</nit>")
	case !s.begun && held == tagThink:
		s.enter(thinking, "</think>")
	case s.bears(held, tagNITToken):
		s.enter(script, "</nit-"+s.o.Token+">")
	case s.bears(held, tagCallToken):
		s.enter(opened, "</tool_call-"+s.o.Token+">")
	case s.opening(held):
		return // it may still become one
	default:
		s.show = append(s.show, s.held[:len(s.held)-1]...)
		s.state, s.begun = showing, true
		s.text(c)
	}
}

// bears tells whether held is the tag that begins with prefix and bears the token.
func (s *Splitter) bears(held, prefix string) bool {
	token, begins := strings.CutPrefix(held, prefix)
	token, ends := strings.CutSuffix(token, ">")
	return begins && ends && same(s.o.Token, token)
}

// opening tells whether held may become a tag.
func (s *Splitter) opening(held string) bool {
	return s.mayBear(held, tagNITToken) || s.mayBear(held, tagCallToken) ||
		s.o.BareCalls && strings.HasPrefix(tagCall, held) ||
		s.o.BareScripts && strings.HasPrefix(tagNIT, held) ||
		!s.begun && strings.HasPrefix(tagThink, held)
}

// mayBear tells whether held may become the tag that begins with prefix and bears the token.
func (s *Splitter) mayBear(held, prefix string) bool {
	if s.o.Token == "" {
		return false
	}
	token, begins := strings.CutPrefix(held, prefix)
	return begins && len(token) <= len(s.o.Token) && !strings.ContainsAny(token, "<>") || strings.HasPrefix(prefix, held)
}

func (s *Splitter) enter(state state, closer string) {
	s.state, s.closer, s.begun = state, closer, true
	s.body, s.long, s.quote, s.after, s.param = s.body[:0], false, 0, false, false
}

// inside looks at c, the last byte of the body of a block.
func (s *Splitter) inside(c byte) {
	ends := false
	switch s.state {
	case function:
		ends = s.inFunction(c)
	default:
		ends = s.inStrings(c) && c == '>' && bytes.HasSuffix(s.body, []byte(s.closer))
	}
	if ends {
		s.leave()
		return
	}
	if s.o.MaxBlockBytes >= 0 && len(s.body) > s.o.MaxBlockBytes+len(s.closer) {
		s.long = true
	}
	if s.long {
		s.body = last(s.body, max(64, len(s.closer))) // enough to find any tag
	}
}

// inStrings follows the strings and comments of a script, or the strings of JSON, and tells whether c stands outside.
func (s *Splitter) inStrings(c byte) bool {
	switch {
	case s.after:
		s.after = false
	case s.quote == '#':
		if c == '\n' {
			s.quote = 0
		}
	case s.quote != 0:
		if s.after = c == '\\'; c == s.quote {
			s.quote = 0
		}
	case c == '"', s.state == script && (c == '\'' || c == '#'):
		s.quote = c
	default:
		return true
	}
	return false
}

// inFunction follows the parameters of an XML call, and tells whether c ends it.
func (s *Splitter) inFunction(c byte) bool {
	switch {
	case c == '=' && !s.param:
		s.param = bytes.HasSuffix(s.body, []byte("<parameter="))
	case c == '>' && s.param:
		s.param = !bytes.HasSuffix(s.body, []byte("</parameter>"))
	case c == '>':
		return bytes.HasSuffix(s.body, []byte(s.closer))
	}
	return false
}

func (s *Splitter) leave() {
	b := Block{Form: FormNIT, TooLong: s.long}
	switch s.state {
	case object:
		b.Form = FormJSON
	case function:
		b.Form = FormXML
	}
	if n := len(s.body) - len(s.closer); !s.long {
		if b.Body = string(s.body[:n]); s.o.MaxBlockBytes >= 0 && n > s.o.MaxBlockBytes {
			b.Body, b.TooLong = "", true
		}
	}
	s.blocks = append(s.blocks, b)
	s.state = showing
}
