package onebotlink

import (
	"context"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Actor lets the tools of nit/qq act as an account. Its Send sends at once, without any limit: replace it to have some.
func Actor(bot *onebot.Bot) qq.Actor {
	return qq.Actor{
		Send: func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
			id, err := send(ctx, bot, chat, out)
			return id, perhaps(err)
		},
		EncodeImage: encodeImage,
		Poke: func(ctx context.Context, chat persona.Chat, user string) error {
			n, err := numbers(chat.ID, user)
			switch {
			case err != nil:
				return err
			case chat.Kind == persona.Group:
				return perhaps(bot.GroupPoke(ctx, n[0], n[1]))
			}
			return perhaps(bot.FriendPoke(ctx, n[1]))
		},

		Profile: func(ctx context.Context, user string) (qq.User, error) {
			info, err := with(user, func(n int64) (onebot.StrangerInfo, error) { return bot.GetStrangerInfo(ctx, n, false) })
			return qq.User{ID: user, Nickname: info.Nickname, Sex: info.Sex, Age: info.Age}, err
		},
		Friends: func(ctx context.Context) ([]qq.User, error) {
			friends, err := bot.GetFriendList(ctx)
			return each(friends, func(f onebot.Friend) qq.User {
				return qq.User{ID: digits(f.UserID), Nickname: f.Nickname, Remark: f.Remark}
			}), err
		},
		Groups: func(ctx context.Context) ([]qq.Group, error) {
			groups, err := bot.GetGroupList(ctx)
			return each(groups, func(g onebot.GroupInfo) qq.Group {
				return qq.Group{ID: digits(g.GroupID), Name: g.Name, Remark: g.Remark, MemberCount: g.Members}
			}), err
		},
		Members: func(ctx context.Context, group string) ([]qq.User, error) {
			members, err := with(group, func(n int64) ([]onebot.GroupMember, error) { return bot.GetGroupMemberList(ctx, n) })
			return each(members, func(m onebot.GroupMember) qq.User {
				return qq.User{ID: digits(m.UserID), Nickname: m.Nickname, Card: m.Card, Role: m.Role}
			}), err
		},
		History: func(ctx context.Context, group string, count int) ([]persona.Message, error) {
			past, err := with(group, func(n int64) ([]*onebot.GroupMessage, error) { return bot.GetGroupMsgHistory(ctx, n, 0, count) })
			return each(past, func(e *onebot.GroupMessage) persona.Message {
				return persona.Message{ID: digits(e.MessageID), From: digits(e.UserID), Name: e.Sender.Name(), At: e.Time, Text: e.Message.Text()}
			}), err
		},

		AnswerFriend: func(ctx context.Context, flag string, approve bool, remark string) error {
			return perhaps(bot.SetFriendAddRequest(ctx, flag, approve, remark))
		},
		AnswerInvite: func(ctx context.Context, flag string, approve bool) error {
			return perhaps(bot.SetGroupAddRequest(ctx, flag, "invite", approve, ""))
		},
		DeleteFriend: func(ctx context.Context, user string) error {
			n, err := numbers(user)
			if err == nil {
				err = perhaps(bot.DeleteFriend(ctx, n[0], false))
			}
			return err
		},

		Recall: func(ctx context.Context, _ persona.Chat, message string) error {
			n, err := numbers(message)
			if err == nil {
				err = perhaps(bot.DeleteMsg(ctx, n[0]))
			}
			return err
		},
		Kick: toMember(bot.SetGroupKick), Mute: toMember(bot.SetGroupBan), SetCard: toMember(bot.SetGroupCard),
	}
}

// with reads something by an id as the number that it is on OneBot.
func with[T any](id string, read func(n int64) (T, error)) (found T, err error) {
	n, err := numbers(id)
	if err == nil {
		found, err = read(n[0])
	}
	return found, err
}

// toMember makes an action on a member of a group take ids.
func toMember[T any](do func(ctx context.Context, group, user int64, x T) error) func(context.Context, string, string, T) error {
	return func(ctx context.Context, group, user string, x T) error {
		n, err := numbers(group, user)
		if err == nil {
			err = perhaps(do(ctx, n[0], n[1], x))
		}
		return err
	}
}

func each[A, B any](list []A, as func(A) B) (all []B) {
	for _, a := range list {
		all = append(all, as(a))
	}
	return all
}

// perhaps has the error of an action that may have been done match qq.ErrUnclear.
func perhaps(err error) error {
	return unclear(qq.ErrUnclear, err, onebot.ErrTimeout, social.ErrUnclear)
}

// toolkit is what the tools of a link are made of. They send by say.
func (l *link) toolkit(say social.SendFunc) (qq.Actor, qq.Options) {
	o, actor := l.o.Tools, Actor(l.account)
	o.Requests = &l.requests
	actor.Send = func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
		id, err := say(ctx, chat, out)
		return id, perhaps(err)
	}
	return actor, o
}

// connected calls by the account that a link lives in, once anything was heard from it.
type connected struct{ *link }

// Call calls an action.
func (c connected) Call(ctx context.Context, action string, params, result any) error {
	if bot := c.bot.Load(); bot != nil {
		return bot.Call(ctx, action, params, result)
	}
	return social.ErrNotConnected
}
