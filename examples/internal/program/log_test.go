package program

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewLog(t *testing.T) {
	var out bytes.Buffer
	for l, want := range map[lang.Language][]string{
		lang.Chinese: {
			"警告 模型没回答：慢 model=m text=\"a b\"",
			"警告 模型没回答：deepseek: out of quota (402)；余额或额度用完了：去充值，或者换一个密钥",
			"信息 QQ 连上了 address=127.0.0.1:3001 down_for=5s",
			"警告 没让它连上来：对方的 token 不一样：那边的 access token 要和 -token（或 ONEBOT_TOKEN）一样 status=403",
			"错误 no such text：a⏎b part=x g.n=1",
		},
		lang.English: {
			"WARN models: call failed: slow model=m text=\"a b\"",
			"WARN models: call failed: deepseek: out of quota (402); the balance or the quota is used up: top it up, or use another key",
			"INFO onebot: link is up address=127.0.0.1:3001 down_for=5s",
			"WARN onebot: connection refused: its token differs: the access token there must be the value of -token or ONEBOT_TOKEN status=403",
			"ERROR no such text: a⏎b part=x g.n=1",
		},
	} {
		out.Reset()
		log := NewLog(&out, l, slog.LevelWarn)
		log.Warn("models: call failed", "model", "m", "text", "a b", "err", lang.Errorf("慢", "slow"))
		broke := &models.CallError{Model: "deepseek", Failure: models.Failure{Kind: models.QuotaExceeded, Status: 402}}
		log.Warn("models: call failed", "error", broke, "advice", broke.Advice())
		log.Info("dreamed")
		log.Debug("could not show the typing indicator")
		log.Info("onebot: link is up", "address", "127.0.0.1:3001", "down_for", "5s")
		log.Warn("onebot: connection refused", "status", 403)
		log.With("part", "x", "err", errors.New("a\x1b\nb")).WithGroup("g").Error("no such text", "n", 1)
		for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
			require.Less(t, i, len(want))
			assert.Regexp(t, `^\d\d-\d\d \d\d:\d\d:\d\d `, line)
			assert.Equal(t, want[i], line[len("01-02 15:04:05 "):])
		}
	}
}

// Every message in the logs of the library and of the programs with this log has a Chinese text. Add a new one to logTexts.
func TestLogTexts_Complete(t *testing.T) {
	levels := map[string]int{"Info": 0, "Warn": 0, "Error": 0, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "logFailure": 1, "Log": 2, "LogAttrs": 2}
	found := map[string]bool{}
	var missing []string
	root := filepath.Join("..", "..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("log")) && !bytes.Contains(text, []byte("Log")) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at, ok := levels[f.Sel.Name]
			if !ok || len(call.Args) <= at {
				return true
			}
			lit, ok := call.Args[at].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			message, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if found[message] = true; logTexts[message] == "" {
				missing = append(missing, path+": "+message)
			}
			return true
		})
		return nil
	}))
	assert.Greater(t, len(found), 100)
	assert.Empty(t, missing)
	for k := models.Unknown; k == models.Unknown || k.String() != models.Unknown.String(); k++ {
		if text := (models.Failure{Kind: k}).Advice(); text != "" {
			assert.NotEmpty(t, logTexts[text], text)
		}
	}
}
