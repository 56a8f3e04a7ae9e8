package hearth_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRequirements_TestsExist checks that docs/requirements.md names only tests, examples, fuzzers and benchmarks that exist.
func TestRequirements_TestsExist(t *testing.T) {
	text, err := os.ReadFile("docs/requirements.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Example|Fuzz|Benchmark)\\w*)`")
	shown := 0
	for _, line := range strings.Split(string(text), "\n") {
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			shown++
			assert.True(t, hasTest(t, m[1], m[2]), "docs/requirements.md: %s has no %s", m[1], m[2])
		}
	}
	assert.Greater(t, shown, 50)
}

// hasTest reports whether the package in dir has a test with that name. The dir "root" is this package.
func hasTest(t *testing.T, dir, name string) bool {
	if dir == "root" {
		dir = "."
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		source, err := os.ReadFile(f)
		require.NoError(t, err)
		if strings.Contains(string(source), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
