package hearth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNobodyInCode holds that who a being is stands in data: no text of the library, prompts and defaults among them, has
// a name of those whom its examples and tests tell of. Packages for tests make up people.
func TestNobodyInCode(t *testing.T) {
	names := []string{"小炉", "炉子", "小满", "小雨", "小明", "小红", "张三", "李四", "王五", "老王", "阿珍", "年糕"}
	texts := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || path == "examples" || d.Name() == "testdata" || strings.HasSuffix(d.Name(), "test")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			texts++
			for _, name := range names {
				assert.NotContains(t, text, name, path)
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, texts, 1000)
}
