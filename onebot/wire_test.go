package onebot

import (
	"bytes"
	"context"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// names reads a list in testdata.
func names(t *testing.T, path string) (all []string) {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Fields(line)...)
		}
	}
	require.Greater(t, len(all), 90)
	return all
}

// documentation returns the output of go doc -all for this package.
func documentation(t *testing.T) string {
	set := token.NewFileSet()
	var files []*ast.File
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(set, files, "github.com/hearth-bot/hearth/onebot")
	require.NoError(t, err)
	var b bytes.Buffer
	show := func(text string, decl ast.Node) {
		b.WriteString(text + "\n")
		require.NoError(t, printer.Fprint(&b, set, decl))
		b.WriteString("\n")
	}
	funcs := func(all []*doc.Func) {
		for _, f := range all {
			show(f.Doc, f.Decl)
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			show(v.Doc, v.Decl)
		}
	}
	b.WriteString(p.Doc)
	funcs(p.Funcs)
	values(p.Consts)
	values(p.Vars)
	for _, typ := range p.Types {
		show(typ.Doc, typ.Decl)
		funcs(typ.Funcs)
		funcs(typ.Methods)
		values(typ.Consts)
		values(typ.Vars)
	}
	return b.String()
}

var word = regexp.MustCompile(`[._]?[A-Za-z0-9_]+`)

// The documentation contains every name of the protocol, so that a search finds its Go name.
func TestDocumentation_HasEveryWireName(t *testing.T) {
	have := map[string]bool{}
	for _, w := range word.FindAllString(documentation(t), -1) {
		have[w], have[strings.TrimLeft(w, "._")] = true, true
	}
	for _, list := range []string{"testdata/wire.txt", "testdata/actions.txt"} {
		for _, name := range names(t, list) {
			assert.True(t, have[name], "%s of %s is nowhere in the documentation", name, list)
		}
	}
}

// calls records the called actions and returns no data.
type noting map[string]bool

func (n noting) Call(_ context.Context, action string, params, _ any) error {
	n[action] = true
	_, err := marshalParams(params)
	return err
}

// Every action has a method.
func TestBot_EveryActionHasAMethod(t *testing.T) {
	called := noting{}
	bot := reflect.ValueOf(NewBot(called, 10000))
	skip := map[string]bool{"Call": true, "Stream": true, "Perform": true, "SelfID": true}
	for i := range bot.NumMethod() {
		m, name := bot.Method(i), bot.Type().Method(i).Name
		if skip[name] {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < m.Type().NumIn(); j++ {
			if m.Type().IsVariadic() && j == m.Type().NumIn()-1 {
				break
			}
			v := reflect.New(m.Type().In(j)).Elem()
			switch v.Type() {
			case reflect.TypeFor[Event]():
				v.Set(reflect.ValueOf(&GroupMessage{Common: Common{raw: []byte("{}")}}))
			case reflect.TypeFor[QuickOperation]():
				v.Set(reflect.ValueOf(QuickReply{}))
			}
			args = append(args, v)
		}
		before := len(called)
		m.Call(args)
		assert.Greater(t, len(called), before, "%s calls what another method calls, or nothing", name)
	}
	for _, name := range names(t, "testdata/actions.txt") {
		switch name {
		case ".ocr_image", "unset_msg_emoji_like", "delete_group_file_folder",
			"get_ptt_text", "get_record_text", "voice_msg_to_text": // alternative names
			continue
		}
		assert.True(t, called[name], "no method calls %s", name)
	}
}
