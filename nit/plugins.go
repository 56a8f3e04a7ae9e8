package nit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A State stores small rows durably. memory.State satisfies it.
type State interface {
	// Load returns all rows with this key prefix.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	// Apply writes all rows or none. A nil value deletes its row.
	Apply(ctx context.Context, rows map[string][]byte) error
}

// PluginOptions configure [NewPlugins].
type PluginOptions struct {
	State     State        // stores settings and switches; nil keeps them in memory only
	QueueSize int          // waiting messages and broadcasts per plugin, and concurrent requests; 0 means 64
	Logger    *slog.Logger // gets faults of plugins; nil discards
}

// Plugins loads and unloads plugins of a [Registry] at run time. A plugin that is not loaded is unknown, and so are its
// tools. All methods may be called concurrently, also by plugins.
type Plugins struct {
	registry  *Registry
	state     State
	queue     int
	log       *slog.Logger
	wake      chan struct{} // capacity 1: wakes Run
	writeLock chan struct{} // capacity 1: held during a write, so that State and memory agree

	mu       sync.Mutex
	settings map[string]json.RawMessage // by plugin/name, also of unloaded plugins
	switches map[string]Switch          // by plugin/name and category/name
	loaded   map[string]*loaded
	claimed  map[string]bool // names of plugins that are being loaded or unloaded
}

// loaded is a loaded plugin. Plugins.mu guards its variable fields.
type loaded struct {
	Plugin
	defaults   map[string]json.RawMessage
	inFlight   *callCounter // its calls and deliveries
	gone       bool
	queue      []delivery
	requests   int // running calls of OnRequest
	changed    map[string]bool
	delivering bool
}

// Row key prefixes.
const (
	settingRows = "nit/setting/"
	switchRows  = "nit/switch/"
)

// NewPlugins loads the stored settings and switches. Set the fields of r before. It returns an error if r is nil or
// o.QueueSize is negative.
func NewPlugins(ctx context.Context, r *Registry, o PluginOptions) (*Plugins, error) {
	switch {
	case r == nil:
		return nil, errors.New("nit: plugins need a registry")
	case o.QueueSize < 0:
		return nil, errors.New("nit: PluginOptions.QueueSize is negative")
	}
	p := &Plugins{
		registry: r, state: o.State, queue: cmp.Or(o.QueueSize, 64), log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		wake: make(chan struct{}, 1), writeLock: make(chan struct{}, 1), settings: make(map[string]json.RawMessage),
		switches: make(map[string]Switch), loaded: make(map[string]*loaded), claimed: make(map[string]bool),
	}
	if p.state == nil {
		return p, nil
	}
	rows, err := p.state.Load(ctx, settingRows)
	if err != nil {
		return nil, fmt.Errorf("nit: plugins: %w", err)
	}
	for key, row := range rows {
		p.settings[strings.TrimPrefix(key, settingRows)] = bytes.TrimSpace(row)
	}
	if rows, err = p.state.Load(ctx, switchRows); err != nil {
		return nil, fmt.Errorf("nit: plugins: %w", err)
	}
	for key, row := range rows {
		var s Switch
		if err := json.Unmarshal(row, &s); err != nil {
			s = Switch{Off: true} // unreadable: off is the safe state
			p.log.Warn("a plugin switch cannot be decoded, so the plugin is off", slog.String("key", key))
		}
		p.switches[strings.TrimPrefix(key, switchRows)] = s
	}
	return p, nil
}

// Load starts a plugin and adds its tools in one step. If it fails, nothing is left of the plugin.
func (p *Plugins) Load(ctx context.Context, plugin Plugin) error {
	return p.load(ctx, plugin, false)
}

// Reload replaces the loaded plugin of the same name in one step: a view has either the old or the new tools. The new
// plugin starts first. If it fails to start or a tool cannot be added, the old plugin stays. The new plugin inherits the
// undelivered messages. Then the old plugin stops as in Unload.
func (p *Plugins) Reload(ctx context.Context, plugin Plugin) error {
	return p.load(ctx, plugin, true)
}

