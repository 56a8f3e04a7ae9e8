package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// View returns the tools of a principal. A tool that has an effect commits the turn first.
func (t *Turn) View(who nit.Principal) *nit.View {
	v := t.Engine.Tools.View(who).WithRedact(t.Engine.Options.Redact)
	if t.Engine.Tools.Limits.Calls == 0 {
		v = v.WithCallLimit(t.Engine.Options.Turn.MaxCalls)
	}
	if t.Chat.Agent() || t.Engine.Options.Labels.Of != nil {
		v = v.WithPolicy(t.applyPolicy).WithAudit(t.recordRefusal)
	}
	return t.Engine.Watchers.outcomes(v).WithGuard(func(ctx context.Context, _ nit.ToolInfo) error {
		_, err := t.Commit(ctx)
		return err
	})
}

// purposeOf returns the purpose of a model call without an own ModelCall. A job with its own rules only judges whether to report.
func purposeOf(j *Job, k prompt.Kind) models.Purpose {
	switch {
	case j.Rules != "", k == prompt.Consider, k == prompt.ConsiderFocus:
		return models.PurposeJudge
	case k == prompt.Think, k == prompt.Plan:
		return models.PurposePlan
	}
	return models.PurposeReply
}

// Converse makes one model call with tools about the scene. With a nil view the model gets no tools. check is that of
// [prompt.Turn], and may be nil. It is not used after a tool has sent something, and if the rest of the budget is reserved
// for replies.
func (t *Turn) Converse(ctx context.Context, now time.Time, scene prompt.Scene, tools *nit.View, check func(string) error) (prompt.Reply, error) {
	e, o := t.Engine, t.Engine.Options.Turn
	model := e.Models.For(purposeOf(t.Job, scene.Kind))
	if scene.Kind == prompt.SingleCall || scene.Kind == prompt.Write { // thoughts and plans are not sent
		model = t.outlet.Model(model, func() bool { return !t.HasSpoken() })
	}
	conversation := prompt.Turn{Model: model, MaxCalls: o.MaxCalls, Timeout: o.Timeout, Options: o.CallOptions, Parts: t.editScene(&scene), Logger: e.Log}
	conversation.Schema = prompt.AnswerSchema(scene)
	if check != nil {
		conversation.Check = checkInBudget(e, t.Chat, func(answer string) error {
			if t.HasSpoken() {
				return nil
			}
			return check(answer)
		})
	}
	if tools != nil {
		conversation.Toolbox = e.Watchers.tools(t, t.toolbox(tools))
	}
	if t.Chat.Agent() && e.Tools.Confirm != nil && o.Timeout >= 0 && e.Tools.Limits.ConfirmTimeout >= 0 { // plus the time for a human to confirm
		conversation.Timeout = cmp.Or(o.Timeout, time.Minute) + cmp.Or(e.Tools.Limits.ConfirmTimeout, 2*time.Minute)
	}
	if t.ModelCall != nil {
		conversation.Model, conversation.Timeout, conversation.Options = t.ModelCall.Model, t.ModelCall.Timeout, t.ModelCall.Options
	}
	if scene.Kind.IsBackgroundTurn() { // counted as a background call
		ctx = context.WithValue(ctx, backgroundKey{}, t.Chat)
	}
	who := e.Options.Profile
	if ctx = WithTurn(script.WithToken(ctx), t); t.Reason != "" {
		ctx = self.WithReason(ctx, t.Reason)
	}
	ctx = e.Watchers.withSegments(ctx, func() []prompt.Segment { return prompt.ContextSegments(who, now, scene) })
	build := func() string { return prompt.Context(who, now, scene) + prompt.Instructions(scene) }
	text := build()
	conversation.Shorten = func(err error) (string, bool) {
		if !models.HasKind(err, models.PromptTooLong) {
			return "", false
		}
		scene.Budget = max(prompt.Tokens(text)/2, 1)
		e.Log.Warn("the prompt is longer than the model can read; the model is called again with a shorter one", "chat", t.Chat.ID, "tokens", prompt.Tokens(text),
			"advice", models.Failure{Kind: models.PromptTooLong}.Advice())
		return build(), true
	}
	return conversation.Run(ctx, prompt.System(who, scene), text)
}
