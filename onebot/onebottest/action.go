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

// An action implements an action of the API. It runs with s.mu held and returns the data of the response.
type action = func(*Server, params) (any, error)

// resultAction returns an action that finds an object by find and returns the result of of.
func resultAction[T any](find func(*Server, params) (T, error), of func(*Server, T, params) (any, error)) action {
	return func(s *Server, p params) (any, error) {
		it, err := find(s, p)
		if err != nil {
			return nil, err
		}
		return of(s, it, p)
	}
}

// effectAction returns an action that finds an object by find and applies to, without a result.
func effectAction[T any](find func(*Server, params) (T, error), to func(*Server, T, params)) action {
	return resultAction(find, func(s *Server, it T, p params) (any, error) {
		to(s, it, p)
		return nil, nil
	})
}

// groupAction returns an action on a group of the bot.
func groupAction(do func(*Group, params) (any, error)) action {
	return resultAction((*Server).groupOf, func(_ *Server, g *Group, p params) (any, error) { return do(g, p) })
}

// adminAction returns an action on a group in which the bot is owner or admin.
func adminAction(do func(*Group, params) (any, error)) action {
	return resultAction((*Server).managedGroup, func(_ *Server, g *Group, p params) (any, error) { return do(g, p) })
}

// actions are all actions by name.
var actions = map[string]action{
	"send_msg":                  resultAction((*Server).toEither, (*Server).send),
	"send_group_msg":            resultAction((*Server).toGroup, (*Server).send),
	"send_private_msg":          resultAction((*Server).toPrivate, (*Server).send),
	"delete_msg":                resultAction((*Server).messageOf, (*Server).deleteMsg),
	"get_msg":                   resultAction((*Server).messageOf, func(s *Server, m *message, _ params) (any, error) { return s.stored(m), nil }),
	"forward_group_single_msg":  resultAction((*Server).toGroup, (*Server).forwardSingle),
	"forward_friend_single_msg": resultAction((*Server).toPrivate, (*Server).forwardSingle),
	"mark_msg_as_read":          func(*Server, params) (any, error) { return nil, nil },
	"send_like":                 (*Server).sendLike,

	"send_forward_msg":         resultAction((*Server).toForward, (*Server).sendNodes),
	"send_group_forward_msg":   resultAction((*Server).toGroup, (*Server).sendNodes),
	"send_private_forward_msg": resultAction((*Server).toPrivate, (*Server).sendNodes),
	"get_forward_msg":          (*Server).getForward,

	".handle_quick_operation": (*Server).quickOperation,

	"upload_group_file":      resultAction((*Server).toGroup, (*Server).sendFile),
	"upload_private_file":    resultAction((*Server).toPrivate, (*Server).sendFile),
	"upload_file_stream":     (*Server).uploadStream,
	"download_file_stream":   (*Server).downloadStream,
	"clean_stream_temp_file": (*Server).cleanStreams,

	"get_image":         resultAction((*Server).mediaOf, (*Server).getFile),
	"get_file":          resultAction((*Server).mediaOf, (*Server).getFile),
	"get_record":        resultAction((*Server).mediaOf, (*Server).getRecord),
	"fetch_ptt_text":    resultAction((*Server).messageOf, (*Server).transcript),
	"get_ptt_text":      resultAction((*Server).messageOf, (*Server).transcript),
	"get_record_text":   resultAction((*Server).messageOf, (*Server).transcript),
	"voice_msg_to_text": resultAction((*Server).messageOf, (*Server).transcript),

	"get_group_root_files":      groupAction((*Group).listFiles),
	"get_group_files_by_folder": groupAction((*Group).listFiles),
	"get_group_file_url":        resultAction((*Server).groupFileOf, func(_ *Server, f *File, _ params) (any, error) { return object{"url": f.URL}, nil }),
	"get_private_file_url":      resultAction((*Server).privateFileOf, func(_ *Server, f *File, _ params) (any, error) { return object{"url": f.URL}, nil }),
	"delete_group_file":         resultAction((*Server).groupFileOf, (*Server).deleteGroupFile),
	"create_group_file_folder":  groupAction((*Group).createFolder),
	"delete_group_folder":       onFolder(deleteFolder),
	"delete_group_file_folder":  onFolder(deleteFolder),
	"rename_group_file_folder":  onFolder(renameFolder),

	"get_essence_msg_list": groupAction((*Group).listEssences),
	"_send_group_notice":   adminAction((*Group).sendNotice),
	"_get_group_notice":    groupAction((*Group).listNotices),
	"_del_group_notice":    adminAction((*Group).deleteNotice),
	"send_group_sign":      groupAction((*Group).sign),
	"set_group_sign":       groupAction((*Group).sign),

	"get_group_msg_history":  resultAction((*Server).toGroup, (*Server).history),
	"get_friend_msg_history": resultAction((*Server).toPrivate, (*Server).history),

	"get_login_info":        (*Server).getLoginInfo,
	"get_status":            func(s *Server, _ params) (any, error) { return s.status(), nil },
	"get_version_info":      (*Server).getVersionInfo,
	"can_send_image":        func(*Server, params) (any, error) { return object{"yes": true}, nil },
	"can_send_record":       func(*Server, params) (any, error) { return object{"yes": true}, nil },
	"get_stranger_info":     (*Server).getStrangerInfo,
	"get_friend_list":       (*Server).getFriendList,
	"get_group_info":        resultAction((*Server).groupOf, func(_ *Server, g *Group, _ params) (any, error) { return g.info(), nil }),
	"get_group_list":        (*Server).getGroupList,
	"get_group_member_info": resultAction((*Server).memberOf, func(_ *Server, m *Member, _ params) (any, error) { return m.info(), nil }),
	"get_group_member_list": resultAction((*Server).groupOf, (*Server).getGroupMemberList),

	"send_poke":           (*Server).sendPoke,
	"group_poke":          groupPoke,
	"friend_poke":         friendPoke,
	"set_group_ban":       resultAction((*Server).managed, (*Server).setGroupBan),
	"set_group_whole_ban": effectAction((*Server).managedGroup, (*Server).setGroupWholeBan),
	"set_group_kick":      effectAction((*Server).managed, (*Server).setGroupKick),
	"set_group_card":      resultAction((*Server).memberOf, (*Server).setGroupCard),
	"set_group_leave":     effectAction((*Server).groupOf, func(s *Server, g *Group, _ params) { g.remove("leave", s.opts.SelfID, s.opts.SelfID) }),
	"set_group_admin":     effectAction((*Server).owned, func(_ *Server, m *Member, p params) { m.setAdmin(p.bool("enable", true)) }),
	"set_group_name":      effectAction((*Server).managedGroup, func(s *Server, g *Group, p params) { g.setName(s.opts.SelfID, p.text("group_name")) }),
	"set_essence_msg":     effectAction((*Server).managedMessage, essence(true)),
	"delete_essence_msg":  effectAction((*Server).managedMessage, essence(false)),
	"set_msg_emoji_like":  effectAction((*Server).groupMessage, reaction("emoji_id", "set")),
	"unset_msg_emoji_like": effectAction((*Server).groupMessage, func(s *Server, m *message, p params) {
		s.group(m.Chat.ID).react(m, s.opts.SelfID, p.text("emoji_id"), false)
	}),
	"set_group_reaction": effectAction((*Server).groupMessage, groupReaction),

	"set_group_special_title": effectAction((*Server).owned, func(_ *Server, m *Member, p params) { m.setTitle(p.text("special_title")) }),

	"set_friend_add_request": answerRequest(true, "remark"),
	"set_group_add_request":  answerRequest(false, "reason"),
	"get_group_system_msg":   (*Server).groupSystemMsg,
}

