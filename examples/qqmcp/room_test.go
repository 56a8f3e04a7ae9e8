package main

import (
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ids(r *room) (all []int64) {
	for _, m := range r.view().all {
		all = append(all, m.id)
	}
	return all
}

func numbered(from, to int64) (all []message) {
	for i := from; i <= to; i++ {
		all = append(all, message{id: i, sender: 1, at: i, text: "在"})
	}
	return all
}

// TestCaught: what the history holds goes where it belongs, is counted once, and what waited for it comes after it.
func TestCaught(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	r.catch()
	for _, m := range numbered(5, 6) {
		assert.True(t, r.hear(m))
		assert.False(t, r.hear(m))
	}
	assert.Equal(t, []int64{5, 6}, ids(r), "what waits can be read")
	missing, news, _ := r.caught(numbered(1, 5), nil)
	assert.Equal(t, []int{4, 0}, []int{missing, news}, "the first history is no news")
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6}, ids(r))
	assert.Equal(t, uint64(2), r.heard())

	assert.True(t, r.catch())
	assert.False(t, r.catch(), "it is being read")
	r.hear(message{id: 9, sender: 1, at: 9})
	r.read()
	missing, news, _ = r.caught(append(numbered(4, 7), message{id: 8, sender: 2, self: true, at: 8}, message{id: 9, sender: 1, at: 9}), nil)
	assert.Equal(t, []int{2, 1}, []int{missing, news})
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, ids(r))
	assert.Equal(t, uint64(4), r.heard())

	// The history did not come; it does later, and what is old by then goes before.
	r.catch()
	r.hear(message{id: 12, sender: 1, at: 12})
	r.uncaught()
	assert.True(t, r.lacks())
	r.catch()
	r.caught(numbered(8, 12), nil)
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, ids(r))
	assert.Equal(t, uint64(7), r.heard())
	assert.False(t, r.lacks())
}

// TestFirstHistoryFillsUp: of what was said before the first look there is only as much as fits.
func TestFirstHistoryFillsUp(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 10, every: 30})
	r.catch()
	r.uncaught()
	for _, m := range numbered(50, 57) {
		r.hear(m)
	}
	r.catch()
	r.caught(numbered(1, 57), nil)
	assert.Equal(t, []int64{48, 49, 50, 51, 52, 53, 54, 55, 56, 57}, ids(r))
	_, due := r.dueFold()
	assert.False(t, due)
}

// TestFoldsCountOthers: own messages never make a fold due by their number.
func TestFoldsCountOthers(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 1000, every: 30})
	var folds []int
	for i := range int64(300) {
		r.hear(message{id: i, sender: i % 2, at: i, self: i%2 == 0})
		if f, ok := r.dueFold(); ok {
			folds = append(folds, int(i))
			r.folded(f, "摘要", nil)
		}
	}
	assert.Equal(t, []int{59, 119, 179, 239, 299}, folds, "each 30 of others are 60 messages")

	// While a fold is out nothing else is; a recalled message makes it void.
	f, ok := r.fold(0)
	assert.True(t, ok)
	_, ok = r.fold(0)
	assert.False(t, ok)
	r.recall(uint32(f.Items[0].id))
	r.folded(f, "过时", nil)
	assert.NotContains(t, r.view().summary, "过时")
	again, ok := r.fold(0)
	assert.True(t, ok)
	assert.Len(t, again.Items, len(f.Items)-1)
	r.folded(again, "", assert.AnError)
	assert.Len(t, ids(r), len(again.Items), "they stay")
	r.folded(buffer.SummaryRequest[message]{}, "x", nil)
	assert.Len(t, ids(r), len(again.Items))
}

// TestCaughtInAFlood: more came at once than one look at the history reaches back. What had arrived before that keeps its place, and
// what the history held is still known when it arrives as well.
func TestCaughtInAFlood(t *testing.T) {
	flood := numbered(1, 1000)
	for i := range flood {
		flood[i].at = 5 // all in one second
	}
	var want []int64
	for _, m := range flood {
		want = append(want, m.id)
	}
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 5000})
	r.caught(nil, nil)
	r.catch()
	for _, m := range flood[:400] {
		r.hear(m)
	}
	missing, _, _ := r.caught(flood[300:], nil)
	assert.Equal(t, 600, missing)
	assert.Equal(t, want, ids(r))
	for _, m := range flood[400:] {
		assert.False(t, r.hear(m), m.id)
	}
	assert.Equal(t, want, ids(r))
	assert.Equal(t, uint64(1000), r.heard())

	// Own ones stay dropped.
	r = newRoom(chat{id: 1}, &options{buffer: 100, every: 5000, dropOwn: true})
	r.caught(nil, nil)
	r.catch()
	r.hear(message{id: 1, self: true, at: 5})
	r.hear(message{id: 2, sender: 1, at: 5})
	r.caught(numbered(2, 3), nil)
	assert.Equal(t, []int64{2, 3}, ids(r))
}

// TestNewsThatIsSummedUp: who waits is told of what has been summed up before they looked, but for what was recalled.
func TestNewsThatIsSummedUp(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 30, every: 10})
	r.caught(nil, nil)
	for _, m := range numbered(1, 45) {
		r.hear(m)
	}
	for f, ok := r.dueFold(); ok; f, ok = r.dueFold() {
		r.folded(f, "", nil)
	}
	require.Less(t, len(ids(r)), 40)
	r.recall(3)
	r.recall(44)
	news, _ := r.since(0)
	want := slices.DeleteFunc(numbered(1, 45), func(m message) bool { return m.id == 3 || m.id == 44 })
	assert.Equal(t, want, news)
}
