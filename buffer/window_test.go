package buffer_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

var errModel = errors.New("the model is down")

// fill adds the items first to last. It fails if a request was due before the last one.
func fill(t *testing.T, w *buffer.Window[int], first, last int) {
	t.Helper()
	for i := first; i <= last; i++ {
		_, ok := w.DueSummary()
		require.False(t, ok, "due before %d", i)
		w.Add(i)
	}
}

func wantRequest(t *testing.T, w *buffer.Window[int], first, last int) buffer.SummaryRequest[int] {
	t.Helper()
	request, ok := w.DueSummary()
	require.True(t, ok)
	assert.Equal(t, numbers(first, last), request.Items)
	return request
}

func numbers(first, last int) (ns []int) {
	for i := first; i <= last; i++ {
		ns = append(ns, i)
	}
	return ns
}

func TestWindow_SummarizesOldest30Keeps100(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{})
	assert.Empty(t, w.Summary())
	fill(t, w, 1, 130)
	request := wantRequest(t, w, 1, 30)
	assert.Equal(t, numbers(1, 130), w.Items(), "no item has left the window")
	_, ok := w.DueSummary()
	assert.False(t, ok, "one at a time")
	assert.True(t, w.CompleteSummary(request, "甲", nil))
	assert.Equal(t, numbers(31, 130), w.Items())
	assert.Equal(t, 100, w.Len())
	assert.False(t, w.CompleteSummary(request, "again", nil), "once each")

	fill(t, w, 131, 160)
	request = wantRequest(t, w, 31, 60)
	assert.Equal(t, "甲", request.Summary)
	w.Add(161) // in the meantime
	assert.True(t, w.CompleteSummary(request, " 乙\n", nil))
	assert.Equal(t, numbers(61, 161), w.Items())
	assert.Equal(t, "甲\n乙", w.Summary())
	fill(t, w, 162, 190)
	wantRequest(t, w, 61, 90)
	assert.Zero(t, w.Dropped())
}

func TestWindow_KeepsItemsAfterFailure(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{})
	fill(t, w, 1, 130)
	for n := 130; n < 250; n += 30 { // as long as the model fails
		request := wantRequest(t, w, 1, 30)
		require.True(t, w.CompleteSummary(request, "", errModel))
		assert.Equal(t, numbers(1, n), w.Items())
		fill(t, w, n+1, n+30) // no request before SummarizeEvery more items
	}
	for first := 1; first < 151; first += 30 { // then the window catches up
		require.True(t, w.CompleteSummary(wantRequest(t, w, first, first+29), "x", nil))
	}
	_, ok := w.DueSummary()
	assert.False(t, ok)
	assert.Equal(t, numbers(151, 250), w.Items())
	assert.Zero(t, w.Dropped())
}

// Above MaxItems the oldest items are dropped and counted, but not those of an open request.
func TestWindow_DropsAboveMaxItems(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{})
	fail := func() {
		for request, ok := w.DueSummary(); ok; request, ok = w.DueSummary() {
			w.CompleteSummary(request, "", errModel)
		}
	}
	for i := 1; i <= 520; i++ {
		w.Add(i)
		fail()
	}
	assert.Equal(t, numbers(1, 520), w.Items(), "four times 130")
	assert.Zero(t, w.Dropped())
	for i := 521; i <= 530; i++ {
		w.Add(i)
		fail()
	}
	assert.Equal(t, numbers(11, 530), w.Items())
	assert.Equal(t, 10, w.Dropped())

	request, ok := w.RequestSummary(500)
	require.True(t, ok)
	require.Equal(t, numbers(11, 30), request.Items)
	for i := 531; i <= 555; i++ {
		w.Add(i)
	}
	assert.Equal(t, append(numbers(11, 30), numbers(36, 555)...), w.Items(), "the request stays open")
	assert.Equal(t, 15, w.Dropped())
	assert.True(t, w.CompleteSummary(request, "好", nil))
	assert.Equal(t, numbers(36, 555), w.Items())
	assert.Equal(t, 15, w.Dropped())

	again := buffer.NewWindow[int](buffer.WindowOptions{})
	again.Restore(w.Snapshot())
	assert.Equal(t, 15, again.Dropped())
	wantRequest(t, again, 36, 65)

	many := buffer.NewWindow[int](buffer.WindowOptions{}) // added at once, without a look at DueSummary
	for i := 1; i <= 1000; i++ {
		many.Add(i)
	}
	assert.Equal(t, numbers(1, 1000), many.Items())
	never := buffer.NewWindow[int](buffer.WindowOptions{SummarizeEvery: -1})
	for i := 1; i <= 1000; i++ {
		never.Add(i)
	}
	assert.Equal(t, numbers(601, 1000), never.Items(), "four times 100")

	small := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: 4, SummarizeEvery: 3, MaxItems: 2}) // raised to 7
	fill(t, small, 1, 7)
	wantRequest(t, small, 1, 3)
	assert.Zero(t, small.Dropped())
}

func TestWindow_NoLimits(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{MaxItems: -1, SummarizeEvery: -1, MaxSummaryRunes: -1})
	fill(t, w, 1, 1000)
	assert.Zero(t, w.Dropped())
	_, ok := w.DueSummary()
	assert.False(t, ok)
	request, ok := w.RequestSummary(0)
	require.True(t, ok)
	w.CompleteSummary(request, strings.Repeat("长", 5000), nil)
	assert.Empty(t, w.Items())
	assert.Equal(t, 5000, utf8.RuneCountInString(w.Summary()))
}

