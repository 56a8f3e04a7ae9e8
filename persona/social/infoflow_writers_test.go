package social_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWriters_Complete parses the code and checks that writers lists exactly the calls in persona/social and its tools
// that write to the store.
func TestWriters_Complete(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the whole module")
	}
	found, known := callsThatWrite(t), map[string]string{}
	for _, w := range writers {
		for _, site := range w.calls {
			known[site] = w.what
		}
	}
	for _, site := range slices.Sorted(maps.Keys(found)) {
		_, ok := known[site]
		assert.True(t, ok, site+": a new call writes to the store. Add it to writers (infoflow_carriers_test.go) under the carriers that it writes. "+
			"A new kind of data needs a label, a social.Datum, a line in carriers, and a simulation that writes it (infoflow_model_test.go)")
	}
	named := map[string]bool{}
	for _, c := range carriers {
		named[c.name] = true
	}
	written := map[string]bool{"tool_result": true, "activity": true} // not stored
	for site, what := range known {
		assert.True(t, found[site], "%s: no such call: remove it from writers", site)
		if strings.HasPrefix(what, "-") {
			continue
		}
		for _, c := range strings.Fields(what) {
			assert.True(t, named[c], "%s: unknown carrier %q", site, c)
			written[c] = true
		}
	}
	for c := range named {
		assert.True(t, written[c], "nothing writes the carrier %s", c)
	}
}

const hearth = "github.com/hearth-bot/hearth/"

// inside reports whether a package's calls are checked.
func inside(path string) bool {
	return strings.HasPrefix(path, hearth+"persona/social") || path == hearth+"nit/self" || path == hearth+"nit/recall"
}

// callsThatWrite returns the calls from checked packages to other packages that write to a store, directly or
// indirectly.
func callsThatWrite(t *testing.T) map[string]bool {
	t.Helper()
	uses := usesOf(t)
	writes := map[string]bool{}
	for more := true; more; {
		more = false
		for f, all := range uses {
			if !writes[f.name] && !inside(f.path) && slices.ContainsFunc(all, func(u use) bool { return u.store || writes[u.name] }) {
				writes[f.name], more = true, true
			}
		}
	}
	sites := map[string]bool{}
	for f, all := range uses {
		many := map[string]int{}
		for _, u := range all {
			if !inside(f.path) || !u.store && !writes[u.name] {
				continue
			}
			site := short(f.name) + " → " + short(u.name)
			if many[site]++; many[site] > 1 {
				site += fmt.Sprint(" ", many[site])
			}
			sites[site] = true
		}
	}
	return sites
}

func short(name string) string {
	return strings.NewReplacer(hearth+"persona/social/internal/", "", hearth+"nit/", "", hearth, "").Replace(name)
}

// A function is a function of the module and its package.
type function struct{ name, path string }

// A use is a reference to a function. store: it is a store method that writes.
type use struct {
	name  string
	store bool
}

// A goPackage is one package in the output of go list.
type goPackage struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	Module                  *struct{ Path string }
}

// usesOf returns the functions of the module that persona/social depends on, with their references.
func usesOf(t *testing.T) map[function][]use {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,Module", "./...")
	out, err := cmd.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	var ours []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Path+"/" == hearth {
			ours = append(ours, p)
		}
	}
	fset, uses := gotoken.NewFileSet(), map[function][]use{}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		p.uses(t, fset, imports, uses)
	}
	return uses
}

func (p goPackage) uses(t *testing.T, fset *gotoken.FileSet, imports types.Importer, uses map[function][]use) {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info)
	require.NoError(t, err)
	for _, file := range files {
		for _, decl := range file.Decls {
			f := function{name: p.ImportPath + ".var", path: p.ImportPath}
			if d, ok := decl.(*ast.FuncDecl); ok {
				f.name = info.Defs[d.Name].(*types.Func).FullName()
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if to, ok := info.Uses[id].(*types.Func); ok {
						uses[f] = append(uses[f], use{name: to.Origin().FullName(), store: writesStore(to)})
					}
				}
				return true
			})
		}
	}
}

// writesStore reports whether a function is a writing method of a memory.Store or of any State interface.
func writesStore(f *types.Func) bool {
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	of, _ := recv.Type().(*types.Named)
	if !types.IsInterface(recv.Type()) || of != nil && of.Obj().Name() == "Index" { // an index is rebuilt from the store
		return false
	}
	switch f.Name() + strings.TrimPrefix(types.TypeString(f.Signature(), (*types.Package).Name), "func") {
	case "Apply(ctx context.Context, rows map[string][]byte) error", "Put(ctx context.Context, recs ...memory.Record) error",
		"Delete(ctx context.Context, s memory.Space, ids ...string) error":
		return true
	}
	return false
}
