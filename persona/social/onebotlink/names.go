package onebotlink

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// What is remembered of who is called how.
const (
	mostNames = 10_000
	nameBytes = 256
)

// names knows how people are called in a chat, from what they said there. The zero Chat holds what goes for all chats.
type names struct {
	mu    sync.Mutex
	known map[nameKey]string
}

type nameKey struct {
	chat persona.Chat
	id   int64
}

func newNames() *names { return &names{known: map[nameKey]string{}} }

func (n *names) learn(chat persona.Chat, id int64, name string) {
	if id == 0 || name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= mostNames {
		for k := range n.known { // any one: it is learned again when that person speaks
			delete(n.known, k)
			break
		}
	}
	n.known[nameKey{chat, id}] = strings.ToValidUTF8(name[:min(len(name), nameBytes)], "")
}

// of looks names up for one chat.
func (n *names) of(chat persona.Chat) func(id int64) string {
	return func(id int64) string {
		n.mu.Lock()
		defer n.mu.Unlock()
		if name := n.known[nameKey{chat, id}]; name != "" {
			return name
		}
		return n.known[nameKey{id: id}]
	}
}

// How long an answer about a name is good for, and a failure to get one.
const (
	askedGood = time.Hour
	askedBad  = time.Minute
)

// An asked is a name that the account was asked for.
type asked struct {
	name   string
	again  time.Time     // when it is asked again
	asking chan struct{} // closed when the answer is there; nil: nobody asks
}

// selfName is how the account is called, so that a mention of it reads well; empty when it does not say.
func (l *link) selfName(ctx context.Context, bot *onebot.Bot) string {
	return l.ask(ctx, 0, func(ctx context.Context) (string, error) {
		info, err := bot.GetLoginInfo(ctx)
		return info.Nickname, err
	})
}

// groupName is how a group is called, for implementations that do not send it along.
func (l *link) groupName(ctx context.Context, bot *onebot.Bot, groupID int64) string {
	return l.ask(ctx, groupID, func(ctx context.Context) (string, error) {
		info, err := bot.GetGroupInfo(ctx, groupID, false)
		return info.Name, err
	})
}

// ask gives the name that is known, or asks for it, once in a while.
func (l *link) ask(ctx context.Context, key int64, name func(context.Context) (string, error)) string {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.groups[key]
	if known.asking != nil { // one asks for all
		l.mu.Unlock()
		select {
		case <-known.asking:
		case <-ctx.Done():
		}
		l.mu.Lock()
		return l.groups[key].name
	}
	if now.Before(known.again) {
		return known.name
	}
	known.asking = make(chan struct{})
	l.groups[key] = known
	l.mu.Unlock()

	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	fresh, err := name(ctx)
	stop()

	l.mu.Lock()
	close(known.asking)
	known.asking, known.again = nil, now.Add(askedBad)
	if err == nil && fresh != "" {
		known.name, known.again = fresh, now.Add(askedGood)
	}
	l.groups[key] = known
	return known.name
}
