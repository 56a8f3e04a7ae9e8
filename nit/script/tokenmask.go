package script

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"
)

// A tokenMask removes the token from streamed text. A model may miswrite a tag, with another case or width, blanks, a
// changed letter or a missing bracket, and so reveal the token. If 8 consecutive characters of the token appear, they
// are removed with the tag around them. The text after such an opening tag is removed too, up to a closing one or the
// end.
//
// The result does not depend on the chunks. It buffers at most a tag and a word before it.
type tokenMask struct {
	token   []byte
	pending string
	inBlock bool // after an opening tag
}

const (
	minRevealed = 8  // consecutive characters of the token
	maxGap      = 3  // other characters between two token characters
	maxWord     = 40 // adjacent characters of the same word
	maxName     = 32 // characters between the word and a bracket
)

func newTokenMask(token string) *tokenMask {
	return &tokenMask{token: []byte(strings.Map(foldChar, token))}
}

// write adds a chunk and returns the text that may be shown now.
func (m *tokenMask) write(chunk string) string {
	text := m.pending + chunk
	n := len(text)
	for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- { // keep an incomplete character for later
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				n = i
			}
			break
		}
	}
	shown := m.process(text[:n], false)
	m.pending += text[n:]
	return shown
}

// close ends the text and returns the rest that may be shown.
func (m *tokenMask) close() string { return m.process(m.pending, true) }

// checkCall replaces a call that reveals the token with a malformed one, because people may see its arguments.
func (m *tokenMask) checkCall(call *llms.FunctionCall) *llms.FunctionCall {
	if call == nil {
		return nil
	}
	text := call.Name + " " + call.Arguments
	var args any
	if json.Unmarshal([]byte(call.Arguments), &args) == nil { // unescaped form
		plain, _ := encode(args)
		text += plain
	}
	if _, found := m.find(text); found {
		return malformedCall()
	}
	return call
}

func (m *tokenMask) process(text string, last bool) string {
	var show strings.Builder
	for {
		p, found := m.find(text)
		if !found && last {
			p.from = len(text)
		}
		if !m.inBlock {
			show.WriteString(text[:p.from])
		}
		if !found || p.open && !last {
			m.pending = text[p.from:]
			return show.String()
		}
		first, _ := utf8.DecodeRuneInString(text[p.from:])
		end, _ := utf8.DecodeLastRuneInString(text[:p.to])
		switch {
		case strings.ContainsAny(text[p.from:p.token], "/／"):
			m.inBlock = false
		case classOf(first) == classOpen || classOf(end) == classClose:
			m.inBlock = true
		}
		text = text[p.to:]
	}
}

// A tokenSpan is a part of the text that reveals the token.
type tokenSpan struct {
	from, to int
	token    int  // start of the token
	open     bool // the text ends here, so the span may continue
}

// find returns the first span of text that reveals the token. Without one, p.from is the start of a possible span.
func (m *tokenMask) find(text string) (p tokenSpan, found bool) {
	var word []byte // current run of token characters
	var at []int    // their offsets
	gap := 0
	for i, r := range text {
		k := classOf(r)
		if k == classOther && gap < maxGap {
			gap++
			continue
		}
		gap = 0
		if k == classToken {
			word, at = append(word, byte(foldChar(r))), append(at, i)
		} else {
			word, at = nil, nil
		}
		if found && (k != classToken || !bytes.Contains(m.token, word)) {
			break
		}
		for !bytes.Contains(m.token, word) {
			word, at = word[1:], at[1:]
		}
		if len(word) >= minRevealed {
			p.token, p.to, found = at[0], i+utf8.RuneLen(r), true
		}
	}
	if found {
		p.from = tagStart(text, p.token)
		p.to, p.open = tagEnd(text, p.to)
		return p, true
	}
	p.from = len(text)
	if len(at) > 0 {
		p.from = at[0]
	}
	p.from = tagStart(text, p.from)
	return p, false
}

// tagStart returns the start of the tag or word before offset i.
func tagStart(text string, i int) int {
	for n := 0; i > 0 && n < maxWord; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if !isWordChar(r) {
			break
		}
		i -= size
	}
	at := i
	for n := 0; at > 0 && n < maxName; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
		switch classOf(r) {
		case classOpen:
			return at
		case classClose, classWord:
			return i
		}
	}
	return i
}

// tagEnd returns the end of the tag or word after offset i. open reports that it may continue.
func tagEnd(text string, i int) (to int, open bool) {
	for n := 0; i < len(text) && n < maxWord; n++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordChar(r) {
			break
		}
		i += size
	}
	at := i
	for n := 0; at < len(text) && n <= maxGap; n++ {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch classOf(r) {
		case classClose:
			return at, false
		case classOther:
		default:
			return i, false
		}
	}
	return i, at == len(text)
}

// A charClass classifies characters for tags.
type charClass uint8

const (
	classOther charClass = iota // none of the others
	classToken                  // ASCII letter or digit, in any case and width, as in tokens
	classWord                   // other letter or digit
	classOpen                   // bracket
	classClose
)

func classOf(r rune) charClass {
	switch c := foldChar(r); {
	case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		return classToken
	case strings.ContainsRune("<[〈《‹⟨【", c):
		return classOpen
	case strings.ContainsRune(">]〉》›⟩】", c):
		return classClose
	case unicode.IsLetter(c) || unicode.IsNumber(c):
		return classWord
	}
	return classOther
}

// isWordChar reports whether r can be part of a tag name or token.
func isWordChar(r rune) bool {
	return classOf(r) == classToken || strings.ContainsRune("/-_", foldChar(r))
}

// foldChar maps full-width ASCII to ASCII and lower case to upper case.
func foldChar(r rune) rune {
	if 0xff01 <= r && r <= 0xff5e {
		r -= 0xff01 - '!'
	}
	if 'a' <= r && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}
