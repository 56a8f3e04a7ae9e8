package facts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A wordSet finds words in a text. It is a text with an index, which is built when it is first used, because many programs never use most
// sets. A word that begins with "-" is not in the set, but hides the words within it: 爱 -可爱 finds 爱 in 我爱猫, and nothing in 可爱.
type wordSet struct {
	list string     // words, each after a space, or each after "|" if a word has a space
	of   []*wordSet // sets whose words it has, too

	once  sync.Once
	first []entry   // by the key of the first two characters, and falling length
	two   []uint64  // a bit for each key of first, which rules out most texts; a power of two of them
	one   [4]uint64 // a bit for each word of one character

	lastOnce sync.Once
	last     []entry   // by the last character, and falling length
	ends1    [4]uint64 // a bit for each last character
}

// An entry is a word of a list, with a key.
type entry struct {
	key, at uint16
	size    uint8
	set     uint8 // 0 is the set itself, and others are those in of
}

func setOf(list string) *wordSet { return &wordSet{list: list} }

// unionOf returns a set of the words of other sets, without their hidden words.
func unionOf(sets ...*wordSet) *wordSet { return &wordSet{of: sets} }

func (s *wordSet) build() {
	words := s.split()
	for i, other := range s.of {
		for _, e := range other.split() {
			if e.set = uint8(i + 1); other.list[e.at-1] != '-' {
				words = append(words, e)
			}
		}
	}
	s.first = slices.Clone(words)
	size := 1
	for size*4 < len(words) {
		size *= 2
	}
	s.two = make([]uint64, size)
	for i := range s.first {
		f := &s.first[i]
		w := s.word(*f)
		c, n := decode(w, 0)
		next, _ := decode(w, n)
		one, two := keys(c, next)
		if f.key = two; next == 0 {
			f.key = one
			s.one[c>>6&3] |= 1 << (c & 63)
		} else {
			s.two[int(two>>6)&(size-1)] |= 1 << (two & 63)
		}
	}
	slices.SortStableFunc(s.first, byKey)
}

func byKey(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.size, a.size))
}

// buildLast builds the index by last characters, which most sets never need.
func (s *wordSet) buildLast() {
	s.last = s.split()
	for i := range s.last {
		c := lastRune(s.word(s.last[i]))
		s.last[i].key = uint16(c)
		s.ends1[c>>6&3] |= 1 << (c & 63)
	}
	slices.SortStableFunc(s.last, byKey)
}

// split returns the words of the list, without keys.
func (s *wordSet) split() []entry {
	separator := byte(' ')
	if strings.HasPrefix(s.list, "|") {
		separator = '|'
	}
	words := make([]entry, 0, strings.Count(s.list, string(separator))+1)
	for from := 1; from < len(s.list); { // a list begins with its separator
		end := strings.IndexByte(s.list[from:], separator)
		if end < 0 {
			end = len(s.list) - from
		}
		next := from + end + 1
		if s.list[from] == '-' {
			from, end = from+1, end-1
		}
		if end > 0 {
			words = append(words, entry{at: uint16(from), size: uint8(end)})
		}
		from = next
	}
	return words
}

// word returns the word of an entry.
func (s *wordSet) word(e entry) string {
	if e.set > 0 {
		s = s.of[e.set-1]
	}
	return s.list[e.at : e.at+uint16(e.size)]
}

// hides reports whether an entry is a hidden word.
func (s *wordSet) hides(e entry) bool { return e.set == 0 && s.list[e.at-1] == '-' }

