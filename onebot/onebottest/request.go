package onebottest

import (
	"slices"
	"strconv"
	"time"
)

// A Request is a request to the bot, with the bot's answer.
type Request struct {
	Flag    string // for the answer; opaque
	Kind    string // "friend", "add" (a user asks to join a group) or "invite" (invites the bot to a group)
	UserID  int64
	GroupID int64 // 0 for "friend"
	Comment string

	Answered   bool
	Approved   bool
	AnswerText string // the remark or reason in the answer
}

// Requests returns all requests with their answers, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Request, 0, len(s.requests))
	for _, r := range s.requests {
		all = append(all, *r)
	}
	return all
}

// FriendRequest sends a friend request from a user: request/friend. The bot answers it by its flag.
func (s *Server) FriendRequest(userID int64, nickname, comment string) (flag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user(userID, nickname)
	return s.request(Request{Kind: "friend", UserID: userID, Comment: comment})
}

// GroupInvite invites the bot to a group that it is not in: request/group/invite. The group is created if needed.
func (s *Server) GroupInvite(groupID int64, name string, userID int64) (flag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeGroup(groupID, name).join(userID, "")
	return s.request(Request{Kind: "invite", GroupID: groupID, UserID: userID})
}

func (s *Server) request(r Request) string {
	s.user(r.UserID, "")
	like := s.opts.Quirks.Events
	r.Flag = strconv.FormatUint(uint64(uint32(s.ids.next())), 10)
	switch {
	case like == LikeLLBot:
		r.Flag = "u_" + strconv.FormatInt(r.UserID, 36) + "|" + r.Flag
	case r.Kind != "friend" && like != LikeLagrange: // time of the request, in microseconds
		s.lastFlag = max(s.lastFlag+1, time.Now().UnixMicro())
		r.Flag = strconv.FormatInt(s.lastFlag, 10)
	}
	s.requests = append(s.requests, &r)
	ev := object{"request_type": "friend", "user_id": r.UserID, "comment": r.Comment, "flag": r.Flag}
	if r.Kind != "friend" {
		ev["request_type"], ev["sub_type"], ev["group_id"] = "group", r.Kind, r.GroupID
		if like != LikeNapCat && like != LikeSnowLuma && r.Kind == "add" {
			ev["invitor_id"] = 0
		}
	} else if like == LikeLLBot {
		ev["via"] = "QQ号查找"
	}
	s.emit("request", ev)
	return r.Flag
}

// groupSystemMsg lists requests about groups, newest first. Pending requests are not checked.
func (s *Server) groupSystemMsg(params) (any, error) {
	invited, joins := []object{}, []object{}
	for _, r := range slices.Backward(s.requests) {
		if r.Kind == "friend" {
			continue
		}
		seq, _ := strconv.ParseInt(r.Flag, 10, 64)
		o := object{"request_id": seq, "group_id": r.GroupID, "group_name": s.group(r.GroupID).name, "checked": r.Answered, "actor": 0}
		if r.Answered {
			o["actor"] = s.opts.SelfID
		}
		who, list := "invitor", &invited
		if r.Kind == "add" {
			list, o["message"] = &joins, r.Comment
			if s.opts.Quirks.Actions != LikeNapCat {
				who = "requester"
			}
		}
		o[who+"_uin"], o[who+"_nick"] = r.UserID, s.user(r.UserID, "").nickname
		*list = append(*list, o)
	}
	data := object{"invited_requests": invited, "join_requests": joins}
	if s.opts.Quirks.Actions == LikeNapCat {
		data["InvitedRequest"] = invited
	}
	return data, nil
}

// settle answers a request and applies the answer.
func (s *Server) settle(flag string, friend, approve bool, text string) error {
	r := firstMatch(s.requests, func(r *Request) bool { return r.Flag == flag && (r.Kind == "friend") == friend })
	if r == nil || r.Answered {
		return refused(1200, "未找到该请求").as("FLAG_NOT_FOUND")
	}
	r.Answered, r.Approved, r.AnswerText = true, approve, text
	if !approve {
		return nil
	}
	switch r.Kind {
	case "friend":
		s.befriend(r.UserID, "").remark = text
		s.emit("notice", object{"notice_type": "friend_add", "user_id": r.UserID})
	case "add":
		g := s.group(r.GroupID)
		g.join(r.UserID, "")
		g.increase("approve", r.UserID)
	case "invite":
		g := s.group(r.GroupID)
		g.join(s.opts.SelfID, "")
		g.increase("invite", s.opts.SelfID)
	}
	return nil
}
