package patch_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory/patch"
)

// FuzzApply checks that a patch neither loses nor invents lines. Lines that are not removed stay, in order, and new
// lines come from the patch. It parses the patch independently.
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
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, body string) {
		if len(doc) > 2000 || len(body) > 2000 {
			t.Skip()
		}
		text := patchOf(body)
		got, err := patch.Apply(doc, text, patch.Options{})
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
		removed, headers := 0, map[string]bool{}
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
			}
		}
		for _, l := range after {
			balance[l]--
		}
		for l, n := range balance {
			switch {
			case n > 0 && !headers[strings.TrimSpace(l)]: // a new header that is also an added line exists once
				t.Fatalf("%d of %q lost\n%q\n%q\n%q", n, l, doc, body, got)
			case n < 0 && l != "" && !headers[l]:
				t.Fatalf("%d of %q invented\n%q\n%q\n%q", -n, l, doc, body, got)
			}
		}
		if kept := longestCommon(before, after); kept < len(before)-removed {
			t.Fatalf("%d of %d lines kept in order, %d removed\n%q\n%q\n%q", kept, len(before), removed, doc, body, got)
		}
		// A successful patch changes only sections in ChangedSections.
		if (len(patch.ChangedSections(doc, got)) == 0) != (len(patch.ChangedSections(got, doc)) == 0) {
			t.Fatalf("touched one way only: %q %q", doc, got)
		}
		// Forbidding the changed sections rejects the patch, with the same error each time.
		if len(patch.ChangedSections(doc, got)) > 0 {
			if _, err := patch.Apply(doc, text, patch.Options{Allow: func([]string) bool { return false }}); err == nil {
				t.Fatalf("%q may not be changed by %q", doc, body)
			}
		}
	})
}

var endOfLine = regexp.MustCompile(`\r+(\n|$)`)

// FuzzMay checks that forbidden sections do not influence a patch: it gives the same result with other lines there.
func FuzzMay(f *testing.F) {
	for _, seed := range [][4]string{
		{"intro\n", "茶\n咖啡", "小明喜欢猫\n", "@@ # 群聊\n-小明喜欢猫\n+小明喜欢茶"},
		{"", "小明喜欢猫\nx", "小明喜欢猫", "@@\n-小明喜欢猫"},
		{"# A\na\n", "a\n a", "## A\nb\n", "@@ a\n+b\n@@ # 主人\n-a\n+b"},
		{"", "ａ\n-a", "a\n", "@@ ａ\n+x\n@@ # B\n a\n+y\n@@\n-A"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	o := patch.Options{Allow: func(section []string) bool { return !slices.Contains(section, "# 主人") }}
	f.Fuzz(func(t *testing.T, before, secret, after, body string) {
		one, two, _ := strings.Cut(secret, "\n")
		secret = one + "\n" + two + "\n"
		if len(before)+len(secret)+len(after)+len(body) > 2000 || strings.ContainsAny(secret, "#*`~\r") || strings.Contains(two, "\n") || strings.Contains(before+after, "\r") ||
			strings.ContainsAny(before, "`~") || strings.Contains(before, "主人") { // these would change the sections themselves
			t.Skip()
		}
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		var docs, got, text [2]string
		secrets := [2]string{secret, "第一\n第二\n"}
		for i, s := range secrets {
			docs[i] = before + "# 主人\n" + s + "# 群聊\n" + after
			var err error
			if got[i], err = patch.Apply(docs[i], patchOf(body), o); err != nil {
				text[i] = err.Error()
			}
		}
		if text[0] != text[1] {
			t.Fatalf("%q tells of %q by %q, not %q", body, secret, text[0], text[1])
		}
		if text[0] == "" && strings.Replace(got[0], "# 主人\n"+secret, "# 主人\n"+secrets[1], 1) != got[1] {
			t.Fatalf("%q comes to %q and %q", body, got[0], got[1])
		}
	})
}

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
