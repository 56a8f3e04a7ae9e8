package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// A Switch turns off the tools of a plugin or of a category of plugins. The zero Switch turns off nothing.
type Switch struct {
	Off      bool     `json:"off,omitempty"`   // in all modes, messages too
	OffModes []string `json:"modes,omitempty"` // in these modes
}

// SwitchPlugin stores and applies the switch of a plugin. The plugin need not be loaded. New views follow the switch.
// Through older views, switched-off tools are unknown in the affected modes. Do not use [Registry.Disable] and the like
// for tools of a plugin.
func (p *Plugins) SwitchPlugin(ctx context.Context, name string, s Switch) error {
	return p.setSwitch(ctx, "plugin/", name, s)
}

// SwitchCategory sets the switch of a category. A plugin is off if its own switch or that of its category says so.
func (p *Plugins) SwitchCategory(ctx context.Context, category string, s Switch) error {
	return p.setSwitch(ctx, "category/", category, s)
}

// Switches returns the stored switches of a plugin and of a category, or zero Switches.
func (p *Plugins) Switches(name, category string) (ofPlugin, ofCategory Switch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.switches["plugin/"+name], p.switches["category/"+category]
}

func (p *Plugins) setSwitch(ctx context.Context, kind, name string, s Switch) error {
	if name == "" || len(name) > maxWord || !utf8.ValidString(name) {
		return errors.New("nit: a switch needs a name of at most 256 bytes of UTF-8")
	}
	if slices.Contains(s.OffModes, "persona") {
		return errors.New(`nit: the mode is ModePersona, not "persona"`)
	}
	s.OffModes = slices.Clone(s.OffModes)
	row, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return p.write(ctx, switchRows+kind+name, row, func() {
		p.switches[kind+name] = s
		off := make(map[string]*loaded) // by tool
		var names []string
		for _, plugin := range slices.Sorted(maps.Keys(p.loaded)) {
			l := p.loaded[plugin]
			if kind == "plugin/" && plugin != name || kind == "category/" && l.Manifest.Category != name {
				continue
			}
			for _, tool := range l.toolNames() {
				off[tool] = l
				names = append(names, tool)
			}
		}
		p.registry.change(names, func(s *slot) { s.disabled, s.off = p.off(off[s.name]) })
	})
}

// off reports where l is switched off. The caller holds mu.
func (p *Plugins) off(l *loaded) (all bool, modes map[string]bool) {
	own, category := p.switches["plugin/"+l.Manifest.Name], p.switches["category/"+l.Manifest.Category]
	modes = make(map[string]bool)
	for _, mode := range slices.Concat(own.OffModes, category.OffModes) {
		modes[mode] = true
	}
	return own.Off || category.Off, modes
}

// SetSetting stores a new value for a setting, of the JSON type of its default, and then notifies the plugin.
func (p *Plugins) SetSetting(ctx context.Context, plugin, setting string, value any) error {
	l := p.find(plugin)
	if l == nil {
		return ErrUnknownPlugin
	}
	return p.set(ctx, l, setting, value)
}

func (p *Plugins) set(ctx context.Context, l *loaded, setting string, value any) error {
	raw, err := valueJSON(value)
	if err != nil {
		return fmt.Errorf("nit: plugin %s: setting %s: %w", l.Manifest.Name, setting, err)
	}
	def, ok := l.defaults[setting]
	if !ok || !fits(def, raw) {
		return fmt.Errorf("nit: plugin %s has no setting %q of that type", l.Manifest.Name, setting)
	}
	if p.isGone(l) {
		return ErrUnknownPlugin
	}
	key := l.Manifest.Name + "/" + setting
	return p.write(ctx, settingRows+key, raw, func() {
		p.settings[key] = raw
		if now := p.loaded[l.Manifest.Name]; now != nil && now.OnSettingChanged != nil { // l or its reloaded successor
			now.changed[setting] = true
			p.wakeRun()
		}
	})
}

// Settings returns all settings of a plugin as JSON; nil if it is not loaded.
func (p *Plugins) Settings(plugin string) map[string]json.RawMessage {
	l := p.find(plugin)
	if l == nil {
		return nil
	}
	values := make(map[string]json.RawMessage)
	for name := range l.defaults {
		if raw, err := p.setting(l, name); err == nil {
			values[name] = slices.Clone(raw)
		}
	}
	return values
}

// setting returns the stored value if its type still fits, otherwise the default.
func (p *Plugins) setting(l *loaded, name string) (json.RawMessage, error) {
	def, ok := l.defaults[name]
	if !ok {
		return nil, fmt.Errorf("nit: plugin %s has no setting %q", l.Manifest.Name, name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.gone {
		return nil, ErrUnknownPlugin
	}
	if raw := p.settings[l.Manifest.Name+"/"+name]; json.Valid(raw) && fits(def, raw) {
		return raw, nil
	}
	return def, nil
}

func (p *Plugins) find(plugin string) *loaded {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loaded[plugin]
}

func (p *Plugins) isGone(l *loaded) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.gone
}

// write stores a row and then calls apply under mu. Writes are serialized, so State and memory agree on the last one.
func (p *Plugins) write(ctx context.Context, key string, row []byte, apply func()) error {
	select {
	case p.writeLock <- struct{}{}:
		defer func() { <-p.writeLock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.state != nil {
		if err := p.state.Apply(ctx, map[string][]byte{key: row}); err != nil {
			return fmt.Errorf("nit: plugins: %w", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	apply()
	return nil
}
