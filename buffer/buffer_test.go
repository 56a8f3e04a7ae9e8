package buffer_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

var t0 = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return t0.Add(time.Duration(seconds * float64(time.Second)))
}

// A call adds one item; a leading "!" makes the item urgent.
type call struct {
	sec  float64
	said string
}

// out is an expected batch of key 1.
type out struct {
	sec    float64 // second at which it was due
	reason buffer.Reason
	items  []string
}

func say(b *buffer.Buffer[int, string], now time.Time, key int, said string) {
	if said[0] == '!' {
		b.AddUrgent(now, key, said)
	} else {
		b.Add(now, key, said)
	}
}

// drain calls Due at each Next until limit and Done for each batch.
func drain(b *buffer.Buffer[int, string], limit time.Time) (outs []out) {
	for {
		next, ok := b.Next()
		if !ok || next.After(limit) {
			return outs
		}
		for batch := range b.Due(next) {
			outs = append(outs, out{next.Sub(t0).Seconds(), batch.Reason, batch.Items})
			b.Done(next, batch.Key)
		}
	}
}

func TestBuffer_DueConditions(t *testing.T) {
	const forever = 1e6
	ten := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	for _, tc := range []struct {
		name    string
		options buffer.Options
		calls   []call
		want    []out
	}{
		{"debounce of 20 s", buffer.Options{},
			[]call{{0, "a"}}, []out{{20, buffer.Debounced, []string{"a"}}}},
		{"each item extends the debounce", buffer.Options{},
			[]call{{0, "a"}, {19, "b"}, {38, "c"}}, []out{{58, buffer.Debounced, []string{"a", "b", "c"}}}},
		{"60 s is the longest wait", buffer.Options{},
			[]call{{0, "a"}, {15, "b"}, {30, "c"}, {45, "d"}, {59, "e"}}, []out{{60, buffer.MaxWaitReached, []string{"a", "b", "c", "d", "e"}}}},
		{"an urgent item closes the batch after 2 s", buffer.Options{},
			[]call{{0, "a"}, {10, "!b"}}, []out{{12, buffer.Urgent, []string{"a", "!b"}}}},
		{"an item after the urgent one joins its batch and does not extend it", buffer.Options{},
			[]call{{0, "!bot"}, {1.5, "在吗"}}, []out{{2, buffer.Urgent, []string{"!bot", "在吗"}}}},
		{"a second urgent item does not extend it either", buffer.Options{},
			[]call{{0, "!a"}, {1.9, "!b"}}, []out{{2, buffer.Urgent, []string{"!a", "!b"}}}},
		{"an urgent item just before the maximum wait does not extend it", buffer.Options{Debounce: time.Minute},
			[]call{{0, "a"}, {59, "!b"}}, []out{{60, buffer.MaxWaitReached, []string{"a", "!b"}}}},
		{"no urgent delay", buffer.Options{UrgentDelay: -1},
			[]call{{0, "a"}, {3, "!b"}, {3, "c"}}, []out{{3, buffer.Urgent, []string{"a", "!b"}}, {23, buffer.Debounced, []string{"c"}}}},
		{"the tenth item closes the batch", buffer.Options{},
			[]call{{0, "0"}, {1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {5, "5"}, {6, "6"}, {7, "7"}, {8, "8"}, {9, "9"}, {9, "10"}},
			[]out{{9, buffer.Full, ten}, {29, buffer.Debounced, []string{"10"}}}},
		{"no limit of items", buffer.Options{MaxItems: -1},
			[]call{{0, "0"}, {0, "1"}, {0, "2"}, {0, "3"}, {0, "4"}, {0, "5"}, {0, "6"}, {0, "7"}, {0, "8"}, {0, "9"}},
			[]out{{20, buffer.Debounced, ten}}},
		{"no maximum wait", buffer.Options{MaxWait: -1},
			[]call{{0, "a"}, {19, "b"}, {38, "c"}, {57, "d"}, {76, "e"}}, []out{{96, buffer.Debounced, []string{"a", "b", "c", "d", "e"}}}},
		{"no debounce: each item alone, also at one instant", buffer.Options{Debounce: -1},
			[]call{{0, "a"}, {0, "b"}}, []out{{0, buffer.Debounced, []string{"a"}}, {0, buffer.Debounced, []string{"b"}}}},
		{"a tie of debounce and maximum wait is debounce", buffer.Options{MaxWait: 20 * time.Second},
			[]call{{0, "a"}}, []out{{20, buffer.Debounced, []string{"a"}}}},
		{"a tie with an urgent item is urgent", buffer.Options{MaxItems: 2, UrgentDelay: -1},
			[]call{{0, "a"}, {1, "!b"}}, []out{{1, buffer.Urgent, []string{"a", "!b"}}}},

		// At its deadline a batch closes before new items are added: an item that arrives at this instant is too
		// late.
		{"an item at the end of the debounce", buffer.Options{},
			[]call{{0, "a"}, {20, "b"}}, []out{{20, buffer.Debounced, []string{"a"}}, {40, buffer.Debounced, []string{"b"}}}},
		{"an item at the maximum wait", buffer.Options{Debounce: 50 * time.Second},
			[]call{{0, "a"}, {40, "b"}, {60, "c"}}, []out{{60, buffer.MaxWaitReached, []string{"a", "b"}}, {110, buffer.Debounced, []string{"c"}}}},
		{"an item at the end of the urgent delay", buffer.Options{},
			[]call{{0, "!a"}, {2, "b"}}, []out{{2, buffer.Urgent, []string{"!a"}}, {22, buffer.Debounced, []string{"b"}}}},
		{"an urgent item at the end of the debounce is its own batch", buffer.Options{},
			[]call{{0, "a"}, {20, "!b"}}, []out{{20, buffer.Debounced, []string{"a"}}, {22, buffer.Urgent, []string{"!b"}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			prompt := buffer.New[int, string](tc.options)
			var got []out
			for _, c := range tc.calls {
				got = append(got, drain(prompt, at(c.sec))...)
				say(prompt, at(c.sec), 1, c.said)
			}
			assert.Equal(t, tc.want, append(got, drain(prompt, at(forever))...), "with Due at each deadline")

			late := buffer.New[int, string](tc.options)
			for _, c := range tc.calls {
				say(late, at(c.sec), 1, c.said)
			}
			assert.Equal(t, tc.want, drain(late, at(forever)), "with Due only after the last item")
		})
	}
}

func TestBatch_FirstAndLastAreItemTimes(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(0), 1, "a")
	b.Add(at(7), 1, "b")
	b.Add(at(9), 1, "c")
	b.Drop(1, func(s string) bool { return s == "c" })
	got := slices.Collect(b.Due(at(100)))
	assert.Equal(t, []buffer.Batch[int, string]{{Key: 1, Items: []string{"a", "b"}, Reason: buffer.Debounced, FirstAt: at(0), LastAt: at(7)}}, got)
}

func TestDue_OldestDeadlineFirst(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(3), 3, "c")
	b.Add(at(3), 9, "later key, same instant")
	b.Add(at(3), 1, "a")
	b.AddUrgent(at(4), 5, "!s") // due before all others
	b.Add(at(5), 9, "extended")
	var keys []int
	for batch := range b.Due(at(60)) {
		keys = append(keys, batch.Key)
	}
	assert.Equal(t, []int{5, 3, 1, 9}, keys)
}