func (p *Plugins) load(ctx context.Context, plugin Plugin, again bool) error {
	defaults, err := plugin.check()
	if err != nil {
		return err
	}
	name := plugin.Manifest.Name
	old, err := p.claim(name, again)
	if err != nil {
		return err
	}
	defer p.release(name)
	plugin.Tools = slices.Clone(plugin.Tools)
	l := &loaded{Plugin: plugin, defaults: defaults, inFlight: new(callCounter), changed: make(map[string]bool)}
	if l.Start != nil {
		if err := catchPanic(func() error { return l.Start(ctx, &Host{p, l}) }); err != nil {
			p.markGone(l)
			return fmt.Errorf("nit: plugin %s: start: %w", name, err)
		}
	}
	if err := p.swap(l, old); err != nil {
		p.markGone(l)
		return errors.Join(fmt.Errorf("nit: plugin %s: %w", name, err), p.stop(ctx, l))
	}
	if old != nil {
		return p.stopAfterCalls(ctx, old)
	}
	return nil
}

// swap registers l and removes old, if not nil.
func (p *Plugins) swap(l, old *loaded) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var before []string
	if old != nil {
		before = old.toolNames()
	}
	err := p.registry.replace(before, l.Tools, func(s *slot) {
		s.inFlight = l.inFlight
		s.disabled, s.off = p.off(l)
	})
	if err != nil {
		return err
	}
	if old != nil {
		old.gone = true
		l.queue, old.queue = slices.DeleteFunc(old.queue, func(d delivery) bool { return d.handler(l) == nil }), nil
	}
	p.loaded[l.Manifest.Name] = l
	p.wakeRun()
	return nil
}

// Unload removes a plugin. Its tools become unknown at once, also through older views. Unload waits for running calls
// and then stops the plugin, so a tool must not unload its own plugin. If ctx ends first, it stops the plugin anyway and
// returns an error.
func (p *Plugins) Unload(ctx context.Context, name string) error {
	l, err := p.claim(name, true)
	if err != nil {
		return err
	}
	defer p.release(name)
	p.mu.Lock()
	p.registry.Remove(l.toolNames()...)
	delete(p.loaded, name)
	l.gone, l.queue = true, nil
	p.mu.Unlock()
	return p.stopAfterCalls(ctx, l)
}

// stopAfterCalls waits for the calls of a removed plugin and stops it.
func (p *Plugins) stopAfterCalls(ctx context.Context, l *loaded) error {
	err := l.inFlight.wait(ctx)
	if err != nil {
		err = fmt.Errorf("nit: plugin %s: a call still runs: %w", l.Manifest.Name, err)
	}
	return errors.Join(err, p.stop(ctx, l))
}

func (p *Plugins) stop(ctx context.Context, l *loaded) error {
	if l.Stop == nil {
		return nil
	}
	if err := catchPanic(func() error { return l.Stop(ctx) }); err != nil {
		return fmt.Errorf("nit: plugin %s: stop: %w", l.Manifest.Name, err)
	}
	return nil
}

func (p *Plugins) markGone(l *loaded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.gone = true
}

// claim reserves a plugin name for a load or unload. wantLoaded says whether the plugin must be loaded or must not be.
func (p *Plugins) claim(name string, wantLoaded bool) (*loaded, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.loaded[name]
	switch {
	case p.claimed[name]:
		return nil, fmt.Errorf("nit: plugin %s is being loaded or unloaded", name)
	case wantLoaded && l == nil:
		return nil, ErrUnknownPlugin
	case !wantLoaded && l != nil:
		return nil, fmt.Errorf("nit: plugin %s is already loaded", name)
	}
	p.claimed[name] = true
	return l, nil
}

func (p *Plugins) release(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.claimed, name)
}

// List returns the manifests of all loaded plugins, sorted by name, also of switched-off ones. Do not modify them.
func (p *Plugins) List() []Manifest {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []Manifest
	for _, name := range slices.Sorted(maps.Keys(p.loaded)) {
		list = append(list, p.loaded[name].Manifest)
	}
	return list
}
