package onebotlink

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// New makes a link of a OneBot client or server. It brings the tools of nit/qq, keeps the pace of the limiter and
// reads chat histories where the implementation has get_group_msg_history.
func New(source Source, o Options) social.Link {
	l := &link{source: source, o: o, groups: map[int64]asked{}, names: newNames()}
	l.o.Bots = slices.Clone(o.Bots)
	l.self.Store(o.Self)
	l.account = onebot.NewBot(connected{l}, 0)
	if l.o.Limiter == nil {
		l.o.Limiter = onebot.NewLimiter(onebot.LimiterOptions{})
	}
	return l
}

// Features are those of OneBot, as far as the implementation has them.
func (l *link) Features() social.LinkFeatures {
	return social.LinkFeatures{
		WaitToSend:     func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.Wait(ctx, chat.String()) },
		WaitToSendPart: func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.WaitPart(ctx, chat.String()) },
		Typing:         l.typing, RecentMessages: l.recent, MessageKey: key, AnswerRequest: l.answer,
		Tools:       func(say social.SendFunc) ([]nit.Tool, error) { return qq.Tools(l.toolkit(say)) },
		Plugin:      func(say social.SendFunc) (nit.Plugin, error) { return qq.Plugin(l.toolkit(say)) },
		EncodeImage: encodeImage,
	}
}

func (l *link) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	return l.source.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if !l.mine(bot) {
			return
		}
		if l.online(e) {
			hear(ctx, persona.Connected{Self: personOf(bot.SelfID()), At: e.EventTime()})
		}
		heard := l.translate(ctx, bot, e)
		if heard != nil {
			hear(ctx, heard)
		}
		if _, ok := heard.(persona.Connected); !ok {
			return
		}
		for _, r := range l.missed(ctx, bot) {
			if heard := l.groupRequest(ctx, bot, r); heard != nil {
				hear(ctx, heard)
			}
		}
	})
}

// translate makes a neutral event of a OneBot one; nil when it is of no concern.
func (l *link) translate(ctx context.Context, bot *onebot.Bot, e onebot.Event) persona.Event {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return l.groupMessage(ctx, bot, e)
	case *onebot.PrivateMessage:
		if m, ok := l.privateMessage(ctx, bot, e); ok {
			return m
		}
	case *onebot.GroupRecall:
		return persona.Retracted{Chat: group(e.GroupID), MessageID: id(e.MessageID), By: id(e.OperatorID), At: e.Time}
	case *onebot.FriendRecall:
		return persona.Retracted{Chat: private(e.UserID), MessageID: id(e.MessageID), By: id(e.UserID), At: e.Time}
	case *onebot.GroupBan:
		return l.banned(e)
	case *onebot.GroupDecrease:
		return l.gone(e)
	case *onebot.GroupIncrease:
		if e.UserID == l.self.Load() {
			return persona.BotJoined{Chat: group(e.GroupID), At: e.Time}
		}
	case *onebot.FriendRequest:
		return l.friendRequest(ctx, bot, e)
	case *onebot.GroupRequest:
		return l.groupRequest(ctx, bot, e)
	case *onebot.Dropped:
		return persona.MessagesLost{Chat: conversation(e), Count: e.Count, Since: e.Since, Until: e.Until}
	case *onebot.Lifecycle:
		if e.SubType == "connect" {
			l.offline.Store(false)
			return persona.Connected{Self: personOf(e.SelfID), At: e.Time}
		}
	case *onebot.BotOffline:
		if l.offline.CompareAndSwap(false, true) {
			return persona.Disconnected{Self: personOf(e.SelfID), Reason: strings.TrimSpace(e.Tag + " " + e.Message), At: e.Time}
		}
	}
	return nil
}

// online reports that the account is logged in again, by a heartbeat that says so or by anything that is said.
func (l *link) online(e onebot.Event) bool {
	switch e := e.(type) {
	case *onebot.GroupMessage, *onebot.PrivateMessage:
	case *onebot.Heartbeat:
		if !e.Online { // or the implementation does not know
			return false
		}
	default:
		return false
	}
	return l.offline.CompareAndSwap(true, false)
}

// mine reports whether an event belongs to the account of this link; the first account heard from becomes it.
func (l *link) mine(bot *onebot.Bot) bool {
	id := bot.SelfID()
	if !l.self.CompareAndSwap(0, id) && l.self.Load() != id {
		return false
	}
	l.bot.Store(bot)
	return true
}
