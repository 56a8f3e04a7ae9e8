package script

import (
	"slices"
	"sort"
)

// Provenance say where a value came from: the tools whose results are in it, and what the caller of a script added.
// They are sorted, each once, and never changed in place. Nil is what the script says itself.
type Provenance []string

// NewProvenance makes labels of names in any order.
func NewProvenance(names ...string) Provenance {
	if len(names) == 0 {
		return nil
	}
	l := slices.Clone(names)
	sort.Strings(l)
	return slices.Compact(l)
}

// Has tells whether name is among them.
func (l Provenance) Has(name string) bool {
	_, ok := slices.BinarySearch(l, name)
	return ok
}

// Union gives l and more together.
func (l Provenance) Union(more Provenance) Provenance {
	switch {
	case len(l) == 0:
		return more
	case !slices.ContainsFunc(more, func(name string) bool { return !l.Has(name) }):
		return l
	}
	return NewProvenance(append(slices.Clip(l), more...)...)
}

// A Value is the result of a call, as a variable holds it.
type Value struct {
	Data       any
	Provenance Provenance
}

// A Call is one that a script makes. Data that came out of a variable is shared with it and must not be changed.
type Call struct {
	Name          string
	Args          map[string]any        // nil, bool, int64, *big.Int, float64, string, []any, map[string]any, and results
	ArgProvenance map[string]Provenance // by argument; only those that have some
	Async         bool                  // it is marked so
}

// Provenance gives where anything in the call came from.
func (c Call) Provenance() Provenance {
	var all Provenance
	for _, l := range c.ArgProvenance {
		all = all.Union(l)
	}
	return all
}
