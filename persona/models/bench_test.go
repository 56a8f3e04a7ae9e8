package models_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/llms"
)

// still answers at once, with a provider's figures.
type still struct{ resp *llms.ContentResponse }

func (m still) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return m.resp, nil
}
func (m still) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

// BenchmarkCall compares a bare call of a model that takes no time with one through each wrapper, and through all.
func BenchmarkCall(b *testing.B) {
	bare := still{resp: &llms.ContentResponse{Choices: []*llms.ContentChoice{{
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
