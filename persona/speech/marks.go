package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordAt is a word with what joins its pieces: 3.14, 1,000, v1.2.3, main.go, can't, a.b@example.org, 12:30; or an address.
func (s *scanner) wordAt() token {
	t := token{end: s.at, level: between, solid: true, word: true}
	letters := true // only ASCII letters so far
	for t.runes < tokenMax {
		r, n := s.peek(t.end)
		if isWord(r) { // a keycap is a digit with marks
			letters = letters && r|0x20 >= 'a' && r|0x20 <= 'z'
			t.end, t.runes = t.end+n, t.runes+1
			continue
		}
		if r == joiner {
			t.end, t.runes = t.end+n, t.runes+1
			continue
		}
		if r == ':' && letters && s.ahead(t.end, "://") || r == '.' && letters && strings.EqualFold(s.text[s.at:t.end], "www") {
			return s.address(t)
		}
		if r == eof || !strings.ContainsRune(".,:@+-'’/%#=&~", r) {
			return t
		}
		if next, _ := s.peek(t.end + n); !isAlnum(next) {
			return t
		}
		t.end, t.runes, letters = t.end+n, t.runes+1, false
	}
	return t
}

// ahead reports whether s stands at i.
func (s *scanner) ahead(i int, what string) bool {
	for k := range len(what) {
		if r, _ := s.peek(i + k); r != rune(what[k]) {
			return false
		}
	}
	return true
}

// address goes on where a word turned out to be a URL. What Chinese follows without a space is not of it, nor is the
// punctuation at its end, unless it closes a bracket of its own.
func (s *scanner) address(t token) token {
	begin := t.end
	for t.runes < tokenMax {
		r, n := s.peek(t.end)
		if r <= ' ' || r > '~' || strings.ContainsRune("\"<>`\\", r) {
			break
		}
		t.end, t.runes = t.end+n, t.runes+1
	}
	for t.end > begin {
		switch b := s.text[t.end-1]; {
		case strings.IndexByte(".,!?;:'*~", b) >= 0:
		case b == ')' && strings.Count(s.text[begin:t.end], "(") < strings.Count(s.text[begin:t.end], ")"):
		case b == ']' && strings.Count(s.text[begin:t.end], "[") < strings.Count(s.text[begin:t.end], "]"):
		default:
			return t
		}
		t.end, t.runes = t.end-1, t.runes-1
	}
	return t
}

// mentionAt is an @ with the name behind it.
func (s *scanner) mentionAt(n int) token {
	t := token{end: s.at + n, runes: 1, level: between}
	for t.runes < mentioned {
		r, n := s.peek(t.end)
		if r == eof || unicode.IsSpace(r) || r != '.' && strings.ContainsRune(ends+weaks+clauses+closers, r) {
			break
		}
		t.end, t.runes, t.mention, t.solid = t.end+n, t.runes+1, true, true
	}
	if t.mention {
		t.level = inside
	}
	return t
}

// comma is punctuation within a sentence.
func (s *scanner) comma(r rune, n int) token {
	t := token{end: s.at + n, runes: 1, level: weak}
	if strings.ContainsRune(clauses, r) {
		t.level = clause
	}
	if r == '—' || r == '–' {
		t.end, t.runes = s.run(s.at, "—–")
	}
	if next, _ := s.peek(t.end); r < 0x80 && next != eof && !unicode.IsSpace(next) && !isWide(next) {
		t.level = between
	}
	return t
}

// group gives the end of a bracket or a quotation that opens at i and is closed soon, in the same line.
func (s *scanner) group(i int) (end, runes int, ok bool) {
	open, n := s.peek(i)
	shut := narrow(closing(open))
	if open == '"' && !isAlnum(s.prev) {
		shut = '"'
	}
	if shut == 0 || open == eof {
		return 0, 0, false
	}
	end, runes = i+n, 1
	for depth := 1; runes < groupMax; {
		r, n := s.peek(end)
		if r == eof || r == '\n' {
			return 0, 0, false
		}
		end, runes = end+n, runes+1
		switch narrow(r) {
		case shut:
			if depth--; depth == 0 {
				return end, runes, true
			}
		case narrow(open):
			depth++
		}
	}
	return 0, 0, false
}

// endAt is what may end a sentence: the marks, the brackets and quotations that they close, and the faces behind them.
func (s *scanner) endAt() token {
	t := token{level: between}
	t.end, t.runes = s.run(s.at, ends)
	marks := s.text[s.at:t.end]
	for {
		end, n := s.run(t.end, closers)
		if r, size := s.peek(end); r == '"' {
			if next, _ := s.peek(end + size); next == eof || unicode.IsSpace(next) {
				end, n = end+size, n+1
			}
		}
		if n == 0 || t.runes >= tokenMax {
			break
		}
		more, k := s.run(end, ends)
		t.end, t.runes = more, t.runes+n+k
	}
	next, _ := s.peek(t.end)
	if t.level = s.ending(marks, next); t.level == sentence {
		s.absorb(&t)
	}
	return t
}

// ending tells what marks mean before the rune next.
func (s *scanner) ending(marks string, next rune) level {
	over := next == eof || unicode.IsSpace(next) // a line, a text or a word
	apart := over || isWide(next) || isEmoji(next)
	calls, asks := strings.ContainsAny(marks, "。！？‼⁉"), strings.ContainsAny(marks, "!?")
	switch {
	case strings.Trim(marks, tildes) == "":
		if over && s.prev != 0 && !unicode.IsSpace(s.prev) || apart && (utf8.RuneCountInString(marks) > 1 || strings.ContainsRune(particles, s.prev)) {
			return sentence
		}
		return between
	case marks == "。":
		return sentence
	case strings.Trim(marks, dots) == "" && marks != ".":
		if over {
			return sentence
		}
		return weak
	case calls:
		return sentence
	case !apart:
		return between
	case asks:
		return sentence
	case marks == "." && abbreviated(s.word):
		return between
	}
	return sentence
}

// absorb takes in the emoji and faces that close a sentence, over spaces, too.
func (s *scanner) absorb(t *token) {
	for t.runes < tokenMax {
		i, spaces := s.run(t.end, " \u00a0\u3000")
		r, n := s.peek(i)
		if isEmoji(r) {
			end, runes := s.cluster(i, r, n)
			t.end, t.runes, t.solid = end, t.runes+spaces+runes, true
			continue
		}
		if narrow(r) != '(' {
			return
		}
		if end, runes, ok := s.group(i); ok && isKaomoji(strings.TrimRight(s.text[i+n:end], ")）")) {
			end, arms := s.run(end, "ノﾉっつシｼo~～*ﾟ゜°。ｏ")
			t.end, t.runes, t.solid = end, t.runes+spaces+runes+arms, true
			continue
		}
		return
	}
}
