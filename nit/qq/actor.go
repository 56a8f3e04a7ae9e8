package qq

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// An Actor is an account, as far as the tools act through it. A nil function is something that its platform cannot do: the
// tools that need it are left out. Ids are the platform's, as text. The functions may be called concurrently if tools are.
//
// An error that matches [ErrUnclear] means that it may have been done all the same.
type Actor struct {
	// Send sends a message, and commits to it first: limits, freshness and the outbox hold for tools as for replies.
	Send        func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
	EncodeImage func(picture []byte) (image string, err error) // what the Image of a persona.Out is for a picture
	Poke        func(ctx context.Context, chat persona.Chat, user string) error

	Profile func(ctx context.Context, user string) (User, error)
	Friends func(ctx context.Context) ([]User, error)
	Groups  func(ctx context.Context) ([]Group, error)
	Members func(ctx context.Context, group string) ([]User, error)
	// History returns up to n of the newest messages of a group, oldest first.
	History func(ctx context.Context, group string, n int) ([]persona.Message, error)

	AnswerFriend func(ctx context.Context, flag string, approve bool, remark string) error
	AnswerInvite func(ctx context.Context, flag string, approve bool) error
	DeleteFriend func(ctx context.Context, user string) error

	// Recall takes a message back. The chat is that of the turn, and zero where it has none.
	Recall  func(ctx context.Context, chat persona.Chat, message string) error
	Kick    func(ctx context.Context, group, user string, refuse bool) error // refuse: may not ask to come back
	Mute    func(ctx context.Context, group, user string, d time.Duration) error
	SetCard func(ctx context.Context, group, user, card string) error
}

// ErrUnclear is matched by the error of an [Actor] whose outcome nobody knows: it may have been done, and is not to be
// repeated.
var ErrUnclear = errors.New("qq: it is unclear whether it was done")

// A User is somebody on the platform, as far as it is told: a friend has a remark, a member of a group a card and a role.
type User struct {
	ID, Nickname, Remark, Card, Role, Sex string
	Age                                   int64
}

// A Group is a group that the account is in.
type Group struct {
	ID, Name, Remark string
	MemberCount      int64 // how many; 0 when unknown
}

// A shownID is shown to the model as a number where it is one.
type shownID string

// MarshalJSON writes a number, or else a string.
func (id shownID) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10), nil
	}
	return json.Marshal(string(id))
}
