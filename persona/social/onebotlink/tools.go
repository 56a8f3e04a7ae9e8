package onebotlink

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// qqTools brings nit/qq, which speaks through the being's mouth.
func (l *link) qqTools(say social.SayFunc) ([]nit.Tool, error) {
	return qq.Tools(l.toolkit(say))
}

// qqPlugin brings nit/qq as the plugin that it is.
func (l *link) qqPlugin(say social.SayFunc) (nit.Plugin, error) {
	return qq.Plugin(l.toolkit(say))
}

func (l *link) toolkit(say social.SayFunc) (qq.Account, qq.Mouth, *qq.Options) {
	o := l.tools
	o.Requests = &l.requests
	return onebot.NewBot(account{l}, 0), mouth{say}, &o
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

// mouth lets the tools speak through the being.
type mouth struct {
	say social.SayFunc
}

// Say takes a target as the tools name it: "group_1" or "user_2"; empty is the chat of the turn.
func (m mouth) Say(ctx context.Context, target string, segments onebot.Message) (string, error) {
	if p, ok := nit.PrincipalFrom(ctx); target == "" && ok {
		target = p.Session
	}
	chat, err := persona.ParseSource(platform, target)
	if err != nil {
		return "", err
	}
	out, err := outOf(segments)
	if err != nil {
		return "", err
	}
	return m.say(ctx, chat, out)
}

// outOf is what the segments of a tool say: mentions, each with a blank behind it, then text or a picture.
func outOf(segments onebot.Message) (out persona.Out, err error) {
	mentioned := false
	for _, s := range segments {
		who, all, mention := s.Mention()
		switch {
		case mention && all:
			out.Everyone = true
		case mention:
			out.Mention = append(out.Mention, id(who))
		case s.Type == "text" && mentioned && s.Param("text") == " ":
		case s.Type == "text":
			out.Text += s.Param("text")
		case s.Type == "image":
			out.Image = s.Param("file")
		default:
			return out, errors.New("onebotlink: a tool may not say a segment of type " + s.Type)
		}
		mentioned = mention
	}
	return out, nil
}
