package hearth_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadme_Quickstart checks that the quickstart in both READMEs is the program of examples/quickstart.
func TestReadme_Quickstart(t *testing.T) {
	source, err := os.ReadFile("examples/quickstart/main.go")
	require.NoError(t, err)
	_, code, ok := strings.Cut(string(source), "\npackage main\n")
	require.True(t, ok)
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Contains(t, string(text), "```go\npackage main\n"+code+"```", name)
	}
}

// TestReadme_Recipes checks that the recipes in both READMEs are those that examples/recipes runs.
func TestReadme_Recipes(t *testing.T) {
	source, err := os.ReadFile("examples/recipes/recipes_test.go")
	require.NoError(t, err)
	recipes := strings.Split(string(source), "// recipe\n")[1:]
	require.Len(t, recipes, 7)
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, recipe := range recipes {
			code, _, ok := strings.Cut(recipe, "// end\n")
			require.True(t, ok)
			code = strings.TrimRight(code, "\n\t")
			indent := code[:len(code)-len(strings.TrimLeft(code, "\t"))]
			assert.Contains(t, string(text), strings.ReplaceAll("\n"+code, "\n"+indent, "\n")+"\n", name)
		}
	}
}

// TestReadme_LanguagesAgree checks that both READMEs have the same number of sections, and the same commands and links.
func TestReadme_LanguagesAgree(t *testing.T) {
	shape := func(name string) (headings int, blocks, links []string) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 1 && !strings.Contains(block, "//") {
				blocks = append(blocks, block)
			}
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "## ") {
				headings++
			}
			for rest, found := line, true; found; {
				var link string
				if _, rest, found = strings.Cut(rest, "(https://"); found {
					link, rest, _ = strings.Cut(rest, ")")
					links = append(links, link)
				}
			}
		}
		return headings, blocks, links
	}
	h, b, l := shape("README.md")
	h2, b2, l2 := shape("README.zh-CN.md")
	assert.Equal(t, h, h2)
	assert.Equal(t, b, b2)
	assert.Equal(t, l, l2)
	assert.NotEmpty(t, l)
}
