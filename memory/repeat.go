package memory

import (
	"cmp"
	"slices"
)

// foldRepeats leaves the newest of records of one space that say nearly the same (Jaccard of their sets of five runes at least .8), which
// stands for the others: it takes over their IDs, the best of their scores and their importance. Two people who say the same at different
// times said two things: theirs are folded only where each comes within half an hour of the one before it. What is known of two people
// is never folded, whatever it says.
func foldRepeats(fs []found, gists []gist) []found {
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(fs[j].At.Compare(fs[i].At), cmp.Compare(fs[j].Seq, fs[i].Seq))
	})
	stay := make([]standing, 0, len(fs))
	var g grammar
next:
	for _, i := range order {
		f := &fs[i]
		last := standing{of: i, oldest: seconds(f.At)}
		for j := range stay {
			s := &stay[j]
			newest := &fs[s.of]
			parroted := f.Kind == KindMessage && soon(s.oldest, last.oldest)
			if newest.Kind != f.Kind || newest.Person != f.Person && !parroted || !gists[s.of].may(&gists[i]) {
				continue
			}
			if newest.Text == f.Text || alike(s.grams(&g, newest.Text), last.grams(&g, f.Text)) {
				s.oldest = last.oldest
				newest.stand(f)
				f.folded = true
				continue next
			}
		}
		stay = append(stay, last)
	}
	return slices.DeleteFunc(fs, func(f found) bool { return f.folded })
}

// A standing is a record that stays, maybe for others.
type standing struct {
	of     int
	oldest int64    // of those that it stands for, in Unix seconds
	set    []uint64 // its grams, once they are asked for
}

func (s *standing) grams(g *grammar, text string) []uint64 {
	if s.set == nil {
		s.set = g.set(text)
	}
	return s.set
}

func soon(a, b int64) bool { return a != noTime && b != noTime && max(a-b, b-a) <= nearTime }

// stand lets f stand for an older one that says the same.
func (f *found) stand(old *found) {
	if old.words > f.words {
		f.words, f.near = old.words, old.near
	}
	f.vector = max(f.vector, old.vector)
	f.then = f.then || old.then
	f.Importance = max(f.Importance, old.Importance)
	f.same = append(f.same, old.ID)
	f.Sources = union(sourcesOf(f.Record), sourcesOf(old.Record))
}

// sourcesOf is what a record was made from; a message is its own source.
func sourcesOf(r *Record) []string {
	if r.Kind == KindMessage && len(r.Sources) == 0 {
		return []string{r.ID}
	}
	return r.Sources
}
