package statement

import (
	"iter"
	"math"
	"math/bits"
)

// Sorts of features.
const (
	sortGram   = 1 + iota // some tokens in a row
	sortSize              // number of tokens
	sortSkip              // two tokens with others between them
	sortBefore            // tokens before a value
	sortStart             // the first tokens of a value
	sortInto              // the token before a value, and its first one
	sortLast              // the last tokens of a value
	sortAfter             // tokens after a value
	sortOut               // the last token of a value, and the one after it
	sortLength            // of a value
	sortWhole             // all tokens of a value
)

const (
	maxGram  = 4  // tokens in a row
	maxSkip  = 5  // distance of two tokens
	maxValue = 14 // tokens
)

func mix(h, key uint32) uint32 {
	h = (h ^ key) * 0x85EBCA6B
	return h ^ h>>15
}

// at returns the key of the i-th token; there is an edge before the first and after the last one.
func at(tokens []Token, i int) uint32 {
	if i < 0 || i >= len(tokens) {
		return keyEdge
	}
	return tokens[i].key
}

// kindFeatures calls add for each feature of a message.
func kindFeatures(tokens []Token, add func(feature uint32)) {
	n := len(tokens)
	add(mix(sortSize, uint32(bits.Len(uint(n)))))
	for i := -1; i <= n; i++ {
		h := uint32(sortGram)
		for j := i; j < i+maxGram && j <= n; j++ {
			if h = mix(h, at(tokens, j)); i >= 0 && j < n || j > i {
				add(h)
			}
		}
		for j := i + 2; j <= i+maxSkip && j <= n; j++ {
			add(mix(mix(sortSkip, at(tokens, i)), at(tokens, j)))
		}
	}
}

// scale returns the factor of the features of a message that has n of them. A long message has more of them, but says no more.
func scale(n int) float32 { return 12 / float32(math.Sqrt(float64(max(n, 50)))) }

// startFeatures calls add for each feature of a value that begins with the i-th token.
func startFeatures(tokens []Token, i int, add func(feature uint32)) {
	h := uint32(sortBefore)
	for j := i - 1; j >= i-4 && j >= -1; j-- {
		h = mix(h, at(tokens, j))
		add(h)
	}
	h = uint32(sortStart)
	for j := i; j < i+2 && j < len(tokens); j++ {
		h = mix(h, at(tokens, j))
		add(h)
	}
	add(mix(mix(sortInto, at(tokens, i-1)), at(tokens, i)))
}

// endFeatures calls add for each feature of a value whose last token is before the j-th one.
func endFeatures(tokens []Token, j int, add func(feature uint32)) {
	h := uint32(sortAfter)
	for i := j; i < j+4 && i <= len(tokens); i++ {
		h = mix(h, at(tokens, i))
		add(h)
	}
	h = uint32(sortLast)
	for i := j - 1; i >= j-2 && i >= 0; i-- {
		h = mix(h, at(tokens, i))
		add(h)
	}
	add(mix(mix(sortOut, at(tokens, j-1)), at(tokens, j)))
}

// valueFeatures calls add for each feature of a value without the tokens around it.
func valueFeatures(tokens []Token, s Span, add func(feature uint32)) {
	add(mix(sortLength, uint32(s.End-s.Begin)))
	whole := uint32(sortWhole)
	for _, t := range tokens[s.Begin:s.End] {
		if whole = mix(whole, t.key); t.key == keyBreak {
			add(mix(sortLength, keyBreak))
		}
	}
	add(whole)
}

// spans yields the parts of a message that may be a value. A name stands alone, a day is none, and no value begins or ends with a break.
func spans(tokens []Token) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for i := range tokens {
			for j := i + 1; j <= min(len(tokens), i+maxValue); j++ {
				last := tokens[j-1]
				if last.Mask == Day || last.Mask == Name && j > i+1 || tokens[i].key == keyBreak {
					break
				}
				if last.key != keyBreak && !yield(Span{i, j}) {
					return
				}
				if last.Mask == Name {
					break
				}
			}
		}
	}
}