func TestDue_BreakLeavesTheRest(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	for key := range 5 {
		b.Add(at(float64(key)), key, "x")
	}
	for batch := range b.Due(at(60)) {
		if assert.Zero(t, batch.Key); true {
			break
		}
	}
	var keys []int
	for batch := range b.Due(at(60)) {
		keys = append(keys, batch.Key)
	}
	assert.Equal(t, []int{1, 2, 3, 4}, keys)
}

func TestNext_MatchesDue(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	next := func() float64 {
		got, ok := b.Next()
		require.True(t, ok)
		return got.Sub(t0).Seconds()
	}
	_, ok := b.Next()
	assert.False(t, ok, "nothing is pending")
	b.Add(at(0), 1, "a")
	assert.Equal(t, 20., next())
	b.Add(at(5), 1, "b")
	assert.Equal(t, 25., next(), "extended")
	b.Add(at(6), 2, "c")
	b.Add(at(7), 1, "d")
	assert.Equal(t, 26., next(), "the other key is first now")
	b.AddUrgent(at(8), 1, "!e")
	assert.Equal(t, 10., next())
	b.Drop(1, func(s string) bool { return s == "!e" })
	assert.Equal(t, 26., next(), "the urgent item was dropped")
	for range b.Due(at(26)) {
	}
	assert.Equal(t, 27., next())
	for range b.Due(at(27)) {
	}
	_, ok = b.Next()
	assert.False(t, ok, "both are busy")
	b.Add(at(28), 1, "f")
	_, ok = b.Next()
	assert.False(t, ok, "a batch in flight is not due")
}

func TestBuffer_ClockSetBack(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(at(100), 1, "a")
	b.Add(at(40), 1, "b") // the clock was set back by a minute
	b.Add(at(50), 2, "c")
	assert.Empty(t, slices.Collect(b.Due(at(60))))
	assert.Equal(t, []out{{120, buffer.Debounced, []string{"a", "b"}}, {120, buffer.Debounced, []string{"c"}}}, drain(b, at(1000)))

	// Due advances the latest time, too.
	assert.Empty(t, slices.Collect(b.Due(at(1000))))
	b.Add(at(10), 1, "d")
	assert.Equal(t, []out{{1020, buffer.Debounced, []string{"d"}}}, drain(b, at(5000)))
}

func TestBuffer_TimesOutOfRange(t *testing.T) {
	b := buffer.New[int, string](buffer.Options{})
	b.Add(time.Time{}, 1, "in the year one")
	b.Add(at(0), 1, "now") // more than 292 years later
	got := slices.Collect(b.Due(at(0)))
	require.Len(t, got, 1)
	assert.Equal(t, []string{"in the year one"}, got[0].Items)
	assert.True(t, got[0].FirstAt.IsZero())
	b.Done(at(0), 1)
	_, ok := b.Next()
	assert.False(t, ok, "deadlines out of range never pass")
	var left []string
	for batch := range b.Drain() {
		left = append(left, batch.Items...)
	}
	assert.Equal(t, []string{"now"}, left)
}

func TestReason_String(t *testing.T) {
	assert.Equal(t, "debounced urgent full max wait reached drained Reason(9)",
		buffer.Debounced.String()+" "+buffer.Urgent.String()+" "+buffer.Full.String()+" "+buffer.MaxWaitReached.String()+" "+buffer.Drained.String()+" "+buffer.Reason(9).String())
}
