package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/napcat"
	"golang.org/x/sync/errgroup"
)

const (
	callTime   = 10 * time.Second
	authPause  = 10 * time.Second // before a link is tried again that did not accept the token
	tendEvery  = 500 * time.Millisecond
	listsEvery = time.Minute
)

// An account is the QQ account: its link, who it is, which groups and friends it has.
type account struct {
	o      *options
	log    *slog.Logger
	rooms  *rooms
	client *onebot.Client
	web    *onebot.HTTPClient // nil: calls go over the link
	bot    *onebot.Bot
	napcat *napcat.Supervisor // nil: it runs by itself

	notify   func(chat)  // somebody said something there
	compress func(*room) // something may be to be summed up there

	noticing sync.Mutex    // held until all rooms wait for what a new link's history has
	links    atomic.Uint64 // that were noticed
	nudges   chan struct{} // to tend

	mu      sync.Mutex
	login   onebot.LoginInfo // zero until somebody is logged in
	asked   bool             // that link has told who is logged in
	online  bool
	refused string // why there will be no link: the token
	groups  []onebot.GroupInfo
	friends map[int64]onebot.Friend
}

// run keeps the link, and NapCat where it is ours, until ctx ends.
func (a *account) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	if a.napcat != nil {
		g.Go(func() error { a.supervise(ctx); return nil })
	}
	g.Go(func() error { a.connect(ctx); return nil })
	g.Go(func() error { a.tend(ctx); return nil })
	return g.Wait()
}

// supervise runs NapCat. Whatever becomes of it, the tools go on to answer.
func (a *account) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		if err := a.napcat.Run(ctx); err != nil {
			a.log.Error("NapCat cannot be run", "err", err)
			a.refuse("NapCat 启动不了：" + err.Error())
			_ = loop.Sleep(ctx, authPause)
		}
	}
}

// connect keeps the link to OneBot.
func (a *account) connect(ctx context.Context) {
	for ctx.Err() == nil {
		err := a.client.Run(ctx, a.handle)
		if err == nil {
			return
		}
		a.log.Error("no link to OneBot", "err", err, "again_in", authPause)
		if errors.Is(err, onebot.ErrAuth) {
			a.refuse("OneBot 不接受 token：检查 --token 或环境变量 ONEBOT_TOKEN")
		}
		_ = loop.Sleep(ctx, authPause)
	}
}

// noticeLink is called with each event: the first one over a new link makes all rooms wait for their history.
func (a *account) noticeLink() { a.notice(a.client.Stats().Links) }

// notice returns when all rooms wait, whoever made them: an event of another chat may come at the same time.
func (a *account) notice(links uint64) {
	if a.links.Load() >= links {
		return
	}
	a.noticing.Lock()
	defer a.noticing.Unlock()
	if a.links.Load() >= links {
		return
	}
	a.miss()
	a.mu.Lock()
	a.asked, a.refused = false, ""
	a.links.Store(links)
	a.mu.Unlock()
	a.wake()
}

// wake makes tend look.
func (a *account) wake() { nudge(a.nudges) }

// nudge puts a token into a channel that holds one at most.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tend asks who is logged in after each new link, fills rooms from the history, and keeps the lists fresh.
func (a *account) tend(ctx context.Context) {
	look := time.NewTicker(tendEvery)
	defer look.Stop()
	var listed time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.nudges:
		case <-look.C:
		}
		a.noticeLink()
		if a.links.Load() == 0 && a.web == nil {
			continue
		}
		if !a.known() {
			if !a.ask(ctx) {
				a.fill((*room).uncaught)
				a.rooms.tell()
				continue
			}
			listed = time.Time{}
		}
		if time.Since(listed) > listsEvery && a.list(ctx) {
			listed = time.Now()
		}
		round, giveUp := context.WithCancel(ctx)
		a.fill(func(r *room) {
			if !a.catchUp(round, r) { // nor will it answer for the others, who need not wait for that
				giveUp()
			}
		})
		giveUp()
	}
}

