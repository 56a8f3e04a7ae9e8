package main

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// command runs a command of the program from the terminal, a line that begins with a slash. It returns false for other
// lines. HTTP has no commands.
//
//	/plugins        lists the tools by plugin
//	/off NAME       removes the tools of a plugin from the next turn on, also after a restart
//	/on NAME        adds them again
//
// It also has the commands of config.CommandHelp, such as /set and /say. The bot itself handles commands of the owner such as /labels.
func (c *companion) command(ctx context.Context, line string) bool {
	if answer, ok := c.file.Command(ctx, c.bot, line); ok {
		c.events.printf("%s", "%s", answer)
		return true
	}
	word, name, _ := strings.Cut(line, " ")
	name = strings.TrimSpace(name)
	switch {
	case !strings.HasPrefix(word, "/"), isOwnerCommand(line):
		return false
	case word == "/plugins" && name == "":
		c.listPlugins()
	case (word == "/off" || word == "/on") && c.hasPlugin(name):
		if err := c.plugins.SwitchPlugin(ctx, name, nit.Switch{Off: word == "/off"}); err != nil {
			c.events.printf("没有改成：%v", "failed: %v", err)
			return true
		}
		c.listPlugins()
	case word == "/help" || word == "/帮助":
		c.events.printf("%s", "%s", commandList)
	default:
		c.events.printf("没有这个命令：%s", "unknown command: %s", commandList)
	}
	return true
}

var commandList = lang.T("/plugins，/off 名字，/on 名字，/set，/reset，/settings，/mute，/unmute，/sleep，/wake，/say，/sessions，/标签，/信任 id，/公开 id，/撤销 编号",
	"/plugins, /off NAME, /on NAME, /set, /reset, /settings, /mute, /unmute, /sleep, /wake, /say, /sessions, /labels, /endorse ID, /declassify ID, /revoke NUMBER")

func isOwnerCommand(line string) bool {
	_, _, ok := persona.ParseOwnerCommand(line)
	return ok
}

func (c *companion) hasPlugin(name string) bool {
	return slices.ContainsFunc(c.plugins.List(), func(m nit.Manifest) bool { return m.Name == name })
}

func (c *companion) listPlugins() {
	for _, m := range c.plugins.List() {
		state := lang.T("开", "on")
		if own, _ := c.plugins.Switches(m.Name, m.Category); own.Off {
			state = lang.T("关", "off")
		}
		c.events.printf("%s %s（%d 个工具）：%s", "%s %s (%d tools): %s", state, m.Name, len(m.Commands), program.Line(m.Description, '⏎'))
	}
}
