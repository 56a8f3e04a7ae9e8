package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Plugin is a value: what it is, its tools, its settings, and what it does when it comes, hears something and goes.
// [Plugins.Load] takes it. One that runs in another process has tools made with [DefineRaw], or comes over MCP.
type Plugin struct {
	Manifest Manifest // its commands and Tools have the same names
	Tools    []Tool

	// Settings by name, each with its default: what JSON can say. A value has the JSON type of its default; one
	// whose default is nil may be anything.
	Settings map[string]any

	// Start is called before the tools are there; if it fails, the plugin is not loaded. Nil: there is nothing to do.
	Start func(ctx context.Context, host *Host) error
	// OnSettingChanged is called after a setting got another value, by Plugins.Run, one call of this and of Hear at a time. Values
	// that follow each other quickly may be told once. Nil: the plugin reads its settings when it needs them.
	OnSettingChanged func(ctx context.Context, setting string)
	// OnMessage is called for each message to the plugin, in order, by Plugins.Run. Nil: it hears nothing.
	OnMessage func(ctx context.Context, m PluginMessage)
	// Stop is called once, after the plugin is out of the registry and its calls have ended. Nil: there is nothing to do.
	Stop func(ctx context.Context) error
}

// A PluginMessage goes from one plugin to another. What is in it is up to them: data, to be checked like any.
type PluginMessage struct {
	From  string // the plugin that sent it, as Plugins knows it; empty for the host
	Topic string
	Body  json.RawMessage
}

var (
	// ErrUnknownPlugin: no plugin of that name is loaded, or it is switched off, or the Host is of one that was unloaded.
	ErrUnknownPlugin = errors.New("nit: unknown plugin")
	// ErrQueueFull: the plugin has not yet heard what it was sent before.
	ErrQueueFull = errors.New("nit: the plugin has too many messages to hear")
)

// check tells what is wrong with a plugin, and gives its settings' defaults as JSON.
func (p *Plugin) check() (defaults map[string]json.RawMessage, err error) {
	if err := p.Manifest.Validate(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (map[string]json.RawMessage, error) {
		return nil, fmt.Errorf("nit: plugin %s: %w", p.Manifest.Name, fmt.Errorf(format, args...))
	}
	told := make(map[string]bool)
	for _, c := range p.Manifest.Commands {
		told[c.Name] = true
	}
	for _, t := range p.Tools {
		if !told[t.Name()] {
			return fail("its manifest does not tell of the tool %q", t.Name())
		}
		delete(told, t.Name())
	}
	if len(told) > 0 {
		return fail("it lacks the tool %q, of which its manifest tells", slices.Min(slices.Collect(maps.Keys(told))))
	}
	defaults = make(map[string]json.RawMessage)
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		if !goodPlugin.MatchString(name) {
			return fail("a setting's name is 1 to 64 letters, digits, _ and -")
		}
		if defaults[name], err = valueJSON(p.Settings[name]); err != nil {
			return fail("setting %s: %w", name, err)
		}
	}
	return defaults, nil
}

func (p *Plugin) toolNames() []string {
	var names []string
	for _, t := range p.Tools {
		names = append(names, t.Name())
	}
	return names
}

const maxValue = 64 << 10 // bytes of a setting or a message

// valueJSON writes a setting or a message as JSON that is read the same by everybody.
func valueJSON(value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxValue {
		return nil, fmt.Errorf("more than %d bytes", maxValue)
	}
	if _, _, err := parseObject(`{"value":`+string(raw)+`}`, maxArgumentDepth); err != nil {
		return nil, err
	}
	return raw, nil
}

// fits tells whether value has the JSON type of def, or def is null.
func fits(def, value json.RawMessage) bool {
	kind := func(raw json.RawMessage) byte {
		switch c := raw[0]; c {
		case '"', '{', '[', 'n':
			return c
		case 't', 'f':
			return 't'
		}
		return '0'
	}
	return len(value) > 0 && (kind(def) == 'n' || kind(def) == kind(value))
}

// A Host is what a plugin knows of its surroundings. It works until the plugin is unloaded; from then on it is
// answered [ErrUnknownPlugin]. All methods may be called concurrently.
type Host struct {
	plugins *Plugins
	self    *loaded
}

// Setting reads a setting of the plugin into a value, as encoding/json does.
func (h *Host) Setting(name string, into any) error {
	raw, err := h.plugins.setting(h.self, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// SetSetting changes a setting of the plugin, as [Plugins.SetSetting] does.
func (h *Host) SetSetting(ctx context.Context, name string, value any) error {
	return h.plugins.set(ctx, h.self, name, value)
}

// Send sends a message to another plugin. It is heard later, if Plugins.Run runs and the plugin is still there.
func (h *Host) Send(to, topic string, body any) error {
	return h.plugins.send(h.self, to, topic, body)
}
