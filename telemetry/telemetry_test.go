package telemetry_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/telemetry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// withWeather adds a tool for the weather.
func withWeather(o *social.Options) {
	weather, err := nit.Define("weather", nit.L1, "天气", func(context.Context, struct {
		City string `json:"city"`
	}) (string, error) {
		time.Sleep(time.Second)
		return "雨", nil
	})
	if err != nil {
		panic(err)
	}
	o.Tools.Registry = &nit.Registry{}
	if err := o.Tools.Registry.Add(weather); err != nil {
		panic(err)
	}
}

// A turn with a tool is one trace: the turn, two model calls and the tool below it.
func TestObserve_TraceOfATurn(t *testing.T) {
	model := modeltest.New(modeltest.Call("weather", map[string]string{"city": "杭州"}), modeltest.Say("杭州今天有雨"))
	withFixture(t, model, telemetry.Options{Provider: "deepseek"}, withWeather, func(t *testing.T, f *fixture) {
		f.group.Say(alice, at(botID, "杭州下雨吗"))
		f.advance(time.Minute)

		turn, tool, calls := f.span("invoke_agent 小炉"), f.span("execute_tool weather"), f.spansOf("chat model")
		require.Len(t, calls, 2)
		assert.Equal(t, map[string]any{
			"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "小炉", "gen_ai.provider.name": "deepseek", "hearth.turn.kind": "batch", "hearth.outcome": "spoke",
		}, values(turn.Attributes))
		assert.Equal(t, codes.Unset, turn.Status.Code)
		assert.Equal(t, "github.com/hearth-bot/hearth/telemetry", turn.InstrumentationScope.Name)
		assert.False(t, turn.Parent.IsValid())

		for i, call := range calls {
			assert.Equal(t, turn.SpanContext.SpanID(), call.Parent.SpanID())
			assert.Equal(t, oteltrace.SpanKindClient, call.SpanKind)
			v := values(call.Attributes)
			assert.Equal(t, []string{[]string{"tool_calls", "stop"}[i]}, v["gen_ai.response.finish_reasons"])
			assert.Positive(t, v["gen_ai.usage.input_tokens"])
			assert.Positive(t, v["gen_ai.usage.output_tokens"])
			assert.Equal(t, "reply", v["hearth.purpose"])
			assert.NotContains(t, v, "error.type")
		}
		assert.Equal(t, turn.SpanContext.SpanID(), tool.Parent.SpanID())
		require.Len(t, tool.Links, 1)
		assert.Equal(t, calls[0].SpanContext.SpanID(), tool.Links[0].SpanContext.SpanID(), "the call that asked for the tool")
		assert.Equal(t, time.Second, tool.EndTime.Sub(tool.StartTime))
		assert.False(t, tool.StartTime.Before(calls[0].EndTime))
		v := values(tool.Attributes)
		assert.NotEmpty(t, v["gen_ai.tool.call.id"])
		delete(v, "gen_ai.tool.call.id")
		assert.Equal(t, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.agent.name": "小炉", "gen_ai.tool.name": "weather", "gen_ai.tool.type": "function"}, v)

		var kinds []any
		for _, e := range turn.Events {
			kinds = append(kinds, values(e.Attributes)["hearth.decision.kind"])
		}
		assert.Equal(t, []any{"judge", "speak", "state", nil}, kinds)
		assert.Equal(t, []string{"hearth.decision", "hearth.decision", "hearth.decision", "hearth.send"}, eventsOf(turn))
		judged := values(turn.Events[0].Attributes)
		assert.Equal(t, "ask", judged["hearth.decision.outcome"])
		assert.Equal(t, []string{"mentioned"}, judged["hearth.reasons"])
		assert.True(t, turn.Events[0].Time.Before(turn.StartTime) || turn.Events[0].Time.Equal(turn.StartTime))
	})
}

func eventsOf(s tracetest.SpanStub) (names []string) {
	for _, e := range s.Events {
		names = append(names, e.Name)
	}
	return names
}

// Without Content no span has a word of people, the model or a tool. With it they are there, and masked.
func TestObserve_Content(t *testing.T) {
	const phone, answer, city = "13812345678", "带把伞吧", "杭州"
	for _, content := range []bool{false, true} {
		t.Run(fmt.Sprint(content), func(t *testing.T) {
			model := modeltest.New(modeltest.Call("weather", map[string]string{"city": city}), modeltest.Say(answer), modeltest.Step{Err: fmt.Errorf("secret of %s", city)})
			withFixture(t, model, telemetry.Options{Content: content}, withWeather, func(t *testing.T, f *fixture) {
				f.group.Say(alice, at(botID, "我的手机是 "+phone+"，杭州下雨吗"))
				f.advance(time.Minute)
				f.group.Say(alice, at(botID, "明天呢"))
				f.advance(time.Minute)
				assert.Contains(t, model.Prompts()[0].Text(), phone)
				text := everything(f.spans.GetSpans())
				assert.NotContains(t, text, phone)
				for _, words := range []string{"张三", "我的手机是", answer, city, "雨", "爱坐在炉边的人"} {
					if content {
						assert.Contains(t, text, words)
					} else {
						assert.NotContains(t, text, words)
					}
				}
				for _, id := range []string{"qq:group:1", "1001"} {
					assert.Equal(t, content && id == "1001", strings.Contains(text, id), "of chats and people only what prompts have: %s", id)
				}
				if !content {
					return
				}
				calls := f.spansOf("chat model")
				v := values(calls[1].Attributes)
				assert.JSONEq(t, `[{"role":"assistant","parts":[{"type":"text","content":"带把伞吧"}],"finish_reason":"stop"}]`, v["gen_ai.output.messages"].(string))
				assert.Contains(t, v["gen_ai.input.messages"], `我的手机是 [手机号]`)
				assert.Contains(t, v["gen_ai.input.messages"], `{"role":"tool","parts":[{"type":"tool_call_response","response":`)
				assert.Contains(t, v["gen_ai.system_instructions"], "爱坐在炉边的人")
				assert.JSONEq(t, `{"city":"杭州"}`, values(f.span("execute_tool weather").Attributes)["gen_ai.tool.call.arguments"].(string))
				assert.Contains(t, calls[len(calls)-1].Status.Description, "secret of 杭州")
			})
		})
	}
}

// everything returns all texts of the spans.
func everything(spans tracetest.SpanStubs) (text string) {
	for _, s := range spans {
		text += s.Name + s.Status.Description + fmt.Sprint(values(s.Attributes))
		for _, e := range s.Events {
			text += e.Name + fmt.Sprint(values(e.Attributes))
		}
	}
	return text
}

// With Chats spans have the chat and the id of the turn.
func TestObserve_Chats(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("好")), telemetry.Options{Chats: true}, nil, func(t *testing.T, f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		for _, name := range []string{"invoke_agent 小炉", "chat model"} {
			assert.Equal(t, "qq:group:1", values(f.span(name).Attributes)["gen_ai.conversation.id"], name)
		}
		assert.Contains(t, values(f.span("invoke_agent 小炉").Attributes)["hearth.turn.id"], "batch/qq:group:1/")
	})
}