// decode returns the character at a position and its size, or 0 at the end.
func decode(text string, at int) (c rune, size int) {
	if at >= len(text) {
		return 0, 0
	}
	b := text[at]
	if b < utf8.RuneSelf {
		return rune(b), 1
	}
	if b>>4 == 0xE && at+2 < len(text) { // most Han characters
		return rune(b&0xF)<<12 | rune(text[at+1]&0x3F)<<6 | rune(text[at+2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(text[at:])
}

// keys returns the keys of words that begin with two characters: of one character, and longer.
func keys(c, next rune) (one, two uint16) {
	h := uint32(c) * 0x9E3779B1
	return uint16(h >> 16), uint16((h + uint32(next)*0x85EBCA6B) >> 16)
}

// lastRune returns the last character of a text.
func lastRune(s string) rune { c, _ := utf8.DecodeLastRuneInString(s); return c }

// possible reports whether a word may begin with c, or have the key of c and the next character.
func (s *wordSet) possible(c rune, two uint16) (is1, is2 bool) {
	return s.one[c>>6&3]&(1<<(c&63)) != 0, s.two[int(two>>6)&(len(s.two)-1)]&(1<<(two&63)) != 0
}

// begins returns the longest word at the start of a text, or "". hidden is the length of a hidden word there.
func (s *wordSet) begins(text string) (word string, hidden int) {
	s.once.Do(s.build)
	c, size := decode(text, 0)
	next, _ := decode(text, size)
	return s.at(text, c, next)
}

// at returns the longest word at the start of a text, which begins with c and next.
func (s *wordSet) at(text string, c, next rune) (word string, hidden int) {
	one, two := keys(c, next)
	is1, is2 := s.possible(c, two)
	if is2 {
		if word, hidden = s.withKey(text, two); word != "" || hidden > 0 {
			return word, hidden
		}
	}
	if is1 {
		return s.withKey(text, one)
	}
	return "", 0
}

// withKey returns the longest word with a key at the start of a text.
func (s *wordSet) withKey(text string, k uint16) (word string, hidden int) {
	for i := search(s.first, k); i < len(s.first) && s.first[i].key == k; i++ {
		w := s.word(s.first[i])
		if strings.HasPrefix(text, w) {
			if s.hides(s.first[i]) {
				return "", len(w)
			}
			if !insideWord(text, len(w)) {
				return w, 0
			}
		}
	}
	return "", 0
}

// search returns the first entry with a key, or that after it.
func search(entries []entry, k uint16) int {
	low, high := 0, len(entries)
	for low < high {
		if mid := (low + high) / 2; entries[mid].key < k {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// cut removes the longest word that begins a text.
func (s *wordSet) cut(text string) (rest string, ok bool) {
	w, _ := s.begins(text)
	return text[len(w):], w != ""
}

// begin reports whether a text begins with one of the words.
func (s *wordSet) begin(text string) bool {
	w, _ := s.begins(text)
	return w != ""
}

// cutAll removes all words that begin a text.
func (s *wordSet) cutAll(text string) string {
	for {
		rest, ok := s.cut(strings.TrimLeft(text, " "))
		if !ok {
			return rest
		}
		text = rest
	}
}

// ends returns the longest word at the end of a text, or "".
func (s *wordSet) ends(text string) string {
	s.lastOnce.Do(s.buildLast)
	c := lastRune(text)
	if text == "" || s.ends1[c>>6&3]&(1<<(c&63)) == 0 {
		return ""
	}
	for i := search(s.last, uint16(c)); i < len(s.last) && s.last[i].key == uint16(c); i++ {
		w := s.word(s.last[i])
		if strings.HasSuffix(text, w) {
			if s.hides(s.last[i]) {
				return ""
			}
			return w
		}
	}
	return ""
}

// cutEnd removes the longest word that ends a text.
func (s *wordSet) cutEnd(text string) (rest string, ok bool) {
	w := s.ends(text)
	return text[:len(text)-len(w)], w != ""
}

// cutEnds removes all words that end a text.
func (s *wordSet) cutEnds(text string) string {
	for {
		rest, ok := s.cutEnd(strings.TrimRight(text, " "))
		if !ok {
			return rest
		}
		text = rest
	}
}

// find returns the first word in a text, and the texts around it. word is "" without one.
func (s *wordSet) find(text string) (before, word, after string) {
	s.once.Do(s.build)
	c, size := decode(text, 0)
	for i := 0; i < len(text); {
		next, nextSize := decode(text, i+size)
		_, two := keys(c, next)
		if is1, is2 := s.possible(c, two); (is1 || is2) && !insideWord(text, i) {
			w, hidden := s.at(text[i:], c, next)
			if w != "" {
				return text[:i], w, text[i+len(w):]
			}
			if hidden > size {
				i += hidden
				c, size = decode(text, i)
				continue
			}
		}
		i += size
		c, size = next, nextSize
	}
	return text, "", ""
}

// findLast returns the last word in a text, and the texts around it.
func (s *wordSet) findLast(text string) (before, word, after string) {
	before = text
	for from := 0; ; {
		b, w, _ := s.find(text[from:])
		if w == "" {
			return before, word, after
		}
		before, word, after = text[:from+len(b)], w, text[from+len(b)+len(w):]
		from += len(b) + len(w)
	}
}

// in reports whether a text contains one of the words.
func (s *wordSet) in(text string) bool {
	_, w, _ := s.find(text)
	return w != ""
}

// is reports whether a text is one of the words.
func (s *wordSet) is(text string) bool {
	w, _ := s.begins(text)
	return w != "" && w == text
}
