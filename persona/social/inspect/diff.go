package inspect

import "strings"

// A diffOp says what happened to a line.
type diffOp string

const (
	kept    diffOp = "kept"
	added   diffOp = "added"
	removed diffOp = "removed"
	folded  diffOp = "folded" // stands for kept lines that are not shown
)

// A diffLine is a line of a comparison.
type diffLine struct {
	Op    diffOp
	Text  string
	Lines int // of a folded line: how many it stands for
}

// maxDiffCells limits the table of a comparison. Beyond it, all lines between the equal ends are removed and added.
const maxDiffCells = 4 << 20

// diffText compares two texts by lines. The lines that stay are a longest common subsequence.
func diffText(a, b string) []diffLine {
	x, y := splitLines(a), splitLines(b)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	all := appendLines(nil, kept, x[:head])
	all = append(all, diffMiddle(x[head:len(x)-tail], y[head:len(y)-tail])...)
	return appendLines(all, kept, x[len(x)-tail:])
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func appendLines(all []diffLine, op diffOp, lines []string) []diffLine {
	for _, l := range lines {
		all = append(all, diffLine{Op: op, Text: l})
	}
	return all
}

// diffMiddle compares the lines between the equal ends. longest[i*w+j] is the length of the longest common subsequence of x[i:] and y[j:].
func diffMiddle(x, y []string) (all []diffLine) {
	w := len(y) + 1
	if (len(x)+1)*w > maxDiffCells {
		return appendLines(appendLines(nil, removed, x), added, y)
	}
	longest := make([]uint32, (len(x)+1)*w)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				longest[i*w+j] = longest[(i+1)*w+j+1] + 1
			} else {
				longest[i*w+j] = max(longest[(i+1)*w+j], longest[i*w+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			all = append(all, diffLine{Op: kept, Text: x[i]})
			i, j = i+1, j+1
		case longest[(i+1)*w+j] >= longest[i*w+j+1]:
			all = append(all, diffLine{Op: removed, Text: x[i]})
			i++
		default:
			all = append(all, diffLine{Op: added, Text: y[j]})
			j++
		}
	}
	return appendLines(appendLines(all, removed, x[i:]), added, y[j:])
}

// foldDiff replaces kept lines that are more than around lines away from a change by one folded line.
func foldDiff(all []diffLine, around int) (short []diffLine) {
	near := make([]bool, len(all))
	for i, l := range all {
		if l.Op == kept {
			continue
		}
		for j := max(0, i-around); j <= min(len(all)-1, i+around); j++ {
			near[j] = true
		}
	}
	for i, l := range all {
		if near[i] {
			short = append(short, l)
			continue
		}
		if n := len(short); n == 0 || short[n-1].Op != folded {
			short = append(short, diffLine{Op: folded})
		}
		short[len(short)-1].Lines++
	}
	return short
}

// countDiff returns the number of added and removed lines.
func countDiff(all []diffLine) (plus, minus int) {
	for _, l := range all {
		switch l.Op {
		case added:
			plus++
		case removed:
			minus++
		}
	}
	return plus, minus
}
