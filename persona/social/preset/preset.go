package preset

import (
	"context"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/redact"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// Group returns the options of a member of group chats. It fills the fields of o that are unset and keeps the others,
// so o has Profile, Model and Link at least. Pass the result to [social.New], or change it before.
//
// The bot follows Heart Flow Chat in three model calls ([social.ThinkPlanReply]), unless When.Attention.Policy is set. It joins
// talks about the interests of its profile, and begins one in a group that has gone cold ([heartflow.Begin]). Its background work
// has the rights of the bot itself, without a memory of the owner.
//
// Group reads the switches and settings of plugins from the store, with ctx.
func Group(ctx context.Context, o social.Options) (social.Options, error) {
	if o.When.HFC == nil && o.When.Attention.Policy == nil {
		o.When.HFC = &hfc.Options{}
		o.Reply.Strategy = social.ThinkPlanReply
	}
	if o.When.Attention.Begin == nil {
		o.When.Attention.Begin = &heartflow.Begin{}
	}
	return everything(ctx, o)
}

// Companion returns the options of a companion of one owner. It fills the fields of o that are unset and keeps the
// others, so o has Profile, Model and Link at least. Pass the result to [social.New], or change it before.
//
// The bot talks to its owner by [social.Bot.StreamOwnerMessage]. In chats the policy of When.Attention decides when it
// speaks, and one model call writes a reply. Its background work has the rights of the owner, unless
// Autonomy.Planner.IdleOrigin is set. For the owner's activity set Autonomy.RecentActivity, and for notices on the owner's
// device Autonomy.ShowNotification.
//
// Companion reads the switches and settings of plugins from the store, with ctx.
func Companion(ctx context.Context, o social.Options) (social.Options, error) {
	a := social.Autonomy{}
	if o.Background.Autonomy != nil {
		a = *o.Background.Autonomy
	}
	if a.Planner.IdleOrigin == (schedule.Origin{}) {
		a.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
	}
	o.Background.Autonomy = &a
	return everything(ctx, o)
}

// everything sets what both kinds of bots have.
func everything(ctx context.Context, o social.Options) (social.Options, error) {
	if o.Storage.Store == nil {
		o.Storage.Store = memory.NewMemStore()
	}
	if o.Tools.Registry == nil {
		o.Tools.Registry = &nit.Registry{Logger: o.Hooks.Logger}
	}
	if o.Tools.Plugins == nil {
		var err error
		if o.Tools.Plugins, err = nit.NewPlugins(ctx, o.Tools.Registry, nit.PluginOptions{State: o.Storage.Store, Logger: o.Hooks.Logger}); err != nil {
			return o, err
		}
	}
	if o.Tools.Builtin == nil {
		o.Tools.Builtin = &social.BuiltinTools{Notes: true}
		if o.Hooks.Notify != nil || len(o.Access.Owners) > 0 {
			o.Tools.Builtin.Watch = &self.WatchOptions{}
		}
	}
	if o.When.Feedback == nil && o.When.Attention.Welcome == nil {
		o.When.Feedback = &feedback.Options{}
	}
	if o.Access.Redact == nil {
		o.Access.Redact = mask
	}
	if o.Reply.Speech == nil {
		o.Reply.Speech = &social.Speech{}
	}
	if o.Reply.Excuses == nil {
		o.Reply.Excuses = &social.Excuses{}
	}
	if o.Background.Digest == nil {
		o.Background.Digest = &social.Digest{}
	}
	if o.Background.Autonomy == nil {
		o.Background.Autonomy = &social.Autonomy{}
	}
	if o.Background.Facts == nil {
		o.Background.Facts = &social.Facts{}
	}
	if o.Background.Expressions == nil {
		o.Background.Expressions = &social.Expressions{}
	}
	o.Access.Commands = len(o.Access.Owners)+len(o.Access.Admins) > 0
	return o, nil
}

// mask is Access.Redact.
func mask(_ context.Context, text string) (string, error) {
	var r redact.Redactor
	return r.Redact(text), nil
}
