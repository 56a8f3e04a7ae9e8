package nit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// deliveryTimeout limits the time of a plugin for one message, broadcast, request or setting.
const deliveryTimeout = 30 * time.Second

// maxRequestDepth limits requests that a plugin makes while it answers another one.
const maxRequestDepth = 8

// A delivery is a message in the queue of a plugin.
type delivery struct {
	PluginMessage
	broadcast bool
}

// handler returns the function of a plugin for the delivery, or nil.
func (d delivery) handler(l *loaded) func(context.Context, PluginMessage) {
	if d.broadcast {
		return l.OnBroadcast
	}
	return l.OnMessage
}

// Send sends a message from the host to a plugin. See [Host.Send].
func (p *Plugins) Send(to, topic string, body any) error { return p.send(nil, to, topic, body) }

// Broadcast sends a message from the host to all plugins. See [Host.Broadcast].
func (p *Plugins) Broadcast(topic string, body any) error { return p.broadcast(nil, topic, body) }

// Request sends a request from the host to a plugin and waits for the answer. See [Host.Request].
func (p *Plugins) Request(ctx context.Context, to, topic string, body, into any) error {
	return p.request(ctx, nil, to, topic, body, into)
}

// newMessage returns a message of a plugin, or of the host if from is nil.
func newMessage(from *loaded, topic string, body any) (m PluginMessage, err error) {
	raw, err := valueJSON(body)
	if err != nil {
		return m, fmt.Errorf("nit: message: %w", err)
	}
	if len(topic) > maxWord {
		return m, fmt.Errorf("nit: message: a topic has at most %d bytes", maxWord)
	}
	m = PluginMessage{Topic: topic, Body: raw}
	if from != nil {
		m.From = from.Manifest.Name
	}
	return m, nil
}

func (p *Plugins) send(from *loaded, to, topic string, body any) error {
	m, err := newMessage(from, topic, body)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.receiver(from, to)
	if l == nil || l.OnMessage == nil {
		return ErrUnknownPlugin
	}
	return p.enqueue(l, delivery{PluginMessage: m})
}

// receiver returns a plugin that may receive from another one, or from the host if from is nil. It returns nil if one of them
// is gone or the receiver is switched off. p.mu must be held.
func (p *Plugins) receiver(from *loaded, to string) *loaded {
	l := p.loaded[to]
	if l == nil || from != nil && from.gone {
		return nil
	}
	if off, _ := p.off(l); off {
		return nil
	}
	return l
}

// enqueue adds to the queue of a plugin. p.mu must be held.
func (p *Plugins) enqueue(l *loaded, d delivery) error {
	if len(l.queue) >= p.queue {
		return ErrQueueFull
	}
	l.queue = append(l.queue, d)
	p.wakeRun()
	return nil
}

func (p *Plugins) broadcast(from *loaded, topic string, body any) error {
	m, err := newMessage(from, topic, body)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if from != nil && from.gone {
		return ErrUnknownPlugin
	}
	for _, name := range slices.Sorted(maps.Keys(p.loaded)) {
		l := p.receiver(from, name)
		if l == nil || l == from || l.OnBroadcast == nil {
			continue
		}
		if p.enqueue(l, delivery{m, true}) != nil {
			p.log.Warn("a plugin misses a broadcast because its queue is full", slog.String("plugin", name), slog.String("topic", topic))
		}
	}
	return nil
}

type requestDepthKey struct{}

func (p *Plugins) request(ctx context.Context, from *loaded, to, topic string, body, into any) error {
	m, err := newMessage(from, topic, body)
	if err != nil {
		return err
	}
	depth, _ := ctx.Value(requestDepthKey{}).(int)
	if depth >= maxRequestDepth {
		return fmt.Errorf("nit: request: more than %d requests in a chain", maxRequestDepth)
	}
	p.mu.Lock()
	l := p.receiver(from, to)
	switch {
	case l == nil || l.OnRequest == nil:
		p.mu.Unlock()
		return ErrUnknownPlugin
	case l.requests >= p.queue:
		p.mu.Unlock()
		return ErrQueueFull
	}
	l.requests++
	l.inFlight.begin() // before the unlock, so that Unload waits for it
	p.mu.Unlock()
	defer l.inFlight.end()
	raw, _, err := run(context.WithValue(ctx, requestDepthKey{}, depth+1), func(ctx context.Context) (any, error) {
		defer func() {
			p.mu.Lock()
			l.requests--
			p.mu.Unlock()
		}()
		answer, err := l.OnRequest(ctx, m)
		if err != nil {
			return nil, err
		}
		return valueJSON(answer)
	}, deliveryTimeout, l.inFlight)
	if err != nil {
		var failed *callError
		if errors.As(err, &failed) {
			p.log.Warn("a plugin did not answer a request", slog.String("plugin", to), slog.String("topic", topic), slog.Any("cause", failed.cause))
		}
		return fmt.Errorf("nit: request to plugin %s: %w", to, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw.(json.RawMessage), into); err != nil {
		return fmt.Errorf("nit: request to plugin %s: %w", to, err)
	}
	return nil
}

// wakeRun makes Run check for work.
func (p *Plugins) wakeRun() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run delivers messages, broadcasts and changed settings to the plugins until ctx ends. It calls one plugin sequentially and
// different plugins concurrently. The context of each call ends after 30 s. Run returns nil after all its calls have
// returned. It may run again later but not twice at the same time.
func (p *Plugins) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		for _, hear := range p.due() {
			wg.Go(func() { hear(ctx) })
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// due takes the next delivery of each plugin that is idle.
func (p *Plugins) due() []func(context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fs []func(context.Context)
	for _, name := range slices.Sorted(maps.Keys(p.loaded)) {
		l := p.loaded[name]
		if l.delivering {
			continue
		}
		var f func(context.Context)
		if len(l.changed) > 0 {
			setting := slices.Min(slices.Collect(maps.Keys(l.changed)))
			delete(l.changed, setting)
			f = func(ctx context.Context) { l.OnSettingChanged(ctx, setting) }
		} else if len(l.queue) > 0 {
			d := l.queue[0]
			l.queue = slices.Delete(l.queue, 0, 1)
			f = func(ctx context.Context) { d.handler(l)(ctx, d.PluginMessage) }
		} else {
			continue
		}
		l.delivering = true
		l.inFlight.begin()
		fs = append(fs, func(ctx context.Context) { p.deliver(ctx, l, f) })
	}
	return fs
}

func (p *Plugins) deliver(ctx context.Context, l *loaded, f func(context.Context)) {
	defer func() {
		p.mu.Lock()
		l.delivering = false
		p.mu.Unlock()
		l.inFlight.end()
		p.wakeRun()
	}()
	ctx, cancel := context.WithTimeout(ctx, deliveryTimeout)
	defer cancel()
	if err := catchPanic(func() error { f(ctx); return nil }); err != nil {
		p.log.Warn("a plugin panicked in OnMessage, OnBroadcast or OnSettingChanged", slog.String("plugin", l.Manifest.Name), slog.String("cause", err.Error()))
	}
}
