package memory

import "slices"

// An authorIndex finds the people of a space by the names under which they write. A person has a number, because names change.
type authorIndex struct {
	people map[string]*author // by id
	names  map[string]*authorName
	last   uint32
}

type author struct {
	number uint32
	docs   int
}

// An authorName has the terms of a name, and the authors that write under it.
type authorName struct {
	terms []uint64
	docs  map[uint32]int // number of docs, by number of the author
}

// add counts a doc and returns the number of its author; 0: nobody can be named. b is a buffer.
func (x *authorIndex) add(b *bag, person, name string) uint32 {
	if person == "" || name == "" {
		return 0
	}
	if x.people == nil { // most spaces have no authors
		x.people, x.names = map[string]*author{}, map[string]*authorName{}
	}
	a := x.people[person]
	if a == nil {
		x.last++
		a = &author{number: x.last}
		x.people[person] = a
	}
	a.docs++
	n := x.names[name]
	if n == nil {
		n = &authorName{termsOf(b, name), map[uint32]int{}}
		x.names[name] = n
	}
	n.docs[a.number]++
	return a.number
}

// remove takes a doc back. Nothing stays of a person without docs.
func (x *authorIndex) remove(person, name string) {
	a := x.people[person]
	if a == nil || name == "" {
		return
	}
	n := x.names[name]
	if n.docs[a.number]--; n.docs[a.number] == 0 {
		delete(n.docs, a.number)
	}
	if len(n.docs) == 0 {
		delete(x.names, name)
	}
	if a.docs--; a.docs == 0 {
		delete(x.people, person)
	}
}

// termsOf returns the terms that name somebody: words, and pairs of characters. A single character names nobody.
func termsOf(b *bag, name string) (terms []uint64) {
	b.terms(name, "")
	for _, t := range b.words {
		if t&^termMask != termGlyph || t&termMask>>21 != 0 {
			terms = append(terms, t)
		}
	}
	return terms
}

// named adds the authors whose name is among the sorted terms of a query to out.
func (x *authorIndex) named(terms []uint64, out []uint32) []uint32 {
	for _, n := range x.names {
		all := len(n.terms) > 0
		for i := 0; all && i < len(n.terms); i++ {
			_, all = slices.BinarySearch(terms, n.terms[i])
		}
		if all {
			for number := range n.docs {
				out = append(out, number)
			}
		}
	}
	return out
}
