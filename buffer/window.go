package buffer

import (
	"cmp"
	"slices"
)

// WindowOptions says what a Window keeps; the zero value is ready.
type WindowOptions struct {
	MaxItems        int  // a fold is due with more items than this; 0 means 100, negative never
	SummarizeEvery  int  // and whenever so many are new; at most so many are folded at once; 0 means 30, negative never and all
	KeepRecent      int  // the newest so many are left out of folds, at most Size; 0 means 20, negative none
	MaxSummaryRunes int  // runes of summary kept; 0 means 2000, negative all
	ReplaceSummary  bool // a fold's summary takes the place of the old one (old + items = new); otherwise it is appended as a paragraph
}

// A Window is the recent past: the last items as they are, and a summary of what came before. It
// knows no model: when items should be summed up, Fold hands them out with the summary so far, and
// the caller answers with Folded, whenever it can.
//
// Nothing leaves a window before it was summed up. While a fold is out, or after one has failed,
// it may thus hold more than Size; a caller whose model fails for good bounds it by answering with
// a summary by rule, or with an empty one.
//
// A Window must not be used by two goroutines at once.
type Window[T any] struct {
	o       WindowOptions
	items   []T
	summary string
	fresh   int    // how many of the newest items no fold has counted yet
	wait    int    // after a failure: no fold before fresh has come to this
	out     int    // how many of the oldest items are out with a fold
	folds   uint64 // numbers the folds: the answer to an earlier one is not taken
}

// A SummaryRequest asks for a summary of Items, which are the oldest of a window.
type SummaryRequest[T any] struct {
	Items   []T    // at least one, oldest first; the receiver's own
	Summary string // so far: with WindowOptions.Replace the answer has to contain it

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

// Items returns a copy of what is not summed up yet, oldest first.
func (w *Window[T]) Items() []T { return slices.Clone(w.items) }

// Summary is what has been summed up; "" until there is something.
func (w *Window[T]) Summary() string { return w.summary }

// Drop takes out the items for which drop answers true, as for a message that was recalled, and
// says how many. A fold that is out with one of them is void: its answer, which knows what was
// dropped, will not be taken, and the other items are due again.
func (w *Window[T]) Drop(drop func(T) bool) int {
	kept := make([]T, 0, len(w.items))
	fresh, void := w.fresh, false
	for i, v := range w.items {
		if !drop(v) {
			kept = append(kept, v)
			continue
		}
		void = void || i < w.out
		if i >= len(w.items)-w.fresh {
			fresh--
		}
	}
	n := len(w.items) - len(kept)
	w.items, w.fresh = kept, fresh
	if void {
		w.out = 0
		w.folds++
	}
	return n
}

// DueSummary hands out the oldest items when they should be summed up: with every so many new items, and
// when there are more than Size. It answers false while a fold is out, and after a failure until
// Every more items have come (with Every negative: one more).
func (w *Window[T]) DueSummary() (SummaryRequest[T], bool) {
	n := len(w.items) - w.o.KeepRecent
	if w.o.SummarizeEvery > 0 {
		n = min(n, w.o.SummarizeEvery)
	}
	counted := w.o.SummarizeEvery > 0 && w.fresh >= w.o.SummarizeEvery
	over := w.o.MaxItems > 0 && len(w.items) > w.o.MaxItems
	if w.fresh < w.wait || !counted && !over {
		return SummaryRequest[T]{}, false
	}
	return w.hand(n)
}

// RequestSummary hands out all but the newest keep items without waiting for so many, as when the topic
// has changed. It answers false while a fold is out, and when there is nothing to fold.
func (w *Window[T]) RequestSummary(keep int) (SummaryRequest[T], bool) {
	return w.hand(len(w.items) - max(keep, 0))
}

func (w *Window[T]) hand(n int) (f SummaryRequest[T], ok bool) {
	if w.out > 0 || n <= 0 {
		return f, false
	}
	w.folds++
	w.out = n
	return SummaryRequest[T]{slices.Clone(w.items[:n]), w.summary, w.folds}, true
}

// CompleteSummary answers a fold with the summary of its items, which leave the window now; an empty summary
// leaves the old one as it was. With an error they stay. It reports whether f was the fold that is
// out: each is answered once, and one that has become void is not.
func (w *Window[T]) CompleteSummary(f SummaryRequest[T], summary string, err error) bool {
	if w.out == 0 || f.id != w.folds {
		return false
	}
	n := w.out
	w.out = 0
	if err != nil {
		w.wait = w.fresh + max(w.o.SummarizeEvery, 1)
		return true
	}
	w.items = slices.Delete(w.items, 0, n)
	w.wait = 0
	if w.o.SummarizeEvery > 0 && w.fresh >= w.o.SummarizeEvery {
		w.fresh -= w.o.SummarizeEvery // not all of them: after failures there is more to catch up with
	} else {
		w.fresh = 0
	}
	w.fresh = min(w.fresh, len(w.items))
	w.summary = w.summed(summary)
	return true
}

// A WindowState is a window at rest, to be stored.
type WindowState[T any] struct {
	Items    []T    `json:"items"`
	Summary  string `json:"summary"`
	NewItems int    `json:"fresh"` // how many of the newest items no fold has counted
}

// Snapshot returns a copy of what the window holds. The items of a fold that is out are among it,
// and will be due again.
func (w *Window[T]) Snapshot() WindowState[T] {
	return WindowState[T]{w.Items(), w.summary, w.fresh}
}

// Restore replaces what the window holds. A fold that is out becomes void.
func (w *Window[T]) Restore(s WindowState[T]) {
	w.items, w.summary = slices.Clone(s.Items), capped(s.Summary, w.o.MaxSummaryRunes)
	w.fresh = min(max(s.NewItems, 0), len(w.items))
	w.wait, w.out = 0, 0
	w.folds++
}