func TestWindow_RequestSummary(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: 20, ReplaceSummary: true})
	_, ok := w.RequestSummary(0)
	assert.False(t, ok, "nothing there")
	fill(t, w, 1, 25)
	request, ok := w.RequestSummary(5)
	require.True(t, ok)
	assert.Equal(t, numbers(1, 20), request.Items)
	_, ok = w.RequestSummary(-1)
	assert.False(t, ok, "one at a time")
	w.CompleteSummary(request, "旧", nil)
	fill(t, w, 26, 70)
	request = wantRequest(t, w, 21, 50)
	assert.Equal(t, "旧", request.Summary)
	w.CompleteSummary(request, "旧而新", nil)
	assert.Equal(t, "旧而新", w.Summary(), "replaced")
	request, _ = w.RequestSummary(0)
	w.CompleteSummary(request, "  ", nil)
	assert.Equal(t, "旧而新", w.Summary(), "an empty summary keeps the old one")
	assert.Empty(t, w.Items())
}

func TestWindow_Drop(t *testing.T) {
	is := func(n int) func(int) bool { return func(i int) bool { return i == n } }
	w := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: 20, SummarizeEvery: 10})
	fill(t, w, 1, 30)
	request := wantRequest(t, w, 1, 10)
	assert.Zero(t, w.Drop(is(99)))
	assert.Equal(t, 1, w.Drop(is(30)))
	assert.Equal(t, 1, w.Drop(is(3)), "it is in the open request")
	assert.False(t, w.CompleteSummary(request, "3 said", nil), "so that request is invalid")
	assert.Empty(t, w.Summary())
	_, ok := w.DueSummary()
	assert.False(t, ok, "28 are left")
	w.Add(31)
	w.Add(32)
	request, ok = w.DueSummary()
	require.True(t, ok)
	assert.Equal(t, []int{1, 2, 4, 5, 6, 7, 8, 9, 10, 11}, request.Items)
	assert.Equal(t, 1, w.Drop(is(20)), "not in this request")
	assert.True(t, w.CompleteSummary(request, "fine", nil))
	assert.Equal(t, append(numbers(12, 19), 21, 22, 23, 24, 25, 26, 27, 28, 29, 31, 32), w.Items())
	assert.Zero(t, w.Dropped(), "these were removed on purpose")
}

func TestWindow_ItemsAreCopies(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: -1, SummarizeEvery: 3})
	fill(t, w, 1, 3)
	request := wantRequest(t, w, 1, 3)
	request.Items[0], w.Items()[1] = 99, 99
	assert.Equal(t, numbers(1, 3), w.Items())
}

func TestWindow_SummaryIsTruncated(t *testing.T) {
	for _, tc := range []struct {
		name    string
		cap     int
		answers []string
		want    string
	}{
		{"fits exactly", 5, []string{"一二", "三四"}, "一二\n三四"},
		{"the oldest paragraph goes", 5, []string{"一二", "三四", "五六"}, "三四\n五六"},
		{"whole paragraphs only", 6, []string{"一二三", "四五", "六"}, "四五\n六"},
		{"a paragraph that is too long keeps its beginning", 4, []string{"一", "二三四五六七"}, "二三四五"},
		{"paragraphs within one answer", 4, []string{"一二三\n四五\n六"}, "四五\n六"},
		{"empty lines at the cut", 4, []string{"一二三\n\n\n四五六"}, "四五六"},
		{"invalid UTF-8", 4, []string{"ab\xff\xfec"}, "ab\uFFFDc"},
		{"runes are not split", 2, []string{"😀😀😀"}, "😀😀"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := buffer.NewWindow[int](buffer.WindowOptions{MaxSummaryRunes: tc.cap, SummarizeEvery: 1, KeepRecent: -1})
			for i, answer := range tc.answers {
				w.Add(i)
				request, ok := w.DueSummary()
				require.True(t, ok)
				w.CompleteSummary(request, answer, nil)
			}
			assert.Equal(t, tc.want, w.Summary())
		})
	}
}

func TestWindow_TenMegabyteSummary(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{SummarizeEvery: 1, KeepRecent: -1})
	for i, answer := range []string{strings.Repeat("很长", 1<<21), strings.Repeat("行\n", 1<<21)} {
		w.Add(i)
		request, _ := w.DueSummary()
		w.CompleteSummary(request, answer, nil)
	}
	assert.Equal(t, 1999, utf8.RuneCountInString(w.Summary()))
}

func TestWindow_Snapshot(t *testing.T) {
	w := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: 20})
	fill(t, w, 1, 50)
	w.CompleteSummary(wantRequest(t, w, 1, 30), "甲", nil)
	fill(t, w, 51, 80)
	request := wantRequest(t, w, 31, 60)

	text, err := json.Marshal(w.Snapshot())
	require.NoError(t, err)
	var state buffer.WindowState[int]
	require.NoError(t, json.Unmarshal(text, &state))
	again := buffer.NewWindow[int](buffer.WindowOptions{KeepRecent: 20})
	again.Restore(state)
	assert.Equal(t, numbers(31, 80), again.Items(), "also the batch in flight")
	assert.Equal(t, "甲", again.Summary())
	wantRequest(t, again, 31, 60)

	w.Restore(state)
	assert.False(t, w.CompleteSummary(request, "", nil), "void")
	w.Restore(buffer.WindowState[int]{Items: []int{1}, Dropped: -1})
	assert.Zero(t, w.Dropped())
	fill(t, w, 2, 50)
}
