package script

import (
	"slices"
	"sort"
)

// Labels say where a value came from: the tools whose results are in it, and what the caller of a script added.
// They are sorted, each once, and never changed in place. Nil is what the script says itself.
type Labels []string

// NewLabels makes labels of names in any order.
func NewLabels(names ...string) Labels {
	if len(names) == 0 {
		return nil
	}
	l := slices.Clone(names)
	sort.Strings(l)
	return slices.Compact(l)
}

// Has tells whether name is among them.
func (l Labels) Has(name string) bool {
	_, ok := slices.BinarySearch(l, name)
	return ok
}

// With gives l and more together.
func (l Labels) With(more Labels) Labels {
	switch {
	case len(l) == 0:
		return more
	case !slices.ContainsFunc(more, func(name string) bool { return !l.Has(name) }):
		return l
	}
	return NewLabels(append(slices.Clip(l), more...)...)
}

// A Value is the result of a call, as a variable holds it.
type Value struct {
	Data   any
	Labels Labels
}

// A Call is one that a script makes. Data that came out of a variable is shared with it and must not be changed.
type Call struct {
	Name   string
	Args   map[string]any    // nil, bool, int64, *big.Int, float64, string, []any, map[string]any, and results
	Labels map[string]Labels // by argument; only those that have some
	Async  bool              // it is marked so
}

// From gives where anything in the call came from.
func (c Call) From() Labels {
	var all Labels
	for _, l := range c.Labels {
		all = all.With(l)
	}
	return all
}
