package onebottest

import (
	"maps"
	"time"
)

// event returns fields with the common fields of all events added, unless fields has them.
func (s *Server) event(post string, fields object) object {
	ev := object{"time": time.Now().Unix(), "self_id": s.opts.SelfID, "post_type": post}
	maps.Copy(ev, fields)
	return ev
}

// emit pushes an event to every bot with an event link. s.mu is held.
func (s *Server) emit(post string, fields object) {
	s.emitFrame(s.encode(s.event(post, fields)))
}

func (s *Server) emitFrame(frame []byte) {
	for _, l := range s.links {
		if l.events {
			l.pushFrame(frame)
		}
	}
	for _, p := range s.posters {
		p.pushFrame(frame)
	}
}

// Emit pushes any other event, such as {"post_type": "notice", "notice_type": "essence", …}. It adds time, self_id
// and post_type ("notice") if they are missing.
func (s *Server) Emit(event map[string]any) {
	s.locked(func() { s.emit("notice", event) })
}

// SetOnline logs the account in to QQ or out of it, while the implementation keeps running. Logging out pushes
// bot_offline (NapCat, Lagrange), and logging in again pushes bot_online (Lagrange). While the account is offline,
// sends fail, and heartbeats and get_status report it.
func (s *Server) SetOnline(online bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := !s.offline
	s.offline = !online
	like := s.opts.Quirks.Events
	switch {
	case was == online:
	case !online && like == LikeNapCat:
		s.emit("notice", object{"notice_type": "bot_offline", "user_id": s.opts.SelfID, "tag": "下线通知", "message": "你的账号已在另一台设备登录"})
	case !online && like == LikeLagrange:
		s.emit("notice", object{"notice_type": "bot_offline", "tag": "下线通知", "message": "你的账号已在另一台设备登录"})
	case online && like == LikeLagrange:
		s.emit("notice", object{"notice_type": "bot_online", "reason": "登录成功"})
	}
}

func (s *Server) status() object {
	st := object{"online": !s.offline, "good": true}
	switch s.opts.Quirks.Events {
	case LikeNapCat:
		st["stat"] = object{}
	case LikeSnowLuma:
		st["good"] = st["online"]
	case LikeLagrange:
		st["app_initialized"], st["app_enabled"], st["app_good"] = true, true, true
	case LikeGoCQHTTP:
		st["app_initialized"], st["app_enabled"], st["app_good"], st["plugins_good"] = true, true, true, nil
		st["stat"] = object{"packet_received": 0, "message_received": 0, "message_sent": len(s.sent)}
	}
	return st
}
