package engine

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/tmc/langchaingo/llms"
)

// purposes lists the purposes for which Options.Model is used if they have no model of their own. A picture is described only by
// a model of its own.
var purposes = []models.Purpose{models.PurposeJudge, models.PurposePlan, models.PurposeReply, models.PurposeBackground}

// Models are the wrapped models by purpose, and the sums of their usage.
type Models struct {
	engine    *Engine
	byPurpose map[models.Purpose]llms.Model

	mu    sync.Mutex
	usage map[models.Purpose]models.Usage
	names map[string]models.Usage // by the name of the model
}

// wrapAll wraps the model of each purpose. Purposes without an own model share Options.Model with its retries.
func (m *Models) wrapAll() error {
	shared, err := m.shared()
	if err != nil {
		return err
	}
	m.usage, m.names, m.byPurpose = map[models.Purpose]models.Usage{}, map[string]models.Usage{}, map[models.Purpose]llms.Model{}
	for _, p := range purposes {
		m.byPurpose[p] = m.forPurpose(p, shared)
	}
	for p, own := range m.engine.Options.Models {
		m.byPurpose[p] = m.forPurpose(p, m.retried(own, nil))
	}
	return nil
}

// shared wraps Options.Model: the meter inside, then the parser of tool calls, whose instructions count as tokens too,
// then retries, which must see whether a tool has run.
func (m *Models) shared() (llms.Model, error) {
	e := m.engine
	o := e.Options.Scripts
	if o == nil {
		return m.retried(e.Options.Model, nil), nil
	}
	reads := o.Model
	if reads.CallTag == script.AutoTag && !o.CallsOnly { // also if the only tool is that of an autonomous turn
		reads.CallTag = script.TokenTag
	}
	shared := m.retried(e.Options.Model, func(m llms.Model) llms.Model { return script.Model(m, reads) })
	if o.CallsOnly {
		return shared, nil
	}
	var err error
	if e.modelCalls.scripts, err = script.NewScripts(o.Tool); err != nil {
		return nil, fmt.Errorf("social: Options.Tools.Scripts: %w", err)
	}
	e.modelCalls.waits = append(e.modelCalls.waits, e.modelCalls.scripts.Wait)
	return shared, nil
}

// For returns the model for the calls of a purpose. It is nil for PurposeSee without a model of its own.
func (m *Models) For(p models.Purpose) llms.Model { return m.byPurpose[p] }

// Background returns the model for background calls of a part with the option own, which may be nil.
func (m *Models) Background(own llms.Model) llms.Model {
	if own == nil {
		return m.For(models.PurposeBackground)
	}
	return m.forPurpose(models.PurposeBackground, m.retried(own, nil))
}

// Usage returns the usage of all model calls by purpose.
func (m *Models) Usage() map[models.Purpose]models.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.usage)
}

func (m *Models) count(p models.Purpose, u models.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage[p] = m.usage[p].Add(u)
}

// UsageByModel returns the usage of all model calls by the name of the model.
func (m *Models) UsageByModel() map[string]models.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.names)
}

// countModels adds the usage of a call to that of its models. What no attempt has belongs to the model that answered.
func (m *Models) countModels(c models.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := c.Usage
	for _, a := range c.Attempts {
		u := a.Usage
		m.names[a.Model] = m.names[a.Model].Add(u)
		rest = models.Usage{
			Calls: rest.Calls - u.Calls, Failed: rest.Failed - u.Failed, Prompt: rest.Prompt - u.Prompt, Completion: rest.Completion - u.Completion,
			CacheRead: rest.CacheRead - u.CacheRead, Repeated: rest.Repeated - u.Repeated, Reasoning: rest.Reasoning - u.Reasoning,
		}
	}
	m.names[c.Model] = m.names[c.Model].Add(rest)
	if m.names[c.Model] == (models.Usage{}) {
		delete(m.names, c.Model)
	}
}

// A purposeModel gives its calls a purpose.
type purposeModel struct {
	llms.Model
	purpose models.Purpose
}

// GenerateContent implements [llms.Model].
func (m purposeModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	return m.Model.GenerateContent(models.WithPurpose(ctx, m.purpose), messages, options...)
}

// forPurpose returns a model whose calls have a purpose and a trace.
func (m *Models) forPurpose(p models.Purpose, one llms.Model) llms.Model {
	return watchedModel{repeatMeter{purposeModel{models.Observe(one, m.trace), p}}, &m.engine.Watchers}
}

// trace adds the trace of a model call.
func (m *Models) trace(ctx context.Context, c models.Call) {
	t := heartflow.ModelCall{
		Purpose: string(models.PurposeOf(ctx)), Model: c.Model, Took: c.Took, FirstToken: c.FirstToken, Streamed: c.Streamed, Tokens: c.Usage.Total(),
		Prompt: c.Usage.Prompt, CacheRead: c.Usage.CacheRead, Repeated: c.Usage.Repeated,
	}
	for _, a := range c.Attempts {
		t.Attempts = append(t.Attempts, heartflow.ModelAttempt{Model: a.Model, Error: a.Reason(), Took: a.Took})
	}
	if call, ok := ctx.Value(callKey{}).(*trace.Call); ok {
		call.ModelCall = t
	}
	m.countModels(c)
	chat, _ := chatOf(ctx)
	m.engine.Attention.LogModel(time.Now(), chat, t)
}

// retried wraps a model with the meter, then with reads if it is not nil, then with retries unless the model retries
// itself.
func (m *Models) retried(one llms.Model, reads func(llms.Model) llms.Model) llms.Model {
	e := m.engine
	own, ok := one.(models.Retrier)
	one = models.Meter(one, e.attentionSaver.countCall)
	if reads != nil {
		one = toolResultMarker{reads(one)}
	}
	if ok && own.Retries() {
		e.modelCalls.waits = append(e.modelCalls.waits, own.Wait)
		return one
	}
	again, err := models.Retry(one, models.RetryOptions{Seed: e.Options.Attention.Seed, Logger: e.Log})
	if err != nil {
		return one // Retry rejects only nil
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
