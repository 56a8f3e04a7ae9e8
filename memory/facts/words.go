package facts

import (
	"sync"
	"unicode/utf8"
)

// A wordSet finds words by their first character. It is built when it is first used.
type wordSet struct {
	words []string
	once  sync.Once
	maybe [16]uint64 // a bit for each first character modulo 1024, which rules out most texts
	first map[rune][]string
}

func setOf(words ...string) *wordSet { return &wordSet{words: words} }

// byFirst returns the words that begin with a character.
func (s *wordSet) byFirst(c rune) []string {
	s.once.Do(func() {
		s.first = make(map[rune][]string, len(s.words))
		for _, w := range s.words {
			c, _ := utf8.DecodeRuneInString(w)
			s.first[c] = append(s.first[c], w)
			s.maybe[c>>6&15] |= 1 << (c & 63)
		}
	})
	if s.maybe[c>>6&15]&(1<<(c&63)) == 0 {
		return nil
	}
	return s.first[c]
}

// cut removes the first of the words that begins the text.
func (s *wordSet) cut(text string) (rest string, ok bool) {
	c, _ := utf8.DecodeRuneInString(text)
	return cutAny(text, s.byFirst(c))
}

// in reports whether a text contains one of the words.
func (s *wordSet) in(text string) bool {
	for i, c := range text {
		if words := s.byFirst(c); words != nil {
			if _, ok := cutAny(text[i:], words); ok {
				return true
			}
		}
	}
	return false
}
