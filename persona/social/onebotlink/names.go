package onebotlink

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// Limits of the cache of names.
const (
	maxNames  = 10_000
	nameBytes = 256
)

// A nameCache holds the names that people use in each chat, from their messages. The zero Chat holds names for all
// chats.
type nameCache struct {
	mu    sync.Mutex
	known map[nameKey]string
}

type nameKey struct {
	chat persona.Chat
	id   int64
}

func newNameCache() *nameCache { return &nameCache{known: map[nameKey]string{}} }

func (n *nameCache) add(chat persona.Chat, id int64, name string) {
	if id == 0 || name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxNames {
		for k := range n.known { // evict any name: the person's next message adds it again
			delete(n.known, k)
			break
		}
	}
	n.known[nameKey{chat, id}] = strings.ToValidUTF8(name[:min(len(name), nameBytes)], "")
}

// lookup returns a function that finds names for one chat.
func (n *nameCache) lookup(chat persona.Chat) func(id int64) string {
	return func(id int64) string {
		n.mu.Lock()
		defer n.mu.Unlock()
		if name := n.known[nameKey{chat, id}]; name != "" {
			return name
		}
		return n.known[nameKey{id: id}]
	}
}

// Lifetimes of an answer about a name, and of a failed request for one.
const (
	nameTTL        = time.Hour
	nameRetryAfter = time.Minute
)

// A cachedName is a name that the implementation was asked for.
type cachedName struct {
	name    string
	expires time.Time     // time of the next request
	pending chan struct{} // closed after the current request; nil: none
}

// selfName returns the name of the account, so that mentions of it read well, or "" if unknown.
func (l *link) selfName(ctx context.Context, bot *onebot.Bot) string {
	return l.cached(ctx, 0, func(ctx context.Context) (string, error) {
		info, err := bot.GetLoginInfo(ctx)
		return info.Nickname, err
	})
}

// groupName returns the name of a group, for implementations that do not send it with messages.
func (l *link) groupName(ctx context.Context, bot *onebot.Bot, groupID int64) string {
	return l.cached(ctx, groupID, func(ctx context.Context) (string, error) {
		info, err := bot.GetGroupInfo(ctx, groupID, false)
		return info.Name, err
	})
}

// cached returns the cached name under key. If it has expired, it asks for the name again, for 2 s at most.
func (l *link) cached(ctx context.Context, key int64, name func(context.Context) (string, error)) string {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.groups[key]
	if known.pending != nil { // another goroutine asks
		l.mu.Unlock()
		select {
		case <-known.pending:
		case <-ctx.Done():
		}
		l.mu.Lock()
		return l.groups[key].name
	}
	if now.Before(known.expires) {
		return known.name
	}
	known.pending = make(chan struct{})
	l.groups[key] = known
	l.mu.Unlock()

	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	fresh, err := name(ctx)
	stop()

	l.mu.Lock()
	close(known.pending)
	known.pending, known.expires = nil, now.Add(nameRetryAfter)
	if err == nil && fresh != "" {
		known.name, known.expires = fresh, now.Add(nameTTL)
	}
	l.groups[key] = known
	return known.name
}
