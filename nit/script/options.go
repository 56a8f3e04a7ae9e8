package script

import "cmp"

// Options of reading and running. The zero value is the strict dialect with the default limits.
type Options struct {
	// Legacy reads NIT 2.0 as its first interpreter did: nothing of the superset, the last of two arguments of one name
	// counts, an unknown variable is null, and async calls run one after the other.
	Legacy bool
	Limits Limits
}

// Limits bound one script. In each field 0 means the default and a negative number no bound.
type Limits struct {
	ScriptBytes int // bytes of the script; 0 means 256 KiB
	StringBytes int // bytes of one string; 0 means 64 KiB
	Calls       int // calls, and so statements; 0 means 16
	List        int // items of a list or an object, arguments of a call; 0 means 1024
	Depth       int // lists and objects within each other; 0 means 16; without a bound it is 10 000
}

// NoLimits lifts them all.
func NoLimits() Limits {
	return Limits{ScriptBytes: -1, StringBytes: -1, Calls: -1, List: -1, Depth: -1}
}

const (
	deepest   = 10_000 // more would be a matter of the stack
	maxDigits = 4300   // of a whole number: reading them takes quadratic time; the first interpreter stops here, too
)

func (l Limits) orDefaults() Limits {
	l.ScriptBytes, l.StringBytes, l.Calls = cmp.Or(l.ScriptBytes, 256<<10), cmp.Or(l.StringBytes, 64<<10), cmp.Or(l.Calls, 16)
	l.List, l.Depth = cmp.Or(l.List, 1024), cmp.Or(l.Depth, 16)
	if l.Depth < 0 || l.Depth > deepest {
		l.Depth = deepest
	}
	return l
}

// over tells whether n exceeds a limit.
func over(n, limit int) bool { return limit >= 0 && n > limit }
