package hearth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoNamesInCode_Literals checks that no string literal of the library contains a Chinese name from the examples and tests.
// These names are collected from the code: bots, group members and friends.
func TestNoNamesInCode_Literals(t *testing.T) {
	names, texts := map[string]bool{}, map[string]string{} // texts: literal to file
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		find := func(n ast.Node) bool {
			for _, text := range literals(n) {
				texts[text] = path
			}
			return false
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "examples/") || strings.HasPrefix(path, "telemetry/example/") || strings.HasSuffix(filepath.Dir(path), "test") {
			find = func(n ast.Node) bool {
				for _, name := range chineseNames(n) {
					names[name] = true
				}
				return true
			}
		}
		ast.Inspect(file, find)
		return nil
	})
	require.NoError(t, err)
	for _, role := range []string{"主人", "群主", "群友", "某人"} { // roles, not names
		delete(names, role)
	}
	sorted := slices.Sorted(maps.Keys(names))
	t.Log(sorted)
	require.Greater(t, len(sorted), 20)
	require.Contains(t, sorted, "小炉")
	require.Greater(t, len(texts), 1000)
	for text, path := range texts {
		for _, name := range sorted {
			assert.NotContains(t, strings.ReplaceAll(text, "小红书", ""), name, path) // a firm
		}
	}
}

// literals returns the strings of the string literals below a node.
func literals(n ast.Node) (texts []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				panic(err) // cannot happen: the parser accepted the literal
			}
			texts = append(texts, text)
		}
		return true
	})
	return texts
}

var chineseName = regexp.MustCompile(`^\p{Han}{2,4}$`)

// chineseNames returns the Chinese names that a node gives to a bot, a group member or a friend.
func chineseNames(n ast.Node) (names []string) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 1 && slices.Contains([]string{"Member", "Friend", "FriendRequest"}, f.Sel.Name) {
			names = literals(n.Args[1])
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Nickname" || key.Name == "Aliases") {
			names = literals(n.Value)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !chineseName.MatchString(name) })
}

// TestNoNamesInCode_Prompts checks that the prompts of two bots in the same scene differ only in the text of their profiles. It
// covers all kinds of prompts.
func TestNoNamesInCode_Prompts(t *testing.T) {
	first := persona.Profile{Name: "甲某某", Aliases: []string{"子丑寅"}, About: "天地玄黄。"}
	second := persona.Profile{Name: "乙某某", Aliases: []string{"辰巳午"}, About: "宇宙洪荒。"}
	toFirst := strings.NewReplacer(second.Name, first.Name, second.Aliases[0], first.Aliases[0], second.About, first.About)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for kind := prompt.SingleCall; kind <= prompt.GlobalReflection; kind++ {
		for _, mode := range []persona.Mode{persona.Persona, persona.Agent} {
			for _, chat := range []persona.Chat{{Platform: "qq", Kind: persona.Group, ID: "1"}, {Platform: "qq", Kind: persona.Private, ID: "1"}} {
				s := prompt.Scene{
					Chat: chat, Mode: mode, State: "summoned", Kind: kind, Plans: prompt.Plans{Condense: true, Documents: []prompt.Document{{Name: "六", Text: "七"}}}, Choices: prompt.Choices{AllowedActions: []string{"text_reply"}},
					Recent:  []persona.Message{{ID: "2", From: "3", Name: "四", Text: "五", At: at}},
					Request: &prompt.RequestContext{}, Wake: &schedule.Wake{}, Location: time.UTC,
				}
				text := func(p persona.Profile) string {
					return prompt.System(p, s) + prompt.Context(p, at, s) + prompt.Instructions(s)
				}
				want, other := text(first), text(second)
				assert.Contains(t, want, first.Name, kind)
				assert.NotContains(t, other, first.Name, kind)
				assert.Equal(t, want, toFirst.Replace(other), kind)
			}
		}
	}
}
