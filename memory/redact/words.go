package redact

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

const maxWordRunes = 64 // maximum length of a word

// A trie contains the host's words.
type trie struct {
	nodes []node
	first [256]bool // last bytes of the words' first runes
}

type node struct {
	next map[rune]int32
	rule rule // of the word that ends here
}

type rule uint8

const (
	noRule    rule = iota
	isolated       // not next to a letter, a digit or a Chinese character
	wholeWord      // not next to a letter or a digit
	anywhere       // no condition
)

// add adds a word. It returns false if the word is too long or contains no letter and no digit.
func (t *trie) add(word string) bool {
	var rs []rune
	han := false
	ft := folded{text: word}
	ft.fold()
	for _, r := range ft.text {
		if r = lowerRune(r); isFiller(r) {
			continue
		}
		rs, han = append(rs, r), han || isHan(r)
	}
	searchable := slices.ContainsFunc(rs, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	if !searchable || len(rs) > maxWordRunes {
		return false
	}
	if t.nodes == nil {
		t.nodes = make([]node, 1)
	}
	t.first[byte(rs[0])] = true
	at := int32(0)
	for _, r := range rs {
		n := &t.nodes[at]
		if n.next == nil {
			n.next = map[rune]int32{}
		}
		to, ok := n.next[r]
		if !ok {
			to = int32(len(t.nodes))
			n.next[r] = to
			t.nodes = append(t.nodes, node{})
		}
		at = to
	}
	switch {
	case len(rs) == 1:
		t.nodes[at].rule = isolated
	case !han && len(rs) < 6:
		t.nodes[at].rule = wholeWord
	default:
		t.nodes[at].rule = anywhere
	}
	return true
}

func lowerRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if isHan(r) {
		return r
	}
	return unicode.ToLower(r)
}

// isFiller reports whether a rune may be between the characters of a word.
func isFiller(r rune) bool { return r == ' ' || r == '\t' || r == '·' }

// findWords searches a folded text for the host's words.
func (r *Redactor) findWords(c *scanner, s string) {
	if r.words == nil {
		return
	}
	c.s = s
	for i := 0; i < len(s); {
		x, n := utf8.DecodeRuneInString(s[i:])
		if x = lowerRune(x); r.words.first[byte(x)] && !isFiller(x) {
			if end := c.word(r.words, i); end > 0 {
				c.add(OwnWord, i, end)
				i = end
				continue
			}
		}
		i += n
	}
	c.work += len(s)
}

// word returns the end of the longest word that starts at i, or 0.
func (c *input) word(t *trie, i int) int {
	at, end, gap := int32(0), 0, 0
	start := i
	for i < len(c.s) {
		r, n := utf8.DecodeRuneInString(c.s[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		if at > 0 && isFiller(r) {
			if gap++; gap > 3 {
				break
			}
			i += n
			continue
		}
		gap = 0
		to, ok := t.nodes[at].next[lowerRune(r)]
		if !ok {
			break
		}
		at, i = to, i+n
		if c.ruleAllows(t.nodes[at].rule, start, i) {
			end = i
		}
	}
	c.work += i - start + 1
	return end
}

// ruleAllows reports whether the context of a word satisfies its rule.
func (c *input) ruleAllows(rule rule, start, end int) bool {
	if rule == noRule || rule == anywhere {
		return rule == anywhere
	}
	p, _ := utf8.DecodeLastRuneInString(c.s[:start])
	n, _ := utf8.DecodeRuneInString(c.s[end:])
	for _, r := range [...]rune{p, n} {
		if r == utf8.RuneError {
			continue
		}
		if han := isHan(r); han && rule == isolated || !han && (unicode.IsLetter(r) || unicode.IsNumber(r)) {
			return false
		}
	}
	return true
}
