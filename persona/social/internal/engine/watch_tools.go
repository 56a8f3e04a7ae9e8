package engine

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/tmc/langchaingo/llms"
)

// tools returns a toolbox that reports the calls of a turn to the watchers. Without a watcher it returns the toolbox as it is.
func (w *Watchers) tools(t *Turn, box prompt.Toolbox) prompt.Toolbox {
	if !w.any.Load() {
		return box
	}
	return watchedToolbox{box, t}
}

// outcomes returns a view that tells the record of a tool call how the call ended, and whether the tool is read-only.
func (w *Watchers) outcomes(v *nit.View) *nit.View {
	if !w.any.Load() {
		return v
	}
	return v.WithAudit(func(ctx context.Context, r nit.Record) {
		if call, ok := ctx.Value(toolKey{}).(*trace.Tool); ok {
			call.Outcome = string(r.Outcome)
			call.ReadOnly = v.HasFunc(func(t nit.ToolInfo) bool { return t.Name == r.Tool && t.ReadOnly })
		}
	})
}

// A watchedToolbox reports its calls to the watchers.
type watchedToolbox struct {
	prompt.Toolbox
	turn *Turn
}

type toolKey struct{} // of the *trace.Tool under way

// Call implements [prompt.Toolbox].
func (b watchedToolbox) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	record := &trace.Tool{Turn: b.turn.ID, ID: call.ID, Began: time.Now()}
	if call.FunctionCall != nil {
		record.Arguments = call.FunctionCall.Arguments
	}
	answer := b.Toolbox.Call(context.WithValue(ctx, toolKey{}, record), call)
	record.Took, record.Name, record.Result = time.Since(record.Began), answer.Name, answer.Content
	record.Outcome = cmp.Or(record.Outcome, outcomeOf(answer))
	b.turn.Engine.Watchers.emit(b.turn.Chat.ID, trace.Event{Tool: record})
	return answer
}

// outcomeOf returns the outcome of a tool that is not in a registry.
func outcomeOf(answer llms.ToolCallResponse) string {
	if strings.HasPrefix(answer.Content, "error: ") {
		return string(nit.Failed)
	}
	return string(nit.OK)
}
