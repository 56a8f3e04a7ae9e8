package hfc

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the expected lines in testdata")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// playScripts plays the scripts that match the pattern: each line that is not indented is a step, and below it stand the
// lines that it gives. Empty lines and those that begin with # are comments.
func playScripts(t *testing.T, pattern string, newPlayer func(t *testing.T) func(line string) []string) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := playScript(string(want), newPlayer(t))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

func playScript(script string, step func(line string) []string) string {
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

// clockOf reads 15:04:05 of the day of noon, or 15:04:05.000.
func clockOf(t *testing.T, s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-01 "+s)
	require.NoError(t, err)
	return at
}
