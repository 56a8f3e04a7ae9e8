package memory

import "slices"

const (
	gramSize = 5       // runes
	maxGrams = 8 << 10 // bytes: longer texts say the same only if they are the same
)

// A grammar reads the grams of texts: their runs of five runes, without case, width and what is no letter.
type grammar struct {
	runes []rune
	grams []uint64
}

// read returns the grams of a text, as they come, until the next call. A text of five letters and fewer is one gram; without letters it has none.
func (g *grammar) read(text string) []uint64 {
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
		g.runes = nil // too much to hold on to
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
			g.grams = append(g.grams, scatter(h))
		}
	}
	return g.grams
}

// set returns the grams of a text sorted, each once, to keep.
func (g *grammar) set(text string) []uint64 {
	set := slices.Clone(g.read(text))
	slices.Sort(set)
	return slices.Compact(set)
}

// A gist tells most texts apart that are not alike: the least gram of each sixteenth of all numbers.
type gist struct {
	least [16]uint32 // upper halves, but for the four bits that all have in common; 0: there is none
	grams int32
}

func (g *grammar) gist(text string) (s gist) {
	all := g.read(text)
	s.grams = int32(len(all))
	for _, x := range all {
		if least, x := &s.least[x>>60], uint32(x>>28); *least == 0 || x < *least {
			*least = x
		}
	}
	return s
}

// may reports whether two texts could be alike. Each gram that only one of them has changes one least gram at most, so that few changes say
// it for certain; of many grams, each least one is the same in four of five cases, and fewer than five of sixteen in a few cases of a million.
func (s *gist) may(t *gist) bool {
	if s.grams == 0 || t.grams == 0 {
		return false
	}
	others := 0
	for i, x := range s.least {
		if x != t.least[i] {
			others++
		}
	}
	return others <= min(odd(int(s.grams), int(t.grams)), 11)
}

// odd is how many grams only one of two alike texts may have that have so many.
func odd(a, b int) int { return (a + b) / 9 }

// alike reports whether four in five of the grams that one of two texts has are in both (a Jaccard of .8). Then of all that both have, one
// in nine at most is in one only.
func alike(a, b []uint64) bool {
	may := odd(len(a), len(b))
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

// scatter mixes the bits of x. It is the finalizer of splitmix64.
func scatter(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
