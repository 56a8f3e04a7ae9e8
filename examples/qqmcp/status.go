package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

// statusOut is the status, with the fields of the specification in their order.
type statusOut struct {
	NapCatRunning    bool        `json:"napcat_running"`
	QQLoggedIn       bool        `json:"qq_logged_in"`
	QQAccount        string      `json:"qq_account"`
	QQNickname       string      `json:"qq_nickname"`
	OnlineStatus     string      `json:"online_status" jsonschema:"online or offline"`
	UptimeSeconds    int64       `json:"uptime_seconds"`
	MonitoredGroups  []groupOut  `json:"monitored_groups"`
	MonitoredFriends []friendOut `json:"monitored_friends"`
	TotalGroups      int         `json:"total_groups"`
	BufferStats      bufferStats `json:"buffer_stats"`
	Problem          string      `json:"problem,omitempty" jsonschema:"what is missing, and what to do about it"`
}

type groupOut struct {
	GroupID     string `json:"group_id"`
	GroupName   string `json:"group_name"`
	MemberCount int64  `json:"member_count"`
}

type friendOut struct {
	UserID   string `json:"user_id"`
	Nickname string `json:"nickname"`
}

type bufferStats struct {
	TotalMessagesBuffered int `json:"total_messages_buffered"`
	GroupsTracked         int `json:"groups_tracked"`
	FriendsTracked        int `json:"friends_tracked"`
}

// statusTimeout limits the time of QQ's answer, because the status has to report a missing one soon.
const statusTimeout = 1500 * time.Millisecond

func (p *program) statusTool() (nit.Tool, error) {
	return nit.Define("check_status", nit.L1, "看 QQ 和 NapCat 的状态：登录了没有，监控着哪些群和好友，缓存了多少消息。有问题时 problem 说明该怎么办。",
		func(ctx context.Context, _ struct{}) (statusOut, error) { return p.status(ctx), nil }, nit.ReadOnly())
}

