package lang

import "strings"

// DidYouMean returns a hint with the nearest of the words, or an empty text if none is near.
func DidYouMean(word string, words []string) Text {
	if near := Nearest(word, words); near != "" {
		return T("：是不是 %q？", ": did you mean %q?", near)
	}
	return Text{}
}

// Nearest returns the word with the smallest edit distance, or "" if that is more than a third of its length. Case, and
// - or _, make no difference.
func Nearest(word string, words []string) (near string) {
	fold := func(s string) []rune { return []rune(strings.ToLower(strings.ReplaceAll(s, "_", "-"))) }
	best := -1
	for _, w := range words {
		d := distance(fold(word), fold(w))
		if d <= max(2, len(w)/3) && d < len([]rune(w)) && (best < 0 || d < best) {
			near, best = w, d
		}
	}
	return near
}

// distance returns how many characters must be inserted, deleted, replaced or swapped with their neighbour to make b
// of a.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
