package memory

import (
	"slices"
	"strings"
	"unicode"
)

// A trait is what counts of a doc beside its terms: what its text looks like, and in the upper bits the number of its author, 0 for
// nobody.
type trait uint32

// What a text looks like.
const (
	asks     trait = 1 << iota // it ends with a question
	dated                      // it names a time
	specific                   // it has a number, a title or a name
	ofItself                   // it speaks of its author: I, my, 我

	looks = 1<<4 - 1 // all of these

	plain      trait = 1 << 4 // the doc is in the middle of a plain talk; see [spaceIndex.isPlain]
	authorBits       = 5      // below the author
)

func (t trait) author() uint32 { return uint32(t >> authorBits) }

// traitOf returns the trait of a doc.
func traitOf(author uint32, text string) trait {
	return trait(author<<authorBits) | looksOf(text[:min(len(text), maxIndexed)])
}

// looksOf reads a text once.
func looksOf(text string) trait {
	var s looksReader
	s.starts = true
	if isQuestion(text) {
		s.looks |= asks
	}
	for _, r := range text {
		s.read(r)
	}
	s.endWord()
	return s.looks
}

// A looksReader reads a text by runes.
type looksReader struct {
	looks  trait
	word   [10]byte // lower-case letters of the current Latin word
	length int      // of the word; may exceed the array
	upper  bool     // the word begins with a capital letter
	starts bool     // the word begins a sentence
	before rune
}

func (s *looksReader) read(r rune) {
	switch {
	case 'a' <= r && r <= 'z':
		s.letter(byte(r))
	case 'A' <= r && r <= 'Z':
		if s.length == 0 {
			s.upper = true
		}
		s.letter(byte(r) + 'a' - 'A')
	case r < 0x80:
		s.endWord()
		switch {
		case '0' <= r && r <= '9', r == '"':
			s.looks |= specific
		case strings.ContainsRune(".,!?:;\n-", r):
			s.starts = true
		}
	default:
		s.endWord()
		s.wide(r)
	}
	s.before = r
}

// wide reads a rune that is not ASCII.
func (s *looksReader) wide(r rune) {
	switch r {
	case '我', '俺', '咱':
		s.looks |= ofItself
	case '年', '月', '日', '号', '昨':
		s.looks |= dated
	case '天', '晚', '早':
		if strings.ContainsRune("今明前后", s.before) {
			s.looks |= dated
		}
	case '周', '期':
		if strings.ContainsRune("上下这星", s.before) {
			s.looks |= dated
		}
	case '《', '“', '「':
		s.looks |= specific
	default:
		if unicode.IsDigit(r) {
			s.looks |= specific
		}
	}
}

func (s *looksReader) letter(b byte) {
	if s.length < len(s.word) {
		s.word[s.length] = b
	}
	s.length++
}

// endWord looks at a Latin word.
func (s *looksReader) endWord() {
	if s.length == 0 {
		return
	}
	if s.upper && !s.starts && s.length > 2 {
		s.looks |= specific
	}
	if s.length <= len(s.word) {
		switch string(s.word[:s.length]) {
		case "i", "me", "my", "mine", "we", "our", "us":
			s.looks |= ofItself
		case "yesterday", "today", "tonight", "tomorrow", "last", "ago", "week", "weeks", "weekend", "month", "months", "year", "years",
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
			"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december":
			s.looks |= dated
		}
	}
	s.length, s.upper, s.starts = 0, false, false
}

// A wish is what a query asks for beside its words.
type wish struct {
	answer bool // it is a question
	time   bool // it asks for a time
}

// wishOf reads the text of a query.
func wishOf(text string) wish {
	text = strings.ToLower(text[:min(len(text), maxIndexed)])
	var w wish
	w.time = containsAny(text, "什么时候", "何时", "几号", "哪天", "哪年", "哪一年", "what year", "which year", "what month", "which month", "what date") ||
		strings.HasPrefix(text, "when ") || strings.Contains(text, " when ") && isQuestion(text)
	w.answer = w.time || isQuestion(text) || containsAny(text, "谁", "哪", "什么", "怎么", "多少")
	return w
}

// factors returns by how much the score of a doc with these looks counts.
func (w wish) factors(named bool) (by [looks + 1]float32) {
	for t := range by {
		f, t := float32(1), trait(t)
		if t&asks != 0 {
			f *= questionFactor
		}
		if w.time && t&dated != 0 {
			f *= datedFactor
		}
		if w.answer && t&specific != 0 {
			f *= specificFactor
		}
		if named && t&ofItself != 0 {
			f *= ofItselfFactor
		}
		if named {
			f *= namedFactor
		}
		by[t] = f
	}
	return by
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
