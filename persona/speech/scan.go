package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A level tells how good a place the end of a token is to cut a text at.
type level uint8

const (
	inside   level = iota // not at all
	between               // between two characters
	space                 // between two words
	weak                  // 、：— and ellipses
	clause                // commas
	sentence              // the end of a sentence or of a line
	levels
)

// A token is what is never cut in two unless it alone is too long: a character with all that belongs to it, a word, an
// address, a bracket with what is in it.
type token struct {
	end   int // in bytes
	runes int
	level level
	solid bool // more than punctuation

	word    bool
	mention bool
	fence   bool // opens or closes a code block
	newline bool
	list    bool // after a newline: the next line is of a list
}

const (
	eof       = -1
	groupMax  = 64  // runes of a bracket or quotation that is kept whole
	tokenMax  = 256 // runes of a word or an address
	mentioned = 24  // runes of a name behind @
)

// A scanner walks over a text.
type scanner struct {
	text string
	at   int

	prev    rune // the last rune of the token before; 0 at the head
	word    string
	mention bool
	fence   bool
	list    bool
	line    bool // only space stands before, in this line
}

// next gives the token at hand and goes on; false at the end of the text.
func (s *scanner) next() (token, bool) {
	if s.at >= len(s.text) {
		return token{}, false
	}
	list := s.list
	if s.prev == 0 {
		list = s.marker(s.at)
	}
	t := s.token(list)
	if list && !t.newline {
		t.level = min(t.level, weak)
	}
	s.list = list
	if t.newline {
		s.list = t.list
	}
	if t.fence {
		s.fence = !s.fence
	}
	piece := s.text[s.at:t.end]
	s.prev, _ = utf8.DecodeLastRuneInString(piece)
	s.word = ""
	if t.word {
		s.word = piece
	}
	s.mention = t.mention
	s.line = t.newline || s.line && strings.TrimSpace(piece) == ""
	s.at = t.end
	return t, true
}

// peek gives the rune at i and its length; eof behind the last.
func (s *scanner) peek(i int) (rune, int) {
	if i < len(s.text) {
		if b := s.text[i]; b < utf8.RuneSelf {
			return rune(b), 1
		}
		return utf8.DecodeRuneInString(s.text[i:])
	}
	return eof, 0
}

// token looks at what stands at s.at. It changes nothing.
func (s *scanner) token(list bool) token {
	r, n := s.peek(s.at)
	if r == '`' {
		if t, ok := s.ticks(); ok {
			return t
		}
	}
	if unicode.IsSpace(r) {
		return s.space(list)
	}
	if s.fence {
		return s.character(r, n, inside)
	}
	switch {
	case isCJK(r):
		return s.character(r, n, between)
	case isWord(r):
		return s.wordAt()
	case (r == '@' || r == '＠') && !isAlnum(s.prev):
		return s.mentionAt(n)
	case strings.ContainsRune(ends, r):
		return s.endAt()
	case strings.ContainsRune(weaks, r), strings.ContainsRune(clauses, r):
		return s.comma(r, n)
	}
	if end, runes, ok := s.group(s.at); ok {
		return token{end: end, runes: runes, level: between, solid: true}
	}
	return s.character(r, n, between)
}

// character is one rune with all that belongs to it.
func (s *scanner) character(r rune, n int, l level) token {
	end, runes := s.cluster(s.at, r, n)
	return token{end: end, runes: runes, level: l, solid: isCJK(r) || isWord(r) || isEmoji(r)}
}

func (s *scanner) cluster(i int, r rune, n int) (end, runes int) {
	flag := r >= 0x1f1e6 && r <= 0x1f1ff
	end, runes = i+n, 1
	for runes < tokenMax {
		next, n := s.peek(end)
		switch {
		case next == joiner:
			end, runes = end+n, runes+1
			if next, n = s.peek(end); next < utf8.RuneSelf || unicode.IsSpace(next) {
				continue
			}
		case flag && next >= 0x1f1e6 && next <= 0x1f1ff:
			flag = false
		case !extends(next):
			return end, runes
		}
		end, runes = end+n, runes+1
	}
	return end, runes
}

// run gives the end of the runes from i on that are among those given, or belong to one of them.
func (s *scanner) run(i int, among string) (end, runes int) {
	for {
		r, n := s.peek(i)
		if r == eof || runes >= tokenMax || !strings.ContainsRune(among, r) && (runes == 0 || !extends(r)) {
			return i, runes
		}
		i, runes = i+n, runes+1
	}
}

// ticks are a code block's fence, or code within a line.
func (s *scanner) ticks() (token, bool) {
	end, n := s.run(s.at, "`")
	if n >= 3 && s.line {
		return token{end: end, runes: n, fence: true}, true
	}
	if s.fence {
		return token{end: end, runes: n}, true
	}
	for i, runes := end, n; runes < groupMax; {
		r, size := s.peek(i)
		if r == eof || r == '\n' {
			break
		}
		if r == '`' {
			closed, k := s.run(i, "`")
			if i, runes = closed, runes+k; k == n {
				return token{end: closed, runes: runes, level: between, solid: true}, true
			}
			continue
		}
		i, runes = i+size, runes+1
	}
	return token{end: end, runes: n, level: between}, true
}

// space is white space, whole: with a newline in it, it ends a line.
func (s *scanner) space(list bool) token {
	t := token{end: s.at, level: space}
	lines, indent := 0, false
	for t.runes < tokenMax {
		r, n := s.peek(t.end)
		if r == eof || !unicode.IsSpace(r) {
			break
		}
		if indent = r != '\n'; !indent {
			lines++
		}
		t.end, t.runes = t.end+n, t.runes+1
	}
	next, _ := s.peek(t.end)
	switch {
	case lines == 0 && s.mention:
		t.level = inside
	case lines == 0 && isCJK(s.prev) && isCJK(next) && !unicode.In(next, unicode.Hangul): // Korean parts its words
		t.level = clause
	}
	if lines == 0 {
		return t
	}
	t.newline = true
	if s.fence {
		t.level = weak
		return t
	}
	marked := s.marker(t.end)
	t.list = marked || list && indent && lines == 1
	t.level = sentence
	if t.list && (list || lines == 1 || s.prev == '：' || s.prev == ':') {
		t.level = weak
	}
	return t
}

// marker reports whether an item of a list begins at i: "1. ", "2、", "(3)", "- ", "* ", "• ".
func (s *scanner) marker(i int) bool {
	r, n := s.peek(i)
	switch {
	case strings.ContainsRune("-*+•·", r):
		next, _ := s.peek(i + n)
		return next == ' ' || next == '\t' || r == '•'
	case r == '(' || r == '（':
		i += n
	case !isDigit(r):
		return false
	}
	digits := 0
	for ; digits < 4; digits++ {
		if r, _ := s.peek(i + digits); !isDigit(r) {
			break
		}
	}
	after, n := s.peek(i + digits)
	switch {
	case digits == 0 || digits == 4 || after == eof:
		return false
	case strings.ContainsRune("、）．", after):
		return true
	case after != '.' && after != ')':
		return false
	}
	next, _ := s.peek(i + digits + n)
	return next == ' ' || next == '\t' || after == ')' || isCJK(next)
}
