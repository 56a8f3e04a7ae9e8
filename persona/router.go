package persona

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// OwnerSession is the session between the owner and the bot in agent mode.
const OwnerSession = "session_master"

// A Router holds the owners and admins, and tracks the presence of an owner. The zero Router has no owner. Set the
// fields before the first use. The methods may be called concurrently.
type Router struct {
	Owners          []Account
	Admins          []Account     // people with fewer rights than the owners
	PresenceTimeout time.Duration // an owner counts as present for this long after a message; 0 means 10 minutes

	mu          sync.Mutex
	lastMessage map[Chat]time.Time // time of an owner's last message
	openApps    int                // open connections of the owner's app
}

// IsOwner reports whether a is an owner's account. It is false if Platform or ID is empty.
func (r *Router) IsOwner(a Account) bool {
	return a.Platform != "" && a.ID != "" && slices.Contains(r.Owners, a)
}

// IsOwnersChat reports whether c is the private chat with an owner's account.
func (r *Router) IsOwnersChat(c Chat) bool {
	return c.Kind == Private && r.IsOwner(Account{c.Platform, c.ID})
}

// IsAdmin reports whether a is an admin or an owner.
func (r *Router) IsAdmin(a Account) bool {
	return r.IsOwner(a) || a.Platform != "" && a.ID != "" && slices.Contains(r.Admins, a)
}

// Observe updates the owner's presence from a message. It ignores messages of other people.
func (r *Router) Observe(now time.Time, m Message) {
	if m.Own || !r.IsOwner(Account{m.Chat.Platform, m.From}) {
		return
	}
	at := m.At
	if at.IsZero() || at.After(now) {
		at = now // a platform's clock may be ahead of ours
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lastMessage == nil {
		r.lastMessage = make(map[Chat]time.Time)
	}
	if at.After(r.lastMessage[m.Chat]) {
		r.lastMessage[m.Chat] = at
	}
}

// AppOpened counts a new connection of the owner's app. Call closed when the connection ends. Further calls of closed
// do nothing.
func (r *Router) AppOpened() (closed func()) {
	r.mu.Lock()
	r.openApps++
	r.mu.Unlock()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		r.openApps--
		r.mu.Unlock()
	})
}

// OwnerInChat reports whether an owner is present in c by a message there, whether or not an app is connected. An owner
// who has the app open does not read all chats.
func (r *Router) OwnerInChat(now time.Time, c Chat) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inChat(now, c)
}

// inChat is OwnerInChat. r.mu must be held.
func (r *Router) inChat(now time.Time, c Chat) bool {
	at, ok := r.lastMessage[c]
	return ok && now.Sub(at) < cmp.Or(r.PresenceTimeout, 10*time.Minute)
}

// OwnerPresent reports whether an owner is present in c. An owner is present for the time [Router.PresenceTimeout] after each
// message there, and in all chats while the owner's app is connected.
func (r *Router) OwnerPresent(now time.Time, c Chat) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.openApps > 0 || r.inChat(now, c)
}
