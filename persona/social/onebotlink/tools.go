package onebotlink

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// qqTools brings nit/qq, which sends by say.
func (l *link) qqTools(say social.SayFunc) ([]nit.Tool, error) {
	return qq.Tools(l.toolkit(say))
}

// qqPlugin brings nit/qq as the plugin that it is.
func (l *link) qqPlugin(say social.SayFunc) (nit.Plugin, error) {
	return qq.Plugin(l.toolkit(say))
}

func (l *link) toolkit(say social.SayFunc) (qq.Actor, *qq.Options) {
	o := l.tools
	o.Requests = &l.requests
	actor := Actor(onebot.NewBot(account{l}, 0))
	actor.Send = func(ctx context.Context, chat persona.Chat, out persona.Out) (string, error) {
		id, err := say(ctx, chat, out)
		return id, marked(err)
	}
	return actor, &o
}

// account calls by the account that the link lives in, once there is one.
type account struct{ link *link }

// Call calls an action.
func (a account) Call(ctx context.Context, action string, params, result any) error {
	bot, err := a.link.account()
	if err != nil {
		return err
	}
	return bot.Call(ctx, action, params, result)
}
