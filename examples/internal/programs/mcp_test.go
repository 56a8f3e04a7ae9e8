package programs

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startImportModel starts a model that calls a tool of the MCP server "other" if it has it.
func startImportModel(t *testing.T) (args []string) {
	const tool = "other__get_group_list"
	var missing atomic.Int64 // a repeated answer is not sent
	model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if results := p.ToolResults(); len(results) > 0 {
			return modeltest.Say("查到了：" + results[len(results)-1].Content)
		}
		if !slices.Contains(p.ToolNames(), tool) {
			return modeltest.Say(fmt.Sprint("没有这个工具，第", missing.Add(1), "次"))
		}
		return modeltest.Call(tool, nil)
	})
	api := httptest.NewServer(model.Handler())
	t.Cleanup(api.Close)
	t.Setenv("OPENAI_API_KEY", "sk-of-the-test")
	return []string{"-model", "openai", "-model-name", "m", "-base-url", api.URL}
}

// other returns the value of -mcp for a server of its own: qqmcp with its simulated QQ.
func other(t *testing.T, tier string) string {
	t.Helper()
	require.NoError(t, builds["qqmcp"]())
	return "other" + tier + "=" + filepath.Join(binaries, "qqmcp") + " --demo"
}

// The companion's owner uses a tool of an MCP server that a flag names.
func TestCompanion_MCP(t *testing.T) {
	qq := onebottest.New(onebottest.Options{SelfID: self})
	defer qq.Close()
	out := new(screen)
	l := startCompanion(t, out, append(startImportModel(t), "-onebot", qq.Start(), "-mcp", other(t, ""))...)
	until(t, func() bool { return address.MatchString(out.Printed()) })
	answer, asked := "", 0
	until(t, func() bool { // the server takes a moment to start
		asked++
		answer = talkTo(t, address.FindString(out.Printed()), token, fmt.Sprint("另一个号在哪些群？第", asked, "次"))
		return strings.Contains(answer, "查到了")
	})
	assert.Contains(t, answer, "番剧研究所")
	require.NoError(t, l.typed.Close())
	require.NoError(t, l.Wait())
}

// With tier L1 everybody in a group of groupbot uses such a tool.
func TestGroupbot_MCP(t *testing.T) {
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	group := qq.Group(hearthGroup, "炉边夜话")
	group.Member(man, "小满")
	cmd := command(t, "groupbot", append(startImportModel(t), "-onebot", qq.Start(), "-speed", "100", "-typing", "off", "-attention", "mention", "-mcp", other(t, ":L1"))...)
	start(t, cmd)
	until(t, func() bool { return qq.Links() == 1 })
	asked, last := 0, time.Time{}
	until(t, func() bool {
		if time.Since(last) > 5*time.Second { // the server takes a moment to start
			asked++
			last = time.Now()
			group.Say(man, onebot.Message{onebot.At(self), onebot.Text(fmt.Sprint(" 另一个号在哪些群？第", asked, "次"))})
		}
		return slices.ContainsFunc(qq.Sent(), func(m onebottest.ChatMessage) bool {
			return strings.Contains(m.Message.Text(), "查到了") && strings.Contains(m.Message.Text(), "番剧研究所")
		})
	})
}
