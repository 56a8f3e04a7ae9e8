package patch_test

import (
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patchOf returns a patch with this body.
func patchOf(body string) string { return "*** Begin Patch\n" + body + "\n*** End Patch" }

const state = `#### 角色背景
空，可根据基本设定来丰富。

#### 用户画像推测
**用户特征**
空，还没有产生过推测。

**用户要求**
空

**用户正在专注的事项**
空

#### 历史交互事件
空，还没有发生过事件。
`

// TestApply_Grammar covers each rule of the grammar.
func TestApply_Grammar(t *testing.T) {
	for _, c := range []struct{ name, doc, patch, want string }{
		// 1: context and removals
		{"the seed's example", "#### 用户画像推测\n用户特征\n空，还没有产生过推测。\n", "@@ #### 用户画像推测\n 用户特征\n-空，还没有产生过推测。\n+喜欢二次元与技术折腾。",
			"#### 用户画像推测\n用户特征\n喜欢二次元与技术折腾。\n"},
		{"only a removal", "# A\na\nb\n", "@@ # A\n-a", "# A\nb\n"},
		{"only context", "# A\na\nb\n", "@@ # A\n a\n b", "# A\na\nb\n"},
		{"without a sign it is context", "# A\na\nb\n", "@@ # A\na\n+x\nb", "# A\na\nx\nb\n"},
		{"before the first line of a section", "# A\na\n", "@@ # A\n+x\n a", "# A\nx\na\n"},
		{"before the heading", "a\n# B\nb\n", "@@ # B\n+x\n # B", "a\nx\n# B\nb\n"},
		{"the heading itself", "# A\na\n", "@@ # A\n-# A\n+# B", "# B\na\n"},
		{"added lines split the context", "# A\na\nb\n", "@@ # A\n a\n+x\n b\n+y", "# A\na\nx\nb\ny\n"},
		{"removals and additions in turn", "a\nb\nc\nd\n", "@@\n-a\n+1\n b\n-c\n+3\n d", "1\nb\n3\nd\n"},
		{"context runs into the next section", "# A\na\n\n# B\nb\n", "@@ # A\n a\n+x\n \n # B", "# A\na\nx\n\n# B\nb\n"},
		{"only in its section", "# A\nx\n# B\nx\n", "@@ # B\n-x\n+y", "# A\nx\n# B\ny\n"},
		{"no header: anywhere", "# A\na\n# B\nb\n", "@@\n-b\n+c", "# A\na\n# B\nc\n"},
		{"unknown header: anywhere", "# A\na\n# B\nb\n", "@@ # C\n-b\n+c", "# A\na\n# B\nc\n"},
		{"an addition that equals its context", "a\nb\n", "@@\n a\n+a\n b", "a\na\nb\n"},
		{"an addition that equals a line elsewhere", "a\nb\n", "@@\n b\n+a", "a\nb\na\n"},
		{"fits twice but comes to the same", "- 空\n- 空\n", "@@\n-- 空", "- 空\n"},
		{"adding to equal lines comes to the same", "空\n空\n", "@@\n 空\n+空", "空\n空\n空\n"},
		{"blank context lines", "a\n\nb\n", "@@\n a\n\n+x\n b", "a\n\nx\nb\n"},
		{"everything", "a\nb\n", "@@\n-a\n-b", ""},
		{"list items", "# A\n- a\n- b\n", "@@ # A\n - a\n-- b\n+- c", "# A\n- a\n- c\n"},
		{"signs as content", "+1\n-1\n@@\n 1\n*** End Patch\n", "@@\n +1\n--1\n @@\n  1\n-*** End Patch\n++2", "+1\n@@\n 1\n+2\n"},

		// 2: context with other lines in between
		{"by the context before", "# A\na\nc\nb\n", "@@ # A\n a\n+x\n b", "# A\na\nx\nc\nb\n"},
		{"by the context after", "a\nc\nb\nd\n", "@@\n+x\n a\n+y\n b", "x\na\ny\nc\nb\nd\n"},
		{"many runs", "1\n-\n2\n-\n3\n", "@@\n 1\n+a\n+b\n 2\n+c\n 3\n+d", "1\na\nb\n-\n2\nc\n-\n3\nd\n"},
		{"and an addition that equals its context", "a\nc\nb\n", "@@\n a\n+b\n b", "a\nb\nc\nb\n"},

		// 3: additions whose context does not exist
		{"the context is not there", "# A\na\n\n# B\nb\n", "@@ # A\n c\n+x\n+y", "# A\na\nx\ny\n\n# B\nb\n"},
		{"the context is in another section", "# A\na\n# B\nb\n", "@@ # A\n b\n+x", "# A\na\nx\n# B\nb\n"},
		{"part of the context is not there", "a\nc\n", "@@\n a\n+x\n b", "a\nc\nx\n"},
		{"the context is in another order", "b\nc\na\n", "@@\n a\n+x\n b", "b\nc\na\nx\n"},
		{"neither context nor header", "# A\na\n", "@@ # C\n c\n+x", "# A\na\n\n# C\nx\n"},
		{"an empty document", "", "@@ # C\n c\n+x", "# C\nx\n"},
		{"a line of the section is not repeated", "# A\na\n# B\nb\n", "@@ # A\n c\n+a\n+x\n+b", "# A\na\nx\nb\n# B\nb\n"},
		{"nothing is new", "# A\na\n# B\nb\n", "@@ # A\n c\n+\n+a", "# A\na\n# B\nb\n"},
		{"without a header no line of the document is repeated", "# A\na\n", "@@\n c\n+a\n+x", "# A\na\nx\n"},
		{"a new heading", "# A\na\n", "@@ # A\n c\n+## B\n+x", "# A\na\n## B\nx\n"},
		{"a blank line without a sign", "# A\na\n", "@@ # A\n c\n\n+x", "# A\na\nx\n"},

		// 4: only additions
		{"at the end of the section", "# A\na\n\n# B\nb\n", "@@ # A\n+x\n+y", "# A\na\nx\ny\n\n# B\nb\n"},
		{"under a bare heading", "# A\n\n# B\n", "@@ # A\n+x", "# A\nx\n\n# B\n"},
		{"in the last section", "# A\na\n\n\n", "@@ # A\n+x", "# A\na\nx\n\n\n"},
		{"under a new header", "# A\na\n", "@@ # C\n+x", "# A\na\n\n# C\nx\n"},
		{"after a blank line none is added", "# A\na\n\n", "@@ # C\n+x", "# A\na\n\n# C\nx\n"},
		{"a new header that is repeated", "a\n", "@@ # C\n+# C\n+x", "a\n\n# C\nx\n"},
		{"without a header", "# A\na\n", "@@\n+x", "# A\na\nx\n"},
		{"a sub-heading ends the section", "# A\na\n## B\nb\n", "@@ # A\n+x", "# A\na\nx\n## B\nb\n"},
		{"a higher one too", "## B\nb\n# A\na\n", "@@ ## B\n+x", "## B\nb\nx\n# A\na\n"},
		{"empty lines between additions", "a\n", "@@ # C\n\n+x\n\n+y\n\n", "a\n\n# C\nx\n\ny\n"},
		{"an empty line added", "# A\na\n# B\n", "@@ # A\n+", "# A\na\n\n# B\n"},

		// headers
		{"spaces around a header", "  # A  \na\n# B\n", "@@   # A  \n-a\n+x", "  # A  \nx\n# B\n"},
		{"a header without its signs", "#### 用户画像推测\na\n# B\n", "@@ 用户画像推测\n+x", "#### 用户画像推测\na\nx\n# B\n"},
		{"no space after @@", "# A\na\n# B\n", "@@# A\n+x", "# A\na\nx\n# B\n"},
		{"a bold line", state, "@@ **用户要求**\n+叫我小明", strings.Replace(state, "**用户要求**\n空\n", "**用户要求**\n空\n叫我小明\n", 1)},
		{"a bold line, without its stars", state, "@@ 用户要求\n-空\n+叫我小明", strings.Replace(state, "**用户要求**\n空\n", "**用户要求**\n叫我小明\n", 1)},
		{"bold lines belong to the heading above", state, "@@ #### 用户画像推测\n **用户要求**\n-空\n+叫我小明", strings.Replace(state, "**用户要求**\n空\n", "**用户要求**\n叫我小明\n", 1)},
		{"any line", "# A\nnotes:\na\n# B\n", "@@ notes:\n+x", "# A\nnotes:\na\nx\n# B\n"},
		{"a heading goes before a line", "A\n# A\na\n", "@@ A\n+x", "A\n# A\na\nx\n"},
		{"twice, and one fits", "# A\n1\n# A\n2\n", "@@ # A\n 2\n+x", "# A\n1\n# A\n2\nx\n"},
		{"full and half width are two headers", "# 喜好（吃）\na\n", "@@ # 喜好(吃)\n+x", "# 喜好（吃）\na\n\n# 喜好(吃)\nx\n"},
		{"a tag ends no section", "# A\n#tag\na\n# B\n", "@@ # A\n+x", "# A\n#tag\na\nx\n# B\n"},
		{"nor does a comment in code", "# A\n```sh\n# make\n```\na\n# B\n", "@@ # A\n+x", "# A\n```sh\n# make\n```\na\nx\n# B\n"},
		{"nor what is fenced longer", "# A\n~~~~\n~~~\n# no\n~~~~\n# B\n", "@@ # A\n+x", "# A\n~~~~\n~~~\n# no\n~~~~\nx\n# B\n"},
		{"seven signs are no heading", "# A\n####### b\n", "@@ # A\n+x", "# A\n####### b\nx\n"},

		{"and have no text", "# A\n####### b\n", "@@ b\n+x", "# A\n####### b\n\nb\nx\n"},

		// several hunks
		{"each sees what came before", "a\n", "@@\n-a\n+b\n@@\n-b\n+c", "c\n"},
		{"a new section is there for the next", "", "@@ # A\n+a\n@@ # A\n+b", "# A\na\nb\n"},
		{"in any order", "# A\na\n# B\nb\n", "@@ # B\n-b\n+2\n@@ # A\n-a\n+1", "# A\n1\n# B\n2\n"},

		// ends of lines and documents
		{"an empty document", "", "@@ # A\n+a", "# A\na\n"},
		{"an empty document, no header", "", "@@\n+a", "a\n"},
		{"no last line end stays so", "# A\na", "@@ # A\n+x", "# A\na\nx"},
		{"blank lines at the end stay", "a\nb\n\n\n", "@@\n-a\n+x", "x\nb\n\n\n"},
		{"blank lines alone", "\n\n", "@@\n+x", "\n\nx\n"},
		{"the last line becomes blank", "a\nb", "@@\n-b\n+", "a\n\n"},
		{"CRLF in the document", "# A\r\na\r\nb\r\n", "@@ # A\n-a\n+x", "# A\nx\nb\n"},
		{"CRLF in the patch", "# A\na\nb\n", "@@ # A\r\n-a\r\n+x\r", "# A\nx\nb\n"},
		{"a lone CR is a character", "a\rb\nc\n", "@@\n-a\rb\n+x", "x\nc\n"},
		{"other line separators are characters", "a\u2028b\n", "@@\n-a\u2028b\n+c\u0085d", "c\u0085d\n"},

		// other content of a patch
		{"end of file", "a\nb\n", "@@\n-b\n*** End of File", "a\n"},
		{"end of file in the middle", "a\nb\n", "@@\n-b\n*** End of File\n@@\n-a\n+c", "c\n"},
		{"lines before the first hunk", "a\n", "*** Update File: state.md\n\nsome words\n@@\n-a\n+b", "b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := patch.Apply(c.doc, patchOf(c.patch))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestApply_WhiteSpaceAround(t *testing.T) {
	got, err := patch.Apply("a\n", " \r\n\n"+patchOf("@@\n+b")+"  \n\n")
	require.NoError(t, err)
	assert.Equal(t, "a\nb\n", got)
}

// TestApply_Conflict: each conflict leaves the document unchanged, even after matching hunks, and its error quotes the
// mismatch.
func TestApply_Conflict(t *testing.T) {
	for _, c := range []struct {
		name, doc, patch string
		want             patch.ConflictError
		text             string
	}{
		{"a removal that is not there, its context is", "# A\na\nb\n", "@@ # A\n a\n-gone\n+x",
			patch.ConflictError{Hunk: 1, Header: "# A", Want: "gone", Got: "b", Line: 3},
			`patch: hunk 1 (# A): the document has no line "gone" there; line 3 is "b"`},
		{"a removal that is nowhere", "a\n", "@@\n-gone", patch.ConflictError{Hunk: 1, Want: "gone"}, `patch: hunk 1: the document has no line "gone"`},
		{"a removal from nothing", "", "@@ # A\n-a\n+b", patch.ConflictError{Hunk: 1, Header: "# A", Want: "a"}, `patch: hunk 1 (# A): the document has no line "a"`},
		{"a removal split by another line", "a\nc\nb\n", "@@\n a\n-b", patch.ConflictError{Hunk: 1, Want: "b", Got: "c", Line: 2},
			`patch: hunk 1: the document has no line "b" there; line 2 is "c"`},
		{"in another section", "# A\na\n# B\nb\n", "@@ # A\n-b", patch.ConflictError{Hunk: 1, Header: "# A", Want: "b", Got: "b", Line: 4},
			`patch: hunk 1 (# A): the document has no line "b" there; line 4 is "b", but what surrounds it differs`},
		{"full and half width", "空，还没有\n", "@@\n-空,还没有\n+x", patch.ConflictError{Hunk: 1, Want: "空,还没有", Got: "空，还没有", Line: 1},
			`patch: hunk 1: the document has no line "空,还没有" there; line 1 is "空，还没有" (full-width and half-width characters differ)`},
		{"a space after the sign", "old\n", "@@\n- old\n+ new", patch.ConflictError{Hunk: 1, Want: " old", Got: "old", Line: 1},
			`patch: hunk 1: the document has no line " old" there; line 1 is "old" (spaces differ; the sign is one character, the line follows at once)`},
		{"a list item without its sign", "- x\n- y\n", "@@\n- x\n+- z", patch.ConflictError{Hunk: 1, Want: " x", Got: "- x", Line: 1},
			`patch: hunk 1: the document has no line " x" there; line 1 is "- x" (a line that starts with "-" is written with a sign before it)`},
		{"context only", "# A\na\n", "@@ # A\n b", patch.ConflictError{Hunk: 1, Header: "# A", Want: "b"}, ""},
		{"context and a blank addition", "# A\na\n", "@@ # A\n b\n+", patch.ConflictError{Hunk: 1, Header: "# A", Want: "b"}, ""},
		{"a line without a sign may be an addition", "# A\na\n", "@@ # A\n+x\nb", patch.ConflictError{Hunk: 1, Header: "# A", Want: "b"}, ""},
		{"the heading would be there twice", "# A\na\n# B\nb\n", "@@ # A\n c\n+# B\n+x", patch.ConflictError{Hunk: 1, Header: "# A", Want: "c"}, ""},
		{"its own heading too", "# A\na\n", "@@ # A\n c\n+# A\n+x", patch.ConflictError{Hunk: 1, Header: "# A", Want: "c"}, ""},
		{"in full width too", "# A(b)\na\n", "@@ C\n c\n+## A（b）\n+x", patch.ConflictError{Hunk: 1, Header: "C", Want: "c"}, ""},
		{"a header like a heading", "# 喜好（吃）\na\n", "@@ # 喜好(吃)\n c\n+x", patch.ConflictError{Hunk: 1, Header: "# 喜好(吃)", Want: "c"}, ""},
		{"the context is missing, and the header is there twice", "# A\n1\n# A\n2\n", "@@ # A\n c\n+x", patch.ConflictError{Hunk: 1, Header: "# A", Matches: []int{1, 3}}, ""},
		{"additions with a removal", "# A\na\n", "@@ # A\n c\n+x\n-y", patch.ConflictError{Hunk: 1, Header: "# A", Want: "c"}, ""},
		{"the last line is cut off", "a\nb\n", "@@\n b\n-c", patch.ConflictError{Hunk: 1, Want: "c"}, ""},
		{"fits twice", "# A\n空\n1\n空\n", "@@ # A\n-空\n+x", patch.ConflictError{Hunk: 1, Header: "# A", Matches: []int{2, 4}},
			`patch: hunk 1 (# A) fits at lines 2, 4: give more lines of context`},
		{"context twice", "空\n1\n空\n", "@@\n 空\n+x", patch.ConflictError{Hunk: 1, Matches: []int{1, 3}}, ""},
		{"a run of context twice", "a\n1\na\n2\nb\n", "@@\n a\n+x\n b", patch.ConflictError{Hunk: 1, Matches: []int{1, 3}}, ""},
		{"a header twice", "# A\n1\n# A\n2\n", "@@ # A\n+x", patch.ConflictError{Hunk: 1, Header: "# A", Matches: []int{1, 3}}, ""},
		{"the second hunk", "a\nb\n", "@@\n-a\n@@ # B\n-c", patch.ConflictError{Hunk: 2, Header: "# B", Want: "c"}, ""},
		{"what the first hunk took", "a\nb\n", "@@\n-a\n@@\n-a", patch.ConflictError{Hunk: 2, Want: "a"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := patch.Apply(c.doc, patchOf(c.patch))
			assert.Empty(t, got)
			require.ErrorIs(t, err, patch.ErrConflict)
			var conflict *patch.ConflictError
			require.ErrorAs(t, err, &conflict)
			assert.Equal(t, c.want, *conflict)
			if c.text != "" {
				assert.Equal(t, c.text, err.Error())
			}
		})
	}
}

// TestApply_ManyMatches: a frequent line is not compared at all its places.
func TestApply_ManyMatches(t *testing.T) {
	_, err := patch.Apply(strings.Repeat("a\nb\n", 500), patchOf("@@\n-a"))
	require.ErrorIs(t, err, patch.ErrConflict)
	assert.Equal(t, "patch: hunk 1 fits at lines 1, 3, 5, 7, 9, 11, 13, 15, …: give more lines of context", err.Error())
}

func TestApply_SyntaxError(t *testing.T) {
	for _, c := range []struct {
		name, patch string
		line        int
	}{
		{"nothing", "", 1},
		{"no beginning", "@@\n+a\n*** End Patch", 1},
		{"no end", "*** Begin Patch\n@@\n+a", 3},
		{"beginning only", "*** Begin Patch", 1},
		{"text before", "Here it is:\n" + patchOf("@@\n+a"), 1},
		{"text after", patchOf("@@\n+a") + "\nDone.", 5},
		{"a fence around", "```\n" + patchOf("@@\n+a") + "\n```", 1},
		{"half the marker", "*** Begin Patchwork\n@@\n+a\n*** End Patch", 1},
		{"no hunk", patchOf("some words"), 3},
		{"empty", "*** Begin Patch\n*** End Patch", 2},
		{"an addition before the first hunk", patchOf("+a\n@@\n+b"), 2},
		{"a removal before the first hunk", patchOf("-a\n@@\n+b"), 2},
		{"a hunk without lines", patchOf("@@ # A"), 0},
		{"a hunk of empty lines", patchOf("@@ # A\n\n\n@@ # B\n+b"), 0},
		{"two patches", patchOf("@@\n+a\n*** End Patch\n*** Begin Patch\n@@\n+b"), 4},
		{"line numbers", patchOf("@@ -1,2 +1,3 @@\n+a"), 2},
		{"NUL", patchOf("@@\n+a\x00"), 0},
		{"no UTF-8", patchOf("@@\n+\xff"), 0},
		{"too many hunks", patchOf(strings.TrimSpace(strings.Repeat("@@\n+a\n", patch.MaxHunks+1))), 2 + 2*patch.MaxHunks},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := patch.Apply("a\n", c.patch)
			require.ErrorIs(t, err, patch.ErrSyntax)
			var syntax *patch.SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, c.line, syntax.Line, "%v", err)
		})
	}
}

