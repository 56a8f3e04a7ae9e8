package inspect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// diffString writes a comparison with a sign before each line.
func diffString(all []diffLine) string {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(map[diffOp]string{kept: " ", added: "+", removed: "-", folded: "…"}[l.Op])
		if l.Op == folded {
			fmt.Fprint(&b, l.Lines)
		}
		b.WriteString(l.Text + "|")
	}
	return b.String()
}

func TestDiffText(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""}, {"a\n", "a\n", " a|"}, {"", "a\nb", "+a|+b|"}, {"a\nb\n", "", "-a|-b|"}, {"a\nb\nc", "a\nx\nc\n", " a|-b|+x| c|"},
		{"a\nb\nc\nd", "b\nc\nd\ne", "-a| b| c| d|+e|"}, {"\n\n", "\n", " |-|"}, {"a\r\nb", "a\nb", "-a\r|+a| b|"}, {"a", "a\n", " a|"},
		{"a\nb\na\nb", "b\na", "-a| b| a|-b|"}, {hostileLine, "b", "-" + hostileLine + "|+b|"},
	} {
		assert.Equal(t, c.want, diffString(diffText(c.a, c.b)), "%q %q", c.a, c.b)
	}
}

const hostileLine = `</pre><script>alert(1)</script>` + "\u202e"

// Any comparison leads from one text to the other, and keeps as many lines as possible.
func TestDiffText_Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lines := func() []string {
		all := make([]string, rng.IntN(12))
		for i := range all {
			all[i] = string(rune('a' + rng.IntN(4)))
		}
		return all
	}
	for range 2000 {
		x, y := lines(), lines()
		var before, after []string
		same := 0
		for _, l := range diffText(strings.Join(x, "\n"), strings.Join(y, "\n")) {
			if l.Op != added {
				before = append(before, l.Text)
			}
			if l.Op != removed {
				after = append(after, l.Text)
			}
			if l.Op == kept {
				same++
			}
		}
		assert.Equal(t, strings.Join(x, "\n"), strings.Join(before, "\n"))
		assert.Equal(t, strings.Join(y, "\n"), strings.Join(after, "\n"))
		assert.Equal(t, longestCommon(x, y), same, "%q %q", x, y)
	}
}

// longestCommon is the length of a longest common subsequence, by trying all of them.
func longestCommon(x, y []string) int {
	switch {
	case len(x) == 0 || len(y) == 0:
		return 0
	case x[0] == y[0]:
		return 1 + longestCommon(x[1:], y[1:])
	}
	return max(longestCommon(x[1:], y), longestCommon(x, y[1:]))
}

// Long texts are compared, too: without a table beyond its limit.
func TestDiffText_Long(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	all := diffText("same\n"+a.String()+"end", "same\n"+b.String()+"end")
	plus, minus := countDiff(all)
	assert.Equal(t, []int{20_000, 20_000, 40_002}, []int{plus, minus, len(all)})
}

func TestFoldDiff(t *testing.T) {
	all := diffText("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n6\n7\n8\n9")
	assert.Equal(t, "…3| 4|-5|+x| 6|…3|", diffString(foldDiff(all, 1)))
	assert.Equal(t, diffString(all), diffString(foldDiff(all, 9)))
	assert.Equal(t, "…2|", diffString(foldDiff(diffText("1\n2", "1\n2"), 3)))
	assert.Empty(t, foldDiff(nil, 3))
}
