package memory

import "slices"

const (
	gramSize = 5       // runes
	maxGrams = 8 << 10 // bytes; longer texts are near duplicates only if they are equal
)

// A gramReader computes the grams of texts: hashes of each five consecutive runes. It ignores case, width and all runes
// except letters and digits.
type gramReader struct {
	runes []rune
	grams []uint64
}

// read returns the grams of a text in order. The slice is valid until the next call. A text of at most five letters has
// one gram. A text without letters has none.
func (g *gramReader) read(text string) []uint64 {
	g.runes, g.grams = g.runes[:0], g.grams[:0]
	for _, r := range text {
		if r, c := fold(r); c == word || c == glyph {
			g.runes = append(g.runes, r)
		}
	}
	switch {
	case len(g.runes) == 0:
		return nil
	case len(g.runes) <= gramSize:
		return append(g.grams, hash(g.runes))
	case len(text) > maxGrams:
		whole := hash(g.runes)
		g.runes = nil // too large to keep
		return append(g.grams, whole)
	}
	const base = 0x9E3779B97F4A7C15
	out := uint64(base)
	for range gramSize - 1 {
		out *= base
	}
	h := uint64(0)
	for i, r := range g.runes {
		h = h*base + uint64(r)
		if i >= gramSize {
			h -= uint64(g.runes[i-gramSize]) * out
		}
		if i >= gramSize-1 {
			g.grams = append(g.grams, mix64(h))
		}
	}
	return g.grams
}

// sortedSet returns a new sorted set of the grams of a text.
func (g *gramReader) sortedSet(text string) []uint64 {
	set := slices.Clone(g.read(text))
	slices.Sort(set)
	return slices.Compact(set)
}

// A sketch is a MinHash of the grams of a text. It keeps the least gram of each sixteenth of the hash range. Most
// dissimilar texts have different sketches.
type sketch struct {
	minHashes [16]uint32 // bits 28 to 59 of the least grams; 0: none
	grams     int32
}

func (g *gramReader) sketch(text string) (s sketch) {
	all := g.read(text)
	s.grams = int32(len(all))
	for _, x := range all {
		if least, x := &s.minHashes[x>>60], uint32(x>>28); *least == 0 || x < *least {
			*least = x
		}
	}
	return s
}

// maybeSimilar reports whether two texts could be similar. Each gram that occurs in only one text changes at most one
// of the 16 minima, so few grams give a certain result. For texts with many grams, each minimum is equal in four of
// five cases. Fewer than five equal minima occur in a few of a million cases.
func (s *sketch) maybeSimilar(t *sketch) bool {
	if s.grams == 0 || t.grams == 0 {
		return false
	}
	may := min(maxDifferent(int(s.grams), int(t.grams)), 11)
	for i, x := range s.minHashes {
		if x != t.minHashes[i] {
			if may--; may < 0 {
				return false
			}
		}
	}
	return true
}

// maxDifferent returns how many grams may occur in only one of two similar texts with a and b grams.
func maxDifferent(a, b int) int { return (a + b) / 9 }

// similar reports whether the Jaccard similarity of two sorted gram sets is at least .8. Then at most 1/9 of a+b occurs
// in only one set.
func similar(a, b []uint64) bool {
	may := maxDifferent(len(a), len(b))
	only, i, j := 0, 0, 0
	for only <= may && i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case a[i] < b[j]:
			only, i = only+1, i+1
		default:
			only, j = only+1, j+1
		}
	}
	return only+len(a)-i+len(b)-j <= may
}

// mix64 mixes the bits of x. It is the finalizer of splitmix64.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
