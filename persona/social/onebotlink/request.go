package onebotlink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

func (l *link) friendRequest(ctx context.Context, bot *onebot.Bot, e *onebot.FriendRequest) persona.Event {
	r := persona.Request{Kind: persona.FriendRequest, ID: e.Flag, From: personOf(e.UserID), Comment: e.Comment, At: e.Time}
	l.requests.Add(r)
	r.Name = l.strangerName(ctx, bot, e.UserID)
	return r
}

// groupRequest returns nil for an unknown or incomplete request.
func (l *link) groupRequest(ctx context.Context, bot *onebot.Bot, e *onebot.GroupRequest) persona.Event {
	kind := map[string]string{"invite": persona.GroupInvite, "add": persona.GroupJoin}[e.SubType]
	if kind == "" || e.GroupID == 0 {
		return nil
	}
	r := persona.Request{Kind: kind, ID: e.Flag, From: personOf(e.UserID), Group: id(e.GroupID), Comment: e.Comment, At: e.Time}
	l.requests.Add(r)
	r.Name, r.GroupName = l.strangerName(ctx, bot, e.UserID), l.groupName(ctx, bot, e.GroupID)
	return r
}

// maxRequestAge is the age of the oldest request that is fetched. It is shorter than the time for which a bot
// deduplicates requests.
const maxRequestAge = 23 * time.Hour

// missedRequests returns the open group requests and invites that arrived while the bot was offline, oldest first. No
// platform lists friend requests. It asks only implementations whose list has the flags of their events. These flags
// are the time of the request in microseconds, which the list does not contain otherwise.
func (l *link) missedRequests(ctx context.Context, bot *onebot.Bot) (all []*onebot.GroupRequest) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	version, err := bot.GetVersionInfo(ctx)
	if err != nil || version.AppName != "NapCat.Onebot" && version.AppName != "go-cqhttp" {
		return nil
	}
	list, err := bot.GetGroupSystemMsg(ctx)
	if err != nil {
		return nil
	}
	now := time.Now()
	add := func(kind string, who int64, r onebot.SystemRequest) {
		at := time.UnixMicro(r.ID)
		if age := now.Sub(at); r.Checked || age > maxRequestAge || age < -time.Minute || who == 0 {
			return
		}
		all = append(all, &onebot.GroupRequest{
			Common:  onebot.Common{Time: at, SelfID: bot.SelfID()},
			SubType: kind, GroupID: r.GroupID, UserID: who, Comment: r.Comment, Flag: strconv.FormatInt(r.ID, 10),
		})
	}
	for _, r := range list.Invited {
		add("invite", r.InviterID, r)
	}
	for _, r := range list.Joins {
		add("add", r.RequesterID, r)
	}
	slices.SortStableFunc(all, func(a, b *onebot.GroupRequest) int { return a.Time.Compare(b.Time) })
	return all
}

// strangerName returns the name of an account that has not sent a message yet, or "" if unknown.
func (l *link) strangerName(ctx context.Context, bot *onebot.Bot, who int64) string {
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	info, err := bot.GetStrangerInfo(ctx, who, false)
	if err != nil {
		return ""
	}
	return info.Nickname
}

// answerRequest approves or rejects a request.
func (l *link) answerRequest(ctx context.Context, r persona.Request, approve bool, reason string) (err error) {
	switch r.Kind {
	case persona.FriendRequest:
		err = l.account.SetFriendAddRequest(ctx, r.ID, approve, r.Remark)
	case persona.GroupInvite:
		err = l.account.SetGroupAddRequest(ctx, r.ID, "invite", approve, reason)
	case persona.GroupJoin:
		err = l.account.SetGroupAddRequest(ctx, r.ID, "add", approve, reason)
	default:
		return fmt.Errorf("onebotlink: unknown kind of request %q", r.Kind)
	}
	if err == nil {
		l.requests.Remove(r.ID)
		return nil
	}
	var refused *onebot.APIError
	if errors.As(err, &refused) && (strings.Contains(refused.Wording, "Timeout") || 500 <= refused.Code && refused.Code < 600) {
		return fmt.Errorf("%w: %w", social.ErrUnclear, err) // QQ did not confirm it in time
	}
	return wrapUnclear(social.ErrUnclear, err, onebot.ErrTimeout, onebot.ErrDisconnected, context.Canceled, context.DeadlineExceeded)
}
