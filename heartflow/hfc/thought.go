package hfc

import (
	"strings"
	"unicode"
)

// maxAlike is how many characters of a thought are compared.
const maxAlike = 200

// What a thought goes on with where its beginning was dropped.
var (
	hums    = [...]string{"嗯，", "唔，", "哦，", "哎，", "啊，"}
	links   = [...]string{"然后", "而且", "不过", "另外", "对了，"}
	humsEn  = [...]string{"Hm, ", "Well, ", "Oh, ", "Ah, ", "Mm, "}
	linksEn = [...]string{"and then ", "also ", "but ", "besides, ", "by the way, "}
)

// VaryThought keeps a chat's thoughts from repeating themselves: the more next is like prev, the more likely what both share
// is dropped from next, and what is left begins with a word or two that link it to what was thought before.
//
// With s the similarity (2 × what both share / the length of both, as Python's difflib has it), the chance of that is 0 up
// to .4, 3.5 s - 1.4 up to .6, s + .1 up to .9, and 1 above. What is dropped are whole clauses, those of which more than
// three quarters are shared, so that what is left can be read. Where that is nothing, next begins somewhere between its
// first and its last quarter, at a clause if there is one. Only the first 200 characters are compared.
//
// draw returns numbers from 0 to below 1; it is called only where something may change.
func VaryThought(prev, next string, draw func() float64) string {
	a, b := []rune(prev), []rune(next)
	a, alike := a[:min(len(a), maxAlike)], b[:min(len(b), maxAlike)]
	if len(a) == 0 || len(b) == 0 {
		return next
	}
	blocks := matches(a, alike)
	if !rewrites(similarity(blocks, len(a), len(alike)), draw) {
		return next
	}
	left := drop(b, blocks)
	if left == "" {
		left = tail(b, draw())
	}
	return begin(left, draw)
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

// drop returns the clauses of b that are not in the blocks.
func drop(b []rune, blocks []block) string {
	shared := make([]bool, len(b))
	for _, m := range blocks {
		for i := m.b; i < m.b+m.n; i++ {
			shared[i] = true
		}
	}
	var left strings.Builder
	for from := 0; from < len(b); {
		to := clause(b, from)
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
	return strings.TrimRight(left.String(), "，、；,; \n") // it may have been the last clause that was dropped
}

// tail returns b from a clause in its middle on, or else from any character there; x is from 0 to below 1.
func tail(b []rune, x float64) string {
	at := min(int(float64(len(b))*(.25+x/2)), len(b)-1)
	for from := 0; from < len(b); from = clause(b, from) {
		if from >= at {
			return string(b[from:])
		}
	}
	return string(b[at:])
}

// clause returns the end of the clause that begins at from, with the marks and spaces behind it.
func clause(b []rune, from int) int {
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
	case ',', '.', ';', '!', '?': // and not as in 3.5
		return i+1 == len(b) || unicode.IsSpace(b[i+1])
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
