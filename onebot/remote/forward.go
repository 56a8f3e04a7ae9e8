package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/relay"
)

// forward stores an event in the relay. It returns when it is stored, so that the next event of the chat comes after it.
func (a *account) forward(ctx context.Context, e onebot.Event) {
	if a.skips(e) {
		return
	}
	body, err := encode(e)
	if err != nil {
		a.g.log.Warn("onebot/remote: an event is not passed on", "self_id", a.bot.SelfID(), "reason", err)
		return
	}
	event := relay.Event{Key: a.keys.of(e), Chat: onebot.Conversation(e), Body: body, Message: isMessage(e)}
	_ = a.retry(ctx, "the relay does not take an event", func() error {
		err := a.g.o.Relay.Publish(ctx, a.name, event)
		if errors.Is(err, relay.ErrTooLarge) {
			a.g.log.Warn("onebot/remote: an event is not passed on", "self_id", a.bot.SelfID(), "reason", err)
			return nil
		}
		return err
	})
}

// isMessage reports whether the only lasting effect of an event is a message in the memory of the bot.
func isMessage(e onebot.Event) bool {
	switch e.(type) {
	case *onebot.GroupMessage, *onebot.PrivateMessage, *onebot.Poke, *onebot.Reaction:
		return true
	}
	return false
}

// skips reports events that the Source makes itself, and heartbeats that say nothing new.
func (a *account) skips(e onebot.Event) bool {
	switch e := e.(type) {
	case *onebot.Lifecycle:
		return e.SubType == "connect"
	case *onebot.Heartbeat:
		return !a.beats.isNews(time.Now(), e.Online)
	}
	return false
}

// beats remembers the last heartbeat that was passed on.
type beats struct {
	mu     sync.Mutex
	known  bool
	online bool
	at     time.Time
}

// beatInterval is the time after which a heartbeat is passed on although it says nothing new.
const beatInterval = time.Minute

func (b *beats) isNews(now time.Time, online bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known && b.online == online && now.Sub(b.at) < beatInterval {
		return false
	}
	b.known, b.online, b.at = true, online, now
	return true
}

// keys names the events of an account.
type keys struct {
	prefix string
	serial *atomic.Uint64
}

func newKeys() keys { return keys{rand.Text(), new(atomic.Uint64)} }

// of returns the key of an event. A message has the same key on all connections. Each other event has a key of its own, because two
// pokes in the same second are equal.
func (k keys) of(e onebot.Event) string {
	switch m := e.(type) {
	case *onebot.GroupMessage:
		return fmt.Sprintf("group_%d/%d@%d", m.GroupID, onebot.MessageKey(m.MessageID), m.Time.Unix())
	case *onebot.PrivateMessage:
		return fmt.Sprintf("user_%d/%d@%d", m.PeerID(), onebot.MessageKey(m.MessageID), m.Time.Unix())
	}
	return k.prefix + "-" + strconv.FormatUint(k.serial.Add(1), 10)
}

// AccountName returns the name of an account in a relay, if [GatewayOptions].Account does not say otherwise: the decimal id.
func AccountName(selfID int64) string { return strconv.FormatInt(selfID, 10) }
