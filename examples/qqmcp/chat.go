package main

import (
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

// A chat is a group, or the private chat with one person.
type chat struct {
	private bool
	id      int64
}

// kind is what the tools call it.
func (c chat) kind() string {
	if c.private {
		return "private"
	}
	return "group"
}

func (c chat) target() string { return strconv.FormatInt(c.id, 10) }

func (c chat) String() string { return c.kind() + ":" + c.target() }

// uri is its resource.
func (c chat) uri() string { return "qq://" + c.kind() + "/" + c.target() }

// parseChat reads what String gave.
func parseChat(s string) (chat, bool) {
	kind, id, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	c := chat{private: kind == "private", id: n}
	return c, err == nil && c.String() == s
}

// allowed tells whether a chat is read and written to: of groups all unless some are listed, of friends none but those listed.
func (o *options) allowed(c chat) bool {
	switch {
	case c.id <= 0:
		return false
	case c.private:
		return o.friends[c.id]
	}
	return o.groups == nil || o.groups[c.id]
}

// chatOf gives the chat of a message and who said it; the zero chat where that cannot be told.
func chatOf(e onebot.Event) (c chat, who int64, own bool) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		return chat{id: e.GroupID}, e.UserID, e.Own()
	case *onebot.PrivateMessage:
		return chat{private: true, id: e.PeerID()}, e.UserID, e.Own()
	}
	return chat{}, 0, false
}

// aim is how tools are told which chat is meant.
type aim struct {
	Target nit.ID `json:"target" jsonschema:"群号或私聊的 QQ 号，必须在允许的名单里"`
	Type   string `json:"target_type,omitempty" jsonschema:"group 是群聊，private 是私聊"`
}

// find gives the room of an allowed chat. What is not allowed and what does not exist get one answer, which says how to go on.
func (p *program) find(a aim) (*room, error) {
	id, err := a.Target.Int64()
	if err != nil || id <= 0 {
		return nil, nit.ModelError("target 不是群号或 QQ 号，应当是一串数字，例如 \"123456\"")
	}
	c := chat{private: a.Type == "private", id: id}
	if r := p.rooms.room(c); r != nil {
		return r, nil
	}
	if p.o.allowed(c) && (c.private || p.account.inGroup(id)) {
		return p.rooms.open(c), nil
	}
	if c.private {
		return nil, nit.ModelError("这个 QQ 号不在允许私聊的名单里（启动参数 --friends）；如果它是群号，target_type 用 group")
	}
	return nil, nit.ModelError("没有这个群，或者它不在监控的名单里（启动参数 --groups）；可用的群见 check_status；如果它是 QQ 号，target_type 用 private")
}
