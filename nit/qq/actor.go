package qq

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// An Actor performs the actions of the tools on a platform. If a field is nil, the tools that need it are left out.
// Ids are platform ids as text. The functions may be called concurrently.
//
// An error that matches [ErrUnclear] means that the action may have happened.
type Actor struct {
	// Send commits to the message before it sends it, with the same rate limits, staleness checks and outbox as replies.
	Send        func(ctx context.Context, chat persona.Chat, out persona.Outgoing) (id string, err error)
	EncodeImage func(picture []byte) (image string, err error) // encodes a picture for persona.Out.Image
	Poke        func(ctx context.Context, chat persona.Chat, user string) error
	Faces       []persona.Face                          // faces for reactions, with different names
	Self        func(ctx context.Context) (User, error) // the account itself

	// CheckMessage fails unless the chat has the message. An id may be that of a message in another chat.
	CheckMessage func(ctx context.Context, chat persona.Chat, message string) error

	Profile func(ctx context.Context, user string) (User, error)
	Friends func(ctx context.Context) ([]User, error)
	Groups  func(ctx context.Context) ([]Group, error)
	Members func(ctx context.Context, group string) ([]User, error)
	// History returns up to n of the newest messages of a group, oldest first.
	History func(ctx context.Context, group string, n int) ([]persona.Message, error)

	AnswerFriend func(ctx context.Context, flag string, approve bool, remark string) error
	AnswerInvite func(ctx context.Context, flag string, approve bool) error
	DeleteFriend func(ctx context.Context, user string) error

	// Recall deletes a message. chat is the chat of the turn, or zero without one.
	Recall  func(ctx context.Context, chat persona.Chat, message string) error
	Kick    func(ctx context.Context, group, user string, refuse bool) error // refuse: reject later join requests
	Mute    func(ctx context.Context, group, user string, d time.Duration) error
	SetCard func(ctx context.Context, group, user, card string) error

	SetTitle   func(ctx context.Context, group, user, title string) error
	SignIn     func(ctx context.Context, group string) error             // the daily check-in, 打卡
	SetEssence func(ctx context.Context, message string, add bool) error // add to the essence messages (精华), or remove
	Essence    func(ctx context.Context, group string) ([]persona.Message, error)
	Announce   func(ctx context.Context, group, text string) error
	// Announcements returns messages without an ID.
	Announcements func(ctx context.Context, group string) ([]persona.Message, error)
	Files         func(ctx context.Context, group, folder string) ([]GroupFile, error) // folder "": the root
	FileURL       func(ctx context.Context, group, file string) (url string, err error)
}

// ErrUnclear marks an [Actor] error with an unknown outcome: the action may have happened, so do not retry it.
var ErrUnclear = errors.New("qq: the outcome is unclear")

// A User is a person on the platform. Friends have a remark, group members a card and a role.
type User struct {
	ID, Nickname, Remark, Card, Role, Sex string
	Age                                   int64
}

// A Group is a group that the account is a member of.
type Group struct {
	ID, Name, Remark string
	MemberCount      int64 // 0 if unknown
}

// A GroupFile is a file or a folder of a group.
type GroupFile struct {
	ID, Name string
	Folder   bool
	Size     int64     // in bytes; 0 if unknown
	Uploader string    // id of the user
	At       time.Time // zero if unknown
}

// A shownID is encoded as a number for the model, if it is one.
type shownID string

// MarshalJSON returns a number if possible, otherwise a string.
func (id shownID) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10), nil
	}
	return json.Marshal(string(id))
}
