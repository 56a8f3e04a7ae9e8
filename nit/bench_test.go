package nit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

type sendIn struct {
	Target  string `json:"target_id,omitempty"`
	Content string `json:"content"`
	Type    string `json:"type,omitempty"`
	Count   int    `json:"count,omitempty"`
}

type sendOut struct {
	MessageID string `json:"message_id"`
	Length    int    `json:"length"`
}

const sendArgs = `{"target_id":"group_123456","content":"今天晚上八点一起看番吗？我带零食","type":"group","count":3}`

func send(_ context.Context, in sendIn) (sendOut, error) {
	return sendOut{MessageID: "1849203", Length: len(in.Content) * in.Count}, nil
}

// BenchmarkCall compares a call through a view with the same work by hand: decode for the validator, validate, decode
// for the function, run it, encode the result. A view makes eight calls, as in a turn. "full" adds a quota, a policy and
// a log. "ratio" alternates both, so that noise slows both, and reports each/hand.
func BenchmarkCall(b *testing.B) {
	full := &nit.Registry{
		Quota:  newQuota(b, nit.QuotaOptions{PerPerson: nit.Rate{Calls: 1 << 30, Per: time.Hour * 1000}, PerSession: nit.Rate{Calls: 1 << 30, Per: time.Hour * 1000}, PerTool: nit.Rate{Calls: 1 << 30, Per: time.Hour * 1000}}),
		Policy: func(context.Context, nit.Request) (nit.Decision, error) { return nit.Allow, nil },
		Logger: slog.New(deaf{}),
	}
	fs := []func(){throughTheDoor(b, new(nit.Registry)), throughTheDoor(b, full), byHand(b)}
	for i, name := range []string{"view", "full", "hand"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fs[i]()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		var spent [3]time.Duration
		for b.Loop() {
			for i, f := range fs {
				start := time.Now()
				for range 24 {
					f()
				}
				spent[i] += time.Since(start)
			}
		}
		b.ReportMetric(float64(spent[0])/float64(spent[2]), "view/hand")
		b.ReportMetric(float64(spent[1])/float64(spent[2]), "full/hand")
	})
}

func throughTheDoor(b *testing.B, reg *nit.Registry) func() {
	tool, err := nit.Define("qq_send_text", nit.L1, "发送文本消息", send)
	require.NoError(b, err)
	require.NoError(b, reg.Add(tool))
	var calls []llms.ToolCall
	for i := range 8 {
		calls = append(calls, llms.ToolCall{ID: fmt.Sprintf("call_%d", i), Type: "function", FunctionCall: &llms.FunctionCall{Name: "qq_send_text", Arguments: sendArgs}})
	}
	ctx := b.Context()
	var v *nit.View
	n := 0
	return func() {
		if n%len(calls) == 0 {
			v = reg.View(nit.Principal{Tiers: nit.L1, Platform: "qq", Person: "987", Session: "group_123"})
		}
		if r := v.Call(ctx, calls[n%len(calls)]); len(r.Content) < 20 || r.Content[0] == 'e' {
			b.Fatal(r.Content)
		}
		n++
	}
}

func byHand(b *testing.B) func() {
	schema, err := jsonschema.For[sendIn](nil)
	require.NoError(b, err)
	rules, err := schema.Resolve(nil)
	require.NoError(b, err)
	ctx := b.Context()
	return func() {
		args := []byte(sendArgs)
		var generic map[string]any
		if err := json.Unmarshal(args, &generic); err != nil {
			b.Fatal(err)
		}
		if err := rules.Validate(generic); err != nil {
			b.Fatal(err)
		}
		var in sendIn
		if err := json.Unmarshal(args, &in); err != nil {
			b.Fatal(err)
		}
		out, _ := send(ctx, in)
		text, err := json.Marshal(out)
		if err != nil || len(text) < 20 {
			b.Fatal(err)
		}
	}
}

// BenchmarkView makes the view of a turn over 1,000 tools and lists it: "same" with an unchanged registry, "changed"
// after a tool was added or removed.
func BenchmarkView(b *testing.B) {
	var reg nit.Registry
	for i := range 1000 {
		tool, err := nit.Define(fmt.Sprintf("tool_%04d", i), nit.Tier(1<<(i%3)), "一个工具", send)
		require.NoError(b, err)
		require.NoError(b, reg.Add(tool))
	}
	p := nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}
	list := func(b *testing.B) {
		if n := len(reg.View(p).Tools()); n < 999 {
			b.Fatal(n)
		}
	}
	b.Run("same", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list(b)
		}
	})
	b.Run("changed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			reg.Disable("tool_0500")
			reg.Enable("tool_0500")
			list(b)
		}
	})
}
