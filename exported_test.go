package hearth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostExported is the largest number of exported functions, types, constants and variables of a package. Methods do not count.
const mostExported = 140

// TestPackages_ExportFewNames checks every package except onebot, whose protocol has that many events and actions.
func TestPackages_ExportFewNames(t *testing.T) {
	counts := map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.FileExports(f)
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					counts[filepath.ToSlash(filepath.Dir(path))]++
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						counts[filepath.ToSlash(filepath.Dir(path))]++
					case *ast.ValueSpec:
						counts[filepath.ToSlash(filepath.Dir(path))] += len(spec.Names)
					}
				}
			}
		}
		return nil
	}))
	require.Greater(t, counts["onebot"], mostExported, "the count works")
	delete(counts, "onebot")
	for pkg, n := range counts {
		assert.LessOrEqual(t, n, mostExported, pkg)
	}
}
