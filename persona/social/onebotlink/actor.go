package onebotlink

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Actor lets the tools of nit/qq act with an account. Its Send has no rate limit: replace it to add one.
func Actor(bot *onebot.Bot) qq.Actor {
	return qq.Actor{
		Send: func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
			id, err := send(ctx, bot, chat, out)
			return id, markUnclear(err)
		},
		EncodeImage: encodeImage,
		Poke: func(ctx context.Context, chat persona.Chat, user string) error {
			return markUnclear(poke(ctx, bot, chat, user))
		},
		Faces: faces(),
		Self: func(ctx context.Context) (qq.User, error) {
			info, err := bot.GetLoginInfo(ctx)
			if err == nil && info.UserID == 0 {
				err = errors.New("onebotlink: the account is unknown")
			}
			return qq.User{ID: digits(info.UserID), Nickname: info.Nickname}, err
		},
		CheckMessage: func(ctx context.Context, chat persona.Chat, message string) error {
			return checkMessage(ctx, bot, chat, message)
		},

		Profile: func(ctx context.Context, user string) (qq.User, error) {
			info, err := withID(user, func(n int64) (onebot.StrangerInfo, error) { return bot.GetStrangerInfo(ctx, n, false) })
			return qq.User{ID: user, Nickname: info.Nickname, Sex: info.Sex, Age: info.Age}, err
		},
		Friends: func(ctx context.Context) ([]qq.User, error) {
			friends, err := bot.GetFriendList(ctx)
			return convert(friends, func(f onebot.Friend) qq.User {
				return qq.User{ID: digits(f.UserID), Nickname: f.Nickname, Remark: f.Remark}
			}), err
		},
		Groups: func(ctx context.Context) ([]qq.Group, error) {
			groups, err := bot.GetGroupList(ctx)
			return convert(groups, func(g onebot.GroupInfo) qq.Group {
				return qq.Group{ID: digits(g.GroupID), Name: g.Name, Remark: g.Remark, MemberCount: g.Members}
			}), err
		},
		Members: func(ctx context.Context, group string) ([]qq.User, error) {
			members, err := withID(group, func(n int64) ([]onebot.GroupMember, error) { return bot.GetGroupMemberList(ctx, n) })
			return convert(members, func(m onebot.GroupMember) qq.User {
				return qq.User{ID: digits(m.UserID), Nickname: m.Nickname, Card: m.Card, Role: m.Role}
			}), err
		},
		History: func(ctx context.Context, group string, count int) ([]persona.Message, error) {
			past, err := withID(group, func(n int64) ([]*onebot.GroupMessage, error) { return bot.GetGroupMsgHistory(ctx, n, 0, count) })
			return convert(past, func(e *onebot.GroupMessage) persona.Message {
				return persona.Message{ID: digits(e.MessageID), From: digits(e.UserID), Name: e.Sender.Name(), At: e.Time, Text: e.Message.Text()}
			}), err
		},

		AnswerFriend: func(ctx context.Context, flag string, approve bool, remark string) error {
			return markUnclear(bot.SetFriendAddRequest(ctx, flag, approve, remark))
		},
		AnswerInvite: func(ctx context.Context, flag string, approve bool) error {
			return markUnclear(bot.SetGroupAddRequest(ctx, flag, "invite", approve, ""))
		},
		DeleteFriend: func(ctx context.Context, user string) error {
			return onID(user, func(n int64) error { return bot.DeleteFriend(ctx, n, false) })
		},

		Recall: func(ctx context.Context, _ persona.Chat, message string) error {
			return onID(message, func(n int64) error { return bot.DeleteMsg(ctx, n) })
		},
		Kick: toMember(bot.SetGroupKick), Mute: toMember(bot.SetGroupBan), SetCard: toMember(bot.SetGroupCard),

		SetTitle: toMember(bot.SetGroupSpecialTitle),
		SignIn: func(ctx context.Context, group string) error {
			return onID(group, func(n int64) error { return bot.SendGroupSign(ctx, n) })
		},
		SetEssence: func(ctx context.Context, message string, add bool) error {
			set := bot.DeleteEssenceMsg
			if add {
				set = bot.SetEssenceMsg
			}
			return onID(message, func(n int64) error { return set(ctx, n) })
		},
		Essence: func(ctx context.Context, group string) ([]persona.Message, error) {
			list, err := withID(group, func(n int64) ([]onebot.EssenceMsg, error) { return bot.GetEssenceMsgList(ctx, n) })
			return convert(list, func(m onebot.EssenceMsg) persona.Message {
				return persona.Message{ID: id(m.MessageID), From: id(m.SenderID), Name: m.SenderNick, At: m.SentAt, Text: m.Content.Text()}
			}), err
		},
		Announce: func(ctx context.Context, group, text string) error {
			return onID(group, func(n int64) error { return bot.SendGroupNotice(ctx, n, onebot.Announcement{Content: text}) })
		},
		Announcements: func(ctx context.Context, group string) ([]persona.Message, error) {
			list, err := withID(group, func(n int64) ([]onebot.GroupAnnouncement, error) { return bot.GetGroupNotice(ctx, n) })
			return convert(list, func(a onebot.GroupAnnouncement) persona.Message {
				return persona.Message{From: id(a.SenderID), At: a.At, Text: a.Body.Text}
			}), err
		},
		Files: func(ctx context.Context, group, folder string) ([]qq.GroupFile, error) {
			list, err := withID(group, func(n int64) (onebot.GroupFiles, error) {
				if folder == "" {
					return bot.GetGroupRootFiles(ctx, n)
				}
				return bot.GetGroupFilesByFolder(ctx, n, folder)
			})
			folders := convert(list.Folders, func(f onebot.GroupFolder) qq.GroupFile {
				return qq.GroupFile{ID: f.ID, Name: f.Name, Folder: true, Uploader: id(f.Creator), At: f.Created}
			})
			return append(folders, convert(list.Files, func(f onebot.GroupFile) qq.GroupFile {
				return qq.GroupFile{ID: f.ID, Name: f.Name, Size: f.Size, Uploader: id(f.Uploader), At: f.Uploaded}
			})...), err
		},
		FileURL: func(ctx context.Context, group, file string) (string, error) {
			return withID(group, func(n int64) (string, error) { return bot.GetGroupFileURL(ctx, n, file, 0) })
		},
	}
}

