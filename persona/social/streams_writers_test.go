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

// TestCarriers_NoWriterIsLeftOut reads the code, and holds that each call by which persona/social, or a tool that it brings,
// writes to the store is in the table of writers, under the carriers that it writes, and that the table has no others.
func TestCarriers_NoWriterIsLeftOut(t *testing.T) {
	found, known := callsThatWrite(t), map[string]string{}
	for _, w := range writers {
		for _, site := range w.calls {
			known[site] = w.what
		}
	}
	for _, site := range slices.Sorted(maps.Keys(found)) {
		_, ok := known[site]
		assert.True(t, ok, site+": a new call writes to the store. Say in writers (streams_carriers_test.go) which carriers it writes; if it "+
			"writes a new kind of datum, give that a label, a social.Datum and a line in carriers, and let the worlds write it (streams_model_test.go)")
	}
	named := map[string]bool{}
	for _, c := range carriers {
		named[c.name] = true
	}
	written := map[string]bool{"tool_result": true, "activity": true} // which are not stored
	for site, what := range known {
		assert.True(t, found[site], "%s: nothing calls it any more: take it out of writers", site)
		if strings.HasPrefix(what, "-") {
			continue
		}
		for _, c := range strings.Fields(what) {
			assert.True(t, named[c], "%s: there is no carrier %q", site, c)
			written[c] = true
		}
	}
	for c := range named {
		assert.True(t, written[c], "nothing writes the carrier %s", c)
	}
}

const hearth = "github.com/hearth-bot/hearth/"

// inside are the packages whose calls are looked at.
func inside(path string) bool {
	return strings.HasPrefix(path, hearth+"persona/social") || path == hearth+"nit/self" || path == hearth+"nit/recall"
}

// callsThatWrite are the calls, by who makes them, from inside to what is outside and writes to a store, by itself or by what
// it calls.
func callsThatWrite(t *testing.T) map[string]bool {
	t.Helper()
	uses := usesOf(t)
	writes := map[string]bool{}
	for more := true; more; {
		more = false
		for f, all := range uses {
			if !writes[f.name] && !inside(f.path) && slices.ContainsFunc(all, func(u used) bool { return u.store || writes[u.name] }) {
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

// A function is one of the module, with the package that it is in.
type function struct{ name, path string }

// A used function is one that another names; store: it is a method of a store that writes.
type used struct {
	name  string
	store bool
}

// A compiled is a package as go list tells of it.
type compiled struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	Module                  *struct{ Path string }
}

// usesOf are the functions of the module that persona/social reaches, with those that each names.
func usesOf(t *testing.T) map[function][]used {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,Module", "./...")
	out, err := cmd.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	var ours []compiled
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p compiled
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Path+"/" == hearth {
			ours = append(ours, p)
		}
	}
	fset, uses := gotoken.NewFileSet(), map[function][]used{}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		p.uses(t, fset, imports, uses)
	}
	return uses
}

func (p compiled) uses(t *testing.T, fset *gotoken.FileSet, imports types.Importer, uses map[function][]used) {
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
						uses[f] = append(uses[f], used{name: to.Origin().FullName(), store: writesStore(to)})
					}
				}
				return true
			})
		}
	}
}

// writesStore reports that a function is a method of a memory.Store or a State of any package that writes.
func writesStore(f *types.Func) bool {
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	of, _ := recv.Type().(*types.Named)
	if !types.IsInterface(recv.Type()) || of != nil && of.Obj().Name() == "Index" { // what an index has is made of the store
		return false
	}
	switch f.Name() + strings.TrimPrefix(types.TypeString(f.Signature(), (*types.Package).Name), "func") {
	case "Apply(ctx context.Context, rows map[string][]byte) error", "Put(ctx context.Context, recs ...memory.Record) error",
		"Delete(ctx context.Context, s memory.Space, ids ...string) error":
		return true
	}
	return false
}
