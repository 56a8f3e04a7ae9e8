package memory

import (
	"math"
	"sync"
	"time"
)

// A shelf is the lexical index of one space. Who calls holds mu.
type shelf struct {
	mu            sync.RWMutex
	docs          []doc
	when          []int64 // of each doc: Unix seconds, or noTime
	line          []link  // of each doc
	byID          map[string]uint32
	words, pieces field
	last          int32 // the latest message; -1: none
	dead          int
	ordered       bool    // docs stand in the order of when
	bag           bag     // for writers
	grammar       grammar // likewise
}

// A link says which messages stand around a doc. They are in order of arrival; what is no message has none.
type link struct {
	prev, next int32 // -1: none
}

const noTime = math.MinInt64

// A space of more docs than this finds the first ones only.
const maxDocs = 1 << 24

func newShelf() *shelf {
	return &shelf{byID: map[string]uint32{}, words: newField(), pieces: newField(), last: -1, ordered: true}
}

// put adds a record, or replaces it in its place.
func (sh *shelf) put(r *Record) {
	i, ok := sh.byID[r.ID]
	if !ok {
		if len(sh.docs) >= maxDocs {
			return
		}
		i = sh.grow(r.ID)
	}
	d := &sh.docs[i]
	said := ok && d.kind == KindMessage
	reads := !ok || d.text != r.Text || d.name != r.Name // mostly the same again, with a vector
	if ok && reads {
		sh.take(i)
	}
	d.set(r)
	if reads {
		sh.give(i)
	}
	sh.stamp(i, r.At)
	switch says := r.Kind == KindMessage; {
	case says && !said:
		sh.join(i)
	case said && !says:
		sh.part(i)
	}
}

// stamp notes when a doc was said.
func (sh *shelf) stamp(i uint32, at time.Time) {
	sh.when[i] = seconds(at)
	before, after := i == 0 || sh.when[i-1] <= sh.when[i], int(i) == len(sh.when)-1 || sh.when[i] <= sh.when[i+1]
	sh.ordered = sh.ordered && before && after
}

func seconds(at time.Time) int64 {
	if at.IsZero() {
		return noTime
	}
	return at.Unix()
}

// grow makes room for one more doc.
func (sh *shelf) grow(id string) uint32 {
	i := uint32(len(sh.docs))
	sh.docs = append(sh.docs, doc{})
	sh.when, sh.line = append(sh.when, noTime), append(sh.line, link{-1, -1})
	sh.words.size, sh.pieces.size = append(sh.words.size, 0), append(sh.pieces.size, 0)
	sh.byID[id] = i
	return i
}

// join puts a message into the line, at its place by arrival.
func (sh *shelf) join(i uint32) {
	l := link{prev: sh.last, next: -1}
	for l.prev > int32(i) { // only where something else became a message
		l.prev, l.next = sh.line[l.prev].prev, l.prev
	}
	if l.prev >= 0 {
		sh.line[l.prev].next = int32(i)
	}
	if l.next >= 0 {
		sh.line[l.next].prev = int32(i)
	} else {
		sh.last = int32(i)
	}
	sh.line[i] = l
}

// part takes it out again.
func (sh *shelf) part(i uint32) {
	l := sh.line[i]
	if l.prev >= 0 {
		sh.line[l.prev].next = l.next
	}
	if l.next >= 0 {
		sh.line[l.next].prev = l.prev
	}
	if sh.last == int32(i) {
		sh.last = l.prev
	}
	sh.line[i] = link{-1, -1}
}

// remove takes a record out, as if it had never been there.
func (sh *shelf) remove(id string) {
	i, ok := sh.byID[id]
	if !ok {
		return
	}
	delete(sh.byID, id)
	sh.take(i)
	sh.part(i)
	sh.docs[i] = doc{dead: true}
	if sh.dead++; sh.dead > 64 && sh.dead > len(sh.docs)/2 {
		sh.compact()
	}
}

// compact closes the gaps that removed docs left.
func (sh *shelf) compact() {
	fresh := newShelf()
	for _, d := range sh.docs {
		if !d.dead {
			i := fresh.grow(d.id)
			fresh.docs[i] = d
			fresh.give(i)
			fresh.stamp(i, d.at)
			if d.kind == KindMessage {
				fresh.join(i)
			}
		}
	}
	sh.docs, sh.when, sh.line, sh.byID = fresh.docs, fresh.when, fresh.line, fresh.byID
	sh.words, sh.pieces, sh.last, sh.dead = fresh.words, fresh.pieces, fresh.last, 0
	sh.ordered = fresh.ordered
}

// give enters the terms of a doc into the lists.
func (sh *shelf) give(i uint32) {
	sh.docs[i].gist = sh.grammar.gist(sh.docs[i].text)
	sh.bag.terms(sh.docs[i].text, sh.docs[i].name)
	sh.words.give(i, sh.bag.words)
	sh.pieces.give(i, sh.bag.pieces)
}

// take removes them again. The same text gives the same terms, so none stays behind.
func (sh *shelf) take(i uint32) {
	sh.bag.terms(sh.docs[i].text, sh.docs[i].name)
	sh.words.take(i, sh.bag.words)
	sh.pieces.take(i, sh.bag.pieces)
}
