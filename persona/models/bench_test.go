package models_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/llms"
)

// instant answers immediately, with a provider's token counts.
type instant struct{ resp *llms.ContentResponse }

func (m instant) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return m.resp, nil
}
func (m instant) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

// BenchmarkCall compares a direct call of a model with calls through each wrapper and through all of them.
func BenchmarkCall(b *testing.B) {
	bare := instant{resp: &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: "在的，怎么了？", StopReason: "stop", GenerationInfo: map[string]any{"PromptTokens": 1000, "CompletionTokens": 20, "TotalTokens": 1020},
	}}}}
	chainOver := func(m llms.Model) llms.Model {
		c, err := models.NewChain([]models.Candidate{{Model: m}, {Model: bare}}, models.ChainOptions{Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	report := func(context.Context, models.Usage) {}
	for _, way := range []struct {
		name  string
		model llms.Model
	}{
		{"bare", bare},
		{"meter", models.Meter(bare, report)},
		{"chain", chainOver(bare)},
		{"tidy", models.Normalize(bare)},
		{"meter+chain+tidy", models.Meter(chainOver(models.Normalize(bare)), report)},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			ask := prompt("在吗")
			option := llms.WithMaxTokens(500)
			for b.Loop() {
				if _, err := way.model.GenerateContent(b.Context(), ask, option); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTransport sends a request of about 20 kB after a tool call, without a Transport, with one, and with one that
// inserts reasoning of 10 kB.
func BenchmarkTransport(b *testing.B) {
	text := strings.Repeat("在", 6000)
	call := message(fmt.Sprintf(`"reasoning":%q,`, strings.Repeat("想", 3000)) + someCall)
	first := fmt.Sprintf(`{"model":"m","tools":[{}],"messages":[{"role":"user","content":%q}]}`, text)
	next := strings.Replace(first, `]}`, `,{"role":"assistant","content":"",`+someCall+`},{"role":"tool","tool_call_id":"call_0","content":"有雨"}]}`, 1)
	answer := ""
	base := roundTrip(func(req *http.Request) (*http.Response, error) {
		_, err := io.Copy(io.Discard, req.Body)
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(answer))}, err
	})
	post := func(b *testing.B, t http.RoundTripper, body string) {
		req, err := http.NewRequest(http.MethodPost, "http://model.test/chat/completions", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		resp, err := t.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	for _, way := range []struct {
		name      string
		transport http.RoundTripper
		reasoning bool
	}{{"base", base, false}, {"transport", &models.Transport{Base: base}, false}, {"reasoning", &models.Transport{Base: base}, true}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			answer = silence
			if way.reasoning {
				answer = call
			}
			post(b, way.transport, first)
			answer = silence
			for b.Loop() {
				post(b, way.transport, next)
			}
		})
	}
}
