package hearth_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedModel matches a flag with a name in place of a placeholder.
var namedModel = regexp.MustCompile(`-model-name["', ]+([A-Za-z0-9][\w.:/-]*)`)

// modelNames returns the retired names in a text, and the names behind -model-name that are no placeholder.
func modelNames(text string, retired []string) (found []string) {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '.'
	})
	for _, w := range words {
		if w = strings.Trim(w, ".-"); slices.Contains(retired, strings.ToLower(w)) {
			found = append(found, w)
		}
	}
	for _, m := range namedModel.FindAllStringSubmatch(text, -1) {
		if m[1] != "NAME" && strings.ContainsAny(m[1], "0123456789") {
			found = append(found, m[1])
		}
	}
	return found
}

// TestDocs_NoRetiredModels: no document, no help and no default names a model that its provider has retired, and no command in them
// names a model at all: a name of today is retired tomorrow.
func TestDocs_NoRetiredModels(t *testing.T) {
	list, err := os.ReadFile("testdata/retired_models.txt")
	require.NoError(t, err)
	var retired []string
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			require.Len(t, fields, 3, line)
			retired = append(retired, fields[0])
		}
	}
	assert.Equal(t, []string{"deepseek-chat", "deepseek-chat", "qwen3:8b"}, modelNames("把 deepseek-chat、deepseek/deepseek-chat 换掉：-model-name qwen3:8b -model-name NAME", retired))

	read := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != "."):
			return fs.SkipDir
		case d.IsDir(), name == "CHANGELOG.md", strings.HasSuffix(name, "_test.go"):
			return nil
		case !slices.Contains([]string{".go", ".md", ".yaml", ".example", ".sh"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		read++
		assert.Empty(t, modelNames(string(text), retired), path)
		return err
	}))
	assert.Greater(t, read, 300)
}
