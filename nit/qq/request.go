package qq

import (
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type shownKey struct{}

// WithRequests says which requests a turn is shown. Through a view of another mode than the agent's these are the only
// ones that can be answered, by calls with this ctx.
func WithRequests(ctx context.Context, shown ...persona.Request) context.Context {
	return context.WithValue(ctx, shownKey{}, slices.Clone(shown))
}

// mayAnswer reports whether a call may answer the request: the turn was shown it, and it is of that kind.
func mayAnswer(ctx context.Context, flag nit.ID, kind string) bool {
	if p, _ := nit.PrincipalFrom(ctx); everywhere(p) {
		return true
	}
	shown, _ := ctx.Value(shownKey{}).([]persona.Request)
	return slices.ContainsFunc(shown, func(r persona.Request) bool { return r.ID == string(flag) && r.Kind == kind })
}

// How many requests are remembered, the newest.
const maxRequests = 64

// PendingRequests remembers requests that were heard and not answered yet, so that the owner can be asked about them. The
// zero value is empty and ready. It lives in memory: after a restart the platform's own list is all there is. All
// methods may be called concurrently.
type PendingRequests struct {
	mu   sync.Mutex
	list []persona.Request // as they came
}

// Add remembers a friend request or an invitation into a group, and passes over what cannot be answered here.
func (r *PendingRequests) Add(req persona.Request) {
	invite := req.Kind == persona.GroupInvite && req.Group != ""
	if req.ID == "" || !invite && req.Kind != persona.FriendRequest {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(req.ID)
	r.list = append(r.list, req)
	if n := len(r.list) - maxRequests; n > 0 {
		r.list = slices.Delete(r.list, 0, n)
	}
}

// List gives what is remembered, oldest first.
func (r *PendingRequests) List() []persona.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *PendingRequests) forget(flag string) {
	r.list = slices.DeleteFunc(r.list, func(old persona.Request) bool { return old.ID == flag })
}

// Remove forgets a request that was answered, by whatever way. r may be nil.
func (r *PendingRequests) Remove(flag string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(flag)
}
