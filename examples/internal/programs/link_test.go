package programs

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line says when the link comes up, drops and returns. A refused peer and a refused token say that the token differs.
func TestLinkLines(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"groupbot": {"-onebot"}, "companion": {"-http", "off", "-onebot"}, "qqmcp": {"--qq", "20001", "--onebot-ws"},
	} {
		for code, want := range map[string][]string{
			"zh": {`信息 QQ 连上了 address=127\.0\.0\.1:\d+`, `警告 QQ 断开了：.* address=127`, `信息 QQ 连上了 address=127\S+ .*down_for=\d+s`},
			"en": {`INFO onebot: link is up address=127\.0\.0\.1:\d+`, `WARN onebot: link dropped: .* address=127`, `INFO onebot: link is up address=127\S+ .*down_for=\d+s`},
		} {
			t.Run(name+" "+code, func(t *testing.T) {
				t.Parallel()
				qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Token: "sekret"})
				defer qq.Close()
				cmd := command(t, name, append(args, qq.Start(), "-token", "sekret", "-lang", code)...)
				in, err := cmd.StdinPipe() // its end would end the program
				require.NoError(t, err)
				defer in.Close()
				var log screen
				cmd.Stderr = &log
				start(t, cmd)
				logs := func(line string) {
					t.Helper()
					until(t, func() bool {
						return regexp.MustCompile(`(?m)^\d\d-\d\d \d\d:\d\d:\d\d ` + line).MatchString(log.Printed())
					})
				}
				logs(want[0])
				until(t, func() bool { return qq.Links() == 1 }) // the program may be up before the other side is
				qq.DropLinks()
				logs(want[1])
				logs(want[2])
				require.NoError(t, cmd.Process.Signal(os.Interrupt))
				require.NoError(t, cmd.Wait())
				assert.NotContains(t, log.Printed(), "sekret")
			})
		}
	}
	for code, want := range map[string][]string{
		"zh": {"警告 没让它连上来：对方的 token 不一样：那边的 access token 要和 -token（或 ONEBOT_TOKEN）一样 status=403", "不接受这个 token：-token 或 ONEBOT_TOKEN 要和那边填的 access token 一样"},
		"en": {"WARN onebot: connection refused: its token differs: the access token there must be the value of -token or ONEBOT_TOKEN status=403", "rejects the token: -token or ONEBOT_TOKEN must be the access token that is set there"},
	} {
		t.Run("tokens "+code, func(t *testing.T) {
			t.Parallel()
			qq := onebottest.New(onebottest.Options{SelfID: self, Token: "sekret"})
			defer qq.Close()
			address := strings.TrimPrefix(closedURL(t), "http://")
			cmd := command(t, "groupbot", "-listen", strings.TrimPrefix(address, "127.0.0.1:"), "-token", "other", "-lang", code)
			var out, log screen
			cmd.Stdout, cmd.Stderr = &out, &log
			start(t, cmd)
			until(t, func() bool { return strings.Contains(out.Printed(), "ws://"+address) })
			until(t, func() bool {
				_ = qq.Connect(context.WithoutCancel(t.Context()), "ws://"+address, onebottest.ConnectOptions{})
				return strings.Contains(log.Printed(), want[0])
			})
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			require.NoError(t, cmd.Wait())

			status, text := said(t, languages[code], "groupbot", nil, "-onebot", qq.Start(), "-token", "other")
			assert.Equal(t, 1, status)
			assert.Contains(t, text, want[1])
			assert.NotContains(t, text+log.Printed(), "sekret")
		})
	}
}

// People who have no network see which host is not reachable, and why.
func TestErrors_ModelUnreachable(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	friend := qq.Friend(man, "小满")
	host := strings.TrimPrefix(closedURL(t), "http://")
	cmd := command(t, "groupbot", "-onebot", qq.Start(), "-speed", "100", "-model", "openai", "-model-name", "m", "-base-url", "http://"+host+"/v1")
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY=sk-test")
	var log screen
	cmd.Stderr = &log
	start(t, cmd)
	require.NoError(t, qq.WaitLink(t.Context()))
	friend.Say(onebotText("在吗"))
	until(t, func() bool {
		return regexp.MustCompile(`警告 模型还没准备好，在等它：那里没有程序在监听.*cannot reach ` + regexp.QuoteMeta(host) + `: dial tcp`).MatchString(log.Printed())
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}
