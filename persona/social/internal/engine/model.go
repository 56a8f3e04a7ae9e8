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

// newModel puts the meter around the model, what reads its calls around that, so that what is explained counts, too, and
// outermost what asks again, which has to see whether a tool ran.
func (b *Engine) newModel() (err error) {
	o := b.Options.Scripts
	if o == nil {
		b.Model = b.Meter(b.Options.Model, nil)
		return nil
	}
	reads := o.Model
	if reads.CallTag == script.AutoTag && !o.CallsOnly { // also where no tool but that of a wake is offered
		reads.CallTag = script.TokenTag
	}
	b.Model = b.Meter(b.Options.Model, func(m llms.Model) llms.Model { return script.Model(m, reads) })
	if o.CallsOnly {
		return nil
	}
	if b.calls.scripts, err = script.NewScripts(o.Tool); err != nil {
		return fmt.Errorf("social: Options.Tools.Scripts: %w", err)
	}
	b.calls.waits = append(b.calls.waits, b.calls.scripts.Wait)
	return nil
}

// Meter is a model as the being calls it: metered, with what reads its calls around that, and asked again where that helps.
func (b *Engine) Meter(m llms.Model, reads func(llms.Model) llms.Model) llms.Model {
	own, ok := m.(models.Retrier)
	m = models.Meter(m, b.keeper.metered)
	if reads != nil {
		m = marked{reads(m)}
	}
	if ok && own.Retries() {
		b.calls.waits = append(b.calls.waits, own.Wait)
		return m
	}
	again, err := models.Retry(m, models.RetryOptions{Seed: b.Options.Attention.Seed, Logger: b.Log})
	if err != nil {
		return m // Retry rejects nil only
	}
	b.calls.waits = append(b.calls.waits, again.Wait)
	return again
}

// A marked model tells a chain behind it that a tool ran: what reads calls writes the results as text.
type marked struct{ llms.Model }

// GenerateContent implements [llms.Model].
func (m marked) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if n := len(messages); n > 0 && messages[n-1].Role == llms.ChatMessageTypeTool {
		ctx = models.WithToolResult(ctx)
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}

// scripted is a view whose tools scripts can call, too, where there are scripts.
func (b *Engine) scripted(v *nit.View) prompt.Toolbox {
	if b.calls.scripts == nil {
		return v
	}
	return b.calls.scripts.Toolbox(v)
}

// toolbox is what the model is given: a view, and what the job adds to it.
func (t *Turn) toolbox(v *nit.View) prompt.Toolbox {
	if t.Extra == nil || len(t.Extra.Tools()) == 0 {
		return t.Engine.scripted(v)
	}
	return both{t.Engine.scripted(v), t.Extra}
}

// both are a toolbox and a view with no name in common.
type both struct {
	first  prompt.Toolbox
	second *nit.View
}

// Tools implements [persona.Toolbox].
func (v both) Tools() []llms.Tool { return append(v.first.Tools(), v.second.Tools()...) }

// Call implements [persona.Toolbox].
func (v both) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	if call.FunctionCall != nil && v.second.Has(call.FunctionCall.Name) {
		return v.second.Call(ctx, call)
	}
	return v.first.Call(ctx, call)
}
