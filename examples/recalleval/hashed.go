package main

import (
	"math"
	"strings"
	"unicode"
)

const dimensions = 1024

// hashed is the feature hashing of a text: each word, each Han character, and each pair and triple of neighbouring characters adds ±1 to one component.
// It knows no meaning: texts are close only if they share such pieces. The result has length 1.
func hashed(text string) []float32 {
	v := make([]float32, dimensions)
	add := func(piece []rune) {
		h := uint64(14695981039346656037) // FNV-1a
		for _, r := range piece {
			h = (h ^ uint64(r)) * 1099511628211
		}
		h ^= h >> 32
		v[h%dimensions] += float32(1 - 2*int(h>>20&1))
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		rs := []rune(w)
		for i := range rs {
			if unicode.Is(unicode.Han, rs[i]) {
				add(rs[i : i+1])
			}
			for n := 2; n <= 3 && i+n <= len(rs); n++ {
				add(rs[i : i+n])
			}
		}
		add(rs)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
