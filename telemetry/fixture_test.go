package telemetry_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/telemetry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const (
	botID = 10000
	alice = 1001
)

// A fixture is a bot in a simulated QQ on a virtual clock, with the SDK of OpenTelemetry.
type fixture struct {
	*testing.T
	qq    *onebottest.Server
	group *onebottest.Group
	bot   *social.Bot
	spans *tracetest.InMemoryExporter
	read  *metric.ManualReader
	stop  func() // of Observe
}

// withFixture runs a test with a connected bot.
func withFixture(t *testing.T, model *modeltest.Model, o telemetry.Options, change func(*social.Options), test func(t *testing.T, f *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, spans: tracetest.NewInMemoryExporter(), read: metric.NewManualReader()}
		f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
		defer f.qq.Close()
		f.group = f.qq.Group(1, "技术群")
		f.group.Member(alice, "张三")
		options := social.Options{
			Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"}, Model: model, Location: time.UTC,
			Link: onebotlink.New(f.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: memory.NewMemStore()},
		}
		options.When.Attention.Seed = 1
		if change != nil {
			change(&options)
		}
		var err error
		f.bot, err = social.New(options)
		require.NoError(t, err)
		o.TracerProvider = trace.NewTracerProvider(trace.WithSyncer(f.spans))
		o.MeterProvider = metric.NewMeterProvider(metric.WithReader(f.read))
		tel, err := telemetry.New(o)
		require.NoError(t, err)
		f.stop = tel.Observe("小炉", f.bot)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- f.bot.Run(ctx) }()
		defer func() {
			cancel()
			assert.NoError(t, <-ended)
			f.stop()
		}()
		synctest.Wait()
		test(t, f)
	})
}

func (f *fixture) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func say(text string) onebot.Message { return onebot.Message{onebot.Text(text)} }

func at(who int64, text string) onebot.Message {
	return onebot.Message{onebot.At(who), onebot.Text(" " + text)}
}

// span returns the only span with a name.
func (f *fixture) span(name string) tracetest.SpanStub {
	f.Helper()
	all := f.spansOf(name)
	require.Len(f, all, 1, name)
	return all[0]
}

func (f *fixture) spansOf(name string) (found []tracetest.SpanStub) {
	for _, s := range f.spans.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// values returns attributes as a map.
func values(attrs []attribute.KeyValue) map[string]any {
	m := map[string]any{}
	for _, a := range attrs {
		m[string(a.Key)] = a.Value.AsInterface()
	}
	return m
}

// A point is one value of a metric with its attributes.
type point struct {
	attrs map[string]any
	value float64 // of a histogram: the sum
	count uint64  // of a histogram
}

// metrics returns the points of all metrics by name.
func (f *fixture) metrics() map[string][]point {
	f.Helper()
	var got metricdata.ResourceMetrics
	require.NoError(f, f.read.Collect(context.Background(), &got))
	all := map[string][]point{}
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			all[m.Name] = points(m.Data)
		}
	}
	return all
}

func points(data metricdata.Aggregation) (all []point) {
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			all = append(all, point{values(p.Attributes.ToSlice()), float64(p.Value), 0})
		}
	case metricdata.Gauge[int64]:
		for _, p := range d.DataPoints {
			all = append(all, point{values(p.Attributes.ToSlice()), float64(p.Value), 0})
		}
	case metricdata.Gauge[float64]:
		for _, p := range d.DataPoints {
			all = append(all, point{values(p.Attributes.ToSlice()), p.Value, 0})
		}
	case metricdata.Histogram[int64]:
		for _, p := range d.DataPoints {
			all = append(all, point{values(p.Attributes.ToSlice()), float64(p.Sum), p.Count})
		}
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			all = append(all, point{values(p.Attributes.ToSlice()), p.Sum, p.Count})
		}
	}
	return all
}

// find returns the only point of a metric that has all these attributes.
func find(t require.TestingT, all []point, attrs map[string]any) point {
	var found []point
	for _, p := range all {
		ok := true
		for k, v := range attrs {
			ok = ok && p.attrs[k] == v
		}
		if ok {
			found = append(found, p)
		}
	}
	require.Len(t, found, 1, "%v in %v", attrs, all)
	return found[0]
}

// A failingLink fails sends with an error, or leaves them unclear.
type failingLink struct {
	social.Link
	mu  sync.Mutex
	err error
}

var errBroken = errors.New("broken")

func (l *failingLink) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }

func (l *failingLink) set(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *failingLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	l.mu.Lock()
	err := l.err
	l.mu.Unlock()
	if err != nil {
		return "", err
	}
	return l.Link.Send(ctx, chat, out)
}
