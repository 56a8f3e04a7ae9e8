package buffer_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

type batch = buffer.Batch[int, string]

// one returns the only batch that is due at that second.
func one(t *testing.T, b *buffer.Buffer[int, string], sec float64) batch {
	t.Helper()
	got := slices.Collect(b.Due(at(sec)))
	require.Len(t, got, 1)
	return got[0]
}

func none(t *testing.T, b *buffer.Buffer[int, string], sec float64) {
	t.Helper()
	require.Empty(t, slices.Collect(b.Due(at(sec))))
}

func TestBuffer_OneBatchPerKey(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.AddUrgent(at(0), 1, "!a")
	assert.Equal(t, []string{"!a"}, one(t, b, 2).Items)
	b.AddUrgent(at(3), 1, "!b")
	b.Add(at(4), 1, "c")
	none(t, b, 30) // busy
	b.Done(at(30), 1)
	got := one(t, b, 30)
	assert.Equal(t, batch{1, []string{"!b", "c"}, buffer.Urgent, at(3), at(4)}, got, "due by its own times")
	b.Done(at(31), 1)
	none(t, b, 1000)
}

func TestDone_NextBatchHasItsOwnDeadline(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	one(t, b, 20)
	b.Add(at(25), 1, "b")
	b.Done(at(30), 1)
	none(t, b, 44)
	assert.Equal(t, []string{"b"}, one(t, b, 45).Items, "20 s after it was added")
	for i := range 25 {
		b.Add(at(46+float64(i)), 1, "more")
	}
	b.Done(at(80), 1)
	got := one(t, b, 80)
	assert.Len(t, got.Items, 25, "one batch, though it is more than MaxItems")
	assert.Equal(t, buffer.Full, got.Reason)
}

func TestDone_WithoutABatch(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Done(at(0), 1)
	b.Add(at(1), 1, "a")
	b.Done(at(2), 1)
	assert.Equal(t, []string{"a"}, one(t, b, 21).Items)
	b.Done(at(22), 1)
	b.Done(at(22), 1)
	none(t, b, 100)
}

func TestRequeue_PutsItemsInFront(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.AddUrgent(at(0), 1, "!a")
	b.Add(at(1), 1, "b")
	turn := one(t, b, 2)
	b.Add(at(3), 1, "c")
	b.Requeue(at(4), turn)
	again := one(t, b, 4)
	assert.Equal(t, batch{1, []string{"!a", "b", "c"}, buffer.Urgent, at(0), at(3)}, again)
	b.Done(at(5), 1)
	none(t, b, 1000)
}

func TestRequeue_DebounceExtends(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	turn := one(t, b, 20)
	b.Add(at(22), 1, "b")
	b.Requeue(at(23), turn)
	none(t, b, 41)
	assert.Equal(t, []string{"a", "b"}, one(t, b, 42).Items)

	b.Add(at(43), 1, "c")
	b.Requeue(at(44), batch{Key: 1, Items: []string{"a", "b"}, FirstAt: at(0), LastAt: at(22)})
	none(t, b, 59)
	got := one(t, b, 60)
	assert.Equal(t, buffer.MaxWaitReached, got.Reason, "the maximum wait counts from the first item, even after many requeues")
	assert.Equal(t, []string{"a", "b", "c"}, got.Items)
}

func TestDue_RequeueInsideLoopWaits(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.AddUrgent(at(0), 1, "!a")
	b.AddUrgent(at(0), 2, "!b")
	for range 3 {
		var keys []int
		for batch := range b.Due(at(5)) { // would not end otherwise
			keys = append(keys, batch.Key)
			b.Requeue(at(5), batch)
		}
		assert.Equal(t, []int{1, 2}, keys)
	}
}

func TestDue_ItemsAddedInsideLoopWait(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{Debounce: -1})
	b.Add(at(0), 1, "a")
	b.Add(at(0), 2, "b")
	for _, want := range [][]string{{"a", "b"}, {"+a", "+b"}, {"++a", "++b"}} {
		var items []string
		for batch := range b.Due(at(0)) {
			items = append(items, batch.Items...)
			b.Done(at(0), batch.Key)
			b.Add(at(0), batch.Key, "+"+batch.Items[0])
		}
		assert.Equal(t, want, items)
	}
}

func TestRequeue_ChangedItems(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	b.AddUrgent(at(1), 1, "!b")
	turn := one(t, b, 3)
	b.Add(at(4), 1, "c")
	turn.Items = turn.Items[1:]
	b.Requeue(at(5), turn)
	assert.Equal(t, batch{1, []string{"!b", "c"}, buffer.Urgent, at(1), at(4)}, one(t, b, 5), "Last was kept for the only item")
	b.Requeue(at(6), batch{Key: 1})
	none(t, b, 100)
}

