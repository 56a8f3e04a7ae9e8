package models

import (
	"context"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

type onceKey struct{}

// WithoutRetry marks a ctx: a [Chain] that is called with it makes one call of one model, and neither repeats it nor asks
// another, whatever comes. Mark a call that has effects of its own: a model with tools that the provider runs, or an
// agent behind the interface of a model.
//
// A conversation whose last message is a tool's result is taken for marked: a tool ran, and what ran may not seem to
// run again. ChainOptions.AfterTools lifts that. It is right for loops that repeat no tool when a call of the model
// is repeated, such as that of persona.Turn.
func WithoutRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, true)
}

func isOnce(ctx context.Context) bool { return ctx.Value(onceKey{}) != nil }

type afterToolKey struct{}

// WithToolResult marks a ctx whose conversation ends in a tool's result, where a [Chain] cannot see that: what stands before
// the chain wrote the result as text. ChainOptions.AfterTools lifts it.
func WithToolResult(ctx context.Context) context.Context {
	return context.WithValue(ctx, afterToolKey{}, true)
}

func toolRan(ctx context.Context, messages []llms.MessageContent) bool {
	return ctx.Value(afterToolKey{}) != nil || endsInResult(messages)
}

func endsInResult(messages []llms.MessageContent) bool {
	if len(messages) == 0 {
		return false
	}
	last := messages[len(messages)-1]
	return last.Role == llms.ChatMessageTypeTool || last.Role == llms.ChatMessageTypeFunction ||
		slices.ContainsFunc(last.Parts, func(p llms.ContentPart) bool { _, ok := p.(llms.ToolCallResponse); return ok })
}
