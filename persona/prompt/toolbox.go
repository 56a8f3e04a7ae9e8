package prompt

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// A Toolbox provides the tools of one turn. A nit.View implements it. The interface uses only types of langchaingo.
type Toolbox interface {
	// Tools returns the tools for the model. The list must not change during a turn.
	Tools() []llms.Tool
	// Call runs one call and returns its result. A rejected or failed call also returns a response, with the error in
	// Content. The arguments are the model's raw output. The toolbox must validate them.
	Call(ctx context.Context, c llms.ToolCall) llms.ToolCallResponse
}
