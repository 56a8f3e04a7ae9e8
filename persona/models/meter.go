package models

import (
	"context"

	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Usage is what model calls cost.
type Usage = persona.Usage

// Meter wraps a model so that report is told what each call cost, once per call and before the call returns, in the
// caller's goroutine and with the caller's ctx, by which it may know whom the call was made for: report is called
// concurrently if the model is. It sees the failed calls too, those that panicked among them; their prompt counts as
// spent, since the provider may have read it.
func Meter(model llms.Model, report func(context.Context, Usage)) llms.Model {
	return &meter{model: model, report: report}
}

type meter struct {
	model  llms.Model
	report func(context.Context, Usage)
}

// GenerateContent implements [llms.Model].
func (m *meter) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	var answered *llms.ContentResponse // stays nil when the model panics
	defer func() { m.report(ctx, persona.UsageOf(messages, o.Tools, answered)) }()
	resp, err := m.model.GenerateContent(ctx, messages, options...)
	if err == nil {
		answered = resp
	}
	return resp, err
}

// Call implements [llms.Model]. It goes through GenerateContent, so that it is counted like any other.
func (m *meter) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}
