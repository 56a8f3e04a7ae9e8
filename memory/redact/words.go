package redact

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

const longestWord = 64 // runes

// A trie holds the words of a host.
type trie struct {
	nodes []node
	first [256]bool // last bytes of the runes that words begin with
}

type node struct {
	next map[rune]int32
	rule rule // of the word that ends here
}

type rule uint8

const (
	none  rule = iota
	alone      // not next to a letter, a digit or a Chinese character
	apart      // not next to a letter or a digit
	free       // anywhere
)

// add adds a word; it fails where nothing of it can be looked for.
func (t *trie) add(word string) bool {
	var rs []rune
	han := false
	sh := shadow{text: word}
	sh.fold()
	for _, r := range sh.text {
		if r = lowered(r); between(r) {
			continue
		}
		rs, han = append(rs, r), han || isHan(r)
	}
	said := slices.ContainsFunc(rs, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	if !said || len(rs) > longestWord {
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
		t.nodes[at].rule = alone
	case !han && len(rs) < 6:
		t.nodes[at].rule = apart
	default:
		t.nodes[at].rule = free
	}
	return true
}

func lowered(r rune) rune {
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

// between tells whether a rune may stand between the characters of a word.
func between(r rune) bool { return r == ' ' || r == '\t' || r == '·' }

// vocabulary looks for the host's words in a shadow.
func (r *Redactor) vocabulary(c *scanner, s string) {
	if r.words == nil {
		return
	}
	c.s = s
	for i := 0; i < len(s); {
		x, n := utf8.DecodeRuneInString(s[i:])
		if x = lowered(x); r.words.first[byte(x)] && !between(x) {
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

// word gives the end of the longest word that starts at i, or 0.
func (c *scanner) word(t *trie, i int) int {
	at, end, gap := int32(0), 0, 0
	start := i
	for i < len(c.s) {
		r, n := utf8.DecodeRuneInString(c.s[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		if at > 0 && between(r) {
			if gap++; gap > 3 {
				break
			}
			i += n
			continue
		}
		gap = 0
		to, ok := t.nodes[at].next[lowered(r)]
		if !ok {
			break
		}
		at, i = to, i+n
		if c.stands(t.nodes[at].rule, start, i) {
			end = i
		}
	}
	c.work += i - start + 1
	return end
}

// stands tells whether what surrounds a word is as its rule wants.
func (c *scanner) stands(rule rule, start, end int) bool {
	if rule == none || rule == free {
		return rule == free
	}
	p, _ := utf8.DecodeLastRuneInString(c.s[:start])
	n, _ := utf8.DecodeRuneInString(c.s[end:])
	for _, r := range [...]rune{p, n} {
		if r == utf8.RuneError {
			continue
		}
		if han := isHan(r); han && rule == alone || !han && (unicode.IsLetter(r) || unicode.IsNumber(r)) {
			return false
		}
	}
	return true
}
