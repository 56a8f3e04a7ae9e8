package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/nit/self"
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
	return v.WithGuard(func(ctx context.Context, _ nit.ToolInfo) error {
		_, err := t.Commit(ctx)
		return err
	})
}

// Converse makes one model call with tools about the scene. With a nil view the model gets no tools.
func (t *Turn) Converse(ctx context.Context, now time.Time, scene prompt.Scene, tools *nit.View) (prompt.Reply, error) {
	e, o := t.Engine, t.Engine.Options.Turn
	model := e.Model
	if scene.Kind == prompt.SingleCall || scene.Kind == prompt.Write { // thoughts and plans are not sent
		model = t.outlet.Model(model, func() bool { return !t.HasSpoken() })
	}
	conversation := prompt.Turn{Model: model, MaxCalls: o.MaxCalls, Timeout: o.Timeout, Options: o.CallOptions, Parts: t.editScene(&scene), Logger: e.Log}
	if tools != nil {
		conversation.Toolbox = t.toolbox(tools)
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
	if e.Options.Scripts != nil {
		ctx = script.WithToken(ctx)
	}
	if ctx = WithTurn(ctx, t); t.Reason != "" {
		ctx = self.WithReason(ctx, t.Reason)
	}
	return conversation.Run(ctx, prompt.System(who, scene), prompt.Context(who, now, scene)+prompt.Instructions(scene))
}
