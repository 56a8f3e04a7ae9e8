package social_test

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social"
)

// Every reason that package social and its parts declare has a text in both languages. The reasons of package whatif are words of a
// page, which has its own texts.
func TestReasonText_Complete(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "whatif" {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := spec.Type.(*ast.SelectorExpr); !ok || kind.Sel.Name != "Code" {
				return true
			}
			for _, v := range spec.Values {
				code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				found++
				for _, lang := range []string{"zh", "en"} {
					assert.NotEqual(t, code, social.ReasonText(heartflow.Code(code), lang), "%s has no text", code)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, found, 5)
	assert.Equal(t, "有人 @ 我", social.ReasonText(heartflow.WhyMentioned, "zh"))
	assert.Equal(t, "unknown", social.ReasonText("unknown", "zh"))
}