func (p *program) status(ctx context.Context) statusOut {
	h := p.account.health(ctx)
	out := statusOut{
		NapCatRunning: h.running, QQLoggedIn: h.loggedIn, QQAccount: strconv.FormatInt(cmp.Or(h.login.UserID, p.o.qq), 10),
		QQNickname: h.login.Nickname, OnlineStatus: "offline", UptimeSeconds: int64(time.Since(p.began).Seconds()),
		MonitoredGroups: []groupOut{}, MonitoredFriends: []friendOut{}, TotalGroups: len(h.groups), Problem: h.problem,
	}
	if h.loggedIn && h.online {
		out.OnlineStatus = "online"
	}
	known := map[int64]bool{}
	for _, g := range h.groups {
		if p.o.allowed(chat{id: g.GroupID}) {
			out.MonitoredGroups = append(out.MonitoredGroups, groupOutOf(g))
			known[g.GroupID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.o.groups)) {
		if !known[id] { // on the list but not known to QQ
			out.MonitoredGroups = append(out.MonitoredGroups, groupOut{GroupID: strconv.FormatInt(id, 10)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.o.friends)) {
		f := h.friends[id]
		out.MonitoredFriends = append(out.MonitoredFriends, friendOut{strconv.FormatInt(id, 10), cmp.Or(f.Remark, f.Nickname)})
	}
	for _, r := range p.chats.list() {
		out.BufferStats.TotalMessagesBuffered += r.size()
		if r.chat.private {
			out.BufferStats.FriendsTracked++
		} else {
			out.BufferStats.GroupsTracked++
		}
	}
	return out
}

func groupOutOf(g onebot.GroupInfo) groupOut {
	return groupOut{strconv.FormatInt(g.GroupID, 10), line(visible(g.Name), maxName), g.Members}
}

// An accountHealth is the state of an account.
type accountHealth struct {
	running, loggedIn, online bool
	login                     onebot.LoginInfo
	groups                    []onebot.GroupInfo
	friends                   map[int64]onebot.Friend
	problem                   string
}

// health asks QQ for its state with a short timeout.
func (a *account) health(ctx context.Context) accountHealth {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	who, err := a.bot.GetLoginInfo(ctx)
	var status onebot.Status
	statusErr := err
	if err == nil {
		status, statusErr = a.bot.GetStatus(ctx)
	}
	if statusErr == nil {
		a.setOnline(status.Online)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h := accountHealth{running: err == nil || errors.As(err, new(*onebot.APIError)), login: a.login, online: a.online, groups: a.groups, friends: a.friends}
	if a.napcat != nil {
		h.running = a.napcat.State().Running()
	}
	if err == nil && who.UserID != 0 {
		h.login, h.loggedIn = who, !a.isOtherAccount(who.UserID)
	}
	h.loggedIn = h.loggedIn && h.online
	switch {
	case a.isOtherAccount(h.login.UserID):
		h.problem = "登录的是另一个 QQ 号，和 --qq 不一样：消息不收也不发"
	case a.unavailable != "" && err != nil:
		h.problem = a.unavailable
	case a.napcat != nil && !h.running:
		h.problem = "NapCat 没有在运行，正在重新启动"
	case a.napcat != nil && err != nil:
		h.problem = needsLogin
	case h.running && err != nil:
		h.problem = "OneBot 在运行，QQ 还没有登录"
	case err != nil:
		h.problem = a.unreachable()
	case !h.online:
		h.problem = "QQ 掉线了：需要重新登录"
	case !a.client.Connected():
		h.problem = "收不到新消息：连不上 OneBot 的 WebSocket（" + withoutSecrets(a.o.ws) + "），正在重连"
	}
	return h
}

const needsLogin = "NapCat 已经启动，还没有登录：第一次要扫码，二维码在日志（stderr）里，也在 NapCat 的 cache/qrcode.png"

// unreachable says that there was no connection yet, and what to do.
func (a *account) unreachable() string {
	return "连不上 OneBot（" + withoutSecrets(a.o.ws) + "）：确认 NapCat 已经启动并登录，正向 WebSocket 的端口和 token 对得上"
}

// withoutSecrets returns a URL without user, path and parameters, because they may be secret.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	return u.Scheme + "://" + u.Host
}

// problem returns the reason for which messages may be missing, or "". It makes no request.
func (a *account) problem() string {
	if why := a.sendProblem(); why != "" {
		return why
	}
	if !a.client.Connected() {
		return a.linkProblem()
	}
	return ""
}

// linkProblem returns the reason for which there is no connection.
func (a *account) linkProblem() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cmp.Or(a.unavailable, linkLost)
}

const linkLost = "和 OneBot 的连接断了，正在重连；断开期间的消息还看不到"

// sendProblem returns the reason for which nothing can be sent, or "". It makes no request.
func (a *account) sendProblem() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.isOtherAccount(a.login.UserID):
		return "登录的是另一个 QQ 号，和 --qq 不一样"
	case a.napcat != nil && !a.napcat.State().Running():
		return "NapCat 没有在运行，正在重新启动，稍后再试"
	case a.login.UserID == 0 && a.unavailable != "":
		return a.unavailable
	case a.login.UserID == 0 && a.client.Connected():
		return "QQ 还没有登录，看 check_status"
	case a.login.UserID == 0 && a.napcat != nil:
		return needsLogin
	case a.login.UserID == 0:
		return a.unreachable()
	case a.httpClient == nil && !a.client.Connected():
		return cmp.Or(a.unavailable, linkLost)
	case !a.online:
		return "QQ 掉线了，需要重新登录"
	}
	return ""
}

type groupsOut struct {
	Groups  []groupOut `json:"groups"`
	Problem string     `json:"problem,omitempty" jsonschema:"why the list may be old: QQ is not connected or not online"`
}

func (p *program) groupsTool() (nit.Tool, error) {
	return nit.Define("get_group_list", nit.L1, "列出已加入的群。能读能发的只有监控着的群，见 check_status。",
		func(ctx context.Context, _ struct{}) (groupsOut, error) {
			groups, err := p.account.groupList(ctx)
			if err != nil {
				return groupsOut{}, err
			}
			out := groupsOut{Groups: []groupOut{}}
			for _, g := range groups {
				out.Groups = append(out.Groups, groupOutOf(g))
			}
			out.Problem = p.account.problem()
			return out, nil
		}, nit.ReadOnly())
}
