package buffer_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

// FuzzWindow reads operations from the fuzz input and applies them to a window and to a model that uses plain lists.
// Each added item must be in the items, in the summary or dropped, exactly once. An item dropped before its request
// was completed must never be in the summary, and an item may leave because of MaxItems only if no request is open for it.
func FuzzWindow(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(randomBytes(seed, 400))
	}
	f.Fuzz(checkWindow)
}

func TestWindow_MatchesNaiveModel(t *testing.T) {
	for seed := range uint64(500) {
		checkWindow(t, randomBytes(seed, 100+int(seed)))
	}
}

func checkWindow(t *testing.T, data []byte) {
	p := tape(data)
	o := buffer.WindowOptions{MaxItems: p.pick(20) - 1, SummarizeEvery: p.pick(8) - 1, KeepRecent: p.pick(6) - 1, MaxSummaryRunes: -1, ReplaceSummary: p.pick(2) == 1}
	c := &windowPair{t: t, o: o, w: buffer.NewWindow[int](o)}
	for len(p) > 0 {
		c.step(&p)
		require.True(t, slices.Equal(c.items, c.w.Items()), "got %v, want %v", c.w.Items(), c.items)
		require.Equal(t, c.joined(), c.w.Summary())
		require.Equal(t, c.lost, c.w.Dropped())
	}
	truncateSummary(t, string(data), p.pick(40))
}

type windowPair struct {
	t      *testing.T
	o      buffer.WindowOptions
	w      *buffer.Window[int]
	added  int
	items  []int
	summed []int
	wait   int // new items needed for the next request
	lost   int // items dropped because of MaxItems
	folds  []buffer.SummaryRequest[int]
	out    int // index of the open request, plus 1
}

func (c *windowPair) joined() string {
	var words []string
	for _, n := range c.summed {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, "\n")
}

func (c *windowPair) step(p *tape) {
	switch kind := p.pick(10); kind {
	default:
		c.added++
		c.w.Add(c.added)
		c.items = append(c.items, c.added)
		if c.wait > 0 {
			c.wait--
		}
		c.limit()
	case 4, 5:
		got, ok := c.w.DueSummary()
		want := c.due()
		require.Equal(c.t, want > 0 && c.out == 0, ok, "due %d", want)
		c.handed(got, want, ok)
	case 6:
		keep := p.pick(8) - 1
		got, ok := c.w.RequestSummary(keep)
		want := len(c.items) - max(keep, 0)
		require.Equal(c.t, want > 0 && c.out == 0, ok)
		c.handed(got, want, ok)
	case 7, 8:
		c.answer(p)
	case 9:
		mod, rest := 2+p.pick(6), p.pick(6)
		drop := func(n int) bool { return n%mod == rest }
		before := len(c.items)
		if c.out > 0 && slices.ContainsFunc(c.folds[c.out-1].Items, drop) {
			c.out = 0
		}
		c.items = slices.DeleteFunc(c.items, drop)
		require.Equal(c.t, before-len(c.items), c.w.Drop(drop))
	}
}

// sizes returns the options with their defaults.
func (c *windowPair) sizes() (most, every, keep int) {
	or := func(n, def int) int {
		if n == 0 {
			return def
		}
		return n
	}
	every, keep = or(c.o.SummarizeEvery, 30), max(or(c.o.KeepRecent, 100), 0)
	full := keep
	if every > 0 {
		full += every
	}
	most = or(c.o.MaxItems, 4*full)
	if most > 0 && most < full {
		most = full
	}
	return most, every, keep
}

// limit drops the oldest items above MaxItems, if no request is possible. Items of the open request neither count nor leave.
func (c *windowPair) limit() {
	most, every, _ := c.sizes()
	if c.out == 0 && c.wait == 0 && every > 0 {
		return
	}
	first := 0
	if c.out > 0 {
		first = len(c.folds[c.out-1].Items)
	}
	for most > 0 && len(c.items)-first > most {
		c.items = append(slices.Clone(c.items[:first]), c.items[first+1:]...)
		c.lost++
	}
}

// due is the rule of DueSummary as the comments of the options state it.
func (c *windowPair) due() int {
	_, every, keep := c.sizes()
	if c.wait > 0 || every < 0 || len(c.items) < keep+every {
		return 0
	}
	return every
}

func (c *windowPair) handed(f buffer.SummaryRequest[int], n int, ok bool) {
	if !ok {
		return
	}
	require.Equal(c.t, c.items[:n], f.Items)
	require.Equal(c.t, c.joined(), f.Summary)
	c.folds = append(c.folds, f)
	c.out = len(c.folds)
}

// answer completes any request ever made, with a summary that lists its items.
func (c *windowPair) answer(p *tape) {
	if len(c.folds) == 0 {
		return
	}
	i := len(c.folds) - 1 - p.pick(len(c.folds))%3
	if i < 0 {
		return
	}
	f := c.folds[i]
	var err error
	if p.pick(3) == 0 {
		err = errModel
	}
	var words []string
	if c.o.ReplaceSummary && f.Summary != "" {
		words = append(words, f.Summary)
	}
	for _, n := range f.Items {
		words = append(words, strconv.Itoa(n))
	}
	require.Equal(c.t, c.out == i+1, c.w.CompleteSummary(f, strings.Join(words, "\n"), err))
	if c.out != i+1 {
		return
	}
	c.out = 0
	_, every, _ := c.sizes()
	if err != nil {
		c.wait = max(every, 1)
		c.limit()
		return
	}
	c.wait = 0
	c.items = c.items[len(f.Items):]
	c.summed = append(c.summed, f.Items...)
}

// truncateSummary is a simple model of the limit for any text.
func truncateSummary(t *testing.T, text string, limit int) {
	w := buffer.NewWindow[int](buffer.WindowOptions{SummarizeEvery: 1, KeepRecent: -1, MaxSummaryRunes: limit})
	if limit == 0 {
		limit = 2000
	}
	for i, part := range strings.SplitAfterN(text, "0", 4) {
		w.Add(i)
		request, ok := w.DueSummary()
		require.True(t, ok)
		w.CompleteSummary(request, part, nil)
		require.LessOrEqual(t, utf8.RuneCountInString(w.Summary()), limit)
		require.True(t, utf8.ValidString(w.Summary()))
	}
}
