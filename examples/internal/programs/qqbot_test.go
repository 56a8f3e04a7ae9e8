package programs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secondHome starts groupbot as an official bot, with further arguments.
func secondHome(t testing.TB, official *qqbottest.Server, out, log *screen, args ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, "groupbot", append([]string{"-qqbot", official.AppID(), "-qqbot-url", official.Start(), "-speed", "50"}, args...)...)
	cmd.Env = append(cmd.Env, "QQBOT_SECRET="+official.Secret())
	cmd.Stdout, cmd.Stderr = out, log
	_, err := cmd.StdinPipe() // its end would end the program
	require.NoError(t, err)
	start(t, cmd)
	require.NoError(t, official.WaitLink(t.Context()))
	return cmd
}

// saidThere returns what the bot said on the official platform.
func saidThere(official *qqbottest.Server) string {
	var all []string
	for _, m := range official.Sent() {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// One groupbot lives in OneBot's QQ and on the official platform. It answers in both, keeps them apart, learns its owner by a
// code, remembers the owner over a kill, and goes on if one home is lost.
func TestGroupbot_TwoHomes(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	group := qq.Group(hearthGroup, "炉边夜话")
	group.Member(man, "小满")
	official := qqbottest.New(qqbottest.Options{})
	defer official.Close()
	square := official.Group("SQUARE").Member("MAN", "小满")
	owner := official.User("OWNER")

	db := filepath.Join(t.TempDir(), "bot.db")
	onebotURL := qq.Start()
	var out, log screen
	cmd := secondHome(t, official, &out, &log, "-onebot", onebotURL, "-db", db)
	require.NoError(t, qq.WaitLink(t.Context()))

	group.Say(man, onebot.Message{onebot.At(self), onebot.Text(" 在吗，我的暗号是海")})
	until(t, func() bool { return len(qq.Sent()) > 0 })
	assert.Empty(t, official.Sent())
	square.At("在吗")
	until(t, func() bool { return len(official.Sent()) > 0 })
	assert.NotContains(t, saidThere(official), "海")

	var code []string
	until(t, func() bool {
		code = regexp.MustCompile(`只发 (\w{12})，`).FindStringSubmatch(out.Printed())
		return code != nil
	})
	official.User("STRANGER").Say("状态")
	owner.Say(code[1])
	until(t, func() bool { return strings.Contains(out.Printed(), "认出主人了：qqbot:OWNER") })
	require.NoError(t, official.WaitGateway(t.Context(), func(s qqbottest.GatewayStats) bool { return s.Identifies > 1 }))
	require.NoError(t, official.WaitLink(t.Context()))
	assert.NotContains(t, saidThere(official), "启动以来听到", "a stranger gives no command")
	owner.Say("状态")
	until(t, func() bool { return strings.Contains(saidThere(official), "启动以来听到") })

	require.NoError(t, qq.WaitLink(t.Context()))
	qq.SetOnline(false)
	until(t, func() bool { return strings.Contains(saidThere(official), "qq 上的账号掉线了") })
	before := len(official.Sent())
	square.At("还在吗")
	until(t, func() bool { return len(official.Sent()) > before })

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.NotContains(t, out.Printed()+log.Printed(), official.Secret())
	// Else the next WaitLink takes this link for its own.
	require.NoError(t, official.WaitGateway(t.Context(), func(s qqbottest.GatewayStats) bool { return s.Ready == 0 }))

	qq.SetOnline(true)
	var again screen
	cmd = secondHome(t, official, &again, &log, "-onebot", onebotURL, "-db", db)
	before = strings.Count(saidThere(official), "启动以来听到")
	owner.Say("状态")
	until(t, func() bool { return strings.Count(saidThere(official), "启动以来听到") > before })
	assert.NotContains(t, again.Printed(), "还不认识主人")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}

// groupbot is an official bot by webhook, too.
func TestGroupbot_Webhook(t *testing.T) {
	t.Parallel()
	official := qqbottest.New(qqbottest.Options{})
	defer official.Close()
	address := strings.TrimPrefix(closedURL(t), "http://")
	var out, log screen
	cmd := command(t, "groupbot", "-qqbot", official.AppID(), "-qqbot-url", official.Start(), "-qqbot-webhook", address, "-speed", "50", "-owner", "qqbot:OWNER")
	cmd.Env = append(cmd.Env, "QQBOT_SECRET="+official.Secret())
	cmd.Stdout, cmd.Stderr = &out, &log
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	start(t, cmd)
	until(t, func() bool {
		return official.Validate(context.WithoutCancel(t.Context()), "http://"+address, nil) == nil
	})
	official.Post("http://"+address, nil)
	official.Group("G").Member("M", "小满").At("在吗")
	until(t, func() bool { return len(official.Sent()) > 0 })
	assert.NotContains(t, out.Printed(), "还不认识主人")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}

// Mistakes in the flags of an official bot are errors that say what to do. -check says whether the secret is right.
func TestGroupbot_OfficialErrors(t *testing.T) {
	t.Parallel()
	official := qqbottest.New(qqbottest.Options{})
	defer official.Close()
	for want, args := range map[string][]string{
		"the AppSecret of -qqbot is missing":     {"-qqbot", "102000001"},
		"-qqbot \"secret\" is no AppID":          {"-qqbot", "secret"},
		"-qqbot-url does nothing without -qqbot": {"-qqbot-url", "https://api.sgroup.qq.com"},
		"-qqbot-secret-file: open no-such":       {"-qqbot", "102000001", "-qqbot-secret-file", "no-such"},
		"-same: \"10001\" is one account":        {"-same", "10001"},
		"-record is for events of OneBot":        {"-qqbot", "102000001", "-qqbot-secret-file", secretFile(t, "x"), "-record", "events"},
	} {
		_, text := said(t, languages["en"], "groupbot", nil, args...)
		assert.Contains(t, text, want)
	}
	for want, secret := range map[string]string{"AppID 102000001, named 炉边": official.Secret(), "invalid appid or secret": "wrong"} {
		cmd := command(t, "groupbot", "-check", "-lang", "en", "-qqbot", official.AppID(), "-qqbot-url", official.Start(), "-qqbot-secret-file", secretFile(t, secret))
		text, _ := cmd.Output()
		assert.Contains(t, string(text), want)
		assert.NotContains(t, string(text), official.Secret())
	}
}

func secretFile(t testing.TB, secret string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret.txt")
	require.NoError(t, os.WriteFile(name, []byte(secret+"\n"), 0o600))
	return name
}
