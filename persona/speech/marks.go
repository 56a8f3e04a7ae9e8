package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanWord returns a word or a URL. Words may contain punctuation, as in 3.14, v1.2.3, main.go or a.b@example.org.
func (s *scanner) scanWord() token {
	t := token{end: s.at, level: betweenChars, text: true, word: true}
	letters := true // only ASCII letters so far
	for t.runes < maxTokenRunes {
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
		if r == ':' && letters && s.hasPrefix(t.end, "://") || r == '.' && letters && strings.EqualFold(s.text[s.at:t.end], "www") {
			return s.scanURL(t)
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

// hasPrefix reports whether the text at i begins with prefix.
func (s *scanner) hasPrefix(i int, prefix string) bool {
	for k := range len(prefix) {
		if r, _ := s.peek(i + k); r != rune(prefix[k]) {
			return false
		}
	}
	return true
}

// scanURL extends a word to a URL. Chinese text without a space before it does not belong to the URL, nor does punctuation
// at its end, except a bracket that was opened inside the URL.
func (s *scanner) scanURL(t token) token {
	start := t.end
	for t.runes < maxTokenRunes {
		r, n := s.peek(t.end)
		if r <= ' ' || r > '~' || strings.ContainsRune("\"<>`\\", r) {
			break
		}
		t.end, t.runes = t.end+n, t.runes+1
	}
	for t.end > start {
		switch b := s.text[t.end-1]; {
		case strings.IndexByte(".,!?;:'*~", b) >= 0:
		case b == ')' && strings.Count(s.text[start:t.end], "(") < strings.Count(s.text[start:t.end], ")"):
		case b == ']' && strings.Count(s.text[start:t.end], "[") < strings.Count(s.text[start:t.end], "]"):
		default:
			return t
		}
		t.end, t.runes = t.end-1, t.runes-1
	}
	return t
}

// scanMention returns an @ with the name after it.
func (s *scanner) scanMention(n int) token {
	t := token{end: s.at + n, runes: 1, level: betweenChars}
	for t.runes < maxMentionRunes {
		r, n := s.peek(t.end)
		if r == eof || unicode.IsSpace(r) || r != '.' && strings.ContainsRune(ends+weaks+clauses+closers, r) {
			break
		}
		t.end, t.runes, t.mention, t.text = t.end+n, t.runes+1, true, true
	}
	if t.mention {
		t.level = never
	}
	return t
}

// scanComma returns punctuation inside a sentence.
func (s *scanner) scanComma(r rune, n int) token {
	t := token{end: s.at + n, runes: 1, level: weak}
	if strings.ContainsRune(clauses, r) {
		t.level = clause
	}
	if r == '—' || r == '–' {
		t.end, t.runes = s.run(s.at, "—–")
	}
	if next, _ := s.peek(t.end); r < 0x80 && next != eof && !unicode.IsSpace(next) && !isWide(next) {
		t.level = betweenChars
	}
	return t
}

// bracketEnd returns the end of a bracket or quotation that opens at i. It must close on the same line, within
// maxBracketRunes.
func (s *scanner) bracketEnd(i int) (end, runes int, ok bool) {
	open, n := s.peek(i)
	shut := narrow(closing(open))
	if open == '"' && !isAlnum(s.prev) {
		shut = '"'
	}
	if shut == 0 || open == eof {
		return 0, 0, false
	}
	end, runes = i+n, 1
	for depth := 1; runes < maxBracketRunes; {
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

// scanSentenceEnd returns marks that may end a sentence, with the closing brackets, quotes and faces after them.
func (s *scanner) scanSentenceEnd() token {
	t := token{level: betweenChars}
	t.end, t.runes = s.run(s.at, ends)
	marks := s.text[s.at:t.end]
	for {
		end, n := s.run(t.end, closers)
		if r, size := s.peek(end); r == '"' {
			if next, _ := s.peek(end + size); next == eof || unicode.IsSpace(next) {
				end, n = end+size, n+1
			}
		}
		if n == 0 || t.runes >= maxTokenRunes {
			break
		}
		more, k := s.run(end, ends)
		t.end, t.runes = more, t.runes+n+k
	}
	next, _ := s.peek(t.end)
	if t.level = s.endLevel(marks, next); t.level == sentence {
		s.addFaces(&t)
	}
	return t
}

// endLevel returns the level of marks before the rune next.
func (s *scanner) endLevel(marks string, next rune) level {
	over := next == eof || unicode.IsSpace(next) // of a line, a text or a word
	apart := over || isWide(next) || isEmoji(next)
	calls, asks := strings.ContainsAny(marks, "。！？‼⁉"), strings.ContainsAny(marks, "!?")
	switch {
	case strings.Trim(marks, tildes) == "":
		if over && s.prev != 0 && !unicode.IsSpace(s.prev) || apart && (utf8.RuneCountInString(marks) > 1 || strings.ContainsRune(particles, s.prev)) {
			return sentence
		}
		return betweenChars
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
		return betweenChars
	case asks:
		return sentence
	case marks == "." && abbreviated(s.word):
		return betweenChars
	}
	return sentence
}

// addFaces extends t by the emoji and faces at the end of a sentence, also after spaces.
func (s *scanner) addFaces(t *token) {
	for t.runes < maxTokenRunes {
		i, spaces := s.run(t.end, " \u00a0\u3000")
		r, n := s.peek(i)
		if isEmoji(r) {
			end, runes := s.cluster(i, r, n)
			t.end, t.runes, t.text = end, t.runes+spaces+runes, true
			continue
		}
		if narrow(r) != '(' {
			return
		}
		if end, runes, ok := s.bracketEnd(i); ok && isKaomoji(strings.TrimRight(s.text[i+n:end], ")）")) {
			end, hands := s.run(end, "ノﾉっつシｼo~～*ﾟ゜°。ｏ")
			t.end, t.runes, t.text = end, t.runes+spaces+runes+hands, true
			continue
		}
		return
	}
}
