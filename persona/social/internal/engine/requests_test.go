package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestRequestLog(t *testing.T) {
	text := func(s string, blocks int) string { return strings.Repeat(s, blocks*blockSize) }
	var l requestLog
	assert.Zero(t, l.add(text("a", 4)))
	assert.InDelta(t, 1, l.add(text("a", 4)), 0, "the same request")
	assert.InDelta(t, .5, l.add(text("a", 2)+text("b", 2)), 0)
	assert.InDelta(t, .5, l.add(text("a", 2)+text("a", 1)[1:]+text("b", 1)+"b"), 0, "whole blocks only")
	assert.Zero(t, l.add(text("b", 1)+text("a", 3)), "another start")
	assert.Zero(t, l.add(""))
	assert.Zero(t, l.add(text("c", 1)[1:]), "less than a block")
	assert.InDelta(t, .75, l.add(text("a", 3)+text("c", 1)), 0, "the best of all, not the last")
	for range keptRequests {
		l.add(text("d", 1))
	}
	assert.Zero(t, l.add(text("a", 4)), "too old")
}

// BenchmarkRequestLog measures what each model call costs in addition.
func BenchmarkRequestLog(b *testing.B) {
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, strings.Repeat("你", 600)), llms.TextParts(llms.ChatMessageTypeHuman, strings.Repeat("好", 8000))}
	tool := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "look", Description: strings.Repeat("看", 50), Parameters: map[string]any{"type": "object"}}}
	tools := []llms.Tool{tool, tool, tool, tool, tool, tool, tool, tool, tool, tool}
	var l requestLog
	b.ReportAllocs()
	for b.Loop() {
		l.add(requestText(messages, tools))
	}
}

// usedModel calls a function instead of a model.
type usedModel struct {
	llms.Model
	call func()
}

func (m usedModel) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	m.call()
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "好"}}}, nil
}

// The figure is that of the call's own chat, and counts tools, texts and pictures.
func TestRepeatMeter(t *testing.T) {
	var got []models.Usage
	calls := 0
	m := repeatMeter{models.Meter(usedModel{call: func() { calls++ }}, func(_ context.Context, u models.Usage) { got = append(got, u) })}
	here := newChat(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Scope{})
	there := newChat(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}, Scope{})
	ask := func(ctx context.Context, picture string, options ...llms.CallOption) float64 {
		messages := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart("image/png", []byte(picture)), llms.TextPart(strings.Repeat("问", 3000))}}}
		_, err := m.GenerateContent(ctx, messages, options...)
		require.NoError(t, err)
		u := got[len(got)-1]
		return float64(u.Repeated) / float64(u.Prompt)
	}
	answers := WithTurn(t.Context(), &Turn{Job: &Job{Chat: here}})
	assert.Zero(t, ask(answers, "a"))
	assert.Greater(t, ask(answers, "a"), .9)
	assert.Greater(t, ask(context.WithValue(t.Context(), backgroundKey{}, here), "a"), .9, "a background call about the same chat")
	assert.Zero(t, ask(answers, "b"), "another picture comes first")
	assert.Zero(t, ask(WithTurn(t.Context(), &Turn{Job: &Job{Chat: there}}), "a"), "another chat")
	assert.Zero(t, ask(t.Context(), "a"), "no chat")
	assert.Zero(t, ask(answers, "a", llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "look"}}})), "tools come first")
	assert.Equal(t, 7, calls)
}
