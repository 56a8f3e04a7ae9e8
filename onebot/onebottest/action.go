package onebottest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// An action is what a bot can call. It runs with s.mu held and gives the answer's data.
type action = func(*Server, params) (any, error)

// ask makes an action of what is asked of something that find finds in the world.
func ask[T any](find func(*Server, params) (T, error), of func(*Server, T, params) (any, error)) action {
	return func(s *Server, p params) (any, error) {
		it, err := find(s, p)
		if err != nil {
			return nil, err
		}
		return of(s, it, p)
	}
}

// do makes an action of what is done to something that find finds in the world, without an answer.
func do[T any](find func(*Server, params) (T, error), to func(*Server, T, params)) action {
	return ask(find, func(s *Server, it T, p params) (any, error) {
		to(s, it, p)
		return nil, nil
	})
}

// actions are what a bot can call, by name.
var actions = map[string]action{
	"send_msg":         ask((*Server).toEither, (*Server).send),
	"send_group_msg":   ask((*Server).toGroup, (*Server).send),
	"send_private_msg": ask((*Server).toPrivate, (*Server).send),
	"delete_msg":       ask((*Server).messageOf, (*Server).deleteMsg),
	"get_msg":          ask((*Server).messageOf, func(s *Server, m *message, _ params) (any, error) { return s.stored(m), nil }),
	"mark_msg_as_read": func(*Server, params) (any, error) { return nil, nil },
	"send_like":        (*Server).sendLike,

	"send_forward_msg":         ask((*Server).toForward, (*Server).sendNodes),
	"send_group_forward_msg":   ask((*Server).toGroup, (*Server).sendNodes),
	"send_private_forward_msg": ask((*Server).toPrivate, (*Server).sendNodes),
	"get_forward_msg":          (*Server).getForward,

	".handle_quick_operation": (*Server).quickOperation,

	"upload_group_file":      ask((*Server).toGroup, (*Server).sendFile),
	"upload_private_file":    ask((*Server).toPrivate, (*Server).sendFile),
	"upload_file_stream":     (*Server).uploadStream,
	"download_file_stream":   (*Server).downloadStream,
	"clean_stream_temp_file": (*Server).cleanStreams,

	"get_group_msg_history":  ask((*Server).toGroup, (*Server).history),
	"get_friend_msg_history": ask((*Server).toPrivate, (*Server).history),

	"get_login_info":        (*Server).getLoginInfo,
	"get_status":            func(s *Server, _ params) (any, error) { return s.status(), nil },
	"get_version_info":      (*Server).getVersionInfo,
	"can_send_image":        func(*Server, params) (any, error) { return object{"yes": true}, nil },
	"can_send_record":       func(*Server, params) (any, error) { return object{"yes": true}, nil },
	"get_stranger_info":     (*Server).getStrangerInfo,
	"get_friend_list":       (*Server).getFriendList,
	"get_group_info":        ask((*Server).groupOf, func(_ *Server, g *Group, _ params) (any, error) { return g.info(), nil }),
	"get_group_list":        (*Server).getGroupList,
	"get_group_member_info": ask((*Server).memberOf, func(_ *Server, m *Member, _ params) (any, error) { return m.info(), nil }),
	"get_group_member_list": ask((*Server).groupOf, (*Server).getGroupMemberList),

	"send_poke":           (*Server).sendPoke,
	"group_poke":          groupPoke,
	"friend_poke":         friendPoke,
	"set_group_ban":       ask((*Server).managed, (*Server).setGroupBan),
	"set_group_whole_ban": do((*Server).managedGroup, (*Server).setGroupWholeBan),
	"set_group_kick":      do((*Server).managed, (*Server).setGroupKick),
	"set_group_card":      ask((*Server).memberOf, (*Server).setGroupCard),
	"set_group_leave":     do((*Server).groupOf, func(s *Server, g *Group, _ params) { g.remove("leave", s.opts.SelfID, s.opts.SelfID) }),
	"set_group_admin":     do((*Server).owned, func(_ *Server, m *Member, p params) { m.setAdmin(p.bool("enable", true)) }),
	"set_group_name":      do((*Server).managedGroup, func(s *Server, g *Group, p params) { g.setName(s.opts.SelfID, p.text("group_name")) }),
	"set_essence_msg":     do((*Server).managedMessage, essence(true)),
	"delete_essence_msg":  do((*Server).managedMessage, essence(false)),
	"set_msg_emoji_like":  do((*Server).groupMessage, reaction("emoji_id", "set")),
	"set_group_reaction":  do((*Server).groupMessage, reaction("code", "is_add")),

	"set_group_special_title": do((*Server).owned, func(_ *Server, m *Member, p params) { m.setTitle(p.text("special_title")) }),

	"set_friend_add_request": settling(true, "remark"),
	"set_group_add_request":  settling(false, "reason"),
	"get_group_system_msg":   (*Server).groupSystemMsg,
}

