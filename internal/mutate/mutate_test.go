package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTable checks that each entry applies and parses, that docs/requirements.md names its tests, and that each row has an
// entry or a reason for having none.
func TestTable(t *testing.T) {
	named, err := readRequirements("../../docs/requirements.md")
	require.NoError(t, err)
	require.Greater(t, len(named), 60)
	all, err := readTable("mutations.txt")
	require.NoError(t, err)
	rows := map[string]bool{}
	for _, m := range all.mutations {
		rows[m.row] = true
		_, err := m.apply("../..")
		assert.NoError(t, err, "mutations.txt:%d: %s", m.line, m)
		_, err = m.testsIn(named)
		assert.NoError(t, err, "mutations.txt:%d", m.line)
	}
	for row := range named {
		assert.NotEqual(t, rows[row], all.without[row] != "", "%s needs an entry, or a line that begins with without", row)
	}
	for row := range all.without {
		assert.Contains(t, named, row)
	}
}

func TestParseTable(t *testing.T) {
	all, err := parseTable("# comment\n\nP1 a/b.go a.TestOne a.TestTwo\n- old\n- \tlines\n+ new\n\nP2 c.go\n- gone\n+ \nwithout P3 because of this\n")
	require.NoError(t, err)
	assert.Equal(t, []mutation{
		{line: 3, row: "P1", file: "a/b.go", tests: []testName{{"a", "TestOne"}, {"a", "TestTwo"}}, old: "old\n\tlines", new: "new"},
		{line: 8, row: "P2", file: "c.go", old: "gone"},
	}, all.mutations)
	assert.Equal(t, map[string]string{"P3": "because of this"}, all.without)
	assert.Len(t, all.ofRows("P1"), 1)
	assert.Len(t, all.ofRows("P"), 2)
	assert.Empty(t, all.ofRows("P11"))
	for _, text := range []string{"P1\n- a\n+ b\n", "- a\n+ b\n", "P1 a.go\n+ b\n", "P1 a.go\n", "P1 a.go\n- a\n+ a\n", "P1 a.go Test\n- a\n+ b\n"} {
		_, err := parseTable(text)
		assert.Error(t, err, text)
	}
}

// writeModule writes a module with two functions. Its test checks one of them.
func writeModule(t *testing.T, mutations string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/sum\n\ngo 1.26\n",
		"sum/sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Half(a int) int { return a / 2 }\n\n" +
			"func Forever() {\n\tfor i := 0; i < 1; i++ {\n\t}\n}\n",
		"sum/sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tForever()\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n\n" +
			"func TestBroken(t *testing.T) { t.Fatal() }\n",
		"docs/requirements.md": "- **P1** It adds.\n    - `sum.TestSum`\n- **P2** It is broken.\n    - `sum.TestBroken`, `sum.TestMissing`\n",
		"mutations.txt":        mutations,
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return root
}

// TestRun tries mutations of a small module. It builds that module's tests a few times.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: it compiles seven test binaries")
	}
	const entry = "P1 sum/sum.go\n"
	cases := []struct{ name, table, want string }{
		{"killed", entry + "- a + b\n+ a - b\n", "killed by TestSum"},
		{"killed by a panic", entry + "- a + b\n+ a / (b - b)\n", "killed by TestSum"},
		{"killed by the time limit", entry + "- i++\n+ \n", "killed by the time limit"},
		{"survives", entry + "- a / 2\n+ a / 3\n", "SURVIVED at mutations.txt:1"},
		{"does not compile", entry + "- a + b\n+ c\n", "ERROR: the tests of sum do not compile"},
		{"does not apply", entry + "- a * b\n+ c\n", "ERROR: the old text occurs 0 times"},
		{"ambiguous", entry + "- func\n+ \n", "ERROR: the old text occurs 3 times"},
		{"does not parse", entry + "- a + b\n+ a +\n", "ERROR: the mutated file does not parse"},
		{"unnamed test", "P1 sum/sum.go sum.TestBroken\n- a + b\n+ a\n", "ERROR: docs/requirements.md does not name sum.TestBroken for P1"},
		{"fails anyway", "P2 sum/sum.go sum.TestBroken\n- a + b\n+ a\n", "ERROR: sum.TestBroken: fails without a mutation"},
		{"no such test", "P2 sum/sum.go sum.TestMissing\n- a + b\n+ a\n", "ERROR: sum.TestMissing: sum has no TestMissing"},
	}
	before, err := os.ReadFile(filepath.Join(writeModule(t, ""), "sum", "sum.go"))
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := writeModule(t, c.table)
			var out bytes.Buffer
			failed, err := run(t.Context(), []string{"-root", root, "-table", "mutations.txt", "-timeout", "10s"}, &out)
			require.NoError(t, err)
			assert.Contains(t, out.String(), c.want)
			assert.Equal(t, c.want[:6] != "killed", failed == 1, out.String())
			after, err := os.ReadFile(filepath.Join(root, "sum", "sum.go"))
			require.NoError(t, err)
			assert.True(t, slices.Equal(before, after), "the file is unchanged")
		})
	}
}

func TestRun_List(t *testing.T) {
	root := writeModule(t, "P1 sum/sum.go\n- a + b\n+ a - b\n")
	var out bytes.Buffer
	failed, err := run(t.Context(), []string{"-root", root, "-table", "mutations.txt", "-list"}, &out)
	require.NoError(t, err)
	assert.Zero(t, failed)
	assert.Equal(t, "P1 sum/sum.go\n- a + b\n+ a - b\n", out.String())
	_, err = run(t.Context(), []string{"-root", root, "-table", "mutations.txt", "-row", "P9"}, &out)
	assert.Error(t, err)
}
