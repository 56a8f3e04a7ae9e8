package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// A Chat is the in-memory state of one chat.
type Chat struct {
	ID persona.Chat
	Scope
	ReceiveMu    Mutex // held while a message is journaled and queued, live or back-filled
	TurnMu       Mutex // held by the running turn
	queueMu      Mutex // held by a turn that answers, from before it preempts a background turn until it has the turn lock
	AutonomousMu Mutex // held by the next autonomous turn in line
	sendMu       Mutex // held from the wait for the rate limit until the result of a send is stored

	options atomic.Pointer[ChatOptions]

	requests requestLog // the last model calls about it

	mu     sync.Mutex
	name   string // the platform's name of the chat
	seen   seenMessages
	active *Turn // the running turn that answers

	acts      int       // pokes, reactions and the like since actsSince
	actsSince time.Time // begin of the minute that acts counts

	background  *Turn // the running background turn that can be preempted
	waiting     bool  // a turn that answers waits for the turn lock
	callerWaits bool  // a user waits for that turn, or for one after it

	actions      []prompt.Action // the last actions outside of a focus, oldest first
	historyStart time.Time       // time of the first message in the history of the last prompt; zero: none yet
	historyTurns int             // turns that this prompt could show
}

func newChat(chat persona.Chat, s Scope) *Chat {
	c := &Chat{ID: chat, Scope: s, ReceiveMu: NewMutex(), TurnMu: NewMutex(), queueMu: NewMutex(), AutonomousMu: NewMutex(), sendMu: NewMutex(), seen: newSeenMessages()}
	c.options.Store(&ChatOptions{})
	return c
}

// Off reports whether the bot ignores the chat.
func (c *Chat) Off() bool { return c.options.Load().Off }

// Public reports whether everybody may read the chat.
func (c *Chat) Public() bool { return c.options.Load().Public }

// Banned returns the filter of the chat. Nil bans nothing.
func (c *Chat) Banned() *heartflow.Filter { return c.options.Load().Banned }

func (c *Chat) setName(name string) {
	if name == "" {
		return
	}
	c.mu.Lock()
	c.name = name
	c.mu.Unlock()
}

// Name returns the platform's name of the chat, or "" if unknown.
func (c *Chat) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// filter reports whether the filter bans a message. From an allowed message it removes a banned name or quote, so
// that neither reaches a prompt.
func (c *Chat) filter(m *persona.Message) (banned bool) { return Filter(c.Banned(), m) }

// Filter is [Chat.filter] with another filter. Nil bans nothing.
func Filter(words *heartflow.Filter, m *persona.Message) (banned bool) {
	if words == nil || m.Own {
		return false
	}
	if _, bad := words.Banned(m.Name); bad {
		m.Name = ""
	}
	if m.Quote != nil {
		_, text := words.Banned(m.Quote.Text)
		_, name := words.Banned(m.Quote.Name)
		if text || name {
			m.Quote = nil
		}
	}
	_, banned = words.Banned(m.Text)
	return banned
}

// isConfirmed reports whether the platform returned this id for another send.
func (c *Chat) isConfirmed(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.own[key].confirmed
}
