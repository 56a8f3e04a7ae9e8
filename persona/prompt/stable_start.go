package prompt

import (
	"math/bits"
	"time"
)

// stableStart returns the index of the first item of a history, from earliest to latest. It returns the same item for
// as many turns as possible, so that consecutive prompts start with the same text and providers can cache it. at
// returns the time of an item. Item 0 is the oldest. If earliest is 0 or less, stableStart returns 0.
//
// It picks the item whose preceding gap contains the Unix time with the most trailing zero bits. This is likely the
// first item after a pause. The result depends only on the times of the items. Therefore it needs no state and survives
// a restart. If n items may start the history and new items arrive at a steady rate, the start changes once in n/2 to n
// items.
func stableStart(earliest, latest int, at func(i int) time.Time) int {
	if earliest <= 0 {
		return 0
	}
	best, roundest := latest, -1
	last := at(earliest - 1).Unix()
	for i := earliest; i <= latest; i++ {
		next := at(i).Unix()
		if passed := bits.Len64(uint64(last ^ next)); passed > roundest {
			best, roundest = i, passed
		}
		last = next
	}
	return best
}
