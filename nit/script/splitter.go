package script

import (
	"bytes"
	"cmp"
	"strings"
)

// A Form is the syntax of a call in the text of a model.
type Form uint8

const (
	FormNIT  Form = iota // script in <nit-TOKEN>…</nit-TOKEN>
	FormJSON             // <tool_call-TOKEN>{"name": …, "arguments": {…}}</tool_call-TOKEN>
	FormXML              // <tool_call-TOKEN><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call-TOKEN>
)

// A Block is the text between two tags.
type Block struct {
	Form    Form
	Body    string // without tags
	TooLong bool   // it exceeded the limit, and Body is empty
}

// SplitOptions define the blocks of a [Splitter].
type SplitOptions struct {
	Token         string // token of the turn; "" disables tags with a token
	BareScripts   bool   // also accept <nit>…</nit> without a token: prompt injections can then call tools
	BareCalls     bool   // also accept <tool_call>…</tool_call> without a token: prompt injections can then call tools
	MaxBlockBytes int    // bytes of a block; 0 means 256 KiB, negative means unlimited
}

// A Splitter splits the streamed text of a model into visible text and blocks. The result does not depend on the chunks.
// No part of a block is visible, and an unclosed block hides all text after it.
//
// The closing tag of a script is recognized outside strings and comments only, that of a JSON call outside strings, that
// of an XML call outside parameters. A tag with another token is text. A <think>…</think> at the beginning is neither
// visible nor searched for blocks.
//
// It buffers at most one possible tag. The zero Splitter hides thinking only. It must not be used concurrently.
type Splitter struct {
	o SplitOptions

	state     state
	started   bool   // a character other than white space was read
	tagBuffer []byte // in state inTag
	closer    string // closing tag, in thinking, script, object and function
	body      []byte // in thinking, script, object and function
	long      bool
	quote     byte // in script and object: quote of the open string; '#' for a comment, 0 for none
	escaped   bool // after a backslash
	inParam   bool // in function: inside a parameter

	show    []byte
	thought string
	blocks  []Block
}

type state uint8

const (
	showing      state = iota
	inTag              // in a possible tag
	thinking           // in <think>
	afterCallTag       // after the tag of a call, before JSON or XML
	script
	object
	function
)

// NewSplitter returns a Splitter for one answer.
func NewSplitter(o SplitOptions) *Splitter {
	o.MaxBlockBytes = cmp.Or(o.MaxBlockBytes, 256<<10)
	return &Splitter{o: o}
}