// A verdict to stay silent is a metric, and with Decisions a span.
func TestObserve_Silence(t *testing.T) {
	for _, decisions := range []bool{false, true} {
		withFixture(t, modeltest.New(), telemetry.Options{Decisions: decisions}, nil, func(t *testing.T, f *fixture) {
			f.group.Say(alice, say("今天好热"))
			f.advance(5 * time.Minute)
			silent := map[string]any{"hearth.decision.kind": "judge", "hearth.decision.outcome": "silent", "hearth.reason": "not_called"}
			assert.EqualValues(t, 1, find(t, f.metrics()["hearth.decisions"], silent).value)
			spans := f.spansOf("hearth.decision")
			if !decisions {
				assert.Empty(t, spans)
				return
			}
			require.Len(t, spans, 1)
			v := values(spans[0].Attributes)
			assert.Equal(t, "silent", v["hearth.decision.outcome"])
			assert.Contains(t, v["hearth.reasons"], "not_called")
			assert.NotContains(t, v, "gen_ai.conversation.id")
		})
	}
}

// A model that fails has an error.type in the spans of the call and of the turn, and counts in the metrics.
func TestObserve_ModelFails(t *testing.T) {
	model := modeltest.Always(modeltest.HTTPError(http.StatusUnauthorized, "bad key sk-1234567890abcdef"))
	withFixture(t, model, telemetry.Options{}, nil, func(t *testing.T, f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(10 * time.Minute)
		const kind = "not authorized (401)"
		for _, s := range append(f.spansOf("chat model"), f.spansOf("invoke_agent 小炉")...) {
			assert.Equal(t, codes.Error, s.Status.Code, s.Name)
			assert.Empty(t, s.Status.Description, "it may quote people")
			assert.Equal(t, kind, values(s.Attributes)["error.type"], s.Name)
		}
		call := f.spansOf("chat model")[0]
		assert.Contains(t, eventsOf(call), "hearth.model.failure")
		m := f.metrics()
		assert.EqualValues(t, len(model.Prompts()), find(t, m["hearth.model.failures"], map[string]any{"error.type": kind}).value)
		assert.Positive(t, find(t, m["gen_ai.client.operation.duration"], map[string]any{"error.type": kind}).count)
		assert.Positive(t, find(t, m["gen_ai.invoke_agent.duration"], map[string]any{"error.type": kind, "hearth.outcome": "error"}).count)
		assert.NotContains(t, everything(f.spans.GetSpans()), "sk-1234567890abcdef")
	})
}

