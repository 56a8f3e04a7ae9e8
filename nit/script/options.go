package script

import "cmp"

// Options for parsing and running. The zero value means the strict dialect with default limits.
type Options struct {
	// Legacy selects the language of the first interpreter: no extensions, the last of duplicate arguments wins, an
	// unknown variable is null, and async calls run in sequence.
	Legacy bool
	Limits Limits
}

// Limits of one script. In each field 0 means the default and a negative number means unlimited.
type Limits struct {
	ScriptBytes int // bytes; 0 means 256 KiB
	StringBytes int // bytes of one string; 0 means 64 KiB
	Calls       int // calls, one per statement; 0 means 16
	List        int // items of a list or object and arguments of a call; 0 means 1024
	Depth       int // nested lists and objects; 0 means 16, unlimited means 10,000
}

// NoLimits returns Limits without any limit.
func NoLimits() Limits {
	return Limits{ScriptBytes: -1, StringBytes: -1, Calls: -1, List: -1, Depth: -1}
}

const (
	maxDepth  = 10_000 // protects the stack
	maxDigits = 4300   // of an integer: parsing takes quadratic time; same limit as in the first interpreter
)

func (l Limits) orDefaults() Limits {
	l.ScriptBytes, l.StringBytes, l.Calls = cmp.Or(l.ScriptBytes, 256<<10), cmp.Or(l.StringBytes, 64<<10), cmp.Or(l.Calls, 16)
	l.List, l.Depth = cmp.Or(l.List, 1024), cmp.Or(l.Depth, 16)
	if l.Depth < 0 || l.Depth > maxDepth {
		l.Depth = maxDepth
	}
	return l
}

// exceeds reports whether n is above limit. A negative limit is never exceeded.
func exceeds(n, limit int) bool { return limit >= 0 && n > limit }
