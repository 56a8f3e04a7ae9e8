package qq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

// Options of the tools. A negative number is an error.
type Options struct {
	MaxTextChars int // characters that one qq_send_text may have; 0 means 3000

	// Images is where the pictures of qq_send_image lie; nothing outside of it is ever read. It stays the caller's to
	// close. Nil: there is no qq_send_image.
	Images        *os.Root
	MaxImageBytes int64 // bytes of a picture; 0 means 10 MiB
	// AllowImageURLs lets the agent's mode send pictures of the public internet, too, which are fetched here: addresses
	// inside, other ports than 80 and 443 and what is no picture are refused. Without Images it does nothing.
	AllowImageURLs bool

	// Requests is where requests are remembered that were heard, for qq_get_requests. Nil: there is no such tool.
	Requests *PendingRequests

	Location *time.Location // of times that are shown; nil means time.Local
}

// A kit is what tools are made of.
type kit struct {
	actor Actor
	o     Options
	fetch func(ctx context.Context, url string) (fetch.File, error) // nil without ImageURLs
}

// Tools makes the tools for what the actor can do, all in tier L1.
func Tools(actor Actor, o Options) ([]nit.Tool, error) {
	k := &kit{actor: actor, o: o}
	if err := k.prepare(); err != nil {
		return nil, err
	}
	return k.tools()
}

func (k *kit) prepare() error {
	o := &k.o
	if o.MaxTextChars < 0 || o.MaxImageBytes < 0 {
		return errors.New("qq: MaxText or MaxImage is negative")
	}
	o.MaxTextChars, o.MaxImageBytes = cmp.Or(o.MaxTextChars, 3000), cmp.Or(o.MaxImageBytes, 10<<20)
	o.Location = cmp.Or(o.Location, time.Local)
	if o.AllowImageURLs {
		web, err := fetch.New(fetch.Options{MaxBytes: o.MaxImageBytes})
		if err != nil {
			return err
		}
		k.fetch = web.Get
	}
	return nil
}

func (k *kit) tools() ([]nit.Tool, error) {
	a := k.actor
	var define []func() (nit.Tool, error)
	for _, t := range []struct {
		can    bool
		define func() (nit.Tool, error)
	}{
		{a.Send != nil, k.sendText}, {a.Poke != nil, k.poke}, {a.Profile != nil, k.strangerInfo},
		{a.AnswerFriend != nil, k.handleFriendRequest}, {a.AnswerInvite != nil, k.handleGroupInvite}, {a.DeleteFriend != nil, k.deleteFriend},
		{a.Friends != nil || a.Groups != nil, k.findTarget}, {a.Friends != nil, k.friendList}, {a.Groups != nil, k.groupList},
		{a.Members != nil, k.memberList}, {a.History != nil, k.groupHistory}, {a.Recall != nil, k.deleteMessage},
		{a.Kick != nil, k.kick}, {a.Mute != nil, k.ban}, {a.SetCard != nil, k.card},
		{a.Send != nil && a.EncodeImage != nil && k.o.Images != nil, k.sendImage}, {k.o.Requests != nil, k.requests},
	} {
		if t.can {
			define = append(define, t.define)
		}
	}
	if len(define) == 0 {
		return nil, errors.New("qq: the actor can do nothing")
	}
	return described.Tools(define...)
}

// The words with which people order what the tools do. Those of answers to requests are of approving alone: who refuses one
// person must not be taken to have named the approval of that person.
var (
	sendWords     = []string{"发", "说", "讲", "告诉", "转告", "转达", "通知", "提醒", "问", "回复", "send", "tell", "say", "ask", "notify", "remind", "reply"}
	pokeWords     = []string{"戳", "poke", "nudge"}
	approveWords  = []string{"同意", "通过", "接受", "答应", "加上", "加一下", "approve", "accept"}
	unfriendWords = []string{"删", "delete", "remove", "unfriend"}
	unsayWords    = []string{"撤回", "删", "recall", "delete", "unsend"}
	kickWords     = []string{"踢", "移出", "移除", "请出", "kick", "remove"}
	banWords      = []string{"禁言", "解禁", "ban", "unban", "mute", "unmute"}
	cardWords     = []string{"名片", "改名", "card", "rename"}
)

// others are the options of what gives names or texts that others wrote.
func others(more ...nit.Option) []nit.Option {
	return append(more, nit.ReadOnly(), nit.ResultIntegrity(nit.Untrusted), nit.RevokesAfterUse(nit.L3))
}

// agentOnly are the options of what only the agent's mode has.
func agentOnly(more ...nit.Option) []nit.Option {
	return append(more, nit.OnlyIn(nit.ModeAgent))
}

// explain tells the model that what it wanted did not happen, or may have; the cause stays with the log.
func explain(failed, unclear string, err error) error {
	if errors.Is(err, ErrUnclear) {
		failed = unclear
	}
	return errors.Join(nit.ModelError(failed), err)
}

// tellf is [nit.ModelError] with a format.
func tellf(format string, args ...any) error { return nit.ModelError(fmt.Sprintf(format, args...)) }
