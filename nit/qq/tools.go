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
	"github.com/hearth-bot/hearth/persona"
)

// Options of the tools. A negative number is an error.
type Options struct {
	MaxTextChars int // characters of one qq_send_text; 0 means 3000

	// Images is the directory of pictures for qq_send_image. No other file is ever read. The caller closes it. Nil:
	// there is no qq_send_image.
	Images        *os.Root
	MaxImageBytes int64 // bytes of a picture; 0 means 10 MiB
	// AllowImageURLs allows picture URLs in agent mode. Pictures are downloaded from public addresses on ports 80 and 443
	// only. It needs Images.
	AllowImageURLs bool

	// Files is the directory of files for qq_send_file. No other file is ever read. The caller closes it. Nil: there is
	// no qq_send_file.
	Files        *os.Root
	MaxFileBytes int64 // bytes of a file; 0 means 30 MiB

	Voice persona.Voicer // speaks the texts of qq_send_voice; nil: there is no such tool

	// Requests has the requests for qq_get_requests. Nil: there is no such tool.
	Requests *PendingRequests

	Location *time.Location // for displayed times; nil means time.Local
}

// toolkit implements the tools.
type toolkit struct {
	actor Actor
	o     Options
	fetch func(ctx context.Context, url string) (fetch.File, error) // nil unless URLs are allowed
}

// Tools returns the tools that the actor supports, all in tier L1. It fails if the actor supports none.
func Tools(actor Actor, o Options) ([]nit.Tool, error) {
	k := &toolkit{actor: actor, o: o}
	if err := k.prepare(); err != nil {
		return nil, err
	}
	return k.tools()
}

func (k *toolkit) prepare() error {
	o := &k.o
	if o.MaxTextChars < 0 || o.MaxImageBytes < 0 || o.MaxFileBytes < 0 {
		return errors.New("qq: MaxTextChars, MaxImageBytes or MaxFileBytes is negative")
	}
	o.MaxTextChars, o.MaxImageBytes = cmp.Or(o.MaxTextChars, 3000), cmp.Or(o.MaxImageBytes, 10<<20)
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, 30<<20)
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

func (k *toolkit) tools() ([]nit.Tool, error) {
	a, g, f := k.actor, groupTools{k}, fileTools{k}
	var define []func() (nit.Tool, error)
	for _, t := range []struct {
		can    bool
		define func() (nit.Tool, error)
	}{
		{a.Send != nil, k.sendText}, {a.Poke != nil, k.poke}, {a.Profile != nil, k.strangerInfo},
		{a.Send != nil && a.CheckMessage != nil && len(a.Faces) > 0, k.react}, {a.Send != nil && a.Self != nil, k.sendForward},
		{a.Send != nil && k.o.Voice != nil, k.sendVoice},
		{a.AnswerFriend != nil, k.handleFriendRequest}, {a.AnswerInvite != nil, k.handleGroupInvite}, {a.DeleteFriend != nil, k.deleteFriend},
		{a.Friends != nil || a.Groups != nil, k.findTarget}, {a.Friends != nil, k.friendList}, {a.Groups != nil, k.groupList},
		{a.Members != nil, k.memberList}, {a.History != nil, g.groupHistory}, {a.Recall != nil, k.deleteMessage},
		{a.Kick != nil, k.kick}, {a.Mute != nil, k.ban}, {a.SetCard != nil, k.card},
		{a.SetTitle != nil, g.title}, {a.SignIn != nil, g.sign}, {a.SetEssence != nil, g.essence}, {a.Essence != nil, g.essenceList},
		{a.Announce != nil, g.sendAnnouncement}, {a.Announcements != nil, g.announcements}, {a.Files != nil, f.groupFiles},
		{a.FileURL != nil, f.fileURL}, {a.Send != nil && k.o.Files != nil, f.sendFile},
		{a.Send != nil && a.EncodeImage != nil && k.o.Images != nil, k.sendImage}, {k.o.Requests != nil, k.requests},
	} {
		if t.can {
			define = append(define, t.define)
		}
	}
	if len(define) == 0 {
		return nil, errors.New("qq: the actor has no functions for any tool")
	}
	return described.Tools(define...)
}

// Words that people use to request the actions. For requests these are words of approval only, so that refusing one
// person never counts as approving another.
var (
	sendWords     = []string{"发", "说", "讲", "告诉", "转告", "转达", "通知", "提醒", "问", "回复", "send", "tell", "say", "ask", "notify", "remind", "reply"}
	reactWords    = []string{"贴", "回应", "表情", "点赞", "react"}
	pokeWords     = []string{"戳", "poke", "nudge"}
	approveWords  = []string{"同意", "通过", "接受", "答应", "加上", "加一下", "approve", "accept"}
	unfriendWords = []string{"删", "delete", "remove", "unfriend"}
	unsayWords    = []string{"撤回", "删", "recall", "delete", "unsend"}
	kickWords     = []string{"踢", "移出", "移除", "请出", "kick", "remove"}
	banWords      = []string{"禁言", "解禁", "ban", "unban", "mute", "unmute"}
	cardWords     = []string{"名片", "改名", "card", "rename"}
	titleWords    = []string{"头衔", "title"}
	signWords     = []string{"打卡", "签到", "sign in", "check in"}
	essenceWords  = []string{"精华", "essence"}
	announceWords = []string{"公告", "announce", "announcement"}
)

// readsUntrusted returns the options of tools whose results contain names or texts of others.
func readsUntrusted(more ...nit.Option) []nit.Option {
	return append(more, nit.ReadOnly(), nit.ResultIntegrity(nit.Untrusted), nit.RevokesAfterUse(nit.L3))
}

// agentOnly returns the options of tools for agent mode only.
func agentOnly(more ...nit.Option) []nit.Option {
	return append(more, nit.OnlyIn(nit.ModeAgent))
}

// failure returns an error that tells the model whether the action failed or is unclear. The cause is only logged.
func failure(failed, unclear string, err error) error {
	if errors.Is(err, ErrUnclear) {
		failed = unclear
	}
	return errors.Join(nit.ModelError(failed), err)
}

// modelErrorf is [nit.ModelError] with a format.
func modelErrorf(format string, args ...any) error {
	return nit.ModelError(fmt.Sprintf(format, args...))
}
