package qqbotlink

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// noEnd is how long a switch lasts that only people end.
const noEnd = 100 * 365 * 24 * time.Hour

// translate converts an event of the platform. It returns nil for events that the bot does not need.
func (l *link) translate(ctx context.Context, e qqbot.Event) persona.Event {
	at := e.Base().Time
	switch e := e.(type) {
	case *qqbot.Ready:
		l.learnNick(e.User.Username)
		return l.connected(at)
	case *qqbot.Resumed:
		return l.connected(at)
	case *qqbot.Gap:
		l.o.Logger.Warn("messages were lost, and the platform has no history to read them", "reason", e.Reason, "since", e.Since, "count", e.Count)
	case *qqbot.Message:
		if m, ok := l.message(ctx, e); ok {
			return m
		}
	case *qqbot.BotAdded:
		l.event(e.Common, group(e.Group))
		return persona.BotJoined{Chat: group(e.Group), At: at}
	case *qqbot.BotRemoved:
		return persona.BotLeft{Chat: group(e.Group), By: e.Operator, At: at}
	case *qqbot.ProactiveSwitched:
		chat := chatOf(e.Chat)
		l.windows.switched(chat, e.Allowed)
		if e.Allowed {
			l.event(e.Common, chat)
			return persona.BotMuted{Chat: chat, At: at}
		}
		return persona.BotMuted{Chat: chat, Until: at.Add(noEnd), At: at}
	case *qqbot.FriendAdded:
		l.event(e.Common, chatOf(qqbot.UserChat(e.User)))
	case *qqbot.Interaction:
		if e.Chat != (qqbot.Chat{}) {
			l.event(e.Common, chatOf(e.Chat))
		}
	case *qqbot.MemberAdded:
		return persona.MemberJoined{Chat: group(e.Group), ID: e.Member, Name: l.name(group(e.Group), e.Member, ""), At: at}
	case *qqbot.MemberRemoved:
		return persona.MemberLeft{Chat: group(e.Group), ID: e.Member, Name: l.name(group(e.Group), e.Member, ""), At: at}
	case *qqbot.JoinRequest:
		if e.Approved || e.RequestID == "" {
			return nil
		}
		return persona.Request{
			Kind: persona.GroupJoin, ID: e.RequestID, From: persona.Account{Platform: platform, ID: e.Member}, Name: cmp.Or(e.Username, fallbackName(e.Member)),
			Group: e.Group, Comment: comment(e), At: at,
		}
	}
	return nil
}

// event permits replies to an event.
func (l *link) event(c qqbot.Common, chat persona.Chat) {
	l.windows.open(time.Now(), chat, c.EventID, true, c.Time)
}

// comment returns what somebody who wants to join has written.
func comment(e *qqbot.JoinRequest) string {
	var lines []string
	if e.Message != "" {
		lines = append(lines, e.Message)
	}
	for _, a := range e.Answers {
		lines = append(lines, a.Question+" "+a.Answer)
	}
	return strings.Join(lines, "\n")
}

// answerRequest answers a request to join a group.
func (l *link) answerRequest(ctx context.Context, r persona.Request, approve bool, reason string) error {
	if r.Kind != persona.GroupJoin || r.From.Platform != platform {
		return errPlatform
	}
	return unclear(l.client.AnswerJoin(ctx, &qqbot.JoinRequest{Group: r.Group, Member: r.From.ID, RequestID: r.ID}, approve, reason))
}