// missingActions lists the actions of this package that an implementation does not have.
var missingActions = map[Implementation][]string{
	LikeNapCat: {
		"set_group_reaction", "unset_msg_emoji_like", "get_ptt_text", "get_record_text", "voice_msg_to_text",
		"delete_group_file_folder", "rename_group_file_folder",
	},
	LikeLLBot: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file", "set_group_reaction", "fetch_ptt_text", "get_ptt_text",
		"get_record_text", "delete_group_file_folder", "set_group_sign",
	},
	LikeSnowLuma: {"unset_msg_emoji_like", "voice_msg_to_text"},
	LikeLagrange: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file", "set_msg_emoji_like", ".handle_quick_operation",
		"get_group_system_msg", "unset_msg_emoji_like", "get_image", "get_file", "get_record", "fetch_ptt_text", "get_ptt_text",
		"get_record_text", "voice_msg_to_text", "delete_group_folder", "set_group_sign", "forward_group_single_msg", "forward_friend_single_msg",
	},
	LikeGoCQHTTP: {
		"download_file_stream", "upload_file_stream", "clean_stream_temp_file", "set_msg_emoji_like", "send_poke", "group_poke", "friend_poke",
		"get_friend_msg_history", "send_like", "set_group_reaction", "unset_msg_emoji_like", "get_file", "get_record", "fetch_ptt_text",
		"get_ptt_text", "get_record_text", "voice_msg_to_text", "get_private_file_url", "delete_group_file_folder", "rename_group_file_folder",
		"set_group_sign", "forward_group_single_msg", "forward_friend_single_msg",
	},
}