// lacks are the actions of this package that an implementation does not have.
var lacks = map[Implementation][]string{
	LikeLLBot: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file",
	},
	LikeLagrange: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file", "set_msg_emoji_like", ".handle_quick_operation",
		"get_group_system_msg",
	},
	LikeGoCQHTTP: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file", "set_msg_emoji_like", "send_poke", "group_poke", "friend_poke",
		"get_friend_msg_history", "send_like",
	},
}

// find gives an action by the name it was called by: NapCat takes both suffixes for nothing,
// go-cqhttp one of them.
func (like Implementation) find(name string) action {
	switch like {
	case LikeNapCat:
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_async"), "_rate_limited")
	case LikeGoCQHTTP:
		name = strings.TrimSuffix(name, "_async")
	}
	if like != LikeLagrange && name == "set_group_reaction" || slices.Contains(lacks[like], name) {
		return nil
	}
	return actions[name]
}

// A request is an action that a bot calls.
type request struct {
	Action string          `json:"action"`
	Params json.RawMessage `json:"params"`
	Echo   json.RawMessage `json:"echo"` // nil: none came
	http   bool            // over the HTTP API
}

// handle takes one frame of a bot, does what it asks for and answers.
func (l *link) handle(ctx context.Context, frame []byte) {
	if !l.api {
		return
	}
	var req request
	if err := json.Unmarshal(frame, &req); err != nil {
		if answer := l.s.answerGarbage(frame); answer != nil {
			l.s.locked(func() { l.push(answer) })
		}
		return
	}
	if answers, fault, ok := l.s.perform(req); ok {
		l.answer(ctx, answers, fault)
	}
}

// perform does what a bot asks for and gives the answer: one frame, or the several of a stream.
// It is not ok when the request was swallowed.
func (s *Server) perform(req request) (answers []object, ft fault, ok bool) {
	s.mu.Lock()
	handled := s.handled[req.Action]
	s.mu.Unlock()
	var data any
	var err error
	if handled != nil {
		data, err = handled(req.Params) // which may call our methods
	}
	s.acting(func() {
		if s.faults.silent {
			return
		}
		ok = true
		ft = s.faults.take(req.Action)
		switch {
		case ft.retcode != 0:
			data, err = nil, &failure{code: ft.retcode, text: fmt.Sprintf("onebottest: Fail(%q)", req.Action), exact: true}
		case handled == nil:
			data, err = s.act(req.Action, req.Params)
		}
		if parts, is := data.(stream); is && err == nil {
			for _, part := range parts[:len(parts)-1] {
				answers = append(answers, s.answer(req, part, nil))
			}
			data = parts[len(parts)-1]
		}
		answers = append(answers, s.answer(req, data, err))
		s.calls = append(s.calls, Call{Action: req.Action, Params: req.Params, Retcode: s.retcode(err, req.http), At: time.Now()})
	})
	return answers, ft, ok
}

// acting runs f with s.mu held and then, without it, tells OnSend what f sent.
func (s *Server) acting(f func()) {
	s.mu.Lock()
	sent := len(s.sent)
	f()
	s.changed()
	said, tell := s.record(s.sent[sent:]), s.onSend
	s.mu.Unlock()
	for _, m := range said {
		for _, f := range tell {
			f(m)
		}
	}
}

// act does an action. What is wrong with params counts before what is wrong in the world.
func (s *Server) act(action string, raw json.RawMessage) (any, error) {
	f := s.opts.Quirks.Actions.find(action)
	if f == nil {
		return nil, noAction(action)
	}
	p := params{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, refused(1400, "params: %v", err)
		}
	}
	return f(s, p)
}

// Handle answers an action by f, for those that this package does not have and those that shall
// do something else here. params are as they came. The data that f gives must be what
// encoding/json can write; an error of f is a failure, of the retcode and wording of an
// *onebot.APIError, else of 1200 or what the implementation has for it. f may call the Server's
// methods but Close, and may be called concurrently. A nil f gives the action back.
func (s *Server) Handle(action string, f func(params json.RawMessage) (data any, err error)) {
	s.locked(func() { set(&s.handled, action, f, f != nil) })
}

// answer pushes the frames of an answer, late or never or otherwise wrong where a fault asks for it.
func (l *link) answer(ctx context.Context, answers []object, ft fault) {
	switch {
	case ft.withhold:
	case ft.delay > 0:
		l.wg.Go(func() {
			if loop.Sleep(ctx, ft.delay) == nil {
				l.s.locked(func() { l.deliver(answers, ft) })
			}
		})
	default:
		l.s.locked(func() { l.deliver(answers, ft) })
	}
}
