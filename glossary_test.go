package hearth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGlossary_NamesExist checks that docs/GLOSSARY.md names only Go identifiers and packages that exist. No term may occur
// twice.
func TestGlossary_NamesExist(t *testing.T) {
	known := exportedNames(t)
	require.Contains(t, known, "Buffer.AddUrgent")
	require.NotContains(t, known, "Buffer.Summon")
	text, err := os.ReadFile("docs/GLOSSARY.md")
	require.NoError(t, err)
	terms, names := map[string]bool{}, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || strings.HasPrefix(cells[1], " term") || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for term := range strings.SplitSeq(cells[1], ",") {
			term = strings.TrimSpace(term)
			assert.False(t, terms[term], "%s is explained twice", term)
			terms[term] = true
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[3], -1) {
			names++
			if dir, err := os.Stat(m[1]); err == nil && dir.IsDir() {
				continue
			}
			if m[1] != "embeddings.Embedder" {
				assert.Contains(t, known, m[1])
			}
		}
	}
	assert.Greater(t, names, 60)
}

// exportedNames returns the module's exported identifiers as "package.Name", "Type.Member" and "package.Type.Member".
func exportedNames(t *testing.T) map[string]bool {
	known := map[string]bool{}
	add := func(pkg, typ, name string) {
		if !ast.IsExported(name) {
			return
		}
		if typ == "" {
			known[pkg+"."+name] = true
			return
		}
		known[typ+"."+name], known[pkg+"."+typ+"."+name] = true, true
	}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				typ := ""
				if decl.Recv != nil {
					typ = receiver(decl.Recv.List[0].Type)
				}
				add(f.Name.Name, typ, decl.Name.Name)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, n := range spec.Names {
							add(f.Name.Name, "", n.Name)
						}
					case *ast.TypeSpec:
						add(f.Name.Name, "", spec.Name.Name)
						for _, field := range members(spec.Type) {
							for _, n := range field.Names {
								add(f.Name.Name, spec.Name.Name, n.Name)
							}
						}
					}
				}
			}
		}
		return nil
	}))
	return known
}

// members returns the fields of a struct, or the methods of an interface.
func members(e ast.Expr) []*ast.Field {
	switch e := e.(type) {
	case *ast.StructType:
		return e.Fields.List
	case *ast.InterfaceType:
		return e.Methods.List
	}
	return nil
}