// fill does something for each room that waits for its history, for a few at a time.
func (a *account) fill(do func(*room)) {
	var g errgroup.Group
	g.SetLimit(4)
	for _, r := range a.rooms.list() {
		if r.waits() {
			g.Go(func() error { do(r); return nil })
		}
	}
	_ = g.Wait()
}

// known tells whether this link has told who is logged in.
func (a *account) known() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

// ask asks who is logged in.
func (a *account) ask(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	links := a.links.Load()
	who, err := a.bot.GetLoginInfo(ctx)
	if err != nil || who.UserID == 0 {
		a.log.Debug("nobody is logged in yet", "err", err)
		return false
	}
	if a.o.qq != 0 && who.UserID != a.o.qq {
		a.log.Error("another account is logged in", "is", who.UserID, "want", a.o.qq)
	} else {
		a.log.Info("logged in", "account", who.UserID, "nickname", who.Nickname)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.login, a.online = who, true
	a.asked = a.links.Load() == links // a link made meanwhile has still to be asked
	return true
}

// list asks for groups and friends, and opens the rooms of those that are allowed.
func (a *account) list(ctx context.Context) bool {
	if a.foreign(a.bot.SelfID()) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	groups, err := a.bot.GetGroupList(ctx)
	if err != nil {
		a.log.Warn("the list of groups did not come", "err", err)
		return false
	}
	friends := map[int64]onebot.Friend{}
	if len(a.o.friends) > 0 {
		list, err := a.bot.GetFriendList(ctx)
		if err != nil {
			a.log.Warn("the list of friends did not come", "err", err)
		}
		for _, f := range list {
			if a.o.friends[f.UserID] {
				friends[f.UserID] = f
			}
		}
	}
	a.mu.Lock()
	a.groups, a.friends = groups, friends
	a.mu.Unlock()
	for _, g := range groups {
		a.enter(chat{id: g.GroupID}, g.Name)
	}
	for id := range a.o.friends {
		f := friends[id]
		a.enter(chat{private: true, id: id}, cmp.Or(f.Remark, f.Nickname))
	}
	return true
}

// enter opens the room of a chat that is allowed.
func (a *account) enter(c chat, name string) {
	if !a.o.allowed(c) {
		return
	}
	r := a.rooms.open(c)
	a.rooms.name(c, line(visible(name), maxName))
	if r.lacks() {
		r.catch()
	}
}

// self is who is logged in.
func (a *account) self() (id int64, nickname string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.login.UserID, a.login.Nickname
}

// foreign tells whether something is of another account than the one that is wanted.
func (a *account) foreign(selfID int64) bool {
	return a.o.qq != 0 && selfID != 0 && selfID != a.o.qq
}

// setOnline tells whether the account is in QQ. What was said while it was not did not come, though the link stayed.
func (a *account) setOnline(online bool) {
	a.mu.Lock()
	back := online && !a.online
	a.online = online
	a.mu.Unlock()
	if back {
		a.miss()
	}
}

// miss makes all rooms wait for what the history has.
func (a *account) miss() {
	for _, r := range a.rooms.list() {
		r.catch()
	}
	a.wake()
}

func (a *account) refuse(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = why
}

// inGroup tells whether the account is in a group, or is said to be by a flag.
func (a *account) inGroup(id int64) bool {
	if a.o.groups[id] {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.groups, func(g onebot.GroupInfo) bool { return g.GroupID == id })
}

// groupList asks for the groups, and gives those of before when there is no answer.
func (a *account) groupList(ctx context.Context) ([]onebot.GroupInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	groups, err := a.bot.GetGroupList(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && !a.foreign(a.login.UserID) {
		a.groups = groups
	}
	if a.login.UserID == 0 || a.foreign(a.login.UserID) {
		return nil, errors.Join(nit.ModelError("QQ 还没有登录，看 check_status"), err)
	}
	return a.groups, nil
}
