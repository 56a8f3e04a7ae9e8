package buffer

import (
	"strconv"
	"time"
)

// A Batch holds the items of one key in order of arrival.
type Batch[K comparable, T any] struct {
	Key    K
	Items  []T // at least one; owned by the receiver
	Reason Reason

	// FirstAt and LastAt are the times at which the first and the last item were added.
	FirstAt, LastAt time.Time
}

// A Reason says why a batch was closed. If several conditions hold at the same instant, the first of Urgent, Full,
// Debounced, MaxWaitReached is reported.
type Reason uint8

const (
	Debounced      Reason = iota // no item arrived for Options.Debounce
	Urgent                       // Options.UrgentDelay has passed since the first urgent item
	Full                         // the batch holds Options.MaxItems
	MaxWaitReached               // Options.MaxWait has passed since the first item
	Drained                      // the batch came from Drain
)

var reasons = [...]string{"debounced", "urgent", "full", "max wait reached", "drained"}

// String returns the reason in lower case.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}
