package memory

import (
	"math"
	"sync"
	"time"
)

// A spaceIndex is the lexical index of one space. Callers must hold mu.
type spaceIndex struct {
	mu            sync.RWMutex
	docs          []doc
	times         []int64     // of each doc: Unix seconds, or noTime
	traits        []trait     // of each doc
	links         []neighbors // of each doc
	byID          map[string]uint32
	authors       authorIndex
	words, pieces termField
	last          int32 // the latest message; -1: none
	deleted       int
	inTimeOrder   bool       // docs are sorted by time
	bag           bag        // for writers
	grams         gramReader // for writers
}

// neighbors links a message to the previous and the next message in order of arrival. Docs of other kinds have no
// links.
type neighbors struct {
	prev, next int32 // -1: none
}

const noTime = math.MinInt64

// maxDocs limits the docs of a space. Further docs are not indexed.
const maxDocs = 1 << 24

func newSpaceIndex() *spaceIndex {
	return &spaceIndex{byID: map[string]uint32{}, words: newTermField(), pieces: newTermField(), last: -1, inTimeOrder: true}
}

// put adds a record or replaces it in place.
func (si *spaceIndex) put(r *Record) {
	i, ok := si.byID[r.ID]
	if !ok {
		if len(si.docs) >= maxDocs {
			return
		}
		i = si.appendDoc(r.ID)
	}
	d := &si.docs[i]
	wasMessage := ok && d.kind == KindMessage
	textChanged := !ok || d.text != r.Text || d.name != r.Name // often only the vector is new
	if ok {
		si.removeAuthor(i)
	}
	if ok && textChanged {
		si.removeTerms(i)
	}
	d.set(r)
	if textChanged {
		si.addTerms(i)
	}
	author := uint32(0)
	if !r.Own { // who talks to the bot names it, and does not ask what it said
		author = si.authors.add(&si.bag, d.person, d.name)
	}
	si.traits[i] = traitOf(author, d.text)
	si.setTime(i, r.At)
	switch isMessage := r.Kind == KindMessage; {
	case isMessage && !wasMessage:
		si.linkMessage(i)
	case wasMessage && !isMessage:
		si.unlinkMessage(i)
	}
	si.markPlain(i)
}

// setTime sets the time of a doc.
func (si *spaceIndex) setTime(i uint32, at time.Time) {
	si.times[i] = seconds(at)
	before, after := i == 0 || si.times[i-1] <= si.times[i], int(i) == len(si.times)-1 || si.times[i] <= si.times[i+1]
	si.inTimeOrder = si.inTimeOrder && before && after
}

func seconds(at time.Time) int64 {
	if at.IsZero() {
		return noTime
	}
	return at.Unix()
}

// appendDoc adds an empty doc.
func (si *spaceIndex) appendDoc(id string) uint32 {
	i := uint32(len(si.docs))
	si.docs = append(withRoom(si.docs), doc{})
	si.times, si.traits, si.links = append(withRoom(si.times), noTime), append(withRoom(si.traits), 0), append(withRoom(si.links), neighbors{-1, -1})
	si.words.docTerms, si.pieces.docTerms = append(withRoom(si.words.docTerms), 0), append(withRoom(si.pieces.docTerms), 0)
	si.byID[id] = i
	return i
}

// withRoom returns s with a capacity for one more. It grows by a quarter, because there are many short slices that last: append
// would double them.
func withRoom[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return append(make([]T, 0, len(s)+max(len(s)/4, 2)), s...)
}

// linkMessage inserts a message into the linked list, ordered by arrival.
func (si *spaceIndex) linkMessage(i uint32) {
	l := neighbors{prev: si.last, next: -1}
	for l.prev > int32(i) { // only if a doc of another kind became a message
		l.prev, l.next = si.links[l.prev].prev, l.prev
	}
	if l.prev >= 0 {
		si.links[l.prev].next = int32(i)
	}
	if l.next >= 0 {
		si.links[l.next].prev = int32(i)
	} else {
		si.last = int32(i)
	}
	si.links[i] = l
	si.markPlain(uint32(max(l.prev, 0)))
	si.markPlain(uint32(max(l.next, 0)))
}

