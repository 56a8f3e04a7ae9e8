package nit

import (
	"errors"
	"maps"
	"regexp/syntax"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of a schema's cost. A 3 KB pattern can compile to three million instructions and 100 MB. An enumeration of
// 20,000 values takes minutes to check against 30,000 items.
const (
	maxNesting  = 512 << 10 // sum of the nesting depth over all bytes: the library reads nested parts once per level
	maxPatterns = 2_000     // instructions of all patterns
	maxWork     = 512 << 10 // values times cost of a schema that the library checks: under a second
	maxMatching = 4 << 20   // bytes of arguments times pattern instructions: under a second
)

var errCostlySchema = errors.New("the schema is too costly to validate")

// cost is the cost of validating one value, with all references expanded.
type cost struct {
	nodes    int
	work     int // nodes and their listed values
	patterns int // instructions
}

func (w cost) add(o cost) cost {
	return cost{
		min(w.nodes+o.nodes, maxUnion), min(w.work+o.work, maxUnion), min(w.patterns+o.patterns, maxUnion),
	}
}

// costOf returns the cost of s without its subschemas.
func costOf(s *jsonschema.Schema) (cost, error) {
	w := cost{nodes: 1, work: 1 + len(s.Required)}
	for _, e := range s.Enum {
		w.work += countValues(e)
	}
	if s.Const != nil {
		w.work += countValues(*s.Const)
	}
	for _, names := range s.DependentRequired {
		w.work += len(names)
	}
	patterns := slices.Collect(maps.Keys(s.PatternProperties))
	if s.Pattern != "" {
		patterns = append(patterns, s.Pattern)
	}
	for _, pattern := range patterns {
		n, err := instructions(pattern)
		if err != nil {
			return w, err
		}
		w.patterns += n
	}
	return w, nil
}

// countValues counts v and all values inside it.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += countValues(item)
		}
	case map[string]any:
		for _, item := range v {
			n += countValues(item)
		}
	}
	return n
}

// instructions estimates the number of instructions of a pattern without compiling it.
func instructions(pattern string) (int, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, errors.New("the schema has an invalid pattern")
	}
	return regexpSize(re), nil
}

func regexpSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/32 // a class like \pL has hundreds of ranges
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += regexpSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1) + 1
	}
	return min(n, maxUnion)
}

// depthSum adds up the nesting depth over all bytes of a JSON text.
func depthSum(text string) int {
	sum, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			depth++
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
		sum += depth
	}
	return sum
}