func TestRequeue_BatchOfEarlierProcess(t *testing.T) {
	before := buffer.New[int, string](buffer.Options{})
	before.Add(at(0), 1, "a")
	before.Add(at(5), 1, "b")
	before.AddUrgent(at(6), 2, "!c")
	left := slices.Collect(before.Drain())
	require.Len(t, left, 2)

	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(10), 1, "d")
	for _, batch := range left {
		b.Requeue(at(11), batch)
	}
	assert.Equal(t, []out{{26, buffer.Debounced, []string{"!c"}}, {30, buffer.Debounced, []string{"a", "b", "d"}}}, drain(b, at(100)))
	// Times in the batch are capped: they are not later than pending items nor than now.
	b.Add(at(99), 3, "f")
	b.Requeue(at(100), batch{Key: 3, Items: []string{"x", "y"}, FirstAt: at(500), LastAt: at(400)})
	assert.Equal(t, batch{3, []string{"x", "y", "f"}, buffer.Debounced, at(99), at(99)}, one(t, b, 120))
	b.Done(at(100), 3)
	b.Requeue(at(101), batch{Key: 3, Items: []string{"!e"}, Reason: buffer.Urgent, FirstAt: at(100), LastAt: at(100)})
	assert.Equal(t, []out{{102, buffer.Urgent, []string{"!e"}}}, drain(b, at(200)))
}

func TestHold_Postpones(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Hold(at(0), 1, time.Hour) // no items: no effect
	b.AddUrgent(at(0), 1, "!a")
	b.Hold(at(1), 1, 100*time.Second)
	none(t, b, 50)
	b.Add(at(51), 1, "joins")
	none(t, b, 100)
	assert.Equal(t, batch{1, []string{"!a", "joins"}, buffer.Urgent, at(0), at(51)}, one(t, b, 101))

	b.Hold(at(102), 1, 100*time.Second) // in flight: applies to the next batch
	b.AddUrgent(at(103), 1, "!b")
	b.Done(at(104), 1)
	none(t, b, 201)
	b.Hold(at(201), 1, 0)
	assert.Equal(t, []string{"!b"}, one(t, b, 201).Items, "0 ends it")

	b.Done(at(202), 1)
	b.Add(at(203), 1, "c")
	assert.Equal(t, []string{"c"}, one(t, b, 223).Items, "it lasted for one batch")
}

func TestHold_ReopensADueBatch(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	b.Add(at(30), 1, "b") // too late for a
	b.Hold(at(31), 1, time.Second)
	none(t, b, 31.5)
	assert.Equal(t, []string{"a", "b"}, one(t, b, 50).Items)
}

func TestDrop_RecalledMessage(t *testing.T) {
	is := func(w string) func(string) bool { return func(s string) bool { return s == w } }
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	b.Add(at(10), 1, "b")
	assert.Zero(t, b.Drop(1, is("x")))
	assert.Zero(t, b.Drop(2, is("a")))
	assert.Equal(t, 1, b.Drop(1, is("b")))
	next, _ := b.Next()
	assert.Equal(t, at(20), next, "as if b had never been added")
	assert.Equal(t, 1, b.Drop(1, is("a")))
	_, ok := b.Next()
	assert.False(t, ok)

	// A batch that is due because of an urgent item is not due after that item was dropped.
	b.Add(at(20), 1, "c")
	b.AddUrgent(at(21), 1, "!d")
	b.Add(at(25), 1, "e")
	b.Drop(1, is("!d"))
	none(t, b, 44)
	assert.Equal(t, []string{"c", "e"}, one(t, b, 45).Items)

	// Drop does not change a batch in flight, but applies to it when it comes back.
	b.Add(at(46), 1, "f")
	assert.Zero(t, b.Drop(1, is("e")))
	assert.Equal(t, 1, b.Drop(1, is("f")))
	b.Add(at(47), 1, "g")
	b.Requeue(at(48), batch{Key: 1, Items: []string{"c", "e"}, FirstAt: at(20), LastAt: at(25)})
	assert.Equal(t, []string{"c", "g"}, one(t, b, 67).Items)
	b.Done(at(68), 1)
	b.Add(at(69), 1, "e")
	assert.Equal(t, []string{"e"}, one(t, b, 89).Items, "the predicate applies to one batch only")
}

func TestDrain_LeavesNothing(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 3, "out")
	turn := one(t, b, 20)
	b.Add(at(21), 2, "a")
	b.Add(at(22), 1, "b")
	b.Add(at(23), 3, "waits")
	b.Add(at(24), 2, "c")
	b.Hold(at(24), 2, time.Hour)
	for batch := range b.Drain() {
		assert.Equal(t, []string{"a", "c"}, batch.Items)
		assert.Equal(t, buffer.Drained, batch.Reason)
		break
	}
	left := slices.Collect(b.Drain())
	require.Len(t, left, 2)
	assert.Equal(t, []string{"b"}, left[0].Items)
	assert.Equal(t, []string{"waits"}, left[1].Items)
	b.Requeue(at(30), turn)
	assert.Equal(t, [][]string{{"out"}}, [][]string{slices.Collect(b.Drain())[0].Items})
	assert.Empty(t, slices.Collect(b.Drain()))
	b.Add(at(31), 2, "d")
	assert.Equal(t, []string{"d"}, one(t, b, 51).Items, "the buffer remains usable, and the Hold has ended")
}
