package buffer

import (
	"cmp"
	"slices"
)

// WindowOptions says how many items a Window keeps. The zero value is ready to use.
type WindowOptions struct {
	MaxItems        int  // request a summary above this number of items; 0 means 100, negative means never
	SummarizeEvery  int  // request a summary after this number of new items, and for at most as many; 0 means 30, negative means never and no limit
	KeepRecent      int  // newest items that a summary leaves out, at most MaxItems; 0 means 20, negative means none
	MaxSummaryRunes int  // longest summary in runes; 0 means 2000, negative means no limit
	ReplaceSummary  bool // a new summary replaces the old one (old + items = new); otherwise it is appended as a paragraph
}

// A Window keeps the latest items of a chat and a rolling summary of the older ones. It calls no model itself. When a
// summary is due, [Window.DueSummary] returns the items together with the summary so far. The caller makes the summary and passes it
// to [Window.CompleteSummary] at any later time.
//
// An item leaves the window only after a summary covers it. So the window may exceed MaxItems while a request is open
// or after one has failed. If the model fails permanently, complete the requests with a summary made without a model,
// or with an empty one, to limit the size.
//
// A Window is not safe for concurrent use.
type Window[T any] struct {
	o         WindowOptions
	items     []T
	summary   string
	fresh     int    // newest items that no summary request has counted yet
	retryAt   int    // after a failure: no request until fresh reaches this
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
	o.MaxItems, o.SummarizeEvery, o.KeepRecent = cmp.Or(o.MaxItems, 100), cmp.Or(o.SummarizeEvery, 30), max(cmp.Or(o.KeepRecent, 20), 0)
	o.MaxSummaryRunes = cmp.Or(o.MaxSummaryRunes, 2000)
	if o.MaxItems > 0 {
		o.KeepRecent = min(o.KeepRecent, o.MaxItems)
	}
	return &Window[T]{o: o}
}

// Add appends an item.
func (w *Window[T]) Add(v T) {
	w.items = append(w.items, v)
	w.fresh++
}

// Items returns a copy of the items that the summary does not cover, oldest first.
func (w *Window[T]) Items() []T { return slices.Clone(w.items) }

// Summary returns the rolling summary; "" if there is none yet.
func (w *Window[T]) Summary() string { return w.summary }

// Drop removes the items for which drop returns true, for example a retracted message, and returns their number. If an
// open request includes such an item, the request becomes invalid: its answer is rejected because it may contain the
// dropped item, and the other items are due again.
func (w *Window[T]) Drop(drop func(T) bool) int {
	kept := make([]T, 0, len(w.items))
	fresh, void := w.fresh, false
	for i, v := range w.items {
		if !drop(v) {
			kept = append(kept, v)
			continue
		}
		void = void || i < w.requested
		if i >= len(w.items)-w.fresh {
			fresh--
		}
	}
	n := len(w.items) - len(kept)
	w.items, w.fresh = kept, fresh
	if void {
		w.requested = 0
		w.requests++
	}
	return n
}

// DueSummary returns a summary request if one is due: after every WindowOptions.SummarizeEvery new items, and above
// WindowOptions.MaxItems. It returns false while a request is open. After a failure it returns false until
// SummarizeEvery more items have arrived, or one more if SummarizeEvery is negative.
func (w *Window[T]) DueSummary() (SummaryRequest[T], bool) {
	n := len(w.items) - w.o.KeepRecent
	if w.o.SummarizeEvery > 0 {
		n = min(n, w.o.SummarizeEvery)
	}
	counted := w.o.SummarizeEvery > 0 && w.fresh >= w.o.SummarizeEvery
	over := w.o.MaxItems > 0 && len(w.items) > w.o.MaxItems
	if w.fresh < w.retryAt || !counted && !over {
		return SummaryRequest[T]{}, false
	}
	return w.request(n)
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
		w.retryAt = w.fresh + max(w.o.SummarizeEvery, 1)
		return true
	}
	w.items = slices.Delete(w.items, 0, n)
	w.retryAt = 0
	if w.o.SummarizeEvery > 0 && w.fresh >= w.o.SummarizeEvery {
		w.fresh -= w.o.SummarizeEvery // not to 0: after a failure there are more items to summarize
	} else {
		w.fresh = 0
	}
	w.fresh = min(w.fresh, len(w.items))
	w.summary = w.mergeSummary(summary)
	return true
}

// A WindowState is a snapshot of a window for storage.
type WindowState[T any] struct {
	Items    []T    `json:"items"`
	Summary  string `json:"summary"`
	NewItems int    `json:"fresh"` // newest items that no summary request has counted
}

// Snapshot returns a copy of the window's state. It includes the items of an open request; after a Restore they are
// due again.
func (w *Window[T]) Snapshot() WindowState[T] {
	return WindowState[T]{w.Items(), w.summary, w.fresh}
}

// Restore replaces the window's state. An open request becomes invalid.
func (w *Window[T]) Restore(s WindowState[T]) {
	w.items, w.summary = slices.Clone(s.Items), truncateSummary(s.Summary, w.o.MaxSummaryRunes)
	w.fresh = min(max(s.NewItems, 0), len(w.items))
	w.retryAt, w.requested = 0, 0
	w.requests++
}
