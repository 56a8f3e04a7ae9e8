package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A mutation replaces old by new in file. old occurs exactly once in the file.
type mutation struct {
	line     int    // of mutations.txt
	row      string // of docs/requirements.md, such as P7
	file     string // slash-separated, relative to the root
	tests    []testName
	old, new string
}

// A testName has a directory relative to the root and the name of a function, as docs/requirements.md writes them.
type testName struct{ dir, name string }

func (n testName) String() string { return n.dir + "." + n.name }

func parseTestName(s string) (testName, bool) {
	dir, name, ok := strings.Cut(s, ".")
	return testName{dir, name}, ok
}

// String returns the entry without its text, for example "P7 buffer/entry.go buffer.TestBuffer_DueConditions".
func (m mutation) String() string {
	s := m.row + " " + m.file
	for _, n := range m.tests {
		s += " " + n.String()
	}
	return s
}

func (m mutation) diff() string {
	var b strings.Builder
	for line := range strings.Lines(m.old + "\n") {
		b.WriteString("- " + line)
	}
	if m.new != "" {
		for line := range strings.Lines(m.new + "\n") {
			b.WriteString("+ " + line)
		}
	}
	return b.String()
}

// apply returns the mutated source of the file.
func (m mutation) apply(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(source, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("the old text occurs %d times", n)
	}
	mutated := bytes.Replace(source, []byte(m.old), []byte(m.new), 1)
	if strings.HasSuffix(m.file, ".go") {
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, mutated, parser.SkipObjectResolution); err != nil {
			return nil, fmt.Errorf("the mutated file does not parse: %w", err)
		}
	}
	return mutated, nil
}

// testsIn returns the tests that have to fail: those of the entry, or else those that the row names in the file's package.
func (m mutation) testsIn(named map[string][]testName) ([]testName, error) {
	if len(m.tests) > 0 {
		for _, n := range m.tests {
			if !contains(named[m.row], n) {
				return nil, fmt.Errorf("docs/requirements.md does not name %s for %s", n, m.row)
			}
		}
		return m.tests, nil
	}
	var tests []testName
	for _, n := range named[m.row] {
		if n.dir == path.Dir(m.file) {
			tests = append(tests, n)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("docs/requirements.md names no test of %s for %s", path.Dir(m.file), m.row)
	}
	return tests, nil
}

func contains(all []testName, n testName) bool {
	for _, one := range all {
		if one == n {
			return true
		}
	}
	return false
}

// A table has the entries of a file. Without maps a row to the reason why it has no entry.
type table struct {
	mutations []mutation
	without   map[string]string
}

func readTable(name string) (table, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return table{}, err
	}
	t, err := parseTable(string(text))
	if err != nil {
		return table{}, fmt.Errorf("%s:%w", name, err)
	}
	return t, nil
}

// parseTable reads entries that begin with a line of row, file and tests. Lines of old text follow, each after "- ", and
// lines of new text, each after "+ ". A line "without ROW REASON" explains a row that has no entry. Lines that begin with #
// are comments.
func parseTable(text string) (table, error) {
	t := table{without: map[string]string{}}
	var open *mutation
	var hasNew bool
	closeEntry := func() error {
		if open == nil {
			return nil
		}
		if open.old == "" || open.old == open.new {
			return fmt.Errorf("%d: no text to replace", open.line)
		}
		t.mutations = append(t.mutations, *open)
		open, hasNew = nil, false
		return nil
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		mark, rest := line, ""
		if len(line) >= 2 {
			mark, rest = line[:2], line[2:]
		}
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			continue
		case mark == "- " || line == "-":
			if open == nil || hasNew {
				return table{}, fmt.Errorf("%d: old text without an entry", n)
			}
			open.old = join(open.old, rest)
		case mark == "+ " || line == "+":
			if open == nil || open.old == "" {
				return table{}, fmt.Errorf("%d: new text without old text", n)
			}
			open.new, hasNew = join(open.new, rest), true
		default:
			if err := closeEntry(); err != nil {
				return table{}, err
			}
			fields := strings.Fields(line)
			if fields[0] == "without" && len(fields) > 2 {
				t.without[fields[1]] = strings.Join(fields[2:], " ")
				continue
			}
			m, err := parseHeader(fields)
			if err != nil {
				return table{}, fmt.Errorf("%d: %w", n, err)
			}
			m.line = n
			open = &m
		}
	}
	if err := closeEntry(); err != nil {
		return table{}, err
	}
	return t, nil
}

func join(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}

func parseHeader(fields []string) (mutation, error) {
	if len(fields) < 2 {
		return mutation{}, errors.New("an entry begins with a row and a file")
	}
	m := mutation{row: fields[0], file: fields[1]}
	for _, field := range fields[2:] {
		name, ok := parseTestName(field)
		if !ok {
			return mutation{}, fmt.Errorf("%q is no test", field)
		}
		m.tests = append(m.tests, name)
	}
	return m, nil
}

// ofRows returns the entries of some rows, separated by commas. A part such as P selects all of its rows.
func (t table) ofRows(rows string) []mutation {
	if rows == "" {
		return t.mutations
	}
	var selected []mutation
	for _, m := range t.mutations {
		for row := range strings.SplitSeq(rows, ",") {
			if row = strings.TrimSpace(row); m.row == row || len(row) == 1 && strings.HasPrefix(m.row, row) {
				selected = append(selected, m)
				break
			}
		}
	}
	return selected
}

var (
	rowLine   = regexp.MustCompile(`^- \*\*([PHDNQ]\d+)\*\*`)
	testInRow = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Example|Fuzz)\\w*)`")
)

// readRequirements returns the tests that docs/requirements.md names for each row, in its order.
func readRequirements(name string) (map[string][]testName, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	named, row := map[string][]testName{}, ""
	for line := range strings.Lines(string(text)) {
		if m := rowLine.FindStringSubmatch(line); m != nil {
			row = m[1]
			named[row] = nil
		} else if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") {
			row = ""
		}
		for _, m := range testInRow.FindAllStringSubmatch(line, -1) {
			if row != "" {
				named[row] = append(named[row], testName{cmp.Or(m[1], "."), m[2]})
			}
		}
	}
	return named, nil
}
