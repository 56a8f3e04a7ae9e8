package qq

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
	"github.com/hearth-bot/hearth/onebot"
)

// Account is what the tools need of an account besides speaking. *onebot.Bot is one.
type Account interface {
	GetStrangerInfo(ctx context.Context, userID int64, noCache bool) (onebot.StrangerInfo, error)
	GetFriendList(ctx context.Context) ([]onebot.Friend, error)
	GetGroupList(ctx context.Context) ([]onebot.GroupInfo, error)
	GetGroupMemberList(ctx context.Context, groupID int64) ([]onebot.GroupMember, error)
	GetGroupMsgHistory(ctx context.Context, groupID, seq int64, count int) ([]*onebot.GroupMessage, error)

	GroupPoke(ctx context.Context, groupID, userID int64) error
	FriendPoke(ctx context.Context, userID int64) error
	SetFriendAddRequest(ctx context.Context, flag string, approve bool, remark string) error
	SetGroupAddRequest(ctx context.Context, flag, subType string, approve bool, reason string) error
	DeleteFriend(ctx context.Context, userID int64, block bool) error

	DeleteMsg(ctx context.Context, messageID int64) error
	SetGroupBan(ctx context.Context, groupID, userID int64, d time.Duration) error
	SetGroupKick(ctx context.Context, groupID, userID int64, refuse bool) error
	SetGroupCard(ctx context.Context, groupID, userID int64, card string) error
}

// Mouth says something, and commits to it first. target is "group_123" or "user_987", and empty for the session of
// the turn. id is the message's. An error that is onebot.ErrUnclear means that it may have been said.
type Mouth interface {
	Say(ctx context.Context, target string, m onebot.Message) (id string, err error)
}

// Options of the tools. The zero value is ready.
type Options struct {
	MaxText int // characters that one qq_send_text may have; 0 means 3000

	// Images is where the pictures of qq_send_image lie; nothing outside of it is ever read. It stays the caller's to
	// close. Nil: there is no qq_send_image.
	Images   *os.Root
	MaxImage int64 // bytes of a picture; 0 means 10 MiB
	// ImageURLs lets the agent's mode send pictures of the public internet, too, which are fetched here: addresses
	// inside, other ports than 80 and 443 and what is no picture are refused. Without Images it does nothing.
	ImageURLs bool

	// Requests is where requests are remembered that were heard, for qq_get_requests. Nil: there is no such tool.
	Requests *Requests

	Location *time.Location // of times that are shown; nil means time.Local
}

// A kit is what tools are made of.
type kit struct {
	account Account
	mouth   Mouth
	o       Options
	fetch   func(ctx context.Context, url string) (fetch.File, error) // nil without ImageURLs
}

// Tools makes the tools, all in tier L1.
func Tools(account Account, mouth Mouth, o *Options) ([]nit.Tool, error) {
	if account == nil || mouth == nil {
		return nil, errors.New("qq: tools need an account and a mouth")
	}
	k := &kit{account: account, mouth: mouth}
	if o != nil {
		k.o = *o
	}
	if err := k.prepare(); err != nil {
		return nil, err
	}
	return k.tools()
}

func (k *kit) prepare() error {
	o := &k.o
	if o.MaxText < 0 || o.MaxImage < 0 {
		return errors.New("qq: MaxText or MaxImage is negative")
	}
	if o.MaxText == 0 {
		o.MaxText = 3000
	}
	if o.MaxImage == 0 {
		o.MaxImage = 10 << 20
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.ImageURLs {
		web, err := fetch.New(&fetch.Options{MaxBytes: o.MaxImage})
		if err != nil {
			return err
		}
		k.fetch = web.Get
	}
	return nil
}

func (k *kit) tools() ([]nit.Tool, error) {
	define := []func() (nit.Tool, error){
		k.sendText, k.poke, k.strangerInfo, k.handleFriendRequest, k.handleGroupInvite, k.deleteFriend,
		k.findTarget, k.friendList, k.groupList, k.memberList, k.groupHistory, k.deleteMessage, k.kick, k.ban, k.card,
	}
	if k.o.Images != nil {
		define = append(define, k.sendImage)
	}
	if k.o.Requests != nil {
		define = append(define, k.requests)
	}
	return described.Tools(define...)
}

// agentOnly are the options of what only the agent's mode has.
func agentOnly(more ...nit.Option) []nit.Option {
	return append(more, nit.At(nit.L1), nit.Only(nit.ModeAgent))
}

// explain tells the model that what it wanted did not happen, or may have; the cause stays with the log.
func explain(failed, unclear string, err error) error {
	if errors.Is(err, onebot.ErrUnclear) || errors.Is(err, onebot.ErrTimeout) {
		failed = unclear
	}
	return errors.Join(nit.Tell(failed), err)
}

// tellf is [nit.Tell] with a format.
func tellf(format string, args ...any) error { return nit.Tell(fmt.Sprintf(format, args...)) }
