package prompt

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// A Toolbox is what one turn may call. A nit.View is one; only langchaingo's types pass between them.
type Toolbox interface {
	// Tools lists what the model is told of. It does not change during a turn.
	Tools() []llms.Tool
	// Call runs one call and answers it, also when it is refused: what went wrong is said in the response's Content.
	// The arguments are the model's own bytes; judging them is the toolbox's part.
	Call(ctx context.Context, c llms.ToolCall) llms.ToolCallResponse
}