// Write adds a chunk and returns the text that may be shown now.
func (s *Splitter) Write(chunk string) string {
	s.show = s.show[:0]
	for i := 0; i < len(chunk); i++ {
		if s.state == showing && s.started { // fast path for most text
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

// Close ends the text and returns the rest that may be shown. It drops a partial tag, except a single "<".
func (s *Splitter) Close() string {
	if s.state == thinking {
		s.thought = string(s.body)
	}
	if s.state == inTag && (len(s.tagBuffer) == 1 || !s.mayBeTag(string(s.tagBuffer))) {
		return string(s.tagBuffer)
	}
	return ""
}

// Unclosed reports whether a block is open. After [Splitter.Close] such a block is unclosed.
func (s *Splitter) Unclosed() bool {
	switch s.state {
	case showing, thinking:
		return false
	case inTag:
		return len(s.tagBuffer) > 1 && s.mayBeTag(string(s.tagBuffer)) && (s.started || !strings.HasPrefix(tagThink, string(s.tagBuffer)))
	}
	return true
}

// Blocks returns the closed blocks in order.
func (s *Splitter) Blocks() []Block { return s.blocks }

// Reasoning returns the text in <think>, after its end or the end of the text.
func (s *Splitter) Reasoning() string { return s.thought }

func (s *Splitter) feed(c byte) {
	switch s.state {
	case showing:
		s.text(c)
	case inTag:
		s.tag(c)
	case thinking:
		if s.body = append(s.body, c); c == '>' && bytes.HasSuffix(s.body, []byte(s.closer)) {
			s.thought = string(s.body[:len(s.body)-len(s.closer)])
			s.state = showing
		}
	case afterCallTag:
		if s.body = append(s.body, c); !isBlank(c) {
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

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// keepLast returns the last n bytes.
func keepLast(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	return append(b[:0], b[len(b)-n:]...)
}

func (s *Splitter) text(c byte) {
	if c == '<' {
		s.state, s.tagBuffer = inTag, append(s.tagBuffer[:0], c)
		return
	}
	s.started = s.started || !isBlank(c)
	s.show = append(s.show, c)
}

const (
	tagNIT       = "<nit>"
	tagNITToken  = "<nit-"
	tagCall      = "<tool_call>"
	tagCallToken = "<tool_call-"
	tagThink     = "<think>"
)

// tag handles a byte of a possible tag.
func (s *Splitter) tag(c byte) {
	s.tagBuffer = append(s.tagBuffer, c)
	held := string(s.tagBuffer)
	switch {
	case s.o.BareCalls && held == tagCall:
		s.enter(afterCallTag, "</tool_call>")
	case s.o.BareScripts && held == tagNIT:
		s.enter(script, "</nit>")
	case !s.started && held == tagThink:
		s.enter(thinking, "</think>")
	case s.hasToken(held, tagNITToken):
		s.enter(script, "</nit-"+s.o.Token+">")
	case s.hasToken(held, tagCallToken):
		s.enter(afterCallTag, "</tool_call-"+s.o.Token+">")
	case s.mayBeTag(held):
		return // still possible
	default:
		s.show = append(s.show, s.tagBuffer[:len(s.tagBuffer)-1]...)
		s.state, s.started = showing, true
		s.text(c)
	}
}

// hasToken reports whether held is prefix followed by the token and ">".
func (s *Splitter) hasToken(held, prefix string) bool {
	token, begins := strings.CutPrefix(held, prefix)
	token, ends := strings.CutSuffix(token, ">")
	return begins && ends && tokensEqual(s.o.Token, token)
}

// mayBeTag reports whether held is the start of a tag.
func (s *Splitter) mayBeTag(held string) bool {
	return s.mayHaveToken(held, tagNITToken) || s.mayHaveToken(held, tagCallToken) ||
		s.o.BareCalls && strings.HasPrefix(tagCall, held) ||
		s.o.BareScripts && strings.HasPrefix(tagNIT, held) ||
		!s.started && strings.HasPrefix(tagThink, held)
}

// mayHaveToken reports whether held is the start of a tag with this prefix and a token.
func (s *Splitter) mayHaveToken(held, prefix string) bool {
	if s.o.Token == "" {
		return false
	}
	token, begins := strings.CutPrefix(held, prefix)
	return begins && len(token) <= len(s.o.Token) && !strings.ContainsAny(token, "<>") || strings.HasPrefix(prefix, held)
}

func (s *Splitter) enter(state state, closer string) {
	s.state, s.closer, s.started = state, closer, true
	s.body, s.long, s.quote, s.escaped, s.inParam = s.body[:0], false, 0, false, false
}

// inside handles c, the last byte of a block's body.
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
		s.body = keepLast(s.body, max(64, len(s.closer))) // long enough for any tag
	}
}

// inStrings tracks the strings and comments of a script, or the strings of JSON. It reports whether c is outside of
// them.
func (s *Splitter) inStrings(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quote == '#':
		if c == '\n' {
			s.quote = 0
		}
	case s.quote != 0:
		if s.escaped = c == '\\'; c == s.quote {
			s.quote = 0
		}
	case c == '"', s.state == script && (c == '\'' || c == '#'):
		s.quote = c
	default:
		return true
	}
	return false
}

// inFunction tracks the parameters of an XML call. It reports whether c ends the call.
func (s *Splitter) inFunction(c byte) bool {
	switch {
	case c == '=' && !s.inParam:
		s.inParam = bytes.HasSuffix(s.body, []byte("<parameter="))
	case c == '>' && s.inParam:
		s.inParam = !bytes.HasSuffix(s.body, []byte("</parameter>"))
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
