package engine

import (
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// A Chat is what the engine keeps in memory of one chat while it runs.
type Chat struct {
	ID persona.Chat
	Scope
	Off     bool
	Public  bool // everybody may read what is said here
	Banned  *heartflow.Filter
	Hearing Latch // held while a message is perceived: live ones and back-filled ones take turns
	Turn    Latch // held by the turn in flight
	door    Latch // held by a turn, of no wake, from before a talk gives way to it until it has the mind
	Wakes   Latch // held by the wake that is the next such turn
	tongue  Latch // held from the wait for the limiter until the send has its result

	mu      sync.Mutex
	name    string // the chat's own name
	seen    sightings
	current *Turn // the one in flight

	thinks *Turn // a talk of the background in flight that gives way
	enters bool  // a turn, of no wake, waits for mind
	called bool  // somebody waits for that turn, or for one that comes after it

	thought   string          // the latest one about this chat
	thoughtOf []string        // the messages that it was made of
	deeds     []prompt.Action // the last, oldest first

}

func newRoom(chat persona.Chat, s Scope) *Chat {
	return &Chat{ID: chat, Scope: s, Hearing: NewLatch(), Turn: NewLatch(), door: NewLatch(), Wakes: NewLatch(), tongue: NewLatch(), seen: newSightings()}
}

func (r *Chat) entitle(name string) {
	if name == "" {
		return
	}
	r.mu.Lock()
	r.name = name
	r.mu.Unlock()
}

// Title is the chat's own name; "" when it is unknown.
func (r *Chat) Title() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name
}

// Thought is the latest one about the chat, of a turn that thinks before it answers, with the messages that it was made of.
func (r *Chat) Thought() (text string, sources []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.thought, r.thoughtOf
}

// censor reports that a message must not be heard, for its text. A banned name or quote is taken out of a message that
// may be: neither reaches a prompt.
func (r *Chat) censor(m *persona.Message) (banned bool) {
	if r.Banned == nil || m.Own {
		return false
	}
	if _, bad := r.Banned.Banned(m.Name); bad {
		m.Name = ""
	}
	if m.Quote != nil {
		_, text := r.Banned.Banned(m.Quote.Text)
		_, name := r.Banned.Banned(m.Quote.Name)
		if text || name {
			m.Quote = nil
		}
	}
	_, banned = r.Banned.Banned(m.Text)
	return banned
}

// confirmed reports whether the platform gave this id for another send.
func (r *Chat) confirmed(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen.own[key].confirmed
}