// unlinkMessage removes a message from the linked list.
func (si *spaceIndex) unlinkMessage(i uint32) {
	l := si.links[i]
	if l.prev >= 0 {
		si.links[l.prev].next = l.next
	}
	if l.next >= 0 {
		si.links[l.next].prev = l.prev
	}
	if si.last == int32(i) {
		si.last = l.prev
	}
	si.links[i] = neighbors{-1, -1}
	si.markPlain(uint32(max(l.prev, 0)))
	si.markPlain(uint32(max(l.next, 0)))
}

// markPlain sets the trait plain of a doc and of those around it after a change of its links, time or words.
func (si *spaceIndex) markPlain(i uint32) {
	for j := max(int(i)-neighborReach, 0); j <= min(int(i)+neighborReach, len(si.docs)-1); j++ {
		if si.traits[j] &^= plain; si.isPlain(j) {
			si.traits[j] |= plain
		}
	}
}

// isPlain reports whether the neighbors of a doc are the docs right before and after it, all of them, and none is long. This holds for
// most messages, and a search then need not look at times and links.
func (si *spaceIndex) isPlain(i int) bool {
	from := i - neighborReach
	if from < 0 || i+neighborReach >= len(si.docs) || si.times[i] == noTime {
		return false
	}
	for j := from; j <= i+neighborReach; j++ {
		if j < i+neighborReach && si.links[j].next != int32(j+1) || !isNear(si.times[i], si.times[j]) || si.words.docTerms[j] > neighborMaxWords {
			return false
		}
	}
	return true
}

// remove deletes a record and all traces of it.
func (si *spaceIndex) remove(id string) {
	i, ok := si.byID[id]
	if !ok {
		return
	}
	delete(si.byID, id)
	si.removeAuthor(i)
	si.removeTerms(i)
	si.unlinkMessage(i)
	si.docs[i] = doc{deleted: true}
	si.markPlain(i)
	if si.deleted++; si.deleted > 64 && si.deleted > len(si.docs)/2 {
		si.compact()
	}
}

func (si *spaceIndex) removeAuthor(i uint32) {
	if si.traits[i].author() != 0 {
		si.authors.remove(si.docs[i].person, si.docs[i].name)
	}
}

// compact removes the deleted docs.
func (si *spaceIndex) compact() {
	fresh := newSpaceIndex()
	for old, d := range si.docs {
		if !d.deleted {
			i := fresh.appendDoc(d.id)
			fresh.docs[i], fresh.traits[i] = d, si.traits[old]
			fresh.addTerms(i)
			fresh.setTime(i, d.at)
			if d.kind == KindMessage {
				fresh.linkMessage(i)
			}
			fresh.markPlain(i)
		}
	}
	si.docs, si.times, si.traits, si.links, si.byID = fresh.docs, fresh.times, fresh.traits, fresh.links, fresh.byID
	si.words, si.pieces, si.last, si.deleted = fresh.words, fresh.pieces, fresh.last, 0
	si.inTimeOrder = fresh.inTimeOrder
}

// addTerms adds the terms of a doc to the postings.
func (si *spaceIndex) addTerms(i uint32) {
	si.docs[i].sketch = si.grams.sketch(si.docs[i].text)
	si.bag.terms(si.docs[i].text, si.docs[i].name)
	si.words.add(i, si.bag.words)
	si.pieces.add(i, si.bag.pieces)
}

// removeTerms removes them. The same text gives the same terms, so nothing stays behind.
func (si *spaceIndex) removeTerms(i uint32) {
	si.bag.terms(si.docs[i].text, si.docs[i].name)
	si.words.remove(i, si.bag.words)
	si.pieces.remove(i, si.bag.pieces)
}
