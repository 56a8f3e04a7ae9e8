package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory/redact"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
	"go.opentelemetry.io/otel/metric"
	nometric "go.opentelemetry.io/otel/metric/noop"
	oteltrace "go.opentelemetry.io/otel/trace"
	notrace "go.opentelemetry.io/otel/trace/noop"
)

// A Bot is what the package needs of a bot. *social.Bot implements it.
type Bot interface {
	Watch(f func(trace.Event)) (stop func())
	Stats() social.Stats
	Online() map[string]bool
	Waiting() int
	Budget() heartflow.BudgetState
}

var _ Bot = (*social.Bot)(nil)

// Options configure a Telemetry. The zero value exports nothing.
type Options struct {
	TracerProvider oteltrace.TracerProvider // nil: no spans
	MeterProvider  metric.MeterProvider     // nil: no metrics

	// Provider is the gen_ai.provider.name of spans and metrics, such as "deepseek". "" means "openai", the API that package
	// models speaks.
	Provider string

	Chats     bool // spans have the chat and the id of the turn, which contain account numbers
	Content   bool // spans have prompts, answers, arguments and results of tools, and texts of errors
	Decisions bool // each verdict to stay silent is a span, too; others are events of the span of their turn

	// Redact masks each text that Content adds. Nil means the zero redact.Redactor. It runs while the bot reports an event.
	Redact func(text string) string
}

// A Telemetry reports the events of bots. Make one with [New], and call Observe for each bot.
type Telemetry struct {
	o           Options
	tracer      oteltrace.Tracer
	instruments instruments
	labels      labels

	mu   sync.Mutex
	bots map[*observer]bool
}

// New returns a Telemetry. Its error is that of a MeterProvider that refuses an instrument.
func New(o Options) (*Telemetry, error) {
	o.Provider = cmp.Or(o.Provider, "openai")
	if o.TracerProvider == nil {
		o.TracerProvider = notrace.NewTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = nometric.NewMeterProvider()
	}
	if o.Redact == nil {
		o.Redact = new(redact.Redactor).Redact
	}
	t := &Telemetry{o: o, bots: map[*observer]bool{}, tracer: o.TracerProvider.Tracer(scope, oteltrace.WithSchemaURL(schemaURL))}
	if err := t.instruments.create(o.MeterProvider.Meter(scope, metric.WithSchemaURL(schemaURL)), t.observeAll); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return t, nil
}

// Observe reports the events of a bot until stop is called. name is its gen_ai.agent.name; each bot needs another. Call Observe before
// [social.Bot.Run], so that no event is missed. stop ends the spans of running turns.
func (t *Telemetry) Observe(name string, bot Bot) (stop func()) {
	b := newObserver(t, name, bot)
	t.instruments.failures.Add(context.Background(), 0, metric.WithAttributeSet(b.agentSet)) // Prometheus counts from the first value that it sees
	t.instruments.unclear.Add(context.Background(), 0, metric.WithAttributeSet(b.agentSet))
	t.mu.Lock()
	t.bots[b] = true
	t.mu.Unlock()
	unwatch := bot.Watch(b.event)
	return sync.OnceFunc(func() {
		unwatch()
		b.end()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.bots, b)
	})
}

// observed returns the bots that are observed now.
func (t *Telemetry) observed() (all []*observer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for b := range t.bots {
		all = append(all, b)
	}
	return all
}
