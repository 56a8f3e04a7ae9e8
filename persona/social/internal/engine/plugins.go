package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/nit"
)

// A PluginStatus is documented in package social.
type PluginStatus struct {
	Name        string
	Title       string
	Description string
	Source      string
	Loaded      bool
	Switchable  bool
	Off         bool
	OffModes    []string
	Tools       []nit.ToolStatus
}

// Values of PluginStatus.Source.
const (
	sourceLink    = "link"
	sourceBuiltin = "builtin"
	sourceProgram = "program"
)

// Plugins returns all plugins and tools. It waits until Run has started.
func Plugins(ctx context.Context, e *Engine) (all []PluginStatus, err error) {
	if err := e.AwaitStart(ctx); err != nil {
		return nil, err
	}
	s := &e.toolset
	if err := s.social.mu.Lock(ctx); err != nil {
		return nil, err
	}
	loaded := len(s.social.loaded)
	s.social.mu.Unlock()
	left := map[string]nit.ToolStatus{} // tools that are in no plugin so far
	for _, t := range e.Tools.Status() {
		left[t.Name] = t
	}
	for i, p := range s.social.plugins {
		all = append(all, s.status(p, sourceLink, i < loaded, left))
	}
	for _, p := range s.plugins {
		all = append(all, s.status(p, sourceBuiltin, true, left))
	}
	if e.Options.Plugins != nil {
		for _, m := range e.Options.Plugins.List() {
			if !slices.ContainsFunc(all, func(p PluginStatus) bool { return p.Name == m.Name }) {
				all = append(all, s.hostStatus(m, left))
			}
		}
	}
	if len(left) > 0 {
		rest := PluginStatus{Source: sourceProgram, Loaded: true}
		for _, name := range slices.Sorted(maps.Keys(left)) {
			rest.Tools = append(rest.Tools, left[name])
		}
		all = append(all, rest)
	}
	order := []string{sourceLink, sourceBuiltin, sourceProgram}
	slices.SortStableFunc(all, func(a, b PluginStatus) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Source), slices.Index(order, b.Source)), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// status returns the status of a plugin of the link or of a built-in one, and removes its tools from left.
func (s *toolset) status(p nit.Plugin, source string, loaded bool, left map[string]nit.ToolStatus) PluginStatus {
	is := s.ofManifest(p.Manifest, source)
	is.Loaded = loaded
	for _, t := range p.Tools {
		tool, ok := left[t.Name()]
		if !loaded || !ok {
			tool = t.Status()
		} else {
			delete(left, t.Name())
		}
		is.Tools = append(is.Tools, tool)
	}
	slices.SortFunc(is.Tools, func(a, b nit.ToolStatus) int { return cmp.Compare(a.Name, b.Name) })
	return is
}

// hostStatus is status for a plugin that the host has loaded.
func (s *toolset) hostStatus(m nit.Manifest, left map[string]nit.ToolStatus) PluginStatus {
	is := s.ofManifest(m, sourceProgram)
	is.Loaded = true
	for _, c := range m.Commands {
		if tool, ok := left[c.Name]; ok {
			delete(left, c.Name)
			is.Tools = append(is.Tools, tool)
		}
	}
	return is
}

func (s *toolset) ofManifest(m nit.Manifest, source string) PluginStatus {
	is := PluginStatus{Name: m.Name, Title: m.DisplayName, Description: m.Description, Source: source}
	if plugins := s.engine.Options.Plugins; plugins != nil && m.Name != "" {
		own, category := plugins.Switches(m.Name, m.Category)
		is.Switchable, is.Off = true, own.Off || category.Off
		is.OffModes = slices.Compact(slices.Sorted(slices.Values(slices.Concat(own.OffModes, category.OffModes))))
	}
	return is
}
