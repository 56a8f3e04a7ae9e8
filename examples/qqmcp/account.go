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
	callTimeout   = 10 * time.Second
	retryDelay    = 10 * time.Second // delay before the next attempt after an authentication error
	maintainEvery = 500 * time.Millisecond
	listsEvery    = time.Minute
	onlineEvery   = 5 * time.Second // interval of the question whether an offline account is online again
)

// An account is the QQ account with its connection, login, groups and friends.
type account struct {
	o          *options
	log        *slog.Logger
	chats      *chatStates
	client     *onebot.Client
	httpClient *onebot.HTTPClient // nil means that calls use the WebSocket
	bot        *onebot.Bot
	napcat     *napcat.Supervisor // nil if qqmcp does not start NapCat

	chatChanged  func(chat)       // called for a new message
	summarizeDue func(*chatState) // called when a summary may be due

	linkMu  sync.Mutex    // held until all chats wait for the history of a new connection
	links   atomic.Uint64 // number of connections so far
	wakeups chan struct{} // wakes maintain

	mu          sync.Mutex
	login       onebot.LoginInfo // zero before the login
	loginKnown  bool             // login belongs to the current connection
	online      bool
	unavailable string // reason for which there is no connection
	groups      []onebot.GroupInfo
	friends     map[int64]onebot.Friend
}

// run keeps the connection until ctx ends, and NapCat if qqmcp starts it.
func (a *account) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	if a.napcat != nil {
		g.Go(func() error { a.supervise(ctx); return nil })
	}
	g.Go(func() error { a.connect(ctx); return nil })
	g.Go(func() error { a.maintain(ctx); return nil })
	return g.Wait()
}

// supervise runs NapCat. The tools keep answering even if it fails.
func (a *account) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		if err := a.napcat.Run(ctx); err != nil {
			a.log.Error("NapCat cannot be run", "err", err)
			a.setUnavailable("NapCat 启动不了：" + err.Error())
			_ = loop.Sleep(ctx, retryDelay)
		}
	}
}

// connect keeps the connection to OneBot.
func (a *account) connect(ctx context.Context) {
	for ctx.Err() == nil {
		err := a.client.Run(ctx, a.handle)
		if err == nil {
			return
		}
		a.log.Error("cannot connect to OneBot", "err", err, "retry_in", retryDelay)
		if errors.Is(err, onebot.ErrAuth) {
			a.setUnavailable("OneBot 不接受 token：检查 --token 或环境变量 ONEBOT_TOKEN")
		}
		_ = loop.Sleep(ctx, retryDelay)
	}
}

// checkLink is called for each event. The first event of a new connection starts a back-fill of all chats.
func (a *account) checkLink() { a.checkLinkCount(a.client.Stats().Links) }

// checkLinkCount returns after all chats wait for their back-fill. The lock makes concurrent events of other chats wait,
// too.
func (a *account) checkLinkCount(links uint64) {
	if a.links.Load() >= links {
		return
	}
	a.linkMu.Lock()
	defer a.linkMu.Unlock()
	if a.links.Load() >= links {
		return
	}
	a.backfillAll()
	a.mu.Lock()
	a.loginKnown, a.unavailable = false, ""
	a.links.Store(links)
	a.mu.Unlock()
	a.wake()
}

// wake wakes up maintain.
func (a *account) wake() { wakeUp(a.wakeups) }

// wakeUp puts a token into a channel with a buffer of one.
func wakeUp(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// maintain fetches the login after each new connection, back-fills chats, and refreshes the lists of groups and friends.
func (a *account) maintain(ctx context.Context) {
	look := time.NewTicker(maintainEvery)
	defer look.Stop()
	var listed, asked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wakeups:
		case <-look.C:
		}
		a.checkLink()
		if a.links.Load() == 0 && a.httpClient == nil {
			continue
		}
		if !a.isLoginKnown() {
			if !a.fetchLogin(ctx) {
				a.forEachBackfilling((*chatState).abortBackfill)
				a.chats.notifyWaiters()
				continue
			}
			listed = time.Time{}
		}
		if !a.isOnline() && time.Since(asked) > onlineEvery { // not every implementation sends a notice or heartbeats
			asked = time.Now()
			a.fetchOnline(ctx)
		}
		if time.Since(listed) > listsEvery && a.refreshLists(ctx) {
			listed = time.Now()
		}
		round, giveUp := context.WithCancel(ctx)
		a.forEachBackfilling(func(r *chatState) {
			if !a.catchUp(round, r) { // QQ will not answer for the other chats either
				giveUp()
			}
		})
		giveUp()
	}
}

