package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/hearth-bot/hearth/nit/self"
)

// collectLinkTools gets the tools of the link.
func (s *toolset) collectLinkTools() error {
	s.social.mu = NewMutex()
	defer func() { s.linkTools = toolNames(s.social.plugins) }()
	switch f := s.engine.Options.Features; {
	case f.Plugin != nil && s.engine.Options.Plugins != nil:
		plugin, err := f.Plugin(s.engine.sendFromTool)
		s.social.plugins = append(s.social.plugins, plugin)
		return err
	case f.Tools != nil:
		tools, err := f.Tools(s.engine.sendFromTool)
		s.social.plugins = append(s.social.plugins, nit.Plugin{Tools: tools})
		return err
	}
	return nil
}

// addTools adds the tools of the link and the built-in tools to the host's registry. remove takes them out, so that
// another bot can use the registry.
func (s *toolset) addTools(ctx context.Context) (remove func(), err error) {
	var added []nit.Plugin
	remove = func() {
		after, stop := DetachedContext(ctx)
		defer stop()
		for _, p := range slices.Backward(added) {
			s.removePlugin(after, p)
		}
		if err := s.social.set(after, s, false); err != nil {
			s.engine.Log.Error("the tools of the link were not removed", "err", err)
		}
	}
	rows, err := s.engine.Options.Store.Load(ctx, socialModeRow)
	if err != nil {
		return remove, err
	}
	if err = s.collectBuiltinTools(ctx); err != nil {
		return remove, err
	}
	if !s.engine.Options.NoSocialMode && string(rows[socialModeRow]) != "off" {
		if err := s.social.set(ctx, s, true); err != nil {
			return remove, err
		}
	}
	for _, p := range s.plugins {
		if err := s.addPlugin(ctx, p); err != nil {
			return remove, err
		}
		added = append(added, p)
	}
	if s.engine.Options.Tools != nil {
		if names := s.engine.Tools.Unseen(nit.ModePersona, nit.ModeAgent, self.ModeAutonomous, self.ModeBackground); len(names) > 0 {
			s.engine.Log.Warn("no turn sees these tools: give them a tier and a mode that the bot has", "tools", names)
		}
	}
	return remove, nil
}

// socialModeRow is the key of the row with the social mode: "on" or "off".
const socialModeRow = "social_mode"

// socialMode says whether the link's plugins are loaded.
type socialMode struct {
	mu      Mutex
	plugins []nit.Plugin
	loaded  []nit.Plugin
}

// set loads or unloads the plugins.
func (m *socialMode) set(ctx context.Context, s *toolset, on bool) error {
	if err := m.mu.Lock(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	for !on && len(m.loaded) > 0 {
		last := len(m.loaded) - 1
		s.removePlugin(ctx, m.loaded[last])
		m.loaded = m.loaded[:last]
	}
	for on && len(m.loaded) < len(m.plugins) {
		p := m.plugins[len(m.loaded)]
		if err := s.addPlugin(ctx, p); err != nil {
			return err
		}
		m.loaded = append(m.loaded, p)
	}
	return nil
}

// SetSocialMode stores whether the tools of the link are loaded, and loads or unloads them. It waits until Run has
// started.
func SetSocialMode(ctx context.Context, e *Engine, on bool) error {
	if err := e.AwaitStart(ctx); err != nil {
		return err
	}
	row := []byte("off")
	if on {
		row = []byte("on")
	}
	if err := e.Options.Store.Apply(ctx, map[string][]byte{socialModeRow: row}); err != nil {
		return fmt.Errorf("social: store the social mode: %w", err)
	}
	return e.toolset.social.set(ctx, &e.toolset, on)
}

// collectBuiltinTools creates the built-in tools: the search of the bot's memory, and the tools of the parts.
func (s *toolset) collectBuiltinTools(ctx context.Context) error {
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
	var modes []string // in addition to those of nit
	if o.Schedule != nil {
		modes = []string{self.ModeBackground, self.ModeAutonomous}
	}
	plugin, err := recall.Plugin(s.engine.Memory, recall.Options{Redact: s.engine.Options.Redact, Location: s.engine.Options.Location, ExtraModes: modes,
		OnRead: func(ctx context.Context, l memory.Label, ids []string) { TurnFrom(ctx).readMemories(l, ids) },
		Placeholder: func(ctx context.Context, r memory.Record) string {
			l := r.LabelOrDefault()
			if t := TurnFrom(ctx); t == nil || !t.Chat.Agent() || t.MayRead(DatumOf(r), l) {
				return ""
			}
			return Placeholder(l)
		},
		WriteLabel: func(ctx context.Context) memory.Label { return TurnFrom(ctx).LabelFor(DatumOwnerFact) }})
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
	s.builtin = toolNames(plugins)
	s.plugins = append(s.plugins, plugins...)
	return nil
}

// toolNames returns the names of the plugins' tools.
func toolNames(plugins []nit.Plugin) map[string]bool {
	names := map[string]bool{}
	for _, p := range plugins {
		for _, t := range p.Tools {
			names[t.Name()] = true
		}
	}
	return names
}

// addPlugin loads a plugin. Without Options.Plugins it adds the plugin's tools to the registry.
func (s *toolset) addPlugin(ctx context.Context, p nit.Plugin) error {
	if s.engine.Options.Plugins != nil && p.Manifest.Name != "" {
		return s.engine.Options.Plugins.Load(ctx, p)
	}
	return s.engine.Tools.Add(p.Tools...)
}

func (s *toolset) removePlugin(ctx context.Context, p nit.Plugin) {
	if name := p.Manifest.Name; s.engine.Options.Plugins != nil && name != "" {
		if err := s.engine.Options.Plugins.Unload(ctx, name); err != nil && !errors.Is(err, nit.ErrUnknownPlugin) {
			s.engine.Log.Error("a plugin was not unloaded", "plugin", name, "err", err)
		}
		return
	}
	for _, t := range p.Tools {
		s.engine.Tools.Remove(t.Name())
	}
}
