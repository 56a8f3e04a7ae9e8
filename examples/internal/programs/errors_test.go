package programs

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// said runs a program in a language until it ends, and returns its status and what it says on standard error.
func said(t *testing.T, language, program string, env []string, args ...string) (status int, text string) {
	t.Helper()
	cmd := command(t, program, args...)
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.Env = append(cmd.Environ(), append([]string{"LC_ALL=", "LC_MESSAGES=", "LANG=" + language, "OPENAI_API_KEY=", "ONEBOT_TOKEN="}, env...)...)
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		status = ended.ExitCode()
	} else {
		require.NoError(t, err)
	}
	return status, out.String()
}

var languages = map[string]string{"zh": "zh_CN.UTF-8", "en": "en_US.UTF-8"}

// Each wrong start ends with status 1 and one line in the user's language. It names the flag or the file, and says what to do.
func TestErrors_Start(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { busy.Close() })
	openai := []string{"-model", "openai", "-model-name", "m"}
	both := []string{"groupbot", "companion"}
	all := []string{"groupbot", "companion", "qqmcp"}
	type words struct{ zh, en []string }
	for name, test := range map[string]struct {
		programs []string
		args     []string
		words
	}{
		"unknown flag":    {all, []string{"-tokne", "x"}, words{[]string{"没有 -tokne 这个参数", "-token？", "-h"}, []string{"not defined: -tokne", "did you mean -token?", "-h"}}},
		"no value":        {all, []string{"-model"}, words{[]string{"-model 后面要写一个值"}, []string{"needs an argument: -model"}}},
		"no flag":         {all, []string{"start"}, words{[]string{`"start"`, "-h"}, []string{`unexpected argument "start"`, "-h"}}},
		"no number":       {both, []string{"-seed", "x"}, words{[]string{`-seed "x" 不是整数`}, []string{`"x" for flag -seed`, "whole number"}}},
		"no duration":     {both, []string{"-for", "5"}, words{[]string{`-for "5" 不是时长`, "30s"}, []string{`"5" for flag -for`, "30s"}}},
		"language":        {all, []string{"-lang", "fr"}, words{[]string{`-lang "fr" 不认识`, "zh"}, []string{`-lang "fr" is unknown`, "zh or en"}}},
		"URL of a model":  {both, append(openai, "-base-url", "localhost:9999"), words{[]string{"-base-url", "缺 http://", "写 http://localhost:9999"}, []string{"-base-url", "lacks http://", "write http://localhost:9999"}}},
		"no key":          {both, openai, words{[]string{"OPENAI_API_KEY", "-key-file"}, []string{"OPENAI_API_KEY", "-key-file"}}},
		"empty key file":  {both, append(openai, "-key-file", file("empty", "\ufeff\n")), words{[]string{"-key-file", "empty 是空的", "密钥写进去"}, []string{"-key-file", "empty is empty", "write the key"}}},
		"no key file":     {both, append(openai, "-key-file", filepath.Join(dir, "nokey")), words{[]string{"-key-file", "nokey", "没有这个文件"}, []string{"-key-file", "nokey", "no such file"}}},
		"URL of OneBot":   {both, []string{"-onebot", "127.0.0.1:3001"}, words{[]string{"-onebot", "写 ws://127.0.0.1:3001"}, []string{"-onebot", "write ws://127.0.0.1:3001"}}},
		"both links":      {both, []string{"-onebot", "ws://x", "-listen", "8080"}, words{[]string{"-onebot 和 -listen 只能选一个"}, []string{"-onebot and -listen exclude"}}},
		"address":         {both, []string{"-listen", "127.0.0.1:web"}, words{[]string{"-listen", "127.0.0.1:8080"}, []string{"-listen", "127.0.0.1:8080"}}},
		"busy address":    {both, []string{"-listen", busy.Addr().String()}, words{[]string{"-listen " + busy.Addr().String(), "换一个端口"}, []string{"-listen " + busy.Addr().String(), "choose another port"}}},
		"owner":           {both, []string{"-owner", "小明"}, words{[]string{`-owner："小明" 不是 QQ 号`}, []string{`-owner: "小明" is no QQ number`}}},
		"quote":           {both, []string{"-quote", "x"}, words{[]string{`-quote "x" 不认识`, "always"}, []string{`-quote "x" is unknown`, "always"}}},
		"idle voice":      {both, []string{"-voice", "x"}, words{[]string{"-voice 没有用处", "-model-for speak="}, []string{"-voice does nothing", "-model-for speak="}}},
		"deaf model":      {both, append(openai, "-config", file("f.yaml", "models: {hear: {model: offline}}\n")), words{[]string{"f.yaml:1: ", "hear 要用真的模型"}, []string{"f.yaml:1: ", "hear needs a real model"}}},
		"budget":          {both, []string{"-budget", "lots"}, words{[]string{`-budget："lots"`, "500k"}, []string{`-budget: "lots"`, "500k"}}},
		"MCP":             {both, []string{"-mcp", "x"}, words{[]string{`-mcp "x"`, "名字=命令行"}, []string{`"x" for flag -mcp`, "NAME=COMMAND"}}},
		"no persona":      {both, []string{"-persona", filepath.Join(dir, "nobody")}, words{[]string{"-persona", "没有这个文件或目录", "nobody"}, []string{"-persona", "nobody", "no such file"}}},
		"empty persona":   {both, []string{"-persona", filepath.Dir(file("persona/about.md", "x"))}, words{[]string{"-persona", "persona.json"}, []string{"-persona", "persona.json"}}},
		"persona or name": {both[:1], []string{"-persona", dir, "-name", "x"}, words{[]string{"-persona 和 -name 只能选一个"}, []string{"-persona and -name exclude"}}},
		"database":        {both, []string{"-db", file("text.db", strings.Repeat("no database\n", 1000))}, words{[]string{"-db", "text.db", "换一个文件"}, []string{"-db", "text.db", "name another file"}}},
		"no directory":    {both, []string{"-db", filepath.Join(dir, "none", "a.db")}, words{[]string{"-db", "a.db", "没有这个文件或目录"}, []string{"-db", "a.db", "no such file"}}},
		"no file":         {both, []string{"-config", filepath.Join(dir, "none.yaml")}, words{[]string{"-config", "none.yaml", "-init"}, []string{"-config", "none.yaml", "-init"}}},
		"key of file":     {both, []string{"-config", file("a.yaml", "\ufeffmdoel: openai\n")}, words{[]string{"a.yaml:1: ", `没有 "mdoel" 这一项`, `是不是 "model"`}, []string{"a.yaml:1: ", `unknown key "mdoel"`, `did you mean "model"`}}},
		"value in file":   {both, []string{"-config", file("b.yaml", "\nowner: 小明\n")}, words{[]string{"b.yaml:2: owner", "不是 QQ 号"}, []string{"b.yaml:2: owner", "is no QQ number"}}},
		"chat in file":    {both, []string{"-config", file("c.json", "\ufeff{\"qq:grop:1\": {}}")}, words{[]string{"c.json:1: ", `是不是 "qq:group:1"`}, []string{"c.json:1: ", `did you mean "qq:group:1"`}}},
		"list in file":    {both, []string{"-config", file("d.json", "[]")}, words{[]string{"d.json:1: ", "「键: 值」"}, []string{"d.json:1: ", "key: value"}}},
		"setting in file": {both, []string{"-config", file("e.yaml", "chats: {default: {quiet_hours: [25:00-01:00]}}\n")}, words{[]string{"e.yaml:1: default：quiet_hours", "[23:00-07:30]"}, []string{"e.yaml:1: default: quiet_hours", "23:00-07:30"}}},

		"no account":         {all[2:], nil, words{[]string{"--qq", "--demo"}, []string{"--qq", "--demo"}}},
		"URL of the model":   {all[2:], []string{"--demo", "--model", "openai", "--model-name", "m", "--base-url", "localhost:9999"}, words{[]string{"--base-url", "写 http://localhost:9999"}, []string{"--base-url", "write http://localhost:9999"}}},
		"empty key":          {all[2:], []string{"--demo", "--model", "openai", "--model-name", "m", "--key-file", file("empty", "\ufeff\n")}, words{[]string{"--key-file", "empty 是空的"}, []string{"--key-file", "empty is empty"}}},
		"pictures":           {all[2:], []string{"--demo", "--images", filepath.Join(dir, "none")}, words{[]string{"--images", "没有这个文件或目录"}, []string{"--images", "no such file"}}},
		"NapCat":             {all[2:], []string{"--qq", "1", "--napcat-path", filepath.Join(dir, "none")}, words{[]string{"--napcat-path", "没有这个文件或目录"}, []string{"--napcat-path", "no such file"}}},
		"address of MCP":     {all[2:], []string{"--demo", "--http", busy.Addr().String()}, words{[]string{"--http", "换一个端口"}, []string{"--http", "choose another port"}}},
		"database of qqmcp":  {all[2:], []string{"--qq", "1", "--db", file("qq.db", strings.Repeat("no database\n", 1000))}, words{[]string{"--db", "qq.db", "换一个文件"}, []string{"--db", "qq.db", "name another file"}}},
		"level":              {all[2:], []string{"--demo", "--log-level", "loud"}, words{[]string{"--log-level", "不认识"}, []string{"--log-level", "is unknown"}}},
		"others may connect": {all[2:], []string{"--demo", "--http", "0.0.0.0:1"}, words{[]string{"--http", "127.0.0.1"}, []string{"--http", "127.0.0.1"}}},
	} {
		for code, want := range map[string][]string{"zh": test.zh, "en": test.en} {
			for _, program := range test.programs {
				status, text := said(t, languages[code], program, nil, test.args...)
				assert.Equal(t, 1, status, "%s %s", name, program)
				if name == "address of MCP" { // QQ may be connected by then
					text = text[strings.LastIndex(text, "\n"+program)+1:]
				}
				assert.Regexp(t, `^`+program+`: [^\n]+\n$`, text, name)
				for _, w := range want {
					assert.Contains(t, text, w, "%s %s", name, program)
				}
				chinese := regexp.MustCompile(`\p{Han}`).MatchString(strings.NewReplacer("小明", "", "小炉", "").Replace(text))
				assert.Equal(t, code == "zh", chinese, "%s %s: %s", name, program, text)
			}
		}
	}
}

