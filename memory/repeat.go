package memory

import (
	"cmp"
	"slices"
)

const (
	gramSize = 5       // runes
	maxGrams = 8 << 10 // bytes: longer texts say the same only if they are the same
)

// foldRepeats leaves the newest of records of one space that say nearly the same (Jaccard of their sets of five runes at least .8), which
// stands for the others: it takes over their IDs, the best of their scores and their importance. Two people who say the same at different
// times said two things: theirs are folded only where each comes within half an hour of the one before it. What is known of two people
// is never folded, whatever it says.
func foldRepeats(fs []found) []found {
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(fs[j].At.Compare(fs[i].At), cmp.Compare(fs[j].Seq, fs[i].Seq))
	})
	texts := make([]grams, 0, len(fs)) // of those that stay
	var buf []rune
	var arena []uint64
next:
	for _, i := range order {
		f := &fs[i]
		var g grams
		g, buf, arena = gramsOf(f.Text, buf, arena)
		g.of, g.oldest = i, seconds(f.At)
		for j := range texts {
			t := &texts[j]
			newest := &fs[t.of]
			parroted := f.Kind == Message && soon(t.oldest, g.oldest)
			if newest.Kind == f.Kind && (newest.Person == f.Person || parroted) && t.may(&g) && t.like(&g) {
				t.oldest = g.oldest
				newest.stand(f)
				f.folded = true
				continue next
			}
		}
		texts = append(texts, g)
	}
	return slices.DeleteFunc(fs, func(f found) bool { return f.folded })
}

func soon(a, b int64) bool { return a != noTime && b != noTime && max(a-b, b-a) <= nearTime }

// Grams are the runs of five runes of a text.
type grams struct {
	all    []uint64   // sorted and each once, where sorted
	least  [16]uint64 // of those with the same upper four bits; 0: there is none
	sorted bool
	of     int   // the record
	oldest int64 // of those that say the same, in Unix seconds
}

// gramsOf takes the runs of five runes of a text, without case, width and what is no letter; of a shorter text it is one, of
// a text without letters there is none. They are put behind arena.
func gramsOf(text string, buf []rune, arena []uint64) (grams, []rune, []uint64) {
	buf = buf[:0]
	for _, r := range text {
		if r, c := fold(r); c == word || c == glyph {
			buf = append(buf, r)
		}
	}
	start := len(arena)
	switch {
	case len(buf) == 0:
	case len(buf) <= gramSize || len(text) > maxGrams:
		arena = append(arena, hash(buf))
	default:
		const base = 0x9E3779B97F4A7C15
		out := uint64(base)
		for range gramSize - 1 {
			out *= base
		}
		h := uint64(0)
		for i, r := range buf {
			h = h*base + uint64(r)
			if i >= gramSize {
				h -= uint64(buf[i-gramSize]) * out
			}
			if i >= gramSize-1 {
				arena = append(arena, scatter(h))
			}
		}
	}
	g := grams{all: arena[start:len(arena):len(arena)]}
	for _, x := range g.all {
		if least := &g.least[x>>60]; *least == 0 || x < *least {
			*least = x
		}
	}
	return g, buf, arena
}

// may reports whether two texts could be alike, by the least gram of each sixteenth of all numbers: of two that are alike, each
// is the same in four of five cases, and fewer than five of sixteen in a few cases of a million. Most are told apart by that.
func (g *grams) may(h *grams) bool {
	if few := min(len(g.all), len(h.all)); few < 16 {
		return few > 0
	}
	same := 0
	for i, x := range g.least {
		if x == h.least[i] {
			same++
		}
	}
	return same >= 5
}

// like reports whether four in five of the grams that one of two texts has are in both. Then of all that both have, one in nine at most
// is in one only.
func (g *grams) like(h *grams) bool {
	a, b := g.set(), h.set()
	may := (len(a) + len(b)) / 9
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

func (g *grams) set() []uint64 {
	if !g.sorted {
		slices.Sort(g.all)
		g.all, g.sorted = slices.Compact(g.all), true
	}
	return g.all
}

// stand lets f stand for an older one that says the same.
func (f *found) stand(old *found) {
	if old.words > f.words {
		f.words, f.near = old.words, old.near
	}
	f.vector = max(f.vector, old.vector)
	f.then = f.then || old.then
	f.Importance = max(f.Importance, old.Importance)
	f.same = append(f.same, old.ID)
	f.Sources = union(sourcesOf(&f.Record), sourcesOf(&old.Record))
}

// sourcesOf is what a record was made from; a message is its own source.
func sourcesOf(r *Record) []string {
	if r.Kind == Message && len(r.Sources) == 0 {
		return []string{r.ID}
	}
	return r.Sources
}
