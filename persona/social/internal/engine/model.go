package engine

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/tmc/langchaingo/llms"
)

// newModel wraps the model: the meter inside, then the parser of tool calls, whose instructions count as tokens too,
// then retries, which must see whether a tool has run.
func (e *Engine) newModel() (err error) {
	o := e.Options.Scripts
	if o == nil {
		e.Model = e.Meter(e.Options.Model, nil)
		return nil
	}
	reads := o.Model
	if reads.CallTag == script.AutoTag && !o.CallsOnly { // also if the only tool is that of an autonomous turn
		reads.CallTag = script.TokenTag
	}
	e.Model = e.Meter(e.Options.Model, func(m llms.Model) llms.Model { return script.Model(m, reads) })
	if o.CallsOnly {
		return nil
	}
	if e.modelCalls.scripts, err = script.NewScripts(o.Tool); err != nil {
		return fmt.Errorf("social: Options.Tools.Scripts: %w", err)
	}
	e.modelCalls.waits = append(e.modelCalls.waits, e.modelCalls.scripts.Wait)
	return nil
}

// Meter wraps a model with the meter, then with reads if it is not nil, then with retries unless the model retries
// itself.
func (e *Engine) Meter(m llms.Model, reads func(llms.Model) llms.Model) llms.Model {
	own, ok := m.(models.Retrier)
	m = models.Meter(m, e.attentionSaver.countCall)
	if reads != nil {
		m = toolResultMarker{reads(m)}
	}
	if ok && own.Retries() {
		e.modelCalls.waits = append(e.modelCalls.waits, own.Wait)
		return m
	}
	again, err := models.Retry(m, models.RetryOptions{Seed: e.Options.Attention.Seed, Logger: e.Log})
	if err != nil {
		return m // Retry rejects only nil
	}
	e.modelCalls.waits = append(e.modelCalls.waits, again.Wait)
	return again
}

// A toolResultMarker tells a chain of models that a tool has run, because the parser of tool calls writes results as
// text.
type toolResultMarker struct{ llms.Model }

// GenerateContent implements [llms.Model].
func (m toolResultMarker) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if n := len(messages); n > 0 && messages[n-1].Role == llms.ChatMessageTypeTool {
		ctx = models.WithToolResult(ctx)
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}

// withScripts adds the tool that runs scripts, if there are scripts.
func (e *Engine) withScripts(v *nit.View) prompt.Toolbox {
	if e.modelCalls.scripts == nil {
		return v
	}
	return e.modelCalls.scripts.Toolbox(v)
}

// toolbox returns the tools for the model: a view, and the tool that the job adds.
func (t *Turn) toolbox(v *nit.View) prompt.Toolbox {
	if t.Extra == nil || len(t.Extra.Tools()) == 0 {
		return t.Engine.withScripts(v)
	}
	return joinedToolbox{t.Engine.withScripts(v), t.Extra}
}

// A joinedToolbox offers the tools of two toolboxes.
type joinedToolbox struct {
	first  prompt.Toolbox
	second *nit.View
}

// Tools implements [prompt.Toolbox].
func (v joinedToolbox) Tools() []llms.Tool { return append(v.first.Tools(), v.second.Tools()...) }

// Call implements [prompt.Toolbox].
func (v joinedToolbox) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	if call.FunctionCall != nil && v.second.Has(call.FunctionCall.Name) {
		return v.second.Call(ctx, call)
	}
	return v.first.Call(ctx, call)
}
