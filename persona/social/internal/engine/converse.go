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

// View is what who may see of the tools. What has an effect commits the turn first.
func (t *Turn) View(who nit.Principal) *nit.View {
	v := t.Engine.Tools.View(who).WithRedact(t.Engine.Options.Redact)
	if t.Engine.Tools.Limits.Calls == 0 {
		v = v.WithCallLimit(t.Engine.Options.Turn.MaxCalls)
	}
	if t.Chat.Agent() || t.Engine.Options.Labels.Of != nil {
		v = v.WithPolicy(t.obey).WithAudit(t.audit)
	}
	return v.WithGuard(func(ctx context.Context, _ nit.ToolInfo) error {
		_, err := t.Commit(ctx)
		return err
	})
}

// Converse holds one model conversation about the scene. A nil view: the model is told of no tool.
func (t *Turn) Converse(ctx context.Context, now time.Time, scene prompt.Scene, tools *nit.View) (prompt.Reply, error) {
	b, o := t.Engine, t.Engine.Options.Turn
	model := b.Model
	if scene.Kind == prompt.SingleCall || scene.Kind == prompt.Write { // what others write is not said
		model = t.outlet.Model(model, func() bool { return !t.HasSpoken() })
	}
	conversation := prompt.Turn{Model: model, MaxCalls: o.MaxCalls, Timeout: o.Timeout, Options: o.CallOptions, Parts: t.show(&scene), Logger: b.Log}
	if tools != nil {
		conversation.Toolbox = t.toolbox(tools)
	}
	if t.Chat.Agent() && b.Tools.Confirm != nil && o.Timeout >= 0 && b.Tools.Limits.ConfirmTimeout >= 0 { // who is asked has their time
		conversation.Timeout = cmp.Or(o.Timeout, time.Minute) + cmp.Or(b.Tools.Limits.ConfirmTimeout, 2*time.Minute)
	}
	if t.Call != nil {
		conversation.Model, conversation.Timeout, conversation.Options = t.Call.Model, t.Call.Timeout, t.Call.Options
	}
	if scene.Kind.IsBackgroundTurn() { // it is never said
		ctx = context.WithValue(ctx, asideKey{}, t.Chat)
	}
	who := b.Options.Profile
	if b.Options.Scripts != nil {
		ctx = script.WithToken(ctx)
	}
	if ctx = WithTurn(ctx, t); t.Reason != "" {
		ctx = self.WithReason(ctx, t.Reason)
	}
	return conversation.Run(ctx, prompt.System(who, scene), prompt.Context(who, now, scene)+prompt.Instructions(scene))
}
