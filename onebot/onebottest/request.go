package onebottest

import (
	"slices"
	"strconv"
	"time"
)

// A Request is what somebody asked of the bot, and what the bot answered.
type Request struct {
	Flag    string // by which it is answered; opaque
	Kind    string // "friend", "add" (wants to join a group) or "invite" (the bot into a group)
	UserID  int64
	GroupID int64 // 0 for "friend"
	Comment string

	Answered   bool
	Approved   bool
	AnswerText string // the remark or the reason that came with the answer
}

// Requests are all requests so far with their answers, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Request, 0, len(s.requests))
	for _, r := range s.requests {
		all = append(all, *r)
	}
	return all
}

// FriendRequest lets a user ask for friendship: request/friend. The flag is what the bot answers it by.
func (s *Server) FriendRequest(userID int64, nickname, comment string) (flag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user(userID, nickname)
	return s.request(Request{Kind: "friend", UserID: userID, Comment: comment})
}

// GroupInvite lets a user invite the bot into a group that it is not in: request/group/invite.
// The group is made if there was none.
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
	case r.Kind != "friend" && like != LikeLagrange: // when it was asked, in microseconds
		s.asked = max(s.asked+1, time.Now().UnixMicro())
		r.Flag = strconv.FormatInt(s.asked, 10)
	}
	s.requests = append(s.requests, &r)
	ev := object{"request_type": "friend", "user_id": r.UserID, "comment": r.Comment, "flag": r.Flag}
	if r.Kind != "friend" {
		ev["request_type"], ev["sub_type"], ev["group_id"] = "group", r.Kind, r.GroupID
		if like != LikeNapCat && r.Kind == "add" {
			ev["invitor_id"] = 0
		}
	} else if like == LikeLLBot {
		ev["via"] = "QQ号查找"
	}
	s.emit("request", ev)
	return r.Flag
}

// groupSystemMsg lists what was asked about groups, newest first. One that waits is not checked.
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

// settle answers a request and does what was granted.
func (s *Server) settle(flag string, friend, approve bool, text string) error {
	r := first(s.requests, func(r *Request) bool { return r.Flag == flag && (r.Kind == "friend") == friend })
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
