// Package script plays scripts in testdata, for tests. A line without indentation is a step. The indented lines below
// it are its expected output. Empty lines and lines that begin with # are comments.
package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Step plays one line of a script and returns its output, one line each, without indentation.
type Step func(line string) []string

// Files plays each script that matches the pattern in a subtest, and compares the result with the file. With update
// it writes the file.
func Files(t *testing.T, pattern string, update bool, begin func(t *testing.T) Step) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := Play(string(want), begin(t))
			if update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

// Play returns the script with the output below each step.
func Play(script string, step Step) string {
	var out strings.Builder
	for line := range strings.Lines(script) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "    ") {
			continue
		}
		out.WriteString(line + "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, s := range step(line) {
			out.WriteString("    " + s + "\n")
		}
	}
	return out.String()
}

// Clock parses 15:04:05 or 15:04:05.000 as a time of the day of all scripts, 1 March 2026 in UTC.
func Clock(t *testing.T, s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-01 "+s)
	require.NoError(t, err)
	return at
}
