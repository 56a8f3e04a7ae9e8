package memory

import "slices"

// stem reduces an English word to its stem after M. F. Porter, "An algorithm for suffix stripping", Program 14(3),
// 1980. It leaves words with other characters and words of less than three letters unchanged. It works in place.
func stem(w []rune) []rune {
	if len(w) < 3 {
		return w
	}
	for _, r := range w {
		if r < 'a' || r > 'z' {
			return w
		}
	}
	p := porter(w)
	p.plural()
	p.past()
	p.endY()
	p.longest(doubles[:], 0)
	p.longest(derived[:], 0)
	p.longest(residue[:], 1)
	p.tidy()
	return p
}

type porter []rune

// A suffix is a rewrite rule.
type suffix struct{ from, to string }

// Porter's steps 2, 3 and 4. A longer suffix comes before its own suffixes.
var (
	doubles = [...]suffix{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"}, {"alli", "al"},
		{"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"},
		{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
	}
	derived = [...]suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	residue = [...]suffix{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""},
		{"ment", ""}, {"ent", ""}, {"sion", "s"}, {"tion", "t"}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""},
		{"ive", ""}, {"ize", ""},
	}
)

func (p porter) consonant(i int) bool {
	switch p[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !p.consonant(i-1)
	}
	return true
}

// measure counts the vowel-consonant sequences in the first n letters.
func (p porter) measure(n int) (m int) {
	vowel := false
	for i := range n {
		c := p.consonant(i)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

func (p porter) hasVowel(n int) bool {
	for i := range n {
		if !p.consonant(i) {
			return true
		}
	}
	return false
}

// doubled reports whether the word ends in a double consonant.
func (p porter) doubled() bool {
	n := len(p)
	return n > 1 && p[n-1] == p[n-2] && p.consonant(n-1)
}

// short reports whether the first n letters end in consonant, vowel, consonant, and the last is not w, x or y.
func (p porter) short(n int) bool {
	return n > 2 && p.consonant(n-3) && !p.consonant(n-2) && p.consonant(n-1) && p[n-1] != 'w' && p[n-1] != 'x' && p[n-1] != 'y'
}

func (p porter) ends(s string) bool {
	if len(p) < len(s) {
		return false
	}
	for i := range len(s) {
		if p[len(p)-len(s)+i] != rune(s[i]) {
			return false
		}
	}
	return true
}

func (p *porter) cut(n int) { *p = (*p)[:len(*p)-n] }
func (p *porter) swap(n int, to string) {
	p.cut(n)
	for _, r := range to {
		*p = append(*p, r)
	}
}

func (p *porter) plural() {
	switch {
	case p.ends("sses"), p.ends("ies"):
		p.cut(2)
	case p.ends("s") && !p.ends("ss"):
		p.cut(1)
	}
}

func (p *porter) past() {
	switch {
	case p.ends("eed"):
		if p.measure(len(*p)-3) > 0 {
			p.cut(1)
		}
		return
	case p.ends("ed") && p.hasVowel(len(*p)-2):
		p.cut(2)
	case p.ends("ing") && p.hasVowel(len(*p)-3):
		p.cut(3)
	default:
		return
	}
	switch {
	case p.ends("at"), p.ends("bl"), p.ends("iz"):
		*p = append(*p, 'e')
	case p.doubled() && !slices.Contains([]rune("lsz"), (*p)[len(*p)-1]):
		p.cut(1)
	case p.measure(len(*p)) == 1 && p.short(len(*p)):
		*p = append(*p, 'e')
	}
}

func (p *porter) endY() {
	if p.ends("y") && p.hasVowel(len(*p)-1) {
		(*p)[len(*p)-1] = 'i'
	}
}

// longest replaces the first matching suffix if the remaining stem has a measure above m.
func (p *porter) longest(list []suffix, m int) {
	for _, s := range list {
		if !p.ends(s.from) {
			continue
		}
		if p.measure(len(*p)-len(s.from)+kept(s)) > m {
			p.swap(len(s.from), s.to)
		}
		return
	}
}

// kept returns 1 for the suffixes sion and tion of step 4. Their first letter belongs to the stem.
func kept(s suffix) int {
	if len(s.from) == 4 && s.from[1:] == "ion" {
		return 1
	}
	return 0
}

func (p *porter) tidy() {
	if n := len(*p) - 1; p.ends("e") && (p.measure(n) > 1 || p.measure(n) == 1 && !p.short(n)) {
		p.cut(1)
	}
	if p.doubled() && p.ends("l") && p.measure(len(*p)) > 1 {
		p.cut(1)
	}
}
