package qq

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

// A Request is somebody who wants to be a friend, or who invites the account into a group. Flag names it: whoever has
// the flag can answer the request.
type Request struct {
	Flag    string
	Group   int64 // of an invitation; 0 for a friend
	User    int64 // who asks
	Comment string
	At      time.Time
}

// RequestOf gives the request that an event is. ok is false for other events, also for those of people who want into a
// group.
func RequestOf(e onebot.Event) (r Request, ok bool) {
	switch e := e.(type) {
	case *onebot.FriendRequest:
		return Request{Flag: e.Flag, User: e.UserID, Comment: e.Comment, At: e.Time}, e.Flag != ""
	case *onebot.GroupRequest:
		return Request{Flag: e.Flag, Group: e.GroupID, User: e.UserID, Comment: e.Comment, At: e.Time}, e.Flag != "" && e.SubType == "invite" && e.GroupID != 0
	}
	return Request{}, false
}

type shownKey struct{}

// WithRequests says which requests a turn is shown. Through a view of another mode than the agent's these are the only
// ones that can be answered, by calls with this ctx.
func WithRequests(ctx context.Context, shown ...Request) context.Context {
	return context.WithValue(ctx, shownKey{}, slices.Clone(shown))
}

// mayAnswer reports whether a call may answer the request: the turn was shown it, and it is of that kind.
func mayAnswer(ctx context.Context, flag nit.ID, invite bool) bool {
	if p, _ := nit.PrincipalFrom(ctx); everywhere(p) {
		return true
	}
	shown, _ := ctx.Value(shownKey{}).([]Request)
	return slices.ContainsFunc(shown, func(r Request) bool { return r.Flag == string(flag) && invite == (r.Group != 0) })
}

// How many requests are remembered, the newest.
const maxRequests = 64

// Requests remembers requests that were heard and not answered yet, so that the owner can be asked about them. The
// zero value is empty and ready. It lives in memory: after a restart the platform's own list is all there is. All
// methods may be called concurrently.
type Requests struct {
	mu   sync.Mutex
	list []Request // as they came
}

// Heard remembers the request that an event is, and passes over others.
func (r *Requests) Heard(e onebot.Event) {
	req, ok := RequestOf(e)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(req.Flag)
	r.list = append(r.list, req)
	if n := len(r.list) - maxRequests; n > 0 {
		r.list = slices.Delete(r.list, 0, n)
	}
}

// Pending gives what is remembered, oldest first.
func (r *Requests) Pending() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *Requests) forget(flag string) {
	r.list = slices.DeleteFunc(r.list, func(old Request) bool { return old.Flag == flag })
}

// Answered forgets a request that was answered, by whatever way. r may be nil.
func (r *Requests) Answered(flag string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(flag)
}
