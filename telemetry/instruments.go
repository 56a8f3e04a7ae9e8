package telemetry

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/persona/social"
	"go.opentelemetry.io/otel/metric"
)

// instruments are the metrics. Those in the last block are read when the metrics are collected.
type instruments struct {
	tokens                                            metric.Int64Histogram
	chat, firstChunk, turn, tool, latency             metric.Float64Histogram
	decisions, failures, unclear, models, disconnects metric.Int64Counter
	received, dropped, sent                           metric.Int64ObservableCounter
	online, queue                                     metric.Int64ObservableGauge
	budget                                            metric.Float64ObservableGauge
}

// Bounds of the histograms, in seconds or tokens, as the conventions ask. An answer may wait for the debounce.
var (
	tokenBounds   = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	callBounds    = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	chunkBounds   = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	turnBounds    = []float64{.1, .2, .4, .8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
	latencyBounds = []float64{.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600}
)

// create creates the instruments. observe is called when they are collected.
func (i *instruments) create(m metric.Meter, observe func(metric.Observer)) error {
	var errs []error
	note := func(err error) {
		errs = append(errs, err)
	}
	histogram := func(name, about string, bounds []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithDescription(about), metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(bounds...))
		note(err)
		return h
	}
	counter := func(name, unit, about string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithDescription(about), metric.WithUnit(unit))
		note(err)
		return c
	}
	read := func(name, unit, about string) metric.Int64ObservableCounter {
		c, err := m.Int64ObservableCounter(name, metric.WithDescription(about), metric.WithUnit(unit))
		note(err)
		return c
	}
	gauge := func(name, unit, about string) metric.Int64ObservableGauge {
		g, err := m.Int64ObservableGauge(name, metric.WithDescription(about), metric.WithUnit(unit))
		note(err)
		return g
	}
	var err error
	i.tokens, err = m.Int64Histogram(metricTokens, metric.WithDescription("Tokens of a model call."), metric.WithUnit("{token}"), metric.WithExplicitBucketBoundaries(tokenBounds...))
	note(err)
	i.chat = histogram(metricChatDuration, "Duration of a model call with all its attempts.", callBounds)
	i.firstChunk = histogram(metricFirstChunk, "Time until the first streamed token.", chunkBounds)
	i.turn = histogram(metricTurnDuration, "Duration of a turn, from the reason to act to the last message.", turnBounds)
	i.tool = histogram(metricToolDuration, "Duration of a tool call.", callBounds)
	i.latency = histogram(metricLatency, "Time from the message that the bot answers to its first message.", latencyBounds)

	i.decisions = counter(metricDecisions, "{decision}", "Decisions by their first reason.")
	i.failures = counter(metricSendFailures, "{message}", "Messages that were not sent, because the platform failed.")
	i.unclear = counter(metricSendUnclear, "{message}", "Messages that may have been sent, and are not sent again.")
	i.models = counter(metricModelFailures, "{call}", "Failed attempts to call a model.")
	i.disconnects = counter(metricDisconnects, "{disconnect}", "Lost connections to a platform. A broken WebSocket counts when it is back.")

	i.received = read(metricReceived, "{message}", "Messages received.")
	i.dropped = read(metricDropped, "{message}", "Received messages that are not answered, by reason.")
	i.sent = read(metricSent, "{message}", "Messages sent.")
	i.online = gauge(metricOnline, "{link}", "1 if the connection to the platform is up.")
	i.queue = gauge(metricQueue, "{message}", "Messages that wait until the bot judges them.")
	i.budget, err = m.Float64ObservableGauge(metricBudget, metric.WithDescription("Largest used share of a limit of the budget."), metric.WithUnit("1"))
	note(err)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		observe(o)
		return nil
	}, i.received, i.dropped, i.sent, i.online, i.queue, i.budget)
	return err
}

// observeAll reports the counters and the state of all bots.
func (t *Telemetry) observeAll(o metric.Observer) {
	i := &t.instruments
	for _, b := range t.observed() {
		agent := metric.WithAttributeSet(b.agentSet)
		s := b.bot.Stats()
		o.ObserveInt64(i.received, s.Received, agent)
		o.ObserveInt64(i.sent, s.Sent, agent)
		for reason, n := range dropped(s) {
			o.ObserveInt64(i.dropped, n, metric.WithAttributes(b.agent, attrReason.String(reason)))
		}
		o.ObserveInt64(i.queue, int64(b.bot.Waiting()), agent)
		o.ObserveFloat64(i.budget, b.bot.Budget().Share, agent)
		for platform, on := range b.bot.Online() {
			up := int64(0)
			if on {
				up = 1
			}
			o.ObserveInt64(i.online, up, metric.WithAttributes(b.agent, t.labels.of(attrPlatform, platform)))
		}
	}
}

// dropped returns the messages that a bot received and does not answer, by reason.
func dropped(s social.Stats) map[string]int64 {
	return map[string]int64{
		"duplicate": s.Duplicates, "chat_off": s.ChatOff, "too_old": s.TooOld, "erased": s.Erased, "banned": s.Banned, "not_stored": s.Failed,
		"overflow": s.LinkOverflow, "invalid": s.Invalid,
	}
}
