package social

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A PluginStatus is a plugin with its tools, or the tools of the program that belong to no plugin.
type PluginStatus struct {
	Name        string // for [Bot.SwitchPlugin]; "" for tools without a plugin
	Title       string // shown to people; may be ""
	Description string
	Source      string   // "link", "builtin" or "program"
	Loaded      bool     // [Bot.SetSocialMode] loads and unloads those of the link
	Switchable  bool     // SwitchPlugin can switch it
	Off         bool     // it, or its category, is switched off in all modes
	OffModes    []string // or in these modes
	Tools       []nit.ToolStatus
}

// Plugins returns the plugins and tools of the bot: those of the link, the built-in ones, and those of the program, each sorted by
// name. It waits until [Bot.Run] has started.
func (b *Bot) Plugins(ctx context.Context) ([]PluginStatus, error) {
	all, err := engine.Plugins(ctx, b.engine)
	list := make([]PluginStatus, len(all))
	for i, p := range all {
		list[i] = PluginStatus(p)
	}
	return list, err
}

// ErrNoPlugin is returned by [Bot.SwitchPlugin] for a plugin that is not switchable.
var ErrNoPlugin = errors.New("social: no such plugin, or Options.Tools.Plugins is nil")

// SwitchPlugin switches a plugin on or off in all modes. No turn knows the tools of one that is off. The choice outlives a
// restart. The switch of its category is left alone. It waits until [Bot.Run] has started. See [nit.Plugins.SwitchPlugin].
func (b *Bot) SwitchPlugin(ctx context.Context, name string, on bool) error {
	all, err := engine.Plugins(ctx, b.engine)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Name != name || !p.Switchable {
			continue
		}
		s, _ := b.engine.Options.Plugins.Switches(name, "")
		was := !s.Off
		if s.Off = !on; on {
			s.OffModes = nil
		}
		if err := b.engine.Options.Plugins.SwitchPlugin(ctx, name, s); err != nil {
			return err
		}
		b.note(ctx, Change{Field: "plugin", Subject: name, Old: onOff(was), New: onOff(on)})
		return nil
	}
	return ErrNoPlugin
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