// find returns an action by the called name. NapCat and LLBot ignore both suffixes, go-cqhttp one of them.
func (like Implementation) find(name string) action {
	switch like {
	case LikeNapCat:
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_async"), "_rate_limited")
	case LikeLLBot:
		if plain, ok := strings.CutSuffix(name, "_async"); ok {
			name = plain
		} else {
			name = strings.TrimSuffix(name, "_rate_limited")
		}
	case LikeGoCQHTTP:
		name = strings.TrimSuffix(name, "_async")
	}
	if slices.Contains(missingActions[like], name) {
		return nil
	}
	return actions[name]
}

// A request is a call of an action by a bot.
type request struct {
	Action string          `json:"action"`
	Params json.RawMessage `json:"params"`
	Echo   json.RawMessage `json:"echo"` // nil: none
	http   bool            // over the HTTP API
}

// handle executes one frame of a bot and responds.
func (l *link) handle(ctx context.Context, frame []byte) {
	if !l.api {
		return
	}
	var req request
	if err := json.Unmarshal(frame, &req); err != nil {
		if answer := l.s.answerInvalid(frame); answer != nil {
			l.s.locked(func() { l.push(answer) })
		}
		return
	}
	if answers, fault, ok := l.s.perform(req); ok {
		l.answer(ctx, answers, fault)
	}
}

// perform executes a request and returns the response: one frame, or several of a stream. ok is false if the request
// is swallowed.
func (s *Server) perform(req request) (answers []object, ft fault, ok bool) {
	s.mu.Lock()
	handled := s.handled[req.Action]
	s.mu.Unlock()
	var data any
	var err error
	if handled != nil {
		data, err = handled(req.Params) // may call the Server's methods
	}
	s.runAndNotify(func() {
		if s.faults.halfOpen {
			return
		}
		ok = true
		ft = s.faults.take(req.Action)
		switch {
		case ft.retcode != 0:
			data, err = nil, &failure{code: ft.retcode, text: fmt.Sprintf("onebottest: Fail(%q)", req.Action), exact: true}
		case handled == nil:
			data, err = s.execute(req.Action, req.Params)
		}
		if parts, is := data.(stream); is && err == nil {
			for _, part := range parts[:len(parts)-1] {
				answers = append(answers, s.answer(req, part, nil))
			}
			data = parts[len(parts)-1]
		}
		answers = append(answers, s.answer(req, data, err))
		s.did.calls = append(s.did.calls, Call{Action: req.Action, Params: req.Params, Retcode: s.retcode(err, req.http), At: time.Now()})
	})
	return answers, ft, ok
}

// runAndNotify runs f with s.mu held. Then it calls the OnSend functions, without the lock, for each message that f sent.
func (s *Server) runAndNotify(f func()) {
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

// execute executes an action. Errors in the parameters come before errors of state.
func (s *Server) execute(action string, raw json.RawMessage) (any, error) {
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

// Handle sets a handler for an action, to add an action or to replace one. params are the parameters as received. The
// returned data must be supported by encoding/json. An error fails the call: with the retcode and wording of an
// *onebot.APIError, or otherwise with 1200 or the implementation's equivalent. f may call all methods of the Server
// except Close, and may run concurrently. A nil f removes the handler.
func (s *Server) Handle(action string, f func(params json.RawMessage) (data any, err error)) {
	s.locked(func() { set(&s.handled, action, f, f != nil) })
}

// answer pushes the frames of a response and applies the fault.
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
