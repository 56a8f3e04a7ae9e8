package statement

import (
	"unicode"
	"unicode/utf8"
)

// A Mask says that a token stands for any text of a sort.
type Mask uint8

// The masks. A Plain token is its text.
const (
	Plain Mask = iota
	Name       // of a person of the chat
	Day        // of the year
)

// A Token is a part of a text: a Chinese character, a word in Latin letters, a number, a mark, or a part with a mask.
type Token struct {
	Begin, End uint16 // in bytes
	Mask       Mask
	key        uint32
}

// MaxTokens is the number of tokens that Tokens returns at most.
const MaxTokens = 160

// Keys of tokens that stand for many texts.
const (
	keyName   = 0x51ED270B
	keyDay    = 0x9A1B3C4D
	keyNumber = 0x3D6F2A17
	keyBreak  = 0x7C15D3E9 // between clauses
	keyEdge   = 0x1F83D9AB // before the first token and after the last one
)

// Tokens appends the tokens of a text of at most 65,535 bytes. mask reports whether a text begins with a part that has a mask, and how long it is; nil finds none.
func Tokens(tokens []Token, text string, mask func(text string) (Mask, int)) []Token {
	for i := 0; i < len(text) && len(tokens) < MaxTokens; {
		c, size := utf8.DecodeRuneInString(text[i:])
		t := Token{Begin: uint16(i)}
		var m Mask
		n := 0
		if mask != nil {
			m, n = mask(text[i:])
		}
		switch {
		case m == Name:
			t.Mask, t.key = m, keyName
		case m == Day:
			t.Mask, t.key = m, keyDay
		case isDigit(c):
			n, t.key = prefix(text[i:], isDigit), keyNumber
		case isLatin(c):
			n = prefix(text[i:], isWordPart)
			t.key = hashLower(text[i : i+n])
		case isBreak(c):
			n, t.key = prefix(text[i:], isBreak), keyBreak
			if len(tokens) == 0 || i+n == len(text) {
				i += n
				continue
			}
			if n == 1 && c == ' ' && (latinBefore(text[:i]) || latinAfter(text[i+1:])) {
				i++
				continue
			}
		case c == '？':
			n, t.key = size, charKey('?')
		default:
			n, t.key = size, charKey(c)
		}
		i += n
		t.End = uint16(i)
		tokens = append(tokens, t)
	}
	return tokens
}

func charKey(c rune) uint32 { return uint32(c) * 0x9E3779B1 }

func latinBefore(text string) bool {
	c, _ := utf8.DecodeLastRuneInString(text)
	return isWordPart(c)
}

func latinAfter(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return isWordPart(c)
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func isLatin(c rune) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0xC0 && c < 0x250 && unicode.IsLetter(c)
}

// isWordPart accepts what may stand in a Latin word: don't, C++.
func isWordPart(c rune) bool { return isLatin(c) || c == '\'' || c == '’' }

// isBreak accepts what separates clauses. A space beside a word in Latin letters is skipped.
func isBreak(c rune) bool {
	switch c {
	case ' ', '\n', '\t', '\r', '　', ',', '，', '.', '。', ';', '；', '!', '！', '~', '～', '…', '、', ':', '：', '(', '（', ')', '）', '"', '“', '”', '-', '—':
		return true
	}
	return false
}

// prefix returns the length of the characters at the start of a text that are in a set.
func prefix(text string, in func(rune) bool) int {
	for i, c := range text {
		if !in(c) {
			return i
		}
	}
	return len(text)
}

// hashLower returns the hash of a word in lower case, with one kind of apostrophe.
func hashLower(word string) uint32 {
	h := uint32(2166136261)
	for _, c := range word {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '’':
			c = '\''
		case c >= 0xC0:
			c = unicode.ToLower(c)
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
