package script

import (
	"slices"
	"sort"
)

// Provenance are the provenance of a value: the tools whose results it contains and names that the caller of the script
// added. They are sorted and unique and never modified in place. Nil means that the value is written in the script
// itself.
type Provenance []string

// NewProvenance sorts and deduplicates names.
func NewProvenance(names ...string) Provenance {
	if len(names) == 0 {
		return nil
	}
	l := slices.Clone(names)
	sort.Strings(l)
	return slices.Compact(l)
}

// Has reports whether l contains name.
func (l Provenance) Has(name string) bool {
	_, ok := slices.BinarySearch(l, name)
	return ok
}

// Union returns the union of l and more.
func (l Provenance) Union(more Provenance) Provenance {
	switch {
	case len(l) == 0:
		return more
	case !slices.ContainsFunc(more, func(name string) bool { return !l.Has(name) }):
		return l
	}
	return NewProvenance(append(slices.Clip(l), more...)...)
}

// A Value is the result of a call.
type Value struct {
	Data       any
	Provenance Provenance
}

// A Call is a call in a running script. Data from variables is shared with them and must not be modified.
type Call struct {
	Name          string
	Args          map[string]any        // nil, bool, int64, *big.Int, float64, string, []any, map[string]any, or a result
	ArgProvenance map[string]Provenance // by argument; arguments without provenance are absent
	Async         bool                  // marked async
}

// Provenance returns the union of the provenance of all arguments.
func (c Call) Provenance() Provenance {
	var all Provenance
	for _, l := range c.ArgProvenance {
		all = all.Union(l)
	}
	return all
}
