package qqbot

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A User is the bot's own account.
type User struct {
	ID       string // not an openid: it never equals the author of a message in a group
	Username string
	Avatar   string // a URL
}

// Me returns the bot's own account.
func (c *Client) Me(ctx context.Context) (User, error) {
	o, err := c.object(ctx, call{name: "me", method: http.MethodGet, path: "/users/@me"})
	return User{ID: o.text("id"), Username: o.text("username"), Avatar: o.text("avatar")}, err
}

// A BotState is what the bot may do in a group.
type BotState struct {
	MemberID  string // the bot's member_openid
	Role      Role
	JoinedAt  time.Time
	Proactive bool   // it may speak first
	Receives  string // "all", "only_mention" or "mention_and_context"
}

// BotState returns the bot's state in a group. From then on Message.Own is known there. The platform allows it 30 times a minute for all groups together.
func (c *Client) BotState(ctx context.Context, group string) (BotState, error) {
	id, err := pathID(group)
	if err != nil {
		return BotState{}, fmt.Errorf("qqbot: bot state: %w", err)
	}
	o, err := c.object(ctx, call{name: "bot state", method: http.MethodGet, path: "/v2/groups/" + id + "/bot_state", route: stateRoute})
	if err != nil {
		return BotState{}, err
	}
	c.inbox.self.learn(group, o.text("member_openid"))
	return BotState{MemberID: o.text("member_openid"), Role: Role(o.text("member_role")), JoinedAt: o.time("joined_at"),
		Proactive: o.flag("allow_proactive_msg"), Receives: o.text("recv_msg_setting")}, nil
}

// A Role is a member's role in a group. It may be "" where the platform does not tell it.
type Role string

// Roles.
const (
	RoleMember Role = "member"
	RoleAdmin  Role = "admin"
	RoleOwner  Role = "owner"
)

// A Member is a member of a group.
type Member struct {
	ID       string // member_openid
	UnionID  string // the same for all bots of a developer; usually ""
	Username string
	Role     Role
	Bot      bool
	JoinedAt time.Time
}

func readMember(o object) Member {
	return Member{ID: o.text("member_openid"), UnionID: o.text("union_openid"), Username: o.text("username"),
		Role: Role(o.text("member_role")), Bot: o.flag("bot"), JoinedAt: o.time("joined_at")}
}

// Members returns a page of up to 30 members. cursor is "" for the first page; next is "" after the last. Only invited bots may
// call it: others get an error of KindForbidden.
func (c *Client) Members(ctx context.Context, group, cursor string) (page []Member, next string, err error) {
	id, err := pathID(group)
	if err != nil {
		return nil, "", fmt.Errorf("qqbot: members: %w", err)
	}
	path := "/v2/groups/" + id + "/members"
	if cursor != "" {
		path += "?cursor=" + url.QueryEscape(cursor)
	}
	o, err := c.object(ctx, call{name: "members", method: http.MethodGet, path: path, route: memberRoute})
	if err != nil {
		return nil, "", err
	}
	for _, m := range o.objects("members") {
		page = append(page, readMember(m))
	}
	for _, name := range []string{"next_cursor", "cursor"} {
		if next = o.text(name); next != "" && next != cursor {
			return page, next, nil
		}
	}
	return page, "", nil
}

// Member returns one member of a group. Only invited bots may call it.
func (c *Client) Member(ctx context.Context, group, member string) (Member, error) {
	g, err := pathID(group)
	m, err2 := pathID(member)
	if err != nil || err2 != nil {
		return Member{}, fmt.Errorf("qqbot: member: invalid id")
	}
	o, err := c.object(ctx, call{name: "member", method: http.MethodGet, path: "/v2/groups/" + g + "/members/" + m, route: stateRoute})
	if err != nil {
		return Member{}, err
	}
	return readMember(o), nil
}

// AnswerJoin approves or declines a request to join a group in which the bot is an admin. reason is shown to a declined user.
func (c *Client) AnswerJoin(ctx context.Context, r *JoinRequest, approve bool, reason string) error {
	g, err := pathID(r.Group)
	m, err2 := pathID(r.Member)
	if err != nil || err2 != nil {
		return fmt.Errorf("qqbot: answer join: invalid id")
	}
	body := map[string]any{"op": "approve", "join_request_id": r.RequestID}
	if !approve {
		body["op"] = "decline"
		if reason != "" {
			body["reject_reason"] = reason
		}
	}
	_, err = c.do(ctx, call{name: "answer join", method: http.MethodPost, path: "/v2/groups/" + g + "/approval_join_request/" + m, body: body})
	return err
}
