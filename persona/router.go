package persona

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// OwnerSession is the session in which the owner talks to the agent.
const OwnerSession = "session_master"

// A Router knows the owners, and whether one of them is there. The zero Router
// has no owner. Set the fields before its first use; the methods may then be called concurrently.
type Router struct {
	Owners          []Account
	Admins          []Account     // people whom the owners trust with less than all
	PresenceTimeout time.Duration // an owner who spoke in a chat counts as present for this long; 0 means 10 minutes

	mu    sync.Mutex
	spoke map[Chat]time.Time // when an owner last spoke
	apps  int                // windows of the owner that are open
}

// IsOwner reports whether the account is an owner's. A zero part is nobody's.
func (r *Router) IsOwner(a Account) bool {
	return a.Platform != "" && a.ID != "" && slices.Contains(r.Owners, a)
}

// IsAdmin reports whether the account is an admin's: an owner is one, too.
func (r *Router) IsAdmin(a Account) bool {
	return r.IsOwner(a) || a.Platform != "" && a.ID != "" && slices.Contains(r.Admins, a)
}

// Observe notes that an owner spoke, if the message is an owner's.
func (r *Router) Observe(now time.Time, m Message) {
	if m.Own || !r.IsOwner(Account{m.Chat.Platform, m.From}) {
		return
	}
	at := m.At
	if at.IsZero() || at.After(now) {
		at = now // a platform's clock may run ahead of ours
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spoke == nil {
		r.spoke = make(map[Chat]time.Time)
	}
	if at.After(r.spoke[m.Chat]) {
		r.spoke[m.Chat] = at
	}
}

// AppOpened notes that a window of the owner's is connected. Call closed when it is no longer; calling it again does
// nothing.
func (r *Router) AppOpened() (closed func()) {
	r.mu.Lock()
	r.apps++
	r.mu.Unlock()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		r.apps--
		r.mu.Unlock()
	})
}

// OwnerPresent reports whether an owner is there for this chat: one spoke in it within [Router.PresenceTimeout], or a window
// of the owner's is open.
func (r *Router) OwnerPresent(now time.Time, c Chat) bool {
	window := cmp.Or(r.PresenceTimeout, 10*time.Minute)
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.spoke[c]
	return r.apps > 0 || ok && now.Sub(at) < window
}
