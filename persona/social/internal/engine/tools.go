package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/self"
)

// askLink asks the link for its tools.
func (b *Engine) askLink() error {
	switch f := b.Options.Features; {
	case f.Plugin != nil && b.Options.Plugins != nil:
		plugin, err := f.Plugin(b.say)
		b.plugins = append(b.plugins, plugin)
		return err
	case f.Tools != nil:
		tools, err := f.Tools(b.say)
		b.plugins = append(b.plugins, nit.Plugin{Tools: tools})
		return err
	}
	return nil
}

// addTools puts the link's and the built-in tools to those of the host. remove takes them out, so that another bot may
// bring its own.
func (b *Engine) addTools(ctx context.Context) (remove func(), err error) {
	var added []nit.Plugin
	remove = func() {
		after, stop := Afterwards(ctx)
		defer stop()
		for _, p := range slices.Backward(added) {
			b.removePlugin(after, p)
		}
	}
	if err = b.askParts(ctx); err != nil {
		return remove, err
	}
	for _, p := range b.plugins {
		if err := b.addPlugin(ctx, p); err != nil {
			return remove, err
		}
		added = append(added, p)
	}
	return remove, nil
}

// askParts makes the built-in tools: recall over the bot's memory, and what the parts bring.
func (b *Engine) askParts(ctx context.Context) error {
	if !b.Options.Builtin {
		return nil
	}
	o := self.Options{Location: b.Options.Location}
	for _, p := range b.parts {
		if p.Tools != nil {
			if err := p.Tools(ctx, &o); err != nil {
				return err
			}
		}
	}
	var modes []string // beside nit's
	if o.Schedule != nil {
		modes = []string{self.ModeBackground, self.ModeLife}
	}
	plugin, err := recall.Plugin(b.Memory, &recall.Options{Redact: b.Options.Redact, Location: b.Options.Location, Modes: modes})
	if err != nil {
		return err
	}
	plugins := []nit.Plugin{plugin}
	if o.Reports != nil || o.Notes != nil || o.Schedule != nil {
		if plugin, err = self.Plugin(o); err != nil {
			return err
		}
		plugins = append(plugins, plugin)
	}
	b.builtin = map[string]bool{}
	for _, p := range plugins {
		for _, t := range p.Tools {
			b.builtin[t.Name()] = true
		}
	}
	b.plugins = append(b.plugins, plugins...)
	return nil
}

// Builtin reports that a tool is one of the bot's own.
func (b *Engine) Builtin(tool nit.Info) bool { return b.builtin[tool.Name] }

// addPlugin adds a plugin, or, without Options.Plugins, its tools.
func (b *Engine) addPlugin(ctx context.Context, p nit.Plugin) error {
	if b.Options.Plugins != nil && p.Manifest.Name != "" {
		return b.Options.Plugins.Load(ctx, p)
	}
	return b.Tools.Add(p.Tools...)
}

func (b *Engine) removePlugin(ctx context.Context, p nit.Plugin) {
	if name := p.Manifest.Name; b.Options.Plugins != nil && name != "" {
		if err := b.Options.Plugins.Unload(ctx, name); err != nil && !errors.Is(err, nit.ErrNoPlugin) {
			b.Log.Error("a plugin did not end well", "plugin", name, "err", err)
		}
		return
	}
	for _, t := range p.Tools {
		b.Tools.Remove(t.Name())
	}
}
