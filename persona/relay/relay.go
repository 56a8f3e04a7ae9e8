package relay

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An Event is something that the platform reported to an account.
type Event struct {
	Key  string // of the event within its account; an event whose key waits already is not stored again
	Chat string // events of one chat are handled in order; "" for those without a chat
	Body []byte // of any format

	// Message says that the bot stores the event by one Put of a record of the kind message. A relay may then remove the event
	// in the transaction of that Put. All other events are removed after their handler has returned.
	Message bool
}

// A Gateway is the side of a relay where the accounts have their connections. All methods may be called concurrently.
type Gateway interface {
	// Publish stores an event of an account until it is handled. If it fails, repeat it with the same key. It needs no Attach, so that
	// an event may arrive without a connection, such as by a webhook.
	Publish(ctx context.Context, account string, e Event) error
	// Attach makes this process the one that calls actions of the account, at once, also if another process is it: the newest
	// connection wins. The owner is told that the account is connected.
	Attach(ctx context.Context, account string) (Attachment, error)
}

// An Attachment is the connection of an account, as others see it.
type Attachment interface {
	// Serve passes each call to handle, on a goroutine of its own, and stores the answer. The context of a call ends when nobody
	// waits for the answer any more. Serve returns when all calls have returned: nil when ctx has ended, and [ErrReplaced] when
	// there is a newer attachment. Call it once.
	Serve(ctx context.Context, handle func(ctx context.Context, body []byte) (answer []byte)) error
	// Close tells the owner that the account is not connected any more, unless there is a newer attachment.
	Close(ctx context.Context) error
}

// A Link is the state of an account's connection.
type Link struct {
	Connected bool
	Gateway   string // the process that has the connection
	Epoch     int64  // grows with each connection
}

// A Handler handles what comes to an account. Events of one chat are passed in order, and those of different chats concurrently.
type Handler struct {
	// Event handles an event. After an error it is called again for the same event, after a pause.
	Event func(ctx context.Context, e Event) error
	// Link is called when Run begins, and when the account was connected or disconnected. It is called in order and must return
	// soon.
	Link func(l Link)
}

// An Owner is the process that runs the bot of an account. All methods may be called concurrently, but Run only once at a time.
type Owner interface {
	// Run passes events to h until ctx ends, and returns nil when all handlers have returned. An event that was not handled is
	// passed again to the next Run, also in another process. It returns [ErrFenced] if this process is not the owner any more.
	Run(ctx context.Context, h Handler) error
	// Call passes a call to the gateway and returns its answer. A call without an answer matches exactly one of
	// [ErrNotCalled] and [ErrUnclear], and possibly the error of ctx. ctx needs a deadline.
	Call(ctx context.Context, body []byte) (answer []byte, err error)
	// Link returns the last state that Run has seen.
	Link() Link
}

// Errors for callers that branch.
var (
	// ErrNotCalled: the gateway surely did not see the call and never will.
	ErrNotCalled = errors.New("relay: not called")
	// ErrUnclear: the gateway took the call and did not answer. Never repeat a call with a visible effect.
	ErrUnclear = errors.New("relay: no answer, it may have been called")
	// ErrDisconnected: no gateway has the account. A call matches ErrNotCalled, too.
	ErrDisconnected = errors.New("relay: the account is not connected")
	// ErrFenced: another process is the owner now. A call matches ErrNotCalled, too.
	ErrFenced = errors.New("relay: another process owns the bot")
	// ErrReplaced: another gateway has the account now.
	ErrReplaced = errors.New("relay: a newer connection has the account")
	// ErrTooLarge: the body is too large. A call matches ErrNotCalled, too.
	ErrTooLarge = errors.New("relay: the body is too large")
)

// because returns an error that matches err and, if there is one, its cause.
func because(err, cause error) error {
	if cause == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// Limits of all relays.
const (
	MaxEvent = 8 << 20  // bytes of an event
	MaxCall  = 64 << 20 // bytes of a call or an answer; a picture in base64 is such a call
)

// MinRetry and MaxRetry limit the pause before an event is passed again. It doubles each time.
const (
	MinRetry = 100 * time.Millisecond
	MaxRetry = 10 * time.Second
)
