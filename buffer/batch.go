package buffer

import (
	"strconv"
	"time"
)

// A Batch is what was said under one key, in order of arrival.
type Batch[K comparable, T any] struct {
	Key    K
	Items  []T // at least one; the receiver's own
	Reason Reason

	// FirstAt and Last are when the first and the last of Items were added.
	FirstAt, LastAt time.Time
}

// A Reason tells why a batch was cut where it was. When several reasons fall on one instant the
// first of Summoned, Full, Quiet, Waited is given.
type Reason uint8

const (
	Debounced      Reason = iota // nothing more was said for Options.Quiet
	Urgent                       // a summons is Options.Summon old
	Full                         // there are Options.MaxItems
	MaxWaitReached               // the first item is Options.MaxWait old
	Drained                      // handed out by Close
)

var reasons = [...]string{"quiet", "summoned", "full", "waited", "closed"}

// String gives the name in lower case.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}
