package onebotlink

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Actor lets the tools of nit/qq act as an account. Its Send sends at once, without any limit: replace it to have some.
func Actor(bot *onebot.Bot) qq.Actor {
	return qq.Actor{
		Send: func(ctx context.Context, chat persona.Chat, out persona.Out) (string, error) {
			id, err := send(ctx, bot, chat, out)
			return id, marked(err)
		},
		EncodeImage: encodeImage,
		Poke: func(ctx context.Context, chat persona.Chat, user string) error {
			if chat.Kind != persona.Group {
				return act(func(n []int64) error { return bot.FriendPoke(ctx, n[0]) }, user)
			}
			return act(func(n []int64) error { return bot.GroupPoke(ctx, n[0], n[1]) }, chat.ID, user)
		},

		Stranger: func(ctx context.Context, user string) (u qq.User, err error) {
			err = read(func(n []int64) error {
				info, err := bot.GetStrangerInfo(ctx, n[0], false)
				u = qq.User{ID: user, Nickname: info.Nickname, Sex: info.Sex, Age: info.Age}
				return err
			}, user)
			return u, err
		},
		Friends: func(ctx context.Context) (all []qq.User, err error) {
			friends, err := bot.GetFriendList(ctx)
			for _, f := range friends {
				all = append(all, qq.User{ID: number(f.UserID), Nickname: f.Nickname, Remark: f.Remark})
			}
			return all, err
		},
		Groups: func(ctx context.Context) (all []qq.Group, err error) {
			groups, err := bot.GetGroupList(ctx)
			for _, g := range groups {
				all = append(all, qq.Group{ID: number(g.GroupID), Name: g.Name, Remark: g.Remark, Members: g.Members})
			}
			return all, err
		},
		Members: func(ctx context.Context, group string) (all []qq.User, err error) {
			err = read(func(n []int64) error {
				members, err := bot.GetGroupMemberList(ctx, n[0])
				for _, m := range members {
					all = append(all, qq.User{ID: number(m.UserID), Nickname: m.Nickname, Card: m.Card, Role: m.Role})
				}
				return err
			}, group)
			return all, err
		},
		History: func(ctx context.Context, group string, count int) (past []persona.Message, err error) {
			err = read(func(n []int64) error {
				events, err := bot.GetGroupMsgHistory(ctx, n[0], 0, count)
				for _, e := range events {
					past = append(past, persona.Message{ID: number(e.MessageID), From: number(e.UserID), Name: e.Sender.Name(), At: e.Time, Text: e.Message.Text()})
				}
				return err
			}, group)
			return past, err
		},

		AnswerFriend: func(ctx context.Context, flag string, approve bool, remark string) error {
			return marked(bot.SetFriendAddRequest(ctx, flag, approve, remark))
		},
		AnswerInvite: func(ctx context.Context, flag string, approve bool) error {
			return marked(bot.SetGroupAddRequest(ctx, flag, "invite", approve, ""))
		},
		DeleteFriend: func(ctx context.Context, user string) error {
			return act(func(n []int64) error { return bot.DeleteFriend(ctx, n[0], false) }, user)
		},

		Recall: func(ctx context.Context, _ persona.Chat, message string) error {
			return act(func(n []int64) error { return bot.DeleteMsg(ctx, n[0]) }, message)
		},
		Kick: func(ctx context.Context, group, user string, refuse bool) error {
			return act(func(n []int64) error { return bot.SetGroupKick(ctx, n[0], n[1], refuse) }, group, user)
		},
		Ban: func(ctx context.Context, group, user string, d time.Duration) error {
			return act(func(n []int64) error { return bot.SetGroupBan(ctx, n[0], n[1], d) }, group, user)
		},
		SetCard: func(ctx context.Context, group, user, card string) error {
			return act(func(n []int64) error { return bot.SetGroupCard(ctx, n[0], n[1], card) }, group, user)
		},
	}
}

// read calls do with ids as the numbers that they are on OneBot.
func read(do func(n []int64) error, ids ...string) error {
	n := make([]int64, len(ids))
	for i, id := range ids {
		var err error
		if n[i], err = strconv.ParseInt(id, 10, 64); err != nil {
			return fmt.Errorf("onebotlink: id %q: %w", id, err)
		}
	}
	return do(n)
}

// act is read for what changes something.
func act(do func(n []int64) error, ids ...string) error { return marked(read(do, ids...)) }

// marked has the error of an action that may have been done match qq.ErrUnclear.
func marked(err error) error {
	for _, perhaps := range []error{onebot.ErrUnclear, onebot.ErrTimeout, social.ErrUnclear} {
		if errors.Is(err, perhaps) {
			return fmt.Errorf("%w: %w", qq.ErrUnclear, err)
		}
	}
	return err
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
