package hearth_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// TestFrozenNames compares the names that people use, models read or stores keep with the lists in testdata/frozen. The lists
// rows, json, codes and xml contain only the top directory of a name, so code may move within it.
func TestFrozenNames(t *testing.T) {
	lists := map[string][]string{"tools": toolNames(t)} // by file name without .txt
	add := func(list string, words ...any) {
		lists[list] = append(lists[list], strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
	}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(name))
		top, _, _ := strings.Cut(dir, "/")
		switch {
		case strings.HasSuffix(name, "_test.go"):
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Benchmark") {
					add("benchmarks", dir, f.Name.Name)
				}
			}
		case top == "examples":
			if file.Name.Name == "main" {
				add("programs", dir)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if name, value, ok := flagOf(n); ok {
					add("flags", dir, "-"+name, value)
				}
				return true
			})
		case !strings.HasSuffix(dir, "test") && !strings.HasSuffix(dir, "internal/gen"):
			inspectNames(file, top, add)
		}
		return nil
	})
	require.NoError(t, err)
	for list, lines := range lists {
		slices.Sort(lines)
		compareFrozen(t, list, slices.Compact(lines))
	}
	assert.Len(t, lists, 8)
}

var (
	rowKey  = regexp.MustCompile(`^([a-z_-]+/)+$`)
	rowName = regexp.MustCompile(`(Row|Key)$`) // names of constants with row keys
	rowPath = regexp.MustCompile(`^[a-z]+(/[a-z]+)*/?$`)
	element = regexp.MustCompile(`</?([a-z_]+)(?:[ />]|$)`)
	attr    = regexp.MustCompile(` ([a-z_]+)="`)
)

// inspectNames adds the frozen names in one file of the library to the lists.
func inspectNames(file *ast.File, top string, add func(list string, words ...any)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				text, ok := literal(v)
				kind := ""
				if n.Type != nil {
					kind = types.ExprString(n.Type)
				}
				switch name := n.Names[i].Name; {
				case !ok:
				case kind == "Code" || kind == "heartflow.Code":
					add("codes", top, text)
				case rowPath.MatchString(text) && (rowName.MatchString(name) || strings.Contains(text, "/")):
					add("rows", top, text)
				}
			}
		case *ast.CallExpr: // calls in package memory such as row(space, "forget", "person", …)
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "row" && len(n.Args) > 1 {
				var parts []string
				for _, a := range n.Args[1:] {
					if text, ok := literal(a); ok {
						parts = append(parts, text)
					}
				}
				add("rows", top, "…/"+strings.Join(parts, "/"))
			}
		case *ast.Field:
			if n.Tag != nil {
				tag, _ := strconv.Unquote(n.Tag.Value)
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				if name != "" && top != "onebot" && top != "internal" { // these directories store nothing
					add("json", top, name)
				}
			}
		case *ast.BasicLit:
			text, ok := literal(n)
			if ok && rowKey.MatchString(text) {
				add("rows", top, text)
			}
			if ok && top == "persona" {
				for _, m := range element.FindAllStringSubmatch(text, -1) {
					add("xml", "<"+m[1]+">")
				}
				for _, m := range attr.FindAllStringSubmatch(text, -1) {
					add("xml", m[1]+"=")
				}
			}
		}
		return true
	})
}

// flagOf returns the flag that a call defines, with the source text of its default.
func flagOf(n ast.Node) (name, value string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", "", false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	kind, isVar := strings.CutSuffix(method.Sel.Name, "Var")
	args := call.Args
	if kind == "Func" && len(args) == 3 {
		name, ok = literal(args[0])
		return name, `""`, ok
	}
	if isVar && len(args) > 0 {
		args = args[1:]
	}
	switch kind {
	case "String", "Bool", "Int", "Int64", "Uint", "Uint64", "Float64", "Duration":
	default:
		return "", "", false
	}
	if len(args) != 3 {
		return "", "", false
	}
	name, ok = literal(args[0])
	return name, types.ExprString(args[1]), ok
}

// literal returns the text of a string literal.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// toolNames returns one line for each tool, with a tier and a mode that list it.
func toolNames(t *testing.T) (lines []string) {
	images, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer images.Close()
	type timers = self.Timers // the interface has a method Timers, so it cannot be embedded under that name
	type heartbeats = self.Heartbeat
	sets := map[string]func() ([]nit.Tool, error){
		"qq": func() ([]nit.Tool, error) {
			return qq.Tools(onebotlink.Actor(onebot.NewBot(nil, 1)), qq.Options{Images: images, Files: images, Requests: &qq.PendingRequests{}, Voice: persona.VoicerFunc(nil)})
		},
		"self": func() ([]nit.Tool, error) {
			return self.Tools(self.Options{
				Reports: &self.Reports{}, Character: struct{ self.Character }{}, Schedule: struct{ self.Schedule }{}, Notify: func(context.Context, string, string) error { return nil },
				Timers: struct{ timers }{}, Notes: struct{ self.Notes }{}, Documents: struct{ self.Documents }{}, Heartbeat: struct{ heartbeats }{},
			})
		},
		"recall": func() ([]nit.Tool, error) {
			return recall.Tools(memorytest.New(t, memory.NewMemStore(), memory.Options{}), recall.Options{})
		},
	}
	for set, make := range sets {
		tools, err := make()
		require.NoError(t, err)
		r := nit.Registry{Redact: func(_ context.Context, s string) (string, error) { return s, nil }}
		require.NoError(t, r.Add(tools...))
		for tier, sees := range map[string]nit.Tier{"L1": nit.L1, "L2": nit.L2, "L3": nit.L3} {
			for _, mode := range []string{nit.ModePersona, nit.ModeAgent, self.ModeBackground, self.ModeAutonomous} {
				for _, tool := range r.View(nit.Principal{Mode: mode, Tiers: sees}).Tools() {
					lines = append(lines, strings.Join([]string{set, tool.Function.Name, tier, cmp.Or(mode, "persona")}, " "))
				}
			}
		}
	}
	return append(lines, "script "+script.ToolName)
}

// compareFrozen compares a list with its file in testdata/frozen. With -update it rewrites the file.
func compareFrozen(t *testing.T, list string, lines []string) {
	t.Helper()
	file := filepath.Join("testdata", "frozen", list+".txt")
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "%s: people or stored data use these names. Do not rename them without a migration. Add new names by -update.", file)
}
