package models

import (
	"context"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

type withoutRetryKey struct{}

// WithoutRetry returns a ctx with which a [Chain] makes a single call of a single model: it neither retries nor falls back. Use it
// for calls with side effects, for example of a model with tools that the provider runs, or of an agent behind
// [llms.Model].
//
// A chain treats a conversation that ends in a tool result the same way, because a retry could run the tool again.
// [ChainOptions.RetryAfterTools] turns that off. It is safe for loops that run no tool again when a model call is retried, such
// as persona.Turn.
func WithoutRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetryKey{}, true)
}

func mustNotRetry(ctx context.Context) bool { return ctx.Value(withoutRetryKey{}) != nil }

type toolResultKey struct{}

// WithToolResult returns a ctx for a conversation that ends in a tool result in a form that a [Chain] does not recognize, for
// example as plain text. The chain then does not retry, unless [ChainOptions.RetryAfterTools] is set.
func WithToolResult(ctx context.Context) context.Context {
	return context.WithValue(ctx, toolResultKey{}, true)
}

func toolRan(ctx context.Context, messages []llms.MessageContent) bool {
	return ctx.Value(toolResultKey{}) != nil || endsInToolResult(messages)
}

func endsInToolResult(messages []llms.MessageContent) bool {
	if len(messages) == 0 {
		return false
	}
	last := messages[len(messages)-1]
	return last.Role == llms.ChatMessageTypeTool || last.Role == llms.ChatMessageTypeFunction ||
		slices.ContainsFunc(last.Parts, func(p llms.ContentPart) bool { _, ok := p.(llms.ToolCallResponse); return ok })
}