// checkMessage fails unless the message is in the chat. A message of the account without a known receiver is in no chat.
func checkMessage(ctx context.Context, bot *onebot.Bot, chat persona.Chat, message string) error {
	e, err := withID(message, func(n int64) (onebot.Event, error) { return bot.GetMsg(ctx, n) })
	if err != nil {
		return err
	}
	var in persona.Chat
	switch e := e.(type) {
	case *onebot.GroupMessage:
		in = group(e.GroupID)
	case *onebot.PrivateMessage:
		in = private(e.PeerID())
	}
	if in.ID == "" || in != chat {
		return errors.New("onebotlink: the message is of another chat")
	}
	return nil
}

// withID calls read with an id as a number.
func withID[T any](id string, read func(n int64) (T, error)) (found T, err error) {
	n, err := numbers(id)
	if err == nil {
		found, err = read(n[0])
	}
	return found, err
}

// onID calls an action with an id as a number.
func onID(id string, do func(n int64) error) error {
	n, err := numbers(id)
	if err == nil {
		err = markUnclear(do(n[0]))
	}
	return err
}

// toMember adapts an action on a group member to string ids.
func toMember[T any](do func(ctx context.Context, group, user int64, x T) error) func(context.Context, string, string, T) error {
	return func(ctx context.Context, group, user string, x T) error {
		n, err := numbers(group, user)
		if err == nil {
			err = markUnclear(do(ctx, n[0], n[1], x))
		}
		return err
	}
}

// convert converts each element of a list.
func convert[A, B any](list []A, as func(A) B) (all []B) {
	for _, a := range list {
		all = append(all, as(a))
	}
	return all
}

// markUnclear makes the error of an action that may have succeeded match qq.ErrUnclear.
func markUnclear(err error) error {
	return wrapUnclear(qq.ErrUnclear, err, onebot.ErrTimeout, social.ErrUnclear)
}

// toolkit returns the arguments of qq.Tools and qq.Plugin. The tools send messages through send.
func (l *link) toolkit(send social.SendFunc) (qq.Actor, qq.Options) {
	o, actor := l.o.Tools, Actor(l.account)
	o.Requests = &l.requests
	actor.Send = func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
		id, err := send(ctx, chat, out)
		return id, markUnclear(err)
	}
	return actor, o
}

// A lazyCaller calls actions with the account of a link, once an event of it has arrived.
type lazyCaller struct{ *link }

// Call calls an action.
func (c lazyCaller) Call(ctx context.Context, action string, params, result any) error {
	if bot := c.bot.Load(); bot != nil {
		return bot.Call(ctx, action, params, result)
	}
	return social.ErrNotConnected
}
