package speech

import (
	"slices"
	"strings"
	"unicode"
)

// Similarity compares the spelling of two short phrases and returns 0 to 1. It is the Dice coefficient of their n-grams: single
// characters and pairs for Chinese, and groups of three letters for words of other scripts. It is 0 if one phrase is the other
// with a negation before it (开心, 不开心), because they mean the opposite.
func Similarity(a, b string) float64 {
	a, b = normalize(a), normalize(b)
	return similarity(a, b, grams(a), grams(b))
}

func similarity(a, b string, as, bs []string) float64 {
	if len(as) == 0 || len(bs) == 0 || negates(a, b) || negates(b, a) {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(as) && j < len(bs); {
		switch {
		case as[i] < bs[j]:
			i++
		case as[i] > bs[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return 2 * float64(common) / float64(len(as)+len(bs))
}

// normalize converts to lower case and replaces everything except letters, digits and emoji by single spaces.
func normalize(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !isCJK(r) && !isWord(r) && !isEmoji(r) || r == '_'
	}), " ")
}

// grams returns the n-grams of a normalized phrase, sorted.
func grams(s string) []string {
	var all []string
	for field := range strings.FieldsSeq(s) {
		for field != "" {
			n := strings.IndexFunc(field, func(r rune) bool { return isCJK(r) || isEmoji(r) })
			if n < 0 {
				n = len(field)
			}
			if n > 0 {
				word := []rune("^" + field[:n] + "$")
				for i := range len(word) - 2 {
					all = append(all, string(word[i:i+3]))
				}
				field = field[n:]
			}
			n = strings.IndexFunc(field, func(r rune) bool { return !isCJK(r) && !isEmoji(r) })
			if n < 0 {
				n = len(field)
			}
			chars := []rune(field[:n])
			for i := range chars {
				all = append(all, string(chars[i:i+1]))
				if i > 0 {
					all = append(all, string(chars[i-1:i+1]))
				}
			}
			field = field[n:]
		}
	}
	slices.Sort(all)
	return all
}

var negations = [...]string{"不", "没", "没有", "不太", "不怎么", "不是", "别", "非", "un", "not ", "no ", "dis", "never "}

// negates reports whether long is short with a negation before it.
func negates(long, short string) bool {
	before, _, found := strings.Cut(long, short)
	if !found || before == "" {
		return false
	}
	for _, n := range negations {
		if head, ok := strings.CutSuffix(before, n); ok {
			last := []rune(head)
			// Latin negations must begin a word.
			if n[0] >= 0x80 || len(last) == 0 || !unicode.IsLetter(last[len(last)-1]) {
				return true
			}
		}
	}
	return false
}
