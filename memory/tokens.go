package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A bag holds the terms of a text in two fields: words, and pieces of words. Terms are hashes or packed runes. A hash
// collision only blurs a score.
type bag struct {
	words, pieces []uint64
	buf           []rune
	before        rune // the character right before the current word; 0: none
}

// Type of a term in its top bits, so that equal letters and characters differ.
const (
	termBorder = 0 << 62 // a word and the character that it touches
	termWord   = 1 << 62
	termPiece  = 2 << 62
	termGlyph  = 3 << 62
	termMask   = 1<<62 - 1
)

// read adds the terms of a text. Words are Han, kana and hangul characters, pairs of them, and stemmed words of other
// scripts. Where such a word touches a character, both together are a term, too: 3号, T恤. Pieces are triples of
// characters, and runs of three and four letters.
func (b *bag) read(text string) {
	b.buf = b.buf[:0]
	var kind class
	for _, r := range text {
		r, c := fold(r)
		if c == mark {
			continue
		}
		if c != kind {
			b.change(kind, c, r)
			kind = c
		}
		if c != gap {
			b.buf = append(b.buf, r)
		}
	}
	b.change(kind, gap, 0)
}

// change ends a run of one class. r begins the next one.
func (b *bag) change(kind, next class, r rune) {
	before := rune(0)
	if kind == glyph && next == word {
		before = b.buf[len(b.buf)-1]
	}
	if kind == word && len(b.buf) < maxWordRunes {
		if b.before != 0 {
			b.words = append(b.words, termBorder|hash([]rune{b.before})^hash(b.buf))
		}
		if next == glyph {
			b.buf = append(b.buf, r)
			b.words = append(b.words, termBorder|hash(b.buf))
			b.buf = b.buf[:len(b.buf)-1]
		}
	}
	b.flush(kind)
	b.before = before
}

func (b *bag) flush(kind class) {
	switch kind {
	case glyph:
		b.glyphs()
	case word:
		b.word()
	}
	b.buf = b.buf[:0]
}

func (b *bag) glyphs() {
	from := 0 // of what has no question word yet
	for i, r := range b.buf {
		if n := questionWord(b.buf[i:]); n > 0 {
			from = i + n
		}
		if i < from {
			continue
		}
		if !isParticle(r) {
			b.words = append(b.words, termGlyph|uint64(r))
		}
		if i > from {
			b.words = append(b.words, termGlyph|uint64(b.buf[i-1])<<21|uint64(r))
		}
		if i > from+1 {
			b.pieces = append(b.pieces, termPiece|hash(b.buf[i-2:i+1]))
		}
	}
}

const maxWordRunes = 64 // runes; longer words are cut

func (b *bag) word() {
	w := b.buf[:min(len(b.buf), maxWordRunes)]
	if isStopWord(w) {
		return
	}
	for n := 3; n <= 4; n++ {
		for i := 0; i+n <= len(w); i++ {
			b.pieces = append(b.pieces, termPiece|hash(w[i:i+n]))
		}
	}
	b.words = append(b.words, termWord|hash(stem(baseOf(w))))
}

// baseOf replaces a word by its base form. It works in place.
func baseOf(w []rune) []rune {
	var word [16]byte
	if len(w) > len(word) {
		return w
	}
	for i, r := range w {
		if r >= 0x80 {
			return w
		}
		word[i] = byte(r)
	}
	if base := baseForm(string(word[:len(w)])); base != "" {
		w = w[:0]
		for _, r := range base {
			w = append(w, r)
		}
	}
	return w
}

// isMixed reports whether there are both characters and words of other scripts.
func (b *bag) isMixed() bool {
	isGlyph := func(t uint64) bool { return t&^termMask == termGlyph }
	isWord := func(t uint64) bool { return !isGlyph(t) }
	return slices.ContainsFunc(b.words, isGlyph) && slices.ContainsFunc(b.words, isWord)
}

func (b *bag) reset() { b.words, b.pieces = b.words[:0], b.pieces[:0] }

// isQuestion reports whether a text ends with a question mark or a Chinese question particle.
func isQuestion(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '?' && r != '？' })
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune("?？吗呢", last)
}

// count sorts terms and yields each with its number of occurrences.
func count(terms []uint64, yield func(term uint64, n int)) {
	slices.Sort(terms)
	for i := 0; i < len(terms); {
		j := i + 1
		for j < len(terms) && terms[j] == terms[i] {
			j++
		}
		yield(terms[i], j-i)
		i = j
	}
}

// hash is FNV-1a over runes, in 62 bits.
func hash(rs []rune) uint64 {
	h := uint64(14695981039346656037)
	for _, r := range rs {
		h ^= uint64(r)
		h *= 1099511628211
	}
	return (h ^ h>>32) & termMask
}
