package nit

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// deliveryTimeout limits the time of a plugin for one message or setting.
const deliveryTimeout = 30 * time.Second

// Send sends a message from the host to a plugin. See [Host.Send].
func (p *Plugins) Send(to, topic string, body any) error { return p.send(nil, to, topic, body) }

func (p *Plugins) send(from *loaded, to, topic string, body any) error {
	raw, err := valueJSON(body)
	if err != nil {
		return fmt.Errorf("nit: message: %w", err)
	}
	if len(topic) > maxWord {
		return fmt.Errorf("nit: message: a topic has at most %d bytes", maxWord)
	}
	m := PluginMessage{Topic: topic, Body: raw}
	p.mu.Lock()
	defer p.mu.Unlock()
	if from != nil {
		if from.gone {
			return ErrUnknownPlugin
		}
		m.From = from.Manifest.Name
	}
	l := p.loaded[to]
	if l == nil || l.OnMessage == nil {
		return ErrUnknownPlugin
	}
	if off, _ := p.off(l); off {
		return ErrUnknownPlugin
	}
	if len(l.queue) >= p.queue {
		return ErrQueueFull
	}
	l.queue = append(l.queue, m)
	p.wakeRun()
	return nil
}

// wakeRun makes Run check for work.
func (p *Plugins) wakeRun() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run delivers messages and changed settings to the plugins until ctx ends. It calls one plugin sequentially and
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
			m := l.queue[0]
			l.queue = slices.Delete(l.queue, 0, 1)
			f = func(ctx context.Context) { l.OnMessage(ctx, m) }
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
		p.log.Warn("a plugin panicked in OnMessage or OnSettingChanged", slog.String("plugin", l.Manifest.Name), slog.String("cause", err.Error()))
	}
}
