package memory

import (
	"cmp"
	"slices"
)

// mergeDuplicates merges near duplicates in one space into the newest record. Two texts are near duplicates if the
// Jaccard similarity of their sets of five-rune grams is at least .8. The newest record takes over the IDs, the best
// scores and the importance of the others.
//
// Messages of different persons are merged only if each comes within half an hour of the one before it. Otherwise they
// are separate statements. Facts about different persons are never merged.
func mergeDuplicates(fs []found, gists []sketch) []found {
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if byTime := fs[j].At.Compare(fs[i].At); byTime != 0 {
			return byTime
		}
		return cmp.Compare(fs[j].Seq, fs[i].Seq)
	})
	stay := make([]representative, 0, len(fs))
	authors := make(map[string]int, len(fs))
	var g gramReader
next:
	for _, i := range order {
		f := &fs[i]
		author, known := authors[f.Person]
		if !known {
			author = len(authors)
			authors[f.Person] = author
		}
		last := representative{at: i, author: author, oldest: seconds(f.At)}
		isMessage := f.Kind == KindMessage
		for j := range stay {
			s := &stay[j]
			if s.author != author && !(isMessage && withinNeighborGap(s.oldest, last.oldest)) || !gists[s.at].maybeSimilar(&gists[i]) {
				continue
			}
			newest := &fs[s.at]
			if newest.Kind == f.Kind && (newest.Text == f.Text || similar(s.gramSet(&g, newest.Text), last.gramSet(&g, f.Text))) {
				s.oldest = last.oldest
				newest.absorb(f)
				f.merged = true
				continue next
			}
		}
		stay = append(stay, last)
	}
	return slices.DeleteFunc(fs, func(f found) bool { return f.merged })
}

// A representative is a record that may stand for older duplicates.
type representative struct {
	at     int
	author int      // a number for each person
	oldest int64    // time of the oldest merged record, in Unix seconds
	grams  []uint64 // computed on first use
}

func (s *representative) gramSet(g *gramReader, text string) []uint64 {
	if s.grams == nil {
		s.grams = g.sortedSet(text)
	}
	return s.grams
}

func withinNeighborGap(a, b int64) bool {
	return a != noTime && b != noTime && max(a-b, b-a) <= neighborGap
}

// absorb merges an older duplicate into f.
func (f *found) absorb(old *found) {
	if old.words > f.words {
		f.words, f.near = old.words, old.near
	}
	f.vector = max(f.vector, old.vector)
	f.inSpan = f.inSpan || old.inSpan
	f.Importance = max(f.Importance, old.Importance)
	f.duplicates = append(f.duplicates, old.ID)
	f.Sources = union(sourcesOf(f.Record), sourcesOf(old.Record))
}

// sourcesOf returns the sources of a record. A message without sources is its own source.
func sourcesOf(r *Record) []string {
	if r.Kind == KindMessage && len(r.Sources) == 0 {
		return []string{r.ID}
	}
	return r.Sources
}