// The flag -lang and the key lang come before the environment, the flag first.
func TestErrors_Language(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bot.yaml")
	require.NoError(t, os.WriteFile(path, []byte("lang: en\nowner: x\n"), 0o600))
	for _, program := range []string{"groupbot", "companion"} {
		_, text := said(t, "zh_CN.UTF-8", program, nil, "-config", path)
		assert.Contains(t, text, "is no QQ number")
		_, text = said(t, "en_US.UTF-8", program, []string{"LC_ALL=zh_CN.UTF-8"}, "-config", path, "-lang", "zh")
		assert.Contains(t, text, "不是 QQ 号")
		_, text = said(t, "en_US.UTF-8", program, []string{"LC_MESSAGES=zh_CN.UTF-8"}, "-owner", "x")
		assert.Contains(t, text, "不是 QQ 号")
		_, text = said(t, "zh_CN.UTF-8", program, nil, "-lang", "en", "-owner", "x")
		assert.Contains(t, text, "is no QQ number")
	}
}

// -h has examples and groups of flags in lines of 80 columns, in the user's language, and status 0.
func TestHelp(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]map[string][]string{
		"groupbot":   {"zh": {"例子：\n", "\n连接 QQ\n", "-listen 8080"}, "en": {"Examples:\n", "\nLink to QQ\n", "-listen 8080"}},
		"companion":  {"zh": {"例子：\n", "\n连接 QQ\n", "-persona ./"}, "en": {"Examples:\n", "\nLink to QQ\n", "-persona ./"}},
		"compose":    {"zh": {"例子：\n", "-onebot URL\n"}, "en": {"Examples:\n", "-onebot URL\n"}},
		"quickstart": {"zh": {"OPENAI_API_KEY=", "groupbot"}, "en": {"OPENAI_API_KEY=", "groupbot"}},
		"replay":     {"zh": {"例子：\n", "\n参数\n", "用法：replay"}, "en": {"Examples:\n", "\nFlags\n", "usage: replay"}},
		"qqmcp":      {"zh": {"例子：\n", "\n连接 QQ\n", "qqmcp --demo\n"}, "en": {"Examples:\n", "\nLink to QQ\n", "qqmcp --demo\n"}},
	} {
		for code, parts := range want {
			status, text := said(t, languages[code], program, nil, "-h")
			assert.Zero(t, status)
			for _, part := range parts {
				assert.Contains(t, text, part, program)
			}
			for l := range strings.Lines(text) {
				columns := 0
				for _, r := range strings.TrimSuffix(l, "\n") {
					columns++
					if r >= 0x2e80 {
						columns++
					}
				}
				assert.LessOrEqual(t, columns, 80, l)
			}
			if program == "compose" || program == "quickstart" {
				continue
			}
			described := regexp.MustCompile(`(?m)^  -[^\n]*\n      (.*)$`).FindAllStringSubmatch(text, -1)
			assert.Greater(t, len(described), 8)
			for _, d := range described {
				if code == "zh" {
					assert.Regexp(t, `\p{Han}|NapCat`, d[1], "%s: %s", program, d[0])
				}
			}
		}
	}
}

// closedURL returns a URL at which nobody listens.
func closedURL(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return "http://" + address
}

func onebotText(text string) onebot.Message { return onebot.Message{onebot.Text(text)} }
