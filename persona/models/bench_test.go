package models_test

import (
	"context"
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
