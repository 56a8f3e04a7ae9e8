package prompt

import (
	"math/bits"
	"time"
)

// StableStart says with which item a history begins, from the earliest to the latest that it may begin with, so that it
// begins with the same one for as long as that may be: the prompts of neighbouring turns then begin alike, and providers
// can cache them. at gives the time of an item. Item 0 is the oldest that there is: a history that may begin with it does.
//
// It is the item before which the time passes the roundest instant, in seconds and as a binary number: likely the first
// one after a pause. So it depends on nothing but the items, needs no memory, and is the same after a restart. Where n
// items may begin the history and the others come in at an even pace, it changes with every n/2 to n of them, instead of
// with each.
func StableStart(earliest, latest int, at func(i int) time.Time) int {
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
