package onebotlink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
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
	l := &link{source: source, bots: slices.Clone(o.Bots), limiter: o.Limiter, tools: o.Tools, groups: map[int64]asked{}, names: newNames()}
	l.self.Store(o.Self)
	if l.limiter == nil {
		l.limiter = onebot.NewLimiter(onebot.LimiterOptions{})
	}
	return l
}

// Features are those of OneBot, as far as the implementation has them.
func (l *link) Features() social.LinkFeatures {
	return social.LinkFeatures{
		Wait: l.wait, WaitPart: l.waitPart, Typing: l.typing, Recent: l.recent, Key: key, Answer: l.answer,
		Tools: l.qqTools, Plugin: l.qqPlugin, EncodeImage: encodeImage,
	}
}

const platform = "qq"

type link struct {
	source  Source
	bots    []int64
	limiter *onebot.Limiter
	tools   qq.Options
	self    atomic.Int64
	bot     atomic.Pointer[onebot.Bot]
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
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.bots, e.UserID)
	return m
}

// privateMessage answers false when the account itself said it and nobody tells to whom.
func (l *link) privateMessage(ctx context.Context, bot *onebot.Bot, e *onebot.PrivateMessage) (persona.Message, bool) {
	m := l.message(ctx, bot, private(e.Peer()), e.MessageID, e.Message, e.Time)
	m.From, m.Name, m.Own, m.Bot = id(e.UserID), e.Sender.Name(), e.Own(), slices.Contains(l.bots, e.UserID)
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

// Say sends text as text: nothing in it is ever read as CQ code.
func (l *link) Say(ctx context.Context, chat persona.Chat, out persona.Out) (string, error) {
	bot, err := l.account()
	if err != nil {
		return "", err
	}
	return send(ctx, bot, chat, out)
}

func send(ctx context.Context, bot *onebot.Bot, chat persona.Chat, out persona.Out) (string, error) {
	var m onebot.Message
	if out.ReplyTo != "" {
		n, err := strconv.ParseInt(out.ReplyTo, 10, 64)
		if err != nil {
			return "", fmt.Errorf("onebotlink: reply to %q: %w", out.ReplyTo, err)
		}
		m = append(m, onebot.Reply(n))
	}
	if out.Everyone {
		m = append(m, onebot.AtAll(), onebot.Text(" "))
	}
	for _, who := range out.Mention {
		n, err := strconv.ParseInt(who, 10, 64)
		if err != nil {
			return "", fmt.Errorf("onebotlink: mention of %q: %w", who, err)
		}
		m = append(m, onebot.At(n), onebot.Text(" "))
	}
	if out.Text != "" || out.Image == "" {
		m = append(m, onebot.Text(out.Text))
	}
	if out.Image != "" {
		m = append(m, onebot.Image(out.Image))
	}

	n, err := strconv.ParseInt(chat.ID, 10, 64)
	if err != nil {
		return "", fmt.Errorf("onebotlink: chat %v: %w", chat, err)
	}
	action, params := "send_private_msg", map[string]any{"user_id": n, "message": m}
	if chat.Kind == persona.Group {
		action, params = "send_group_msg", map[string]any{"group_id": n, "message": m}
	}
	var sent struct {
		MessageID int64 `json:"message_id"`
	}
	err = bot.Call(ctx, action, params, &sent)
	if errors.Is(err, onebot.ErrUnclear) {
		err = fmt.Errorf("%w: %w", social.ErrUnclear, err)
	}
	if err != nil {
		return "", err
	}
	return id(sent.MessageID), nil
}

// account is the bot that the link lives in, once anything was heard from it.
func (l *link) account() (*onebot.Bot, error) {
	if bot := l.bot.Load(); bot != nil {
		return bot, nil
	}
	return nil, errors.New("onebotlink: no account is connected yet")
}

// wait is the pace of the account and of the chat.
func (l *link) wait(ctx context.Context, chat persona.Chat) error {
	return l.limiter.Wait(ctx, chat.String())
}

// recent reads a chat's history.
func (l *link) recent(ctx context.Context, chat persona.Chat, n int) ([]persona.Message, error) {
	bot := l.bot.Load()
	peer, err := strconv.ParseInt(chat.ID, 10, 64)
	if bot == nil || err != nil || chat.Platform != platform {
		return nil, errors.New("onebotlink: no history of " + chat.String())
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	var past []persona.Message
	if chat.Kind == persona.Group {
		events, err := bot.GetGroupMsgHistory(ctx, peer, 0, n)
		for _, e := range events {
			past = append(past, l.groupMessage(ctx, bot, e))
		}
		return past, err
	}
	events, err := bot.GetFriendMsgHistory(ctx, peer, 0, n)
	for _, e := range events {
		if m, ok := l.privateMessage(ctx, bot, e); ok || m.Own {
			m.Chat = chat // what the account itself said may not tell to whom
			past = append(past, m)
		}
	}
	return past, err
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
	return strconv.FormatInt(n, 10)
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
