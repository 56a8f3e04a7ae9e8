package main

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// command does what a line of the terminal that begins with a slash says: it is for the program and not for the being.
// False: it is no such line. Over HTTP there is none.
//
//	/plugins        what it can do, by plugin
//	/off NAME       its tools are gone, from the next turn on and after the next start, too
//	/on NAME        they are there again
//
// Commands of the owner's, such as /labels, are for the being.
func (h *home) command(ctx context.Context, line string) bool {
	word, name, _ := strings.Cut(line, " ")
	name = strings.TrimSpace(name)
	switch {
	case !strings.HasPrefix(word, "/"), isOwnerCommand(line):
		return false
	case word == "/plugins" && name == "":
		h.listPlugins()
	case (word == "/off" || word == "/on") && h.hasPlugin(name):
		if err := h.plugins.SwitchPlugin(ctx, name, nit.Switch{Off: word == "/off"}); err != nil {
			h.diary.say("没有改成：%v", err)
			return true
		}
		h.listPlugins()
	default:
		h.diary.say("没有这个命令：/plugins，/off 名字，/on 名字，/标签，/信任 id，/公开 id，/撤销 编号")
	}
	return true
}

func isOwnerCommand(line string) bool {
	_, _, ok := persona.ParseOwnerCommand(line)
	return ok
}

func (h *home) hasPlugin(name string) bool {
	return slices.ContainsFunc(h.plugins.List(), func(m nit.Manifest) bool { return m.Name == name })
}

func (h *home) listPlugins() {
	for _, m := range h.plugins.List() {
		state := "开"
		if own, _ := h.plugins.Switches(m.Name, m.Category); own.Off {
			state = "关"
		}
		h.diary.say("%s %s（%d 个工具）：%s", state, m.Name, len(m.Commands), program.Line(m.Description, '⏎'))
	}
}
