package qq

import (
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type shownKey struct{}

// WithRequests sets the requests that a turn is shown. Outside agent mode, calls with this ctx can answer only these.
func WithRequests(ctx context.Context, shown ...persona.Request) context.Context {
	return context.WithValue(ctx, shownKey{}, slices.Clone(shown))
}

// mayAnswer reports whether a call may answer the request: in agent mode any, otherwise one of this kind that the turn
// was shown.
func mayAnswer(ctx context.Context, flag nit.ID, kind string) bool {
	if p, _ := nit.PrincipalFrom(ctx); isAgent(p) {
		return true
	}
	shown, _ := ctx.Value(shownKey{}).([]persona.Request)
	return slices.ContainsFunc(shown, func(r persona.Request) bool { return r.ID == string(flag) && r.Kind == kind })
}

// Maximum of stored requests; the newest are kept.
const maxRequests = 64

// PendingRequests stores friend requests and invitations until they are answered, so that the owner can decide. The zero value
// is empty and ready to use. It is not persistent. All methods may be called concurrently.
type PendingRequests struct {
	mu   sync.Mutex
	list []persona.Request // oldest first
}

// Add stores a friend request or a group invitation. It ignores other requests and those without an id.
func (r *PendingRequests) Add(req persona.Request) {
	invite := req.Kind == persona.GroupInvite && req.Group != ""
	if req.ID == "" || !invite && req.Kind != persona.FriendRequest {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(req.ID)
	r.list = append(r.list, req)
	if n := len(r.list) - maxRequests; n > 0 {
		r.list = slices.Delete(r.list, 0, n)
	}
}

// List returns the stored requests, oldest first.
func (r *PendingRequests) List() []persona.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *PendingRequests) drop(flag string) {
	r.list = slices.DeleteFunc(r.list, func(old persona.Request) bool { return old.ID == flag })
}

// Remove removes a request after it was answered in any way. r may be nil.
func (r *PendingRequests) Remove(flag string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(flag)
}
