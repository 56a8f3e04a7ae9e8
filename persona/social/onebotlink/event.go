package onebotlink

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// translate converts a OneBot event. It returns nil for events that the bot does not need.
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
		return l.muteEvent(e)
	case *onebot.GroupDecrease:
		return l.leftEvent(e)
	case *onebot.GroupIncrease:
		if e.UserID == l.self.Load() {
			return persona.BotJoined{Chat: group(e.GroupID), At: e.Time}
		}
		return persona.MemberJoined{Chat: group(e.GroupID), ID: id(e.UserID), Name: l.name(group(e.GroupID), e.UserID), By: id(e.OperatorID), At: e.Time}
	case *onebot.Poke:
		return l.poked(e)
	case *onebot.Reaction:
		return l.reacted(e)
	case *onebot.GroupTitle:
		return l.changed(e.GroupID, e.UserID, persona.TitleChanged, e.Title, e.Time)
	case *onebot.GroupAdmin:
		return l.changed(e.GroupID, e.UserID, persona.AdminChanged, e.SubType, e.Time)
	case *onebot.GroupCard:
		l.names.add(group(e.GroupID), e.UserID, strings.Clone(e.New))
		return l.changed(e.GroupID, e.UserID, persona.CardChanged, e.New, e.Time)
	case *onebot.FriendRequest:
		return l.friendRequest(ctx, bot, e)
	case *onebot.GroupRequest:
		return l.groupRequest(ctx, bot, e)
	case *onebot.Dropped:
		return persona.MessagesLost{Chat: droppedChat(e), Count: e.Count, Since: e.Since, Until: e.Until}
	case *onebot.Lifecycle:
		if e.SubType == "connect" {
			l.offline.Store(false)
			return persona.Connected{Self: personOf(e.SelfID), At: e.Time}
		}
	case *onebot.Heartbeat:
		if reportsOffline(e) && !l.wrongBeats.Load() && l.offline.CompareAndSwap(false, true) {
			l.byBeat.Store(true)
			return l.loggedOut(persona.Disconnected{Self: personOf(e.SelfID), At: e.Time})
		}
	case *onebot.BotOffline:
		if l.offline.CompareAndSwap(false, true) {
			l.byBeat.Store(false)
			return l.loggedOut(persona.Disconnected{Self: personOf(e.SelfID), Reason: strings.Clone(strings.TrimSpace(e.Tag + " " + e.Message)), At: e.Time})
		}
	}
	return nil
}

// backOnline reports whether the account has logged in again: a heartbeat says so, or a message has arrived. A message
// after an offline heartbeat proves that the heartbeats are wrong. They are then ignored until one says online.
func (l *link) backOnline(e onebot.Event) bool {
	switch e := e.(type) {
	case *onebot.GroupMessage, *onebot.PrivateMessage:
		if l.offline.Load() && l.byBeat.Load() {
			l.wrongBeats.Store(true)
		}
	case *onebot.Heartbeat:
		if !e.Online { // offline, or unknown to the implementation
			return false
		}
		l.wrongBeats.Store(false)
	default:
		return false
	}
	return l.offline.CompareAndSwap(true, false)
}

// reportsOffline reports whether a heartbeat says that the account is logged out. Some implementations do not know.
func reportsOffline(e *onebot.Heartbeat) bool {
	var status struct {
		Online *bool
	}
	return json.Unmarshal(e.Status, &status) == nil && status.Online != nil && !*status.Online
}

// accept reports whether an event belongs to the account of this link. The first account that sends an event becomes
// it.
func (l *link) accept(bot *onebot.Bot) bool {
	id := bot.SelfID()
	if !l.self.CompareAndSwap(0, id) && l.self.Load() != id {
		return false
	}
	l.bot.Store(bot)
	return true
}

// muteEvent converts a mute of the bot's account or of the whole group.
func (l *link) muteEvent(e *onebot.GroupBan) persona.Event {
	if !e.Whole() && e.UserID != l.self.Load() {
		return nil
	}
	m := persona.BotMuted{Chat: group(e.GroupID), At: e.Time}
	switch {
	case e.Lifted():
	case e.Duration > 0:
		m.Until = e.Time.Add(e.Duration)
	default: // a mute of the whole group has no end
		m.Until = e.Time.Add(wholeMute)
	}
	return m
}

// wholeMute is the assumed length of a mute of the whole group, which has no end: the bot may be offline when it is
// lifted. Few messages can address the bot during it, so trying too early costs little.
const wholeMute = time.Hour

// leftEvent converts the removal of the bot or of a member from a group.
func (l *link) leftEvent(e *onebot.GroupDecrease) persona.Event {
	if e.SubType != "kick_me" && e.UserID != l.self.Load() {
		gone := persona.MemberLeft{Chat: group(e.GroupID), ID: id(e.UserID), Name: l.name(group(e.GroupID), e.UserID), At: e.Time}
		if e.SubType == "kick" {
			gone.By = id(e.OperatorID)
		}
		return gone
	}
	left := persona.BotLeft{Chat: group(e.GroupID), At: e.Time}
	if e.OperatorID != e.UserID {
		left.By = id(e.OperatorID)
	}
	return left
}

// name returns the name that somebody used in a chat, or "".
func (l *link) name(chat persona.Chat, who int64) string { return l.names.lookup(chat)(who) }

// poked converts a poke.
func (l *link) poked(e *onebot.Poke) persona.Event {
	chat := private(e.PeerID())
	if e.GroupID != 0 {
		chat = group(e.GroupID)
	}
	return persona.Poked{
		Chat: chat, From: id(e.UserID), Name: l.name(chat, e.UserID), To: id(e.TargetID), ToName: l.name(chat, e.TargetID), ToMe: e.TargetID == l.self.Load(), At: e.Time,
	}
}

// reacted converts a reaction. One event may list several faces; the first one counts.
func (l *link) reacted(e *onebot.Reaction) persona.Event {
	if len(e.Likes) == 0 || e.MessageID == 0 {
		return nil
	}
	chat := group(e.GroupID)
	return persona.Reacted{
		Chat: chat, MessageID: id(e.MessageID), From: id(e.UserID), Name: l.name(chat, e.UserID), Face: faceByID(strings.Clone(e.Likes[0].EmojiID)), Removed: !e.Added, At: e.Time,
	}
}

// changed converts a change of a member.
func (l *link) changed(groupID, who int64, kind, value string, at time.Time) persona.Event {
	chat := group(groupID)
	return persona.MemberChanged{Chat: chat, ID: id(who), Name: l.name(chat, who), Kind: kind, Value: strings.Clone(value), At: at}
}

// droppedChat returns the chat of dropped events, or the zero Chat if they belong to none.
func droppedChat(e *onebot.Dropped) persona.Chat {
	switch {
	case e.GroupID != 0:
		return group(e.GroupID)
	case e.UserID != 0:
		return private(e.UserID)
	}
	return persona.Chat{}
}
