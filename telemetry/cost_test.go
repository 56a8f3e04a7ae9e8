package telemetry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/hearth-bot/hearth/telemetry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A replayed is a Bot whose events a test makes.
type replayed struct{ event func(trace.Event) }

func (r *replayed) Watch(f func(trace.Event)) (stop func()) {
	r.event = f
	return func() { r.event = nil }
}
func (*replayed) Stats() social.Stats           { return social.Stats{} }
func (*replayed) Online() map[string]bool       { return map[string]bool{"qq": true} }
func (*replayed) Waiting() int                  { return 0 }
func (*replayed) Budget() heartflow.BudgetState { return heartflow.BudgetState{} }

// turnEvents returns the ten events of a turn with a tool.
func turnEvents(n int, now time.Time) []trace.Event {
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(n % 200)}
	id := fmt.Sprint("batch/", n)
	text := []prompt.Segment{{Text: "杭州今天下雨吗，13812345678，我们几点走，要不要带伞？\n"}}
	for len(text) < 200 { // about 5,000 tokens
		text = append(text, text[0])
	}
	call := &trace.Call{Turn: id, Began: now, System: "你是小炉", Prompt: text, Answer: "有雨", Finish: "stop", ModelCall: heartflow.ModelCall{
		Purpose: "reply", Model: "deepseek-chat", Took: time.Second, Tokens: 5100, Prompt: 5000, Attempts: []heartflow.ModelAttempt{{Model: "deepseek-chat", Took: time.Second}}}}
	judged := &heartflow.Trace{At: now, Chat: chat.String(), Kind: heartflow.KindJudge, Do: heartflow.Speak, Why: []heartflow.Code{heartflow.WhyMentioned}}
	speak := &heartflow.Trace{At: now, Chat: chat.String(), Kind: heartflow.KindSpeak, Do: heartflow.Speak, Why: []heartflow.Code{heartflow.WhyMentioned}}
	began := trace.Turn{ID: id, Kind: "batch", Began: now, Received: now, Decision: uint64(n)}
	ended := began
	ended.Ended, ended.Outcome = now.Add(3*time.Second), "spoke"
	message := &persona.Message{Chat: chat, Text: "杭州下雨吗"}
	events := []trace.Event{
		{Message: message}, {Seq: uint64(n), Decision: judged}, {Turn: &began}, {Call: call}, {Tool: &trace.Tool{Turn: id, ID: "1", Name: "weather", Began: now, Took: time.Second, Arguments: `{"city":"杭州"}`, Result: "雨", Outcome: "done"}},
		{Call: call}, {Decision: speak}, {Sent: &trace.Sent{Turn: id, ID: "1", Text: "有雨"}}, {Message: message}, {Turn: &ended},
	}
	for i := range events {
		events[i].At, events[i].Chat = now, chat
	}
	return events
}

// BenchmarkEvents measures what a turn of ten events costs the bot, with spans that a batching processor drops. At 1,000 events a
// second a bot has 100 such turns.
func BenchmarkEvents(b *testing.B) {
	for name, content := range map[string]bool{"plain": false, "content": true} {
		b.Run(name, func(b *testing.B) {
			spans := sdktrace.NewTracerProvider(sdktrace.WithBatcher(tracetest.NewNoopExporter()))
			defer spans.Shutdown(b.Context())
			tel, err := telemetry.New(telemetry.Options{
				TracerProvider: spans, MeterProvider: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())), Content: content,
			})
			require.NoError(b, err)
			bot := &replayed{}
			defer tel.Observe("小炉", bot)()
			now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
			turns := make([][]trace.Event, 1000)
			for i := range turns {
				turns[i] = turnEvents(i, now)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for _, e := range turns[n%len(turns)] {
					bot.event(e)
				}
				n++
			}
			b.ReportMetric(float64(n)*10/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// Names that a model or a policy invents do not grow the metrics without end.
func TestObserve_BoundedLabels(t *testing.T) {
	reader := metric.NewManualReader()
	tel, err := telemetry.New(telemetry.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
	require.NoError(t, err)
	bot := &replayed{}
	defer tel.Observe("小炉", bot)()
	now := time.Now()
	const chats, names = 5000, 500
	for i := range chats {
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)}
		invented := fmt.Sprint("invented", i%names)
		bot.event(trace.Event{At: now, Chat: chat, Decision: &heartflow.Trace{Chat: chat.String(), Kind: heartflow.KindPlan, Why: []heartflow.Code{heartflow.Code(invented)}}})
		bot.event(trace.Event{At: now, Chat: chat, Tool: &trace.Tool{Name: invented, Began: now, Outcome: "failed"}})
		bot.event(trace.Event{At: now, Chat: chat, Call: &trace.Call{Began: now, Failed: invented, ModelCall: heartflow.ModelCall{Model: invented, Purpose: invented}}})
	}
	f := &fixture{T: t, read: reader}
	m := f.metrics()
	for _, name := range []string{"hearth.decisions", "gen_ai.execute_tool.duration", "gen_ai.client.operation.duration"} {
		assert.Len(t, m[name], 101, name)
		total := 0.0
		for _, p := range m[name] {
			total += max(p.value, float64(p.count))
		}
		assert.EqualValues(t, chats, total, "%s counts all", name)
	}
}
