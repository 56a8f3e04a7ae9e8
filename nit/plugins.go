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

// A State keeps small rows durably. memory.State is one by shape.
type State interface {
	// Load gives all rows whose key begins with prefix.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	// Apply writes all rows or none. A nil value deletes its row.
	Apply(ctx context.Context, rows map[string][]byte) error
}

// PluginOptions configure [NewPlugins].
type PluginOptions struct {
	State     State        // keeps settings and switches; nil: they last as long as the Plugins
	QueueSize int          // messages that wait for one plugin; 0 means 64
	Logger    *slog.Logger // told of what plugins do wrong; nil discards
}

// Plugins loads plugins into a [Registry] and unloads them while the program runs. A plugin that is not there is unknown, and
// so are its tools, as if there had never been any. All methods may be called concurrently, also from plugins.
type Plugins struct {
	registry  *Registry
	state     State
	queue     int
	log       *slog.Logger
	wake      chan struct{} // 1: Run has something to look at
	writeLock chan struct{} // 1: held while the state is written, so that it and what is known agree

	mu       sync.Mutex
	settings map[string]json.RawMessage // by plugin/name: what was set, also of plugins that are not loaded
	switches map[string]Switch          // by plugin/name and category/name
	loaded   map[string]*loaded
	claimed  map[string]bool // names that are being loaded or unloaded
}

// loaded is a plugin that is there. What changes is guarded by Plugins.mu.
type loaded struct {
	Plugin
	defaults   map[string]json.RawMessage
	inFlight   *callCounter // its calls, and itself while it hears
	gone       bool
	queue      []PluginMessage
	changed    map[string]bool
	delivering bool
}

// The keys of the rows.
const (
	settingRows = "nit/setting/"
	switchRows  = "nit/switch/"
)

// NewPlugins reads what was set before. The fields of r are set before.
func NewPlugins(ctx context.Context, r *Registry, o PluginOptions) (*Plugins, error) {
	switch {
	case r == nil:
		return nil, errors.New("nit: plugins need a registry")
	case o.QueueSize < 0:
		return nil, errors.New("nit: PluginOptions.Queue is negative")
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
			s = Switch{Off: true} // what cannot be read was something
			p.log.Warn("a plugin's switch cannot be read: it is off", slog.String("key", key))
		}
		p.switches[strings.TrimPrefix(key, switchRows)] = s
	}
	return p, nil
}

// Load starts a plugin and adds its tools, all at once. If that fails, nothing of it is left.
func (p *Plugins) Load(ctx context.Context, plugin Plugin) error {
	return p.load(ctx, plugin, false)
}

// Reload puts a plugin in the place of the one of its name, in one step: a view has the tools of the old one or of the
// new. The new one is started first; if that fails, or a tool cannot be added, the old one stays. What the old one has not heard
// is for the new one. Then the old one ends as by Unload.
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

// swap makes l the plugin of its name, in place of old if there is one.
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
		l.queue, old.queue = old.queue, nil
	}
	p.loaded[l.Manifest.Name] = l
	p.wakeRun()
	return nil
}

// Unload takes a plugin out. From the first on its tools are unknown, also through views made before. It waits for those of
// its calls that run, and then stops it; a call must not unload its own plugin. If ctx ends before, the plugin is stopped while
// calls of it may still run, and the error says so.
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

// stopAfterCalls waits for what still runs of a plugin that is out, and stops it.
func (p *Plugins) stopAfterCalls(ctx context.Context, l *loaded) error {
	err := l.inFlight.wait(ctx)
	if err != nil {
		err = fmt.Errorf("nit: plugin %s: a call of it still runs: %w", l.Manifest.Name, err)
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

// claim keeps a name for one who loads or unloads. there tells whether the plugin has to be loaded, or must not be.
func (p *Plugins) claim(name string, there bool) (*loaded, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.loaded[name]
	switch {
	case p.claimed[name]:
		return nil, fmt.Errorf("nit: plugin %s is being loaded or unloaded", name)
	case there && l == nil:
		return nil, ErrUnknownPlugin
	case !there && l != nil:
		return nil, fmt.Errorf("nit: plugin %s is loaded already", name)
	}
	p.claimed[name] = true
	return l, nil
}

func (p *Plugins) release(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.claimed, name)
}

// List gives the manifests of what is loaded, switched off or not, by name. They are not to be changed.
func (p *Plugins) List() []Manifest {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []Manifest
	for _, name := range slices.Sorted(maps.Keys(p.loaded)) {
		list = append(list, p.loaded[name].Manifest)
	}
	return list
}