// The metrics of a chat: what was received, decided, asked, run and sent, and how long it took.
func TestObserve_Metrics(t *testing.T) {
	model := modeltest.New(modeltest.Call("weather", map[string]string{"city": "杭州"}), modeltest.Say("杭州今天有雨"))
	withFixture(t, model, telemetry.Options{}, withWeather, func(t *testing.T, f *fixture) {
		agent := map[string]any{"gen_ai.agent.name": "小炉"}
		assert.EqualValues(t, 1, find(t, f.metrics()["hearth.link.online"], map[string]any{"hearth.platform": "qq"}).value)
		f.group.Say(alice, say("今天好热"))
		f.advance(time.Second)
		assert.EqualValues(t, 1, find(t, f.metrics()["hearth.queue.depth"], agent).value)
		f.group.Say(alice, at(botID, "杭州下雨吗"))
		f.advance(time.Minute)

		m := f.metrics()
		assert.Zero(t, find(t, m["hearth.queue.depth"], agent).value)
		assert.EqualValues(t, 2, find(t, m["hearth.messages.received"], agent).value)
		assert.Len(t, m["hearth.messages.dropped"], 8, "one for each reason")
		assert.EqualValues(t, 1, find(t, m["hearth.messages.sent"], agent).value)
		assert.EqualValues(t, 1, find(t, m["hearth.decisions"], map[string]any{"hearth.decision.kind": "judge", "hearth.reason": "mentioned"}).value)
		latency := find(t, m["hearth.answer.latency"], map[string]any{"hearth.turn.kind": "batch"})
		assert.EqualValues(t, 1, latency.count)
		assert.InDelta(t, 3, latency.value, 2, "the debounce of a mention and the tool")
		assert.EqualValues(t, 1, find(t, m["gen_ai.execute_tool.duration"], map[string]any{"gen_ai.tool.name": "weather"}).value)
		assert.EqualValues(t, 2, find(t, m["gen_ai.client.operation.duration"], map[string]any{"hearth.purpose": "reply"}).count)
		assert.EqualValues(t, 1, find(t, m["gen_ai.invoke_agent.duration"], map[string]any{"hearth.outcome": "spoke"}).count)
		tokens := find(t, m["gen_ai.client.token.usage"], map[string]any{"gen_ai.token.type": "input"}).value + find(t, m["gen_ai.client.token.usage"], map[string]any{"gen_ai.token.type": "output"}).value
		assert.EqualValues(t, f.bot.Stats().Tokens, tokens)
		assert.Equal(t, f.bot.Budget().Share, find(t, m["hearth.budget.used"], agent).value)
		for name, all := range m {
			for _, p := range all {
				assert.Equal(t, "小炉", p.attrs["gen_ai.agent.name"], name)
				text := fmt.Sprint(p.attrs)
				assert.NotContains(t, text, "group", name)
				assert.NotContains(t, text, "1001", name)
			}
		}

		f.stop()
		assert.NotContains(t, f.metrics(), "hearth.link.online", "stopped")
		spans := len(f.spans.GetSpans())
		f.group.Say(alice, at(botID, "再见"))
		f.advance(time.Minute)
		assert.Len(t, f.spans.GetSpans(), spans)
	})
}

