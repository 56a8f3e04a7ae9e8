package onebotlink

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A Source is what brings OneBot events: *onebot.Client (forward WebSocket) and *onebot.Server (reverse) are two.
type Source interface {
	Run(ctx context.Context, h onebot.Handler) error
}

// Options: the zero value takes the first account that connects.
type Options struct {
	Self    int64           // the account to live in, where a server has several; 0: the first that is heard from
	Bots    []int64         // accounts that are programs: replies to them are capped, and OneBot itself does not tell
	Limiter *onebot.Limiter // how fast it may send; nil: 3 s for one chat, 1 s for the account
	Tools   qq.Options      // of nit/qq: with Images set it can send pictures, too; Requests is the link's own
}

// New makes a link of a OneBot client or server. It brings the tools of nit/qq, keeps the pace of the limiter and
// reads chat histories where the implementation has get_group_msg_history.
func New(source Source, o *Options) social.Link {
	if o == nil {
		o = &Options{}
	}
	l := &link{source: source, o: *o, groups: map[int64]asked{}, names: newNames()}
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
		Wait:     func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.Wait(ctx, chat.String()) },
		WaitPart: func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.WaitPart(ctx, chat.String()) },
		Typing:   l.typing, Recent: l.recent, Key: key, Answer: l.answer,
		Tools:       func(say social.SayFunc) ([]nit.Tool, error) { return qq.Tools(l.toolkit(say)) },
		Plugin:      func(say social.SayFunc) (nit.Plugin, error) { return qq.Plugin(l.toolkit(say)) },
		EncodeImage: encodeImage,
	}
}

const platform = "qq"

type link struct {
	source  Source
	o       Options
	self    atomic.Int64
	bot     atomic.Pointer[onebot.Bot]
	account *onebot.Bot // calls by bot, once there is one
	offline atomic.Bool // the account is logged out, as far as anybody told
	mute    atomic.Bool // the implementation cannot show that it types

	names    *names
	requests qq.Requests

	mu     sync.Mutex
	groups map[int64]asked // names of groups, and the account's own under 0
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

// mine reports whether an event belongs to the account of this link; the first account heard from becomes it.
func (l *link) mine(bot *onebot.Bot) bool {
	id := bot.SelfID()
	if !l.self.CompareAndSwap(0, id) && l.self.Load() != id {
		return false
	}
	l.bot.Store(bot)
	return true
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
		return persona.Recalled{Chat: group(e.GroupID), MessageID: id(e.MessageID), By: id(e.OperatorID), At: e.Time}
	case *onebot.FriendRecall:
		return persona.Recalled{Chat: private(e.UserID), MessageID: id(e.MessageID), By: id(e.UserID), At: e.Time}
	case *onebot.GroupBan:
		return l.banned(e)
	case *onebot.GroupDecrease:
		return l.gone(e)
	case *onebot.GroupIncrease:
		if e.UserID == l.self.Load() {
			return persona.Joined{Chat: group(e.GroupID), At: e.Time}
		}
	case *onebot.FriendRequest:
		return l.friendRequest(ctx, bot, e)
	case *onebot.GroupRequest:
		return l.groupRequest(ctx, bot, e)
	case *onebot.Dropped:
		return persona.Lost{Chat: conversation(e), Count: e.Count, Since: e.Since, Until: e.Until}
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

func (l *link) groupMessage(ctx context.Context, bot *onebot.Bot, e *onebot.GroupMessage) persona.Message {
	l.names.learn(group(e.GroupID), e.UserID, e.Sender.Name())
	m := l.message(ctx, bot, group(e.GroupID), e.MessageID, e.Message, e.Time)
	m.ChatName = e.GroupName
	if m.ChatName == "" {
		m.ChatName = l.groupName(ctx, bot, e.GroupID)
	}
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.o.Bots, e.UserID)
	return m
}

// privateMessage answers false when the account itself said it and nobody tells to whom.
func (l *link) privateMessage(ctx context.Context, bot *onebot.Bot, e *onebot.PrivateMessage) (persona.Message, bool) {
	m := l.message(ctx, bot, private(e.Peer()), e.MessageID, e.Message, e.Time)
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.o.Bots, e.UserID)
	if !m.Own {
		m.ChatName = m.Name
	}
	return m, e.Peer() != 0
}

