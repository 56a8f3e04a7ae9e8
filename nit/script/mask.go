package script

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"
)

// A mask keeps the token from people, in a text as it comes in. A model that miswrites a tag says its token as text: in another
// case or width, with blanks in it, with a letter changed, with a bracket missing. Where 8 characters of the token stand in a row, they are
// cut with the name and the brackets of the tag. What a tag like that has opened is no speech: all is cut up to the one that closes
// it, or to the end.
//
// How the text is cut into chunks makes no difference. What is held back is no longer than a tag and a word before it.
type mask struct {
	token []byte
	held  string
	block bool // it is behind a tag that opens
}

const (
	revealing = 8  // characters of a token, in a row
	maxGap    = 3  // other characters between two of them
	maxWord   = 40 // characters beside them that belong to their word
	maxName   = 32 // characters between that and a bracket
)

func newMask(token string) *mask {
	return &mask{token: []byte(strings.Map(folded, token))}
}

// write takes the next chunk and gives what may be shown now.
func (m *mask) write(chunk string) string {
	text := m.held + chunk
	n := len(text)
	for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- { // a character that is not complete waits
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				n = i
			}
			break
		}
	}
	shown := m.pass(text[:n], false)
	m.held += text[n:]
	return shown
}

// close ends the text and gives what may still be shown.
func (m *mask) close() string { return m.pass(m.held, true) }

// call gives a call, or a malformed one in the place of one that reveals the token: what it says may reach people.
func (m *mask) call(call *llms.FunctionCall) *llms.FunctionCall {
	if call == nil {
		return nil
	}
	text := call.Name + " " + call.Arguments
	var args any
	if json.Unmarshal([]byte(call.Arguments), &args) == nil { // without escapes
		plain, _ := encode(args)
		text += plain
	}
	if _, found := m.find(text); found {
		return malformed()
	}
	return call
}

func (m *mask) pass(text string, last bool) string {
	var show strings.Builder
	for {
		p, found := m.find(text)
		if !found && last {
			p.from = len(text)
		}
		if !m.block {
			show.WriteString(text[:p.from])
		}
		if !found || p.open && !last {
			m.held = text[p.from:]
			return show.String()
		}
		first, _ := utf8.DecodeRuneInString(text[p.from:])
		end, _ := utf8.DecodeLastRuneInString(text[:p.to])
		switch {
		case strings.ContainsAny(text[p.from:p.token], "/／"):
			m.block = false
		case classOf(first) == opens || classOf(end) == closes:
			m.block = true
		}
		text = text[p.to:]
	}
}

// A piece of a text reveals the token.
type piece struct {
	from, to int
	token    int  // where that begins
	open     bool // the text ends with it, and more may belong to it
}

// find gives the first piece of a text that reveals the token. Where there is none, what is behind from may become one.
func (m *mask) find(text string) (p piece, found bool) {
	var word []byte // what was read of the token last
	var at []int    // where its characters stand
	gap := 0
	for i, r := range text {
		k := classOf(r)
		if k == between && gap < maxGap {
			gap++
			continue
		}
		gap = 0
		if k == letter {
			word, at = append(word, byte(folded(r))), append(at, i)
		} else {
			word, at = nil, nil
		}
		if found && (k != letter || !bytes.Contains(m.token, word)) {
			break
		}
		for !bytes.Contains(m.token, word) {
			word, at = word[1:], at[1:]
		}
		if len(word) >= revealing {
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

// tagStart gives where the tag, or the word, begins that goes on at i.
func tagStart(text string, i int) int {
	for n := 0; i > 0 && n < maxWord; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if !inWord(r) {
			break
		}
		i -= size
	}
	at := i
	for n := 0; at > 0 && n < maxName; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
		switch classOf(r) {
		case opens:
			return at
		case closes, other:
			return i
		}
	}
	return i
}

// tagEnd gives where the tag, or the word, ends that went on up to i. open: perhaps not yet.
func tagEnd(text string, i int) (to int, open bool) {
	for n := 0; i < len(text) && n < maxWord; n++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			break
		}
		i += size
	}
	at := i
	for n := 0; at < len(text) && n <= maxGap; n++ {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch classOf(r) {
		case closes:
			return at, false
		case between:
		default:
			return i, false
		}
	}
	return i, at == len(text)
}

// A class of characters, as tags are made of them.
type class uint8

const (
	between class = iota // neither of these
	letter               // tokens consist of: a letter or a digit of ASCII, in any case and width
	other                // letter or digit
	opens                // a bracket
	closes
)

func classOf(r rune) class {
	switch c := folded(r); {
	case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		return letter
	case strings.ContainsRune("<[〈《‹⟨【", c):
		return opens
	case strings.ContainsRune(">]〉》›⟩】", c):
		return closes
	case unicode.IsLetter(c) || unicode.IsNumber(c):
		return other
	}
	return between
}

// inWord tells whether a character stands in the name of a tag or in a token.
func inWord(r rune) bool {
	return classOf(r) == letter || strings.ContainsRune("/-_", folded(r))
}

// folded gives a character of ASCII for its full-width form, and a capital for a small letter of it.
func folded(r rune) rune {
	if 0xff01 <= r && r <= 0xff5e {
		r -= 0xff01 - '!'
	}
	if 'a' <= r && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}
