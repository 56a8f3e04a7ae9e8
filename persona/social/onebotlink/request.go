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

// groupRequest is nil for one that asks for what it does not say.
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

// missedFor is how old a request may be that is fetched. So long every being knows which ones it has dealt with.
const missedFor = 23 * time.Hour

// missed are the requests about groups that came while nobody listened, and wait for an answer, oldest first. No platform
// lists those of friends. Only implementations are asked whose list bears the flags of their events, which are the
// microsecond that something was asked in: the list does not tell it otherwise.
func (l *link) missed(ctx context.Context, bot *onebot.Bot) (all []*onebot.GroupRequest) {
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
		if age := now.Sub(at); r.Checked || age > missedFor || age < -time.Minute || who == 0 {
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

// strangerName is how somebody is called who was never heard; empty when nobody says.
func (l *link) strangerName(ctx context.Context, bot *onebot.Bot, who int64) string {
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	info, err := bot.GetStrangerInfo(ctx, who, false)
	if err != nil {
		return ""
	}
	return info.Nickname
}

// answer grants a request, or does not.
func (l *link) answer(ctx context.Context, r persona.Request, approve bool, reason string) (err error) {
	switch r.Kind {
	case persona.FriendRequest:
		err = l.account.SetFriendAddRequest(ctx, r.ID, approve, "")
	case persona.GroupInvite:
		err = l.account.SetGroupAddRequest(ctx, r.ID, "invite", approve, reason)
	case persona.GroupJoin:
		err = l.account.SetGroupAddRequest(ctx, r.ID, "add", approve, reason)
	default:
		return fmt.Errorf("onebotlink: a request of kind %q cannot be answered", r.Kind)
	}
	if err == nil {
		l.requests.Remove(r.ID)
		return nil
	}
	var refused *onebot.APIError
	if errors.As(err, &refused) && (strings.Contains(refused.Wording, "Timeout") || 500 <= refused.Code && refused.Code < 600) {
		return fmt.Errorf("%w: %w", social.ErrUnclear, err) // QQ did not confirm it in time
	}
	return unclear(social.ErrUnclear, err, onebot.ErrTimeout, onebot.ErrDisconnected, context.Canceled, context.DeadlineExceeded)
}
