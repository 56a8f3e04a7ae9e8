package onebotlink

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A Source receives OneBot events. *onebot.Client (forward WebSocket) and *onebot.Server (reverse WebSocket) are
// Sources.
type Source interface {
	Run(ctx context.Context, h onebot.Handler) error
}

// A Limiter is the rate limit of an account. *onebot.Limiter is one, and so is the Limiter of a onebot/remote.Source.
type Limiter interface {
	Wait(ctx context.Context, chat string) error     // waits for permission to send to a chat, and takes it
	WaitPart(ctx context.Context, chat string) error // is like Wait for a further part of a reply
}

// Options configure a link. The zero value uses the first account that connects.
type Options struct {
	Self    int64      // id of the account to use, if a server has several; 0: the first that sends an event
	Bots    []int64    // ids of accounts that are bots: replies to them are capped. OneBot does not report this; nil: none
	Limiter Limiter    // rate limit of sends; nil: one message per 3 s and chat, one per 1 s in all
	Tools   qq.Options // of nit/qq; set Images to send pictures by tools. Requests is ignored: the link sets it
}

const platform = "qq"

type link struct {
	source   Source
	o        Options
	self     atomic.Int64
	bot      atomic.Pointer[onebot.Bot]
	account  *onebot.Bot                          // calls actions of bot, once there is one
	offline  atomic.Bool                          // the account was reported as logged out
	logout   atomic.Pointer[persona.Disconnected] // the last report; nil: none
	noTyping atomic.Bool                          // the implementation has no typing status

	byBeat     atomic.Bool // a heartbeat reported it
	wrongBeats atomic.Bool // messages came after such a heartbeat

	names    *nameCache
	requests qq.PendingRequests

	mu     sync.Mutex
	groups map[int64]cachedName // names of groups by id, and the account's own name under 0
}

// New returns a link over a OneBot client or server. It has the tools of nit/qq, waits for the rate limit, and reads
// chat histories if the implementation has get_group_msg_history. A nil o means the zero Options.
func New(source Source, o Options) social.Link {
	l := &link{source: source, o: o, groups: map[int64]cachedName{}, names: newNameCache()}
	l.o.Bots = slices.Clone(o.Bots)
	l.self.Store(o.Self)
	l.account = onebot.NewBot(lazyCaller{l}, 0)
	if given, ok := l.o.Limiter.(*onebot.Limiter); l.o.Limiter == nil || ok && given == nil {
		l.o.Limiter = onebot.NewLimiter(onebot.LimiterOptions{})
	}
	return l
}

// Features returns the features of OneBot v11, as far as the implementation has them.
func (l *link) Features() social.LinkFeatures {
	return social.LinkFeatures{
		WaitToSend:     func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.Wait(ctx, chat.String()) },
		WaitToSendPart: func(ctx context.Context, chat persona.Chat) error { return l.o.Limiter.WaitPart(ctx, chat.String()) },
		Typing:         l.typing, RecentMessages: l.recentMessages, MessageKey: key, AnswerRequest: l.answerRequest,
		Tools:  func(send social.SendFunc) ([]nit.Tool, error) { return qq.Tools(l.toolkit(send)) },
		Plugin: func(send social.SendFunc) (nit.Plugin, error) { return qq.Plugin(l.toolkit(send)) },
		Health: l.health, Online: l.online, Platform: platform, EncodeImage: encodeImage, OpenPart: l.openPart, Message: l.fetchMessage, Faces: faces(),
		Sends: persona.Sends{Face: true, Voice: true, File: true, Forward: true, Reaction: true, Poke: true},
	}
}

// Run receives events until ctx ends.
func (l *link) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	return l.source.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if !l.accept(bot) {
			return
		}
		if l.backOnline(e) {
			handle(ctx, persona.Connected{Self: personOf(bot.SelfID()), At: e.EventTime()})
		}
		event := l.translate(ctx, bot, e)
		if event != nil {
			handle(ctx, event)
		}
		if _, ok := event.(persona.Connected); !ok {
			return
		}
		for _, r := range l.missedRequests(ctx, bot) {
			if event := l.groupRequest(ctx, bot, r); event != nil {
				handle(ctx, event)
			}
		}
	})
}

// online reports whether the WebSocket is connected and the account is logged in.
func (l *link) online(string) bool {
	bot := l.bot.Load()
	if bot == nil || l.offline.Load() {
		return false
	}
	c, ok := bot.Caller.(interface{ Connected() bool }) // HTTP has no connection
	return !ok || c.Connected()
}

func personOf(n int64) persona.Account { return persona.Account{Platform: platform, ID: id(n)} }

// key normalizes message ids modulo 2³², because implementations write the same id as int32 or as uint32.
func key(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return s
	}
	return strconv.FormatUint(uint64(onebot.MessageKey(n)), 10)
}

// id returns a number as an id, and 0 as "".
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

// digits returns a number in decimal digits.
func digits(n int64) string { return strconv.FormatInt(n, 10) }

// numbers parses ids as the numbers of OneBot.
func numbers(ids ...string) (n []int64, err error) {
	n = make([]int64, len(ids))
	for i, id := range ids {
		if n[i], err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, fmt.Errorf("onebotlink: id %q: %w", id, err)
		}
	}
	return n, nil
}
