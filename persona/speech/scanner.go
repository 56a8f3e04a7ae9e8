package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A level rates the end of a token as a place to cut the text.
type level uint8

const (
	never        level = iota // must not be cut
	betweenChars              // between two characters
	betweenWords              // between two words
	weak                      // 、：— and ellipses
	clause                    // commas
	sentence                  // end of a sentence or a line
	levels
)

// A token is a unit that is cut only if it is longer than MaxRunes: a character with its combining runes, a word, a URL, or a
// bracket with its content.
type token struct {
	end   int // in bytes
	runes int
	level level
	text  bool // not only punctuation

	word    bool
	mention bool
	fence   bool // opens or closes a code block
	newline bool
	list    bool // newline only: the next line belongs to a list
}

const (
	eof             = -1
	maxBracketRunes = 64  // brackets and quotations up to this length are not cut
	maxTokenRunes   = 256 // of a word or a URL
	maxMentionRunes = 24  // of a name after @
)

// A scanner splits a text into tokens.
type scanner struct {
	text string
	at   int

	prev    rune // last rune of the previous token; 0 at the start
	word    string
	mention bool
	fence   bool
	list    bool
	line    bool // only white space so far on this line
}

// next returns the next token, or false at the end of the text.
func (s *scanner) next() (token, bool) {
	if s.at >= len(s.text) {
		return token{}, false
	}
	list := s.list
	if s.prev == 0 {
		list = s.isListMarker(s.at)
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

// peek returns the rune at i and its length, or eof at the end.
func (s *scanner) peek(i int) (rune, int) {
	if i < len(s.text) {
		if b := s.text[i]; b < utf8.RuneSelf {
			return rune(b), 1
		}
		return utf8.DecodeRuneInString(s.text[i:])
	}
	return eof, 0
}

// token returns the token at s.at. It does not advance.
func (s *scanner) token(list bool) token {
	r, n := s.peek(s.at)
	if r == '`' {
		if t, ok := s.scanCode(); ok {
			return t
		}
	}
	if unicode.IsSpace(r) {
		return s.scanSpace(list)
	}
	if s.fence {
		return s.scanCharacter(r, n, never)
	}
	switch {
	case isCJK(r):
		return s.scanCharacter(r, n, betweenChars)
	case isWord(r):
		return s.scanWord()
	case (r == '@' || r == '＠') && !isAlnum(s.prev):
		return s.scanMention(n)
	case strings.ContainsRune(ends, r):
		return s.scanSentenceEnd()
	case strings.ContainsRune(weaks, r), strings.ContainsRune(clauses, r):
		return s.scanComma(r, n)
	}
	if end, runes, ok := s.bracketEnd(s.at); ok {
		return token{end: end, runes: runes, level: betweenChars, text: true}
	}
	return s.scanCharacter(r, n, betweenChars)
}

// scanCharacter returns one rune with its combining runes.
func (s *scanner) scanCharacter(r rune, n int, l level) token {
	end, runes := s.cluster(s.at, r, n)
	return token{end: end, runes: runes, level: l, text: isCJK(r) || isWord(r) || isEmoji(r)}
}

func (s *scanner) cluster(i int, r rune, n int) (end, runes int) {
	flag := r >= 0x1f1e6 && r <= 0x1f1ff
	end, runes = i+n, 1
	for runes < maxTokenRunes {
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

// run returns the end of the longest run from i of runes in set, with their combining runes.
func (s *scanner) run(i int, set string) (end, runes int) {
	for {
		r, n := s.peek(i)
		if r == eof || runes >= maxTokenRunes || !strings.ContainsRune(set, r) && (runes == 0 || !extends(r)) {
			return i, runes
		}
		i, runes = i+n, runes+1
	}
}

// scanCode returns the fence of a code block or inline code.
func (s *scanner) scanCode() (token, bool) {
	end, n := s.run(s.at, "`")
	if n >= 3 && s.line {
		return token{end: end, runes: n, fence: true}, true
	}
	if s.fence {
		return token{end: end, runes: n}, true
	}
	for i, runes := end, n; runes < maxBracketRunes; {
		r, size := s.peek(i)
		if r == eof || r == '\n' {
			break
		}
		if r == '`' {
			closed, k := s.run(i, "`")
			if i, runes = closed, runes+k; k == n {
				return token{end: closed, runes: runes, level: betweenChars, text: true}, true
			}
			continue
		}
		i, runes = i+size, runes+1
	}
	return token{end: end, runes: n, level: betweenChars}, true
}

// scanSpace returns all white space at s.at. If it contains a newline, it ends a line.
func (s *scanner) scanSpace(list bool) token {
	t := token{end: s.at, level: betweenWords}
	lines, indent := 0, false
	for t.runes < maxTokenRunes {
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
		t.level = never
	case lines == 0 && isCJK(s.prev) && isCJK(next) && !unicode.In(next, unicode.Hangul): // Korean has spaces between words
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
	marked := s.isListMarker(t.end)
	t.list = marked || list && indent && lines == 1
	t.level = sentence
	if t.list && (list || lines == 1 || s.prev == '：' || s.prev == ':') {
		t.level = weak
	}
	return t
}

// isListMarker reports whether a list item begins at i: "1. ", "2、", "(3)", "- ", "* ", "• ".
func (s *scanner) isListMarker(i int) bool {
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