// forEachBackfilling calls do for each chat that waits for its back-fill, for a few at a time.
func (a *account) forEachBackfilling(do func(*chatState)) {
	var g errgroup.Group
	g.SetLimit(4)
	for _, r := range a.chats.list() {
		if r.isBackfilling() {
			g.Go(func() error { do(r); return nil })
		}
	}
	_ = g.Wait()
}

// isLoginKnown reports whether the login of this connection is known.
func (a *account) isLoginKnown() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.loginKnown
}

// fetchLogin asks QQ for the login.
func (a *account) fetchLogin(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	links := a.links.Load()
	who, err := a.bot.GetLoginInfo(ctx)
	if err != nil || who.UserID == 0 {
		a.log.Debug("no account is logged in yet", "err", err)
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
	a.loginKnown = a.links.Load() == links // false after a reconnect during the call
	return true
}

// refreshLists fetches groups and friends, and opens the allowed chats.
func (a *account) refreshLists(ctx context.Context) bool {
	if a.isOtherAccount(a.bot.SelfID()) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	groups, err := a.bot.GetGroupList(ctx)
	if err != nil {
		a.log.Warn("cannot fetch the list of groups", "err", err)
		return false
	}
	friends := map[int64]onebot.Friend{}
	if len(a.o.friends) > 0 {
		list, err := a.bot.GetFriendList(ctx)
		if err != nil {
			a.log.Warn("cannot fetch the list of friends", "err", err)
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
		a.openChat(chat{id: g.GroupID}, g.Name)
	}
	for id := range a.o.friends {
		f := friends[id]
		a.openChat(chat{private: true, id: id}, cmp.Or(f.Remark, f.Nickname))
	}
	return true
}

// openChat opens a chat if it is allowed.
func (a *account) openChat(c chat, name string) {
	if !a.o.allowed(c) {
		return
	}
	r := a.chats.open(c)
	a.chats.setName(c, line(visible(name), maxName))
	if r.needsHistory() {
		r.beginBackfill()
	}
}

// self returns the login.
func (a *account) self() (id int64, nickname string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.login.UserID, a.login.Nickname
}

// isOtherAccount reports whether an id is not the account of --qq.
func (a *account) isOtherAccount(selfID int64) bool {
	return a.o.qq != 0 && selfID != 0 && selfID != a.o.qq
}

func (a *account) isOnline() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.online
}

// fetchOnline asks QQ whether the account is online.
func (a *account) fetchOnline(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if status, err := a.bot.GetStatus(ctx); err == nil {
		a.setOnline(status.Online)
	}
}

// setOnline stores whether the account is online. After an offline period it starts a back-fill, because messages of that
// time are missing even if the connection stayed.
func (a *account) setOnline(online bool) {
	a.mu.Lock()
	back := online && !a.online
	a.online = online
	a.mu.Unlock()
	if back {
		a.backfillAll()
	}
}

// backfillAll starts a back-fill of all chats.
func (a *account) backfillAll() {
	for _, r := range a.chats.list() {
		r.beginBackfill()
	}
	a.wake()
}

func (a *account) setUnavailable(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unavailable = why
}

// inGroup reports whether the account is a member of a group, or --groups lists it.
func (a *account) inGroup(id int64) bool {
	if a.o.groups[id] {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.groups, func(g onebot.GroupInfo) bool { return g.GroupID == id })
}

// groupsKnown reports whether QQ has sent the list of groups.
func (a *account) groupsKnown() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.groups != nil
}

// groupList fetches the groups, and returns the previous ones if that fails.
func (a *account) groupList(ctx context.Context) ([]onebot.GroupInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	groups, err := a.bot.GetGroupList(ctx)
	why := a.problem()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && !a.isOtherAccount(a.login.UserID) {
		a.groups = groups
	}
	if a.login.UserID == 0 || a.isOtherAccount(a.login.UserID) {
		return nil, errors.Join(nit.ModelError(cmp.Or(why, "QQ 还没有登录，看 check_status")), err)
	}
	return a.groups, nil
}
