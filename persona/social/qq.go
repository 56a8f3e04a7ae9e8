package social

import (
	"context"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// account is the account that the link lives in, for the tools that ask about it.
type account struct{ link *oneBotLink }

// GetStrangerInfo asks the account.
func (a account) GetStrangerInfo(ctx context.Context, userID int64, noCache bool) (onebot.StrangerInfo, error) {
	bot, err := a.link.account()
	if err != nil {
		return onebot.StrangerInfo{}, err
	}
	return bot.GetStrangerInfo(ctx, userID, noCache)
}

// GroupPoke pokes a member.
func (a account) GroupPoke(ctx context.Context, groupID, userID int64) error {
	bot, err := a.link.account()
	if err != nil {
		return err
	}
	return bot.GroupPoke(ctx, groupID, userID)
}

// FriendPoke pokes a friend.
func (a account) FriendPoke(ctx context.Context, userID int64) error {
	bot, err := a.link.account()
	if err != nil {
		return err
	}
	return bot.FriendPoke(ctx, userID)
}

// mouth lets the tools speak through the being.
type mouth struct {
	say func(context.Context, persona.Chat, persona.Out) (string, error)
}

// Say takes a target as the tools name it: "group_1" or "user_2"; empty is the chat of the turn.
func (m mouth) Say(ctx context.Context, target string, segments onebot.Message) (string, error) {
	if t := turnFrom(ctx); target == "" && t != nil {
		target = t.room.chat.SourceID()
	}
	chat, err := persona.ParseSource(qqPlatform, target)
	if err != nil {
		return "", err
	}
	return m.say(ctx, chat, persona.Out{Text: segments.Text()})
}
