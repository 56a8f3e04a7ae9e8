package patch_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory/patch"
)

// FuzzApply checks that a patch neither loses nor invents lines. Lines that are not removed stay, in order, and new
// lines come from the patch. Only an added line that the document has already may be left out, if the context of its hunk does
// not exist. It parses the patch independently.
func FuzzApply(f *testing.F) {
	for _, seed := range [][2]string{
		{state, "@@ #### 用户画像推测\n **用户特征**\n-空，还没有产生过推测。\n+喜欢二次元"},
		{"# A\na\nb\n", "@@ # A\n a\n-gone\n+x"},
		{"# A\na\nc\nb\n", "@@ # A\n a\n+a\n b\n@@ # B\n+b\n\n+c"},
		{"- x\n- x\n- y", "@@\n-- x\n@@ y\n- y"},
		{"", "@@ # A\n+a\n@@ # A\n-a"},
		{"a\r\nb\n\n", "@@\r\n-a\r\n+c\n*** End of File"},
		{"```\n# A\n```\n**b**\nb\n", "@@ b\n+b\n@@ # A\n b\n+x"},
		{"a\na\na\nb\na\na", "@@\n a\n-a\n+b\n a"},
		{"# A\na\n# B\nb\n", "@@ # A\n no\n+a\n+x\n@@ # B\n no\n+b\n+\n@@ # C\n no\n+a\n@@\n no\n+x\n@@ # B\n no\n+# A"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, body string) {
		if len(doc) > 2000 || len(body) > 2000 {
			t.Skip()
		}
		text := patchOf(body)
		got, err := patch.Apply(doc, text)
		if err != nil {
			known := false
			for _, e := range []error{patch.ErrSyntax, patch.ErrConflict, patch.ErrTooLong} {
				known = known || errors.Is(err, e)
			}
			if !known || got != "" {
				t.Fatalf("%q with error %v", got, err)
			}
			return
		}
		if utf8.ValidString(doc) && !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		before, after := linesOf(doc), linesOf(got)
		balance := map[string]int{}
		for _, l := range before {
			balance[l]++
		}
		removed, headers, added, known := 0, map[string]bool{}, map[string]int{}, map[string]bool{}
		for _, l := range before {
			known[l] = true
		}
		hunk := linesOf(strings.TrimSpace(text))
		started := false
		for _, l := range hunk[1 : len(hunk)-1] {
			if header, ok := strings.CutPrefix(l, "@@"); ok {
				headers[strings.TrimSpace(header)] = true
				started = true
			} else if started && strings.HasPrefix(l, "-") {
				balance[l[1:]]--
				removed++
			} else if started && strings.HasPrefix(l, "+") {
				balance[l[1:]]++
				if added[l[1:]]++; added[l[1:]] > 1 {
					known[l[1:]] = true
				}
			}
		}
		for _, l := range after {
			balance[l]--
		}
		for l, n := range balance {
			switch {
			case n > 0 && n <= added[l] && (known[l] || strings.TrimSpace(l) == ""): // left out
			case n > 0 && !headers[strings.TrimSpace(l)]: // a new header that is also an added line exists once
				t.Fatalf("%d of %q lost\n%q\n%q\n%q", n, l, doc, body, got)
			case n < 0 && l != "" && !headers[l]:
				t.Fatalf("%d of %q invented\n%q\n%q\n%q", -n, l, doc, body, got)
			}
		}
		if kept := longestCommon(before, after); kept < len(before)-removed {
			t.Fatalf("%d of %d lines kept in order, %d removed\n%q\n%q\n%q", kept, len(before), removed, doc, body, got)
		}
	})
}

var endOfLine = regexp.MustCompile(`\r+(\n|$)`)

func linesOf(doc string) []string {
	if doc == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(endOfLine.ReplaceAllString(doc, "$1"), "\n"), "\n")
}

// longestCommon returns the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = up
		}
	}
	return row[len(b)]
}

// FuzzHistory loads arbitrary data and moves through the versions.
func FuzzHistory(f *testing.F) {
	f.Add(`{"text":"b","number":2,"older":[{"off":0,"len":1,"old":"a","number":1}],"newer":[{"off":1,"len":0,"old":"c"}]}`)
	f.Add(`{"text":"好","older":[{"off":0,"len":3,"old":"妤"}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		var h patch.History
		if h.UnmarshalJSON([]byte(data)) != nil {
			return
		}
		text, n := h.Text(), 0
		for h.Undo() == nil {
			n++
		}
		for range n {
			if err := h.Redo(); err != nil {
				t.Fatal(err)
			}
		}
		if h.Text() != text {
			t.Fatalf("%q is not %q again", h.Text(), text)
		}
	})
}
