package memory

import (
	"slices"
	"strings"
)

// addMeant adds the people to the query whom it is about without a name: those of Query.About, and whom a pronoun means. They count as
// named, and the terms of their names are searched, too, because others talk about them by name.
func (w *searchBuffers) addMeant(si *spaceIndex, q *Query) {
	meant := si.authors.numbers(q.About)
	if len(w.authors) == 0 && len(meant) == 0 && len(q.Before) > 0 && hasPronoun(q.Text) {
		meant = si.authors.lastNamed(q.Before)
	}
	for _, number := range meant {
		if slices.Contains(w.authors, number) {
			continue
		}
		w.authors = append(w.authors, number)
		for _, n := range si.authors.names {
			if n.docs[number] > 0 {
				w.bag.words = append(w.bag.words, n.terms...)
			}
		}
	}
}

// numbers returns the numbers of people who have written something.
func (x *authorIndex) numbers(people []string) (numbers []uint32) {
	for _, id := range people {
		if a := x.people[id]; a != nil {
			numbers = append(numbers, a.number)
		}
	}
	return numbers
}

// lastNamed returns whom the latest text with a name of an author names.
func (x *authorIndex) lastNamed(texts []string) []uint32 {
	var b bag
	for _, text := range slices.Backward(texts) {
		b.terms(text, "")
		slices.Sort(b.words)
		if named := x.named(b.words, nil); len(named) > 0 {
			return named
		}
	}
	return nil
}

// hasPronoun reports whether a text has a pronoun of the third person, such as 他 or she.
func hasPronoun(text string) bool {
	text = text[:min(len(text), maxIndexed)]
	before := rune(0)
	for i, r := range text {
		if r == '她' || r == '他' && !strings.ContainsRune("其吉维利", before) && !strings.HasPrefix(text[i+len("他"):], "人") {
			return true // but not in 其他, 吉他, 他人
		}
		before = r
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || r|0x20 < 'a' || r|0x20 > 'z' }) {
		switch strings.ToLower(word) {
		case "he", "him", "his", "she", "her", "hers", "they", "them", "their", "theirs", "ta":
			return true
		}
	}
	return false
}
