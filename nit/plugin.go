package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Plugin is a set of tools with settings and lifecycle hooks. Pass it to [Plugins.Load]. For a plugin in another
// process, define its tools with [DefineRaw] or connect it over MCP.
type Plugin struct {
	Manifest Manifest // its Commands have the names of Tools
	Tools    []Tool

	// Settings are the defaults by name, as JSON values. A setting keeps the JSON type of its default. If the default is
	// nil, any type is allowed.
	Settings map[string]any

	// Start is called before the tools become visible. If it fails, the plugin is not loaded. May be nil.
	Start func(ctx context.Context, host *Host) error
	// OnSettingChanged is called by Plugins.Run after a setting changed, never concurrently with itself, OnMessage or
	// OnBroadcast. Quick successive changes may cause one call. May be nil.
	OnSettingChanged func(ctx context.Context, setting string)
	// OnMessage is called by Plugins.Run for each message to the plugin, in order. If nil, the plugin receives no messages.
	OnMessage func(ctx context.Context, m PluginMessage)
	// OnBroadcast is called by Plugins.Run for each broadcast of the host or another plugin, in order with the messages.
	// If nil, the plugin receives no broadcasts.
	OnBroadcast func(ctx context.Context, m PluginMessage)
	// OnRequest answers a request of the host or another plugin. The answer is encoded as JSON. OnRequest may be called
	// concurrently, without Plugins.Run. If a tool call made the request, PrincipalFrom(ctx) identifies its caller. If nil, the
	// plugin answers no requests.
	OnRequest func(ctx context.Context, m PluginMessage) (answer any, err error)
	// Stop is called once, after the tools were removed and their calls have ended. May be nil.
	Stop func(ctx context.Context) error
}

// A PluginMessage is a message, broadcast or request of a plugin. Plugins define its content. Validate it like any
// input.
type PluginMessage struct {
	From  string // sending plugin, set by Plugins; empty for the host
	Topic string
	Body  json.RawMessage
}

var (
	// ErrUnknownPlugin means that the plugin is not loaded or is switched off, or that the Host belongs to an unloaded
	// plugin.
	ErrUnknownPlugin = errors.New("nit: unknown plugin")
	// ErrQueueFull means that the message queue of the plugin is full, or that it handles as many requests already.
	ErrQueueFull = errors.New("nit: the message queue of the plugin is full")
)

// check validates a plugin and returns the defaults of its settings as JSON.
func (p *Plugin) check() (defaults map[string]json.RawMessage, err error) {
	if err := p.Manifest.Validate(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (map[string]json.RawMessage, error) {
		return nil, fmt.Errorf("nit: plugin %s: %w", p.Manifest.Name, fmt.Errorf(format, args...))
	}
	listed := make(map[string]bool)
	for _, c := range p.Manifest.Commands {
		listed[c.Name] = true
	}
	for _, t := range p.Tools {
		if !listed[t.Name()] {
			return fail("its manifest lacks the tool %q", t.Name())
		}
		delete(listed, t.Name())
	}
	if len(listed) > 0 {
		return fail("it lacks the tool %q of its manifest", slices.Min(slices.Collect(maps.Keys(listed))))
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

// valueJSON encodes a setting or message as JSON that every parser reads alike.
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

// fits reports whether value has the JSON type of def. A null def accepts every type.
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

// A Host gives a plugin access to its settings and to other plugins. After the plugin is unloaded, its methods return
// [ErrUnknownPlugin]. All methods may be called concurrently.
type Host struct {
	plugins *Plugins
	self    *loaded
}

// Setting decodes a setting of the plugin with encoding/json.
func (h *Host) Setting(name string, into any) error {
	raw, err := h.plugins.setting(h.self, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// SetSetting changes a setting of the plugin like [Plugins.SetSetting].
func (h *Host) SetSetting(ctx context.Context, name string, value any) error {
	return h.plugins.set(ctx, h.self, name, value)
}

// Send sends a message to another plugin. Plugins.Run delivers it later if that plugin is still loaded.
func (h *Host) Send(to, topic string, body any) error {
	return h.plugins.send(h.self, to, topic, body)
}

// Broadcast sends a message to all other plugins with OnBroadcast. Plugins.Run delivers it later. A plugin that is switched off or
// whose queue is full misses it.
func (h *Host) Broadcast(topic string, body any) error {
	return h.plugins.broadcast(h.self, topic, body)
}

// Request sends a request to another plugin, waits for its answer and decodes that with encoding/json; a nil into discards
// it. It waits for at most 30 s, plus a second if the plugin ignores its context. The error matches [ErrUnknownPlugin] if the
// plugin does not answer requests, [ErrQueueFull], [ErrTimeout], or [ErrFailed] if OnRequest panics or returns an error; it
// then wraps that error. The topic and the body have the limits of Send. A chain of requests through plugins may have at most
// 8 steps.
func (h *Host) Request(ctx context.Context, to, topic string, body, into any) error {
	return h.plugins.request(ctx, h.self, to, topic, body, into)
}
