package engine

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
)

// askTools asks the link for what it brings.
func (b *Engine) askTools() (err error) {
	switch f := b.Options.Features; {
	case f.Plugin != nil && b.Options.Plugins != nil:
		b.plugin, err = f.Plugin(b.say)
	case f.Tools != nil:
		b.linkTools, err = f.Tools(b.say)
	}
	return err
}

// takeTools puts the link's tools to those of the host.
func (b *Engine) takeTools(ctx context.Context) error {
	if b.plugin.Manifest.Name != "" {
		return b.Options.Plugins.Load(ctx, b.plugin)
	}
	return b.Tools.Add(b.linkTools...)
}

// dropTools takes the link's tools out, so that another being may bring its own.
func (b *Engine) dropTools(ctx context.Context) {
	if name := b.plugin.Manifest.Name; name != "" {
		after, stop := Afterwards(ctx)
		defer stop()
		if err := b.Options.Plugins.Unload(after, name); err != nil && !errors.Is(err, nit.ErrNoPlugin) {
			b.Log.Error("the link's plugin did not end well", "plugin", name, "err", err)
		}
	}
	for _, t := range b.linkTools {
		b.Tools.Remove(t.Name())
	}
}
