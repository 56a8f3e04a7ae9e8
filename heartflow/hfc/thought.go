package hfc

import (
	"strings"
	"unicode"
)

// maxCompared is how many characters of a thought are compared.
const maxCompared = 200

// Beginnings for a thought without its first clauses.
var (
	fillers        = [...]string{"嗯，", "唔，", "哦，", "哎，", "啊，"}
	linkingWords   = [...]string{"然后", "而且", "不过", "另外", "对了，"}
	fillersEn      = [...]string{"Hm, ", "Well, ", "Oh, ", "Ah, ", "Mm, "}
	linkingWordsEn = [...]string{"and then ", "also ", "but ", "besides, ", "by the way, "}
)

// VaryThought keeps consecutive thoughts of a chat from repeating themselves. The more next resembles prev, the more
// likely the shared part of next is dropped. The rest then begins with one or two linking words.
//
// The chance depends on the similarity s (2 × shared characters / total characters, as in Python's difflib). It is 0
// up to .4, 3.5 s - 1.4 up to .6, s + .1 up to .9, and 1 above. Whole clauses are dropped if more than three quarters
// of them are shared, so the rest stays readable. If nothing is left, next starts somewhere between its first and its
// last quarter, at a clause if possible. Only the first 200 characters are compared.
//
// draw returns numbers from 0 to below 1. It is called only if something may change.
func VaryThought(prev, next string, draw func() float64) string {
	a, b := []rune(prev), []rune(next)
	a, alike := a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	if len(a) == 0 || len(b) == 0 {
		return next
	}
	blocks := matches(a, alike)
	if !rewrites(similarity(blocks, len(a), len(alike)), draw) {
		return next
	}
	left := dropShared(b, blocks)
	if left == "" {
		left = tail(b, draw())
	}
	return addBeginning(left, draw)
}

// rewrites draws whether to rewrite a thought of that similarity.
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

// dropShared returns the clauses of b that are not in the blocks.
func dropShared(b []rune, blocks []block) string {
	shared := make([]bool, len(b))
	for _, m := range blocks {
		for i := m.b; i < m.b+m.n; i++ {
			shared[i] = true
		}
	}
	var left strings.Builder
	for from := 0; from < len(b); {
		to := clauseEnd(b, from)
		words, old := 0, 0
		for i := from; i < to; i++ {
			if isWord(b[i]) {
				words++
				if shared[i] {
					old++
				}
			}
		}
		if 4*old <= 3*words && words > 0 {
			left.WriteString(string(b[from:to]))
		}
		from = to
	}
	return strings.TrimRight(left.String(), "，、；,; \n") // the last clause may have been dropped
}

// tail returns b from a clause in its middle, or else from any character there. x is from 0 to below 1.
func tail(b []rune, x float64) string {
	at := min(int(float64(len(b))*(.25+x/2)), len(b)-1)
	for from := 0; from < len(b); from = clauseEnd(b, from) {
		if from >= at {
			return string(b[from:])
		}
	}
	return string(b[at:])
}

// clauseEnd returns the end of the clause that begins at from, with the punctuation and spaces after it.
func clauseEnd(b []rune, from int) int {
	i := from
	for i < len(b) && !breaks(b, i) {
		i++
	}
	for i < len(b) && !isWord(b[i]) {
		i++
	}
	return i
}

// breaks reports whether a clause ends before b[i].
func breaks(b []rune, i int) bool {
	switch b[i] {
	case '，', '。', '！', '？', '；', '、', '…', '\n':
		return true
	case ',', '.', ';', '!', '?': // but not inside 3.5
		return i+1 == len(b) || unicode.IsSpace(b[i+1])
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// addBeginning puts a filler (chance .3) and a linking word (chance .7) in front of left.
func addBeginning(left string, draw func() float64) string {
	filler, link := &fillers, &linkingWords
	if !strings.ContainsFunc(left, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		filler, link = &fillersEn, &linkingWordsEn
	}
	front := ""
	if draw() < .3 {
		front = pick(filler, draw())
	}
	if draw() < .7 {
		front += pick(link, draw())
	}
	return front + left
}

func pick(list *[5]string, x float64) string { return list[int(x*5)] }
