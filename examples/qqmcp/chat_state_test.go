package main

import (
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ids(r *chatState) (all []int64) {
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

// Messages of the history go to their places and are counted once. Pending messages come after them.
func TestChatState_FinishBackfill(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	r.beginBackfill()
	for _, m := range numbered(5, 6) {
		assert.True(t, r.add(m))
		assert.False(t, r.add(m))
	}
	assert.Equal(t, []int64{5, 6}, ids(r), "what waits can be read")
	missing, news, _ := r.finishBackfill(numbered(1, 5), nil)
	assert.Equal(t, []int{4, 0}, []int{missing, news}, "the first history is no news")
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6}, ids(r))
	assert.Equal(t, uint64(2), r.receivedCount())

	assert.True(t, r.beginBackfill())
	assert.False(t, r.beginBackfill(), "it is being read")
	r.add(message{id: 9, sender: 1, at: 9})
	r.readingBegins()
	missing, news, _ = r.finishBackfill(append(numbered(4, 7), message{id: 8, sender: 2, self: true, at: 8}, message{id: 9, sender: 1, at: 9}), nil)
	assert.Equal(t, []int{2, 1}, []int{missing, news})
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, ids(r))
	assert.Equal(t, uint64(4), r.receivedCount())

	// The history fails and comes later. Its old messages go before the others.
	r.beginBackfill()
	r.add(message{id: 12, sender: 1, at: 12})
	r.abortBackfill()
	assert.True(t, r.needsHistory())
	r.beginBackfill()
	r.finishBackfill(numbered(8, 12), nil)
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, ids(r))
	assert.Equal(t, uint64(7), r.receivedCount())
	assert.False(t, r.needsHistory())
}

// The first history fills the window at most.
func TestChatState_FirstHistory(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 10, every: 30})
	r.beginBackfill()
	r.abortBackfill()
	for _, m := range numbered(50, 57) {
		r.add(m)
	}
	r.beginBackfill()
	r.finishBackfill(numbered(1, 57), nil)
	assert.Equal(t, []int64{48, 49, 50, 51, 52, 53, 54, 55, 56, 57}, ids(r))
	_, due := r.dueFold()
	assert.False(t, due)
}

// A fold is due at 130 messages, own ones included, and then after each 30 more. 100 stay.
func TestChatState_FoldsOldest30(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	var folds []int
	for i := range int64(300) {
		r.add(message{id: i, sender: i % 2, at: i, self: i%2 == 0})
		if f, ok := r.dueFold(); ok {
			folds = append(folds, int(i))
			assert.Len(t, f.Items, 30)
			r.finishFold(f, "摘要", nil)
			assert.Equal(t, 100, r.size())
		}
	}
	assert.Equal(t, []int{129, 159, 189, 219, 249, 279}, folds)

	// There is one fold at a time. A recalled message invalidates it.
	f, ok := r.fold(0)
	assert.True(t, ok)
	_, ok = r.fold(0)
	assert.False(t, ok)
	r.remove(uint32(f.Items[0].id))
	r.finishFold(f, "过时", nil)
	assert.NotContains(t, r.view().summary, "过时")
	again, ok := r.fold(0)
	assert.True(t, ok)
	assert.Len(t, again.Items, len(f.Items)-1)
	r.finishFold(again, "", assert.AnError)
	assert.Len(t, ids(r), len(again.Items), "they stay")
	r.finishFold(buffer.SummaryRequest[message]{}, "x", nil)
	assert.Len(t, ids(r), len(again.Items))
}

// More messages arrive at once than a history request returns. Messages from before keep their place, and those of the
// history are recognized when they arrive.
func TestBackfill_Flood(t *testing.T) {
	flood := numbered(1, 1000)
	for i := range flood {
		flood[i].at = 5 // all in the same second
	}
	var want []int64
	for _, m := range flood {
		want = append(want, m.id)
	}
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 5000})
	r.finishBackfill(nil, nil)
	r.beginBackfill()
	for _, m := range flood[:400] {
		r.add(m)
	}
	missing, _, _ := r.finishBackfill(flood[300:], nil)
	assert.Equal(t, 600, missing)
	assert.Equal(t, want, ids(r))
	for _, m := range flood[400:] {
		assert.False(t, r.add(m), m.id)
	}
	assert.Equal(t, want, ids(r))
	assert.Equal(t, uint64(1000), r.receivedCount())

	// Own messages stay dropped.
	r = newChatState(chat{id: 1}, &options{buffer: 100, every: 5000, dropOwn: true})
	r.finishBackfill(nil, nil)
	r.beginBackfill()
	r.add(message{id: 1, self: true, at: 5})
	r.add(message{id: 2, sender: 1, at: 5})
	r.finishBackfill(numbered(2, 3), nil)
	assert.Equal(t, []int64{2, 3}, ids(r))
}

// A waiting call gets messages that were summarized before it looked, except recalled ones.
func TestChatState_SummarizedMessagesAreNew(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 30, every: 10})
	r.finishBackfill(nil, nil)
	for _, m := range numbered(1, 45) {
		r.add(m)
	}
	for f, ok := r.dueFold(); ok; f, ok = r.dueFold() {
		r.finishFold(f, "", nil)
	}
	require.Less(t, len(ids(r)), 40)
	r.remove(3)
	r.remove(44)
	news, _ := r.newSince(0)
	want := slices.DeleteFunc(numbered(1, 45), func(m message) bool { return m.id == 3 || m.id == 44 })
	assert.Equal(t, want, news)
}
