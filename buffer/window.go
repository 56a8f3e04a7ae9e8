package buffer

import (
	"cmp"
	"slices"
)

// WindowOptions says how many items a Window keeps. The zero value is ready to use.
type WindowOptions struct {
	KeepRecent      int  // newest items that no automatic summary takes away; 0 means 100, negative means none
	SummarizeEvery  int  // summarize this many of the oldest items when there are KeepRecent and as many more; 0 means 30, negative means never
	MaxItems        int  // if summaries fail or hang, drop the oldest items above this number, at least KeepRecent + SummarizeEvery; 0 means four times that sum, negative means no limit
	MaxSummaryRunes int  // longest summary in runes; 0 means 2000, negative means no limit
	ReplaceSummary  bool // a new summary replaces the old one (old + items = new); otherwise it is appended as a paragraph
}

// A Window keeps the latest items of a chat and a rolling summary of the older ones. It calls no model itself. When a
// summary is due, [Window.DueSummary] returns the oldest items together with the summary so far. The caller makes the
// summary and passes it to [Window.CompleteSummary] at any later time.
//
// With the defaults a window holds up to 129 items. At 130 it requests a summary of the oldest 30, and 100 stay.
//
// An item leaves the window only after a summary covers it. While a request is open or after one has failed, items accumulate
// up to WindowOptions.MaxItems. Above that number the window drops the oldest items and counts them. It never drops the
// items of an open request, and does not count them as part of the number. Nothing is dropped while DueSummary would return a
// request, so many items can be added at once.
//
// A Window is not safe for concurrent use.
type Window[T any] struct {
	o         WindowOptions
	items     []T
	summary   string
	dropped   int    // items that left without a summary
	wait      int    // after a failure: new items before the next request
	requested int    // oldest items in the open request
	requests  uint64 // number of the latest request; answers to earlier ones are rejected
}

// A SummaryRequest is a request for a summary of the oldest items of a window.
type SummaryRequest[T any] struct {
	Items   []T    // at least one, oldest first; owned by the receiver
	Summary string // the summary so far; with WindowOptions.ReplaceSummary the new summary must include its content

	id uint64
}

// NewWindow returns an empty window. It cannot fail, because every value of [WindowOptions] is valid.
func NewWindow[T any](o WindowOptions) *Window[T] {
	o.KeepRecent, o.SummarizeEvery = max(cmp.Or(o.KeepRecent, 100), 0), cmp.Or(o.SummarizeEvery, 30)
	o.MaxSummaryRunes = cmp.Or(o.MaxSummaryRunes, 2000)
	full := o.KeepRecent + max(o.SummarizeEvery, 0)
	if o.MaxItems = cmp.Or(o.MaxItems, 4*full); o.MaxItems > 0 {
		o.MaxItems = max(o.MaxItems, full)
	}
	return &Window[T]{o: o}
}

// Add appends an item. If no request is possible, it drops the oldest items above WindowOptions.MaxItems.
func (w *Window[T]) Add(v T) {
	w.items = append(w.items, v)
	w.wait = max(w.wait-1, 0)
	w.dropExcess()
}

func (w *Window[T]) dropExcess() {
	if w.requested == 0 && w.wait == 0 && w.o.SummarizeEvery > 0 { // the caller can request a summary
		return
	}
	if n := len(w.items) - w.requested - w.o.MaxItems; n > 0 && w.o.MaxItems > 0 {
		w.items = slices.Delete(w.items, w.requested, w.requested+n)
		w.dropped += n
	}
}

// Len returns the number of items that the summary does not cover.
func (w *Window[T]) Len() int { return len(w.items) }

// Dropped returns the number of items that the window dropped without a summary, because of WindowOptions.MaxItems.
func (w *Window[T]) Dropped() int { return w.dropped }

// Items returns a copy of the items that the summary does not cover, oldest first.
func (w *Window[T]) Items() []T { return slices.Clone(w.items) }

// Summary returns the rolling summary; "" if there is none yet.
func (w *Window[T]) Summary() string { return w.summary }

// Drop removes the items for which drop returns true, for example a retracted message, and returns their number. If an
// open request includes such an item, the request becomes invalid: its answer is rejected because it may contain the
// dropped item, and the other items are due again.
func (w *Window[T]) Drop(drop func(T) bool) int {
	kept := make([]T, 0, len(w.items))
	void := false
	for i, v := range w.items {
		if drop(v) {
			void = void || i < w.requested
		} else {
			kept = append(kept, v)
		}
	}
	n := len(w.items) - len(kept)
	w.items = kept
	if void {
		w.voidRequest()
	}
	return n
}

// voidRequest makes the open request invalid.
func (w *Window[T]) voidRequest() {
	w.requested = 0
	w.requests++
}

// DueSummary returns a summary request if one is due: if there are WindowOptions.SummarizeEvery items more than
// KeepRecent. The request has SummarizeEvery items, so after a failure several requests may be due one after another.
// DueSummary returns false while a request is open, and after a failure until SummarizeEvery more items have arrived.
func (w *Window[T]) DueSummary() (SummaryRequest[T], bool) {
	if w.wait > 0 || w.o.SummarizeEvery < 0 || len(w.items)-w.o.KeepRecent < w.o.SummarizeEvery {
		return SummaryRequest[T]{}, false
	}
	return w.request(w.o.SummarizeEvery)
}

// RequestSummary requests a summary of all items except the newest keep ones at once, for example after a change of topic.
// It returns false while a request is open and if there is nothing to summarize.
func (w *Window[T]) RequestSummary(keep int) (SummaryRequest[T], bool) {
	return w.request(len(w.items) - max(keep, 0))
}

func (w *Window[T]) request(n int) (f SummaryRequest[T], ok bool) {
	if w.requested > 0 || n <= 0 {
		return f, false
	}
	w.requests++
	w.requested = n
	return SummaryRequest[T]{slices.Clone(w.items[:n]), w.summary, w.requests}, true
}

// CompleteSummary completes a request with the summary of its items and removes them from the window. An empty summary leaves
// the old summary unchanged. With an error the items stay. It reports whether f is the open request: a request can be
// completed once, and an invalid one is rejected.
func (w *Window[T]) CompleteSummary(f SummaryRequest[T], summary string, err error) bool {
	if w.requested == 0 || f.id != w.requests {
		return false
	}
	n := w.requested
	w.requested = 0
	if err != nil {
		w.wait = max(w.o.SummarizeEvery, 1)
		w.dropExcess()
		return true
	}
	w.items = slices.Delete(w.items, 0, n)
	w.wait = 0
	w.summary = w.mergeSummary(summary)
	return true
}

// A WindowState is a snapshot of a window for storage.
type WindowState[T any] struct {
	Items   []T    `json:"items"`
	Summary string `json:"summary"`
	Dropped int    `json:"dropped,omitempty"`
}

// Snapshot returns a copy of the window's state. It includes the items of an open request; after a Restore they are
// due again.
func (w *Window[T]) Snapshot() WindowState[T] {
	return WindowState[T]{w.Items(), w.summary, w.dropped}
}

// Restore replaces the window's state. An open request becomes invalid. Restore drops nothing, so items above
// WindowOptions.MaxItems can be summarized before the next Add.
func (w *Window[T]) Restore(s WindowState[T]) {
	w.items, w.summary, w.dropped = slices.Clone(s.Items), truncateSummary(s.Summary, w.o.MaxSummaryRunes), max(s.Dropped, 0)
	w.wait = 0
	w.voidRequest()
}