func TestApply_TooLong(t *testing.T) {
	big := strings.Repeat("好", patch.MaxDocument/3-1) + "\n"
	_, err := patch.Apply(big+big, patchOf("@@\n+a"))
	assert.ErrorIs(t, err, patch.ErrTooLong)
	_, err = patch.Apply(big, patchOf("@@\n+aaaaaaaa"))
	assert.ErrorIs(t, err, patch.ErrTooLong, "the result counts")
	got, err := patch.Apply(big, patchOf("@@\n-"+strings.TrimSpace(big[:300])))
	assert.ErrorIs(t, err, patch.ErrConflict)
	assert.Empty(t, got)
	assert.Less(t, len(err.Error()), 2000, "quotes are clipped")
	_, err = patch.Apply("a\n", patchOf("@@\n+"+strings.Repeat("a", patch.MaxPatch)))
	assert.ErrorIs(t, err, patch.ErrTooLong)
}

// BenchmarkApply patches a document of about 4 kB in three places.
func BenchmarkApply(b *testing.B) {
	doc := strings.Repeat("#### 旧事\n- 一起爬过山\n- 吃过火锅\n\n", 80) + state
	text := patchOf("@@ **用户要求**\n-空\n+叫我小明\n@@ #### 历史交互事件\n+- 第一次说晚安\n@@ #### 新的\n+- 猫")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := patch.Apply(doc, text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApplyWorst has the maximum numbers of lines and hunks.
func BenchmarkApplyWorst(b *testing.B) {
	doc := strings.Repeat("\n", patch.MaxDocument-300)
	text := patchOf(strings.TrimSpace(strings.Repeat("@@ # A\n+\n", patch.MaxHunks)))
	for b.Loop() {
		if _, err := patch.Apply(doc, text); err != nil {
			b.Fatal(err)
		}
	}
}