// Sends that fail and sends whose outcome is unknown are apart.
func TestObserve_Sends(t *testing.T) {
	link := &failingLink{}
	withFixture(t, modeltest.Always(modeltest.Say("好")), telemetry.Options{}, func(o *social.Options) {
		link.Link = o.Link
		o.Link = link
	}, func(t *testing.T, f *fixture) {
		for _, name := range []string{"hearth.send.failures", "hearth.send.unclear"} {
			assert.Zero(t, find(t, f.metrics()[name], nil).value, "from the start: %s", name)
		}
		for _, err := range []error{errBroken, social.ErrUnclear, nil} {
			link.set(err)
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(5 * time.Minute)
		}
		var events []string
		for _, s := range f.spansOf("invoke_agent 小炉") {
			for _, name := range eventsOf(s) {
				if name != "hearth.decision" {
					events = append(events, name)
				}
			}
		}
		assert.Equal(t, []string{"hearth.send.failure", "hearth.send.unclear", "hearth.send"}, events)
		m := f.metrics()
		for _, name := range []string{"hearth.send.failures", "hearth.send.unclear", "hearth.messages.sent"} {
			assert.EqualValues(t, 1, find(t, m[name], nil).value, name)
		}
		assert.EqualValues(t, 1, find(t, m["hearth.answer.latency"], nil).count, "of messages that were sent")
	})
}

// A broken connection shows at once, and counts when it is back.
func TestObserve_Disconnects(t *testing.T) {
	withFixture(t, modeltest.New(), telemetry.Options{}, nil, func(t *testing.T, f *fixture) {
		qq := map[string]any{"hearth.platform": "qq"}
		online := func() float64 { return find(t, f.metrics()["hearth.link.online"], qq).value }
		assert.EqualValues(t, 1, online())
		assert.Zero(t, find(t, f.metrics()["hearth.link.disconnects"], qq).value)
		f.qq.RefuseConnections(true)
		f.qq.DropLinks()
		f.advance(time.Second)
		assert.Zero(t, online())
		f.qq.RefuseConnections(false)
		f.advance(5 * time.Minute)
		assert.EqualValues(t, 1, online())
		assert.EqualValues(t, 1, find(t, f.metrics()["hearth.link.disconnects"], qq).value)
	})
}

// stop ends the span of a turn that runs.
func TestObserve_StopEndsSpans(t *testing.T) {
	model := modeltest.Always(modeltest.Hang(""))
	withFixture(t, model, telemetry.Options{}, nil, func(t *testing.T, f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(10 * time.Second)
		require.Len(t, model.Prompts(), 1)
		assert.Empty(t, f.spansOf("invoke_agent 小炉"))
		f.stop()
		assert.Len(t, f.spansOf("invoke_agent 小炉"), 1)
	})
}

// The zero Options export nothing and work.
func TestNew_Zero(t *testing.T) {
	tel, err := telemetry.New(telemetry.Options{})
	require.NoError(t, err)
	stop := tel.Observe("小炉", &replayed{})
	stop()
	stop()
}
