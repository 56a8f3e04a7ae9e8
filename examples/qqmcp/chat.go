package main

import (
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

// A chat is a group or the private chat with a person.
type chat struct {
	private bool
	id      int64
}

// kind returns the value of target_type.
func (c chat) kind() string {
	if c.private {
		return "private"
	}
	return "group"
}

func (c chat) target() string { return strconv.FormatInt(c.id, 10) }

func (c chat) String() string { return c.kind() + ":" + c.target() }

// uri returns the URI of the resource.
func (c chat) uri() string { return "qq://" + c.kind() + "/" + c.target() }

// parseChat parses the result of String.
func parseChat(s string) (chat, bool) {
	kind, id, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	c := chat{private: kind == "private", id: n}
	return c, err == nil && c.String() == s
}

// allowed reports whether a chat may be read and written. Without a list all groups and no friends are allowed.
func (o *options) allowed(c chat) bool {
	switch {
	case c.id <= 0:
		return false
	case c.private:
		return o.friends[c.id]
	}
	return o.groups == nil || o.groups[c.id]
}

// chatOf returns the chat and sender of a message, or the zero chat if it is unknown.
func chatOf(e onebot.Event) (c chat, who int64, own bool) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return chat{id: e.GroupID}, e.UserID, e.Own()
	case *onebot.PrivateMessage:
		return chat{private: true, id: e.PeerID()}, e.UserID, e.Own()
	}
	return chat{}, 0, false
}

// A chatTarget has the arguments that name a chat.
type chatTarget struct {
	Target nit.ID `json:"target" jsonschema:"群号或私聊的 QQ 号，必须在允许的名单里"`
	Type   string `json:"target_type,omitempty" jsonschema:"group 是群聊，private 是私聊"`
}

// findChat returns the state of an allowed chat. If there is a list of allowed chats, the error does not depend on which
// chats exist. An error says that QQ is not connected, if so.
func (p *program) findChat(a chatTarget) (*chatState, error) {
	id, err := a.Target.Int64()
	if err != nil || id <= 0 {
		return nil, nit.ModelError("target 不是群号或 QQ 号，应当是一串数字，例如 \"123456\"")
	}
	c := chat{private: a.Type == "private", id: id}
	if r := p.chats.find(c); r != nil {
		return r, nil
	}
	if p.o.allowed(c) && (c.private || p.account.inGroup(id)) {
		return p.chats.open(c), nil
	}
	why := p.account.problem()
	also := ""
	if why != "" {
		also = "。另外，" + why
	}
	switch {
	case c.private:
		return nil, nit.ModelError("这个 QQ 号不在允许私聊的名单里（启动参数 --friends）；如果它是群号，target_type 用 group" + also)
	case !p.o.allowed(c):
		return nil, nit.ModelError("这个群不在监控的名单里（启动参数 --groups）；可用的群见 check_status；如果它是 QQ 号，target_type 用 private" + also)
	case why != "":
		return nil, nit.ModelError("现在看不了这个群：" + why)
	case !p.account.groupsKnown():
		return nil, nit.ModelError("现在看不了这个群：群列表还没有读到，稍后再试")
	}
	return nil, nit.ModelError("没有这个群：这个账号不在里面；可用的群见 check_status；如果它是 QQ 号，target_type 用 private")
}
