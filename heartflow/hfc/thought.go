package hfc

import (
	"strings"
	"unicode"
)

// maxAlike is how many characters of a thought are compared.
const maxAlike = 200

// Words that a thought goes on with where its beginning was dropped.
var (
	hums     = [...]string{"嗯，", "唔，", "哦，", "哎，", "啊，"}
	links    = [...]string{"然后", "而且", "不过", "另外", "对了，"}
	humsEn   = [...]string{"Hm, ", "Well, ", "Oh, ", "Ah, ", "Mm, "}
	linksEn  = [...]string{"and then ", "also ", "but ", "besides, ", "by the way, "}
	endMarks = "，。、；：,;: \t\n"
)

// Freshen keeps a chat's thoughts from repeating themselves: the more next is like prev, the more likely what they share
// is dropped from next, and what is left begins with a word or two that link it to what was thought before.
//
// With s the similarity (2 × what both share / the length of both, as Python's difflib has it), the chance of that is 0 up
// to .4, 3.5 s - 1.4 up to .6, s + .1 up to .9, and 1 above. Shared parts of one character, and of a part of a Latin
// word, stay. Where nothing would be left, next begins somewhere between its first and its last quarter. Only the first
// 200 characters are compared. draw returns numbers from 0 to below 1; it is not called where nothing can change.
func Freshen(prev, next string, draw func() float64) string {
	a, b := head(prev), head(next)
	if len(a) == 0 || len(b) == 0 {
		return next
	}
	blocks := matches(a, b)
	if !rewrites(similarity(blocks, len(a), len(b)), draw) {
		return next
	}
	left := drop(b, blocks) + string([]rune(next)[len(b):])
	if !strings.ContainsFunc(left, isWord) {
		left = string(b[cut(len(b), draw()):])
	}
	if short := strings.TrimLeft(left, endMarks); short != "" {
		left = short
	}
	return begin(left, draw)
}

func head(s string) []rune {
	r := []rune(s)
	return r[:min(len(r), maxAlike)]
}

// rewrites draws whether a thought of that similarity is rewritten.
func rewrites(s float64, draw func() float64) bool {
	switch {
	case s <= .4:
		return false
	case s <= .6:
		return draw() < 3.5*s-1.4
	case s <= .9:
		return draw() < s+.1
	}
	return true
}

// cut is where to begin in n characters: at the half, or up to a quarter before or after.
func cut(n int, x float64) int { return min(int(float64(n)*(.25+x/2)), n-1) }

// begin puts a hum (.3) and a link (.7) in front of what is left of a thought.
func begin(left string, draw func() float64) string {
	hum, link := &hums, &links
	if !strings.ContainsFunc(left, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		hum, link = &humsEn, &linksEn
	}
	front := ""
	if draw() < .3 {
		front = pick(hum, draw())
	}
	if draw() < .7 {
		front += pick(link, draw())
	}
	return front + left
}

func pick(list *[5]string, x float64) string { return list[int(x*5)] }

// drop returns b without its blocks.
func drop(b []rune, blocks []block) string {
	var left []rune
	at := 0
	for _, m := range blocks {
		from, to := m.b, m.b+m.n
		for from < to && inWord(b, from) {
			from++
		}
		for to > from && inWord(b, to) {
			to--
		}
		if to-from < 2 {
			continue
		}
		left = append(left, b[at:from]...)
		at = to
	}
	return string(append(left, b[at:]...))
}

// inWord reports whether i is within a word of a script that has spaces between its words.
func inWord(b []rune, i int) bool {
	return i > 0 && i < len(b) && isLatin(b[i-1]) && isLatin(b[i])
}

func isLatin(r rune) bool { return isWord(r) && r < 0x2e80 }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