func (l *link) message(ctx context.Context, bot *onebot.Bot, chat persona.Chat, messageID int64, segments onebot.Message, at time.Time) persona.Message {
	m := persona.Message{ID: id(messageID), Chat: chat, At: at, AtMe: segments.Mentions(l.self.Load())}
	if m.AtMe {
		l.names.learn(persona.Chat{}, l.self.Load(), l.selfName(ctx, bot))
	}
	var said onebot.Message // what it answers is told apart, as the quote
	for _, s := range segments {
		if s.Type != "reply" {
			said = append(said, s)
		}
	}
	m.Text = said.TextNamed(l.names.of(chat))
	m.Pictures = pictures(said)
	for _, s := range segments {
		if who := s.Int("qq"); s.Type == "at" && who != 0 {
			m.Mentions = append(m.Mentions, id(who))
		}
	}
	m.ReplyTo, _ = segments.ReplyID()
	return m
}

// What is kept of one message's pictures.
const (
	maxPictures   = 9
	maxPictureURL = 2048 // bytes; none that is longer is fetched
)

// pictures are those of a message whose URL is told. Text is never read for them.
func pictures(m onebot.Message) (all []persona.Picture) {
	for _, s := range m {
		if media, ok := s.Media(); ok && s.Type == "image" && media.URL != "" && len(media.URL) <= maxPictureURL && len(all) < maxPictures {
			all = append(all, persona.Picture{URL: media.URL})
		}
	}
	return all
}

// wholeMute is how long a mute of the whole group, which has no end, is believed in: whoever is away when it is lifted is
// not told. While it lasts hardly anybody can call, so trying too early costs little.
const wholeMute = time.Hour

// gone tells of the account itself.
func (l *link) gone(e *onebot.GroupDecrease) persona.Event {
	if e.SubType != "kick_me" && e.UserID != l.self.Load() {
		return nil
	}
	left := persona.Left{Chat: group(e.GroupID), At: e.Time}
	if e.OperatorID != e.UserID {
		left.By = id(e.OperatorID)
	}
	return left
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

func personOf(n int64) persona.Account { return persona.Account{Platform: platform, ID: id(n)} }

// banned tells of the own account alone, and of the whole group being muted.
func (l *link) banned(e *onebot.GroupBan) persona.Event {
	if !e.Whole() && e.UserID != l.self.Load() {
		return nil
	}
	m := persona.Muted{Chat: group(e.GroupID), At: e.Time}
	switch {
	case e.Lifted():
	case e.Duration > 0:
		m.Until = e.Time.Add(e.Duration)
	default: // the whole group, until it is lifted
		m.Until = e.Time.Add(wholeMute)
	}
	return m
}

// recent reads a chat's history back to a message that is known.
func (l *link) recent(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) (past []persona.Message, err error) {
	bot := l.bot.Load()
	peer, err := numbers(chat.ID)
	if bot == nil || err != nil || chat.Platform != platform {
		return nil, errors.New("onebotlink: no history of " + chat.String())
	}
	for events, err := range history.Pages(ctx, bot, history.Chat{Private: chat.Kind != persona.Group, ID: peer[0]}, 0) {
		if err != nil {
			return past, err
		}
		var page []persona.Message
		for _, e := range events {
			switch e := e.(type) {
			case *onebot.GroupMessage:
				page = append(page, l.groupMessage(ctx, bot, e))
			case *onebot.PrivateMessage:
				if m, ok := l.privateMessage(ctx, bot, e); ok || m.Own {
					m.Chat = chat // what the account itself said may not tell to whom
					page = append(page, m)
				}
			}
		}
		past = slices.Concat(page, past)
		if known == nil || slices.ContainsFunc(page, known) {
			break
		}
	}
	return past, nil
}

// key compares message ids modulo 2³²: one id is written as int32 here and as uint32 there.
func key(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return s
	}
	return strconv.FormatUint(uint64(onebot.MessageKey(n)), 10)
}

func id(n int64) string {
	if n == 0 {
		return ""
	}
	return digits(n)
}

func group(n int64) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Group, ID: id(n)}
}
func private(n int64) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Private, ID: id(n)}
}

// conversation is the chat that events were dropped of; the zero Chat for those of none.
func conversation(e *onebot.Dropped) persona.Chat {
	switch {
	case e.GroupID != 0:
		return group(e.GroupID)
	case e.UserID != 0:
		return private(e.UserID)
	}
	return persona.Chat{}
}
