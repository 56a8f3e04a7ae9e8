package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/self"
)

// askLink asks the link for its tools.
func (s *toolset) askLink() error {
	defer func() { s.linked = namesOf(s.plugins) }()
	switch f := s.engine.Options.Features; {
	case f.Plugin != nil && s.engine.Options.Plugins != nil:
		plugin, err := f.Plugin(s.engine.say)
		s.plugins = append(s.plugins, plugin)
		return err
	case f.Tools != nil:
		tools, err := f.Tools(s.engine.say)
		s.plugins = append(s.plugins, nit.Plugin{Tools: tools})
		return err
	}
	return nil
}

// addTools puts the link's and the built-in tools to those of the host. remove takes them out, so that another bot may
// bring its own.
func (s *toolset) addTools(ctx context.Context) (remove func(), err error) {
	var added []nit.Plugin
	remove = func() {
		after, stop := Afterwards(ctx)
		defer stop()
		for _, p := range slices.Backward(added) {
			s.removePlugin(after, p)
		}
	}
	if err = s.askParts(ctx); err != nil {
		return remove, err
	}
	for _, p := range s.plugins {
		if err := s.addPlugin(ctx, p); err != nil {
			return remove, err
		}
		added = append(added, p)
	}
	return remove, nil
}

// askParts makes the built-in tools: recall over the bot's memory, and what the parts bring.
func (s *toolset) askParts(ctx context.Context) error {
	if !s.engine.Options.Builtin {
		return nil
	}
	o := self.Options{Location: s.engine.Options.Location}
	for _, p := range s.engine.parts {
		if p.Tools != nil {
			if err := p.Tools(ctx, &o); err != nil {
				return err
			}
		}
	}
	var modes []string // beside nit's
	if o.Schedule != nil {
		modes = []string{self.ModeBackground, self.ModeAutonomous}
	}
	plugin, err := recall.Plugin(s.engine.Memory, recall.Options{Redact: s.engine.Options.Redact, Location: s.engine.Options.Location, ExtraModes: modes,
		OnRead: func(ctx context.Context, l memory.Label, ids []string) { TurnFrom(ctx).found(l, ids) },
		Placeholder: func(ctx context.Context, l memory.Label) string {
			if t := TurnFrom(ctx); t == nil || !t.Chat.Agent() || t.mayRead(l) {
				return ""
			}
			return Closed(l)
		},
		WriteLabel: func(ctx context.Context) memory.Label { return TurnFrom(ctx).Bear(DatumOwnerFact) }})
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
	s.builtin = namesOf(plugins)
	s.plugins = append(s.plugins, plugins...)
	return nil
}

// namesOf are the names of the tools of plugins.
func namesOf(plugins []nit.Plugin) map[string]bool {
	names := map[string]bool{}
	for _, p := range plugins {
		for _, t := range p.Tools {
			names[t.Name()] = true
		}
	}
	return names
}

// addPlugin adds a plugin, or, without Options.Plugins, its tools.
func (s *toolset) addPlugin(ctx context.Context, p nit.Plugin) error {
	if s.engine.Options.Plugins != nil && p.Manifest.Name != "" {
		return s.engine.Options.Plugins.Load(ctx, p)
	}
	return s.engine.Tools.Add(p.Tools...)
}

func (s *toolset) removePlugin(ctx context.Context, p nit.Plugin) {
	if name := p.Manifest.Name; s.engine.Options.Plugins != nil && name != "" {
		if err := s.engine.Options.Plugins.Unload(ctx, name); err != nil && !errors.Is(err, nit.ErrUnknownPlugin) {
			s.engine.Log.Error("a plugin did not end well", "plugin", name, "err", err)
		}
		return
	}
	for _, t := range p.Tools {
		s.engine.Tools.Remove(t.Name())
	}
}
