package onebottest

import "slices"

// Extensions are sample events beyond the standard, one of each kind known from the implementation, for
// [Server.Emit]. A link must survive all of them. They refer to a group 100 and to users and messages that may not
// exist. Message segments and message_sent are covered by [Quirks].
func (s *Server) Extensions() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	notice := func(kind string, more object) object {
		ev := object{"notice_type": kind, "user_id": 1}
		for k, v := range more {
			ev[k] = v
		}
		return s.event("notice", ev)
	}
	notify := func(sub string, more object) object {
		more["sub_type"] = sub
		return notice("notify", more)
	}
	switch s.opts.Quirks.Events {
	case LikeLLBot:
		return s.extensionsLLBot(notice, notify)
	case LikeSnowLuma:
		return s.extensionsSnowLuma(notice)
	case LikeLagrange:
		return s.extensionsLagrange(notice)
	case LikeGoCQHTTP:
		return s.extensionsGoCQHTTP(notice, notify)
	}
	return s.extensionsNapCat(notice, notify)
}

type maker = func(kind string, more object) object

// inGroup are the extensions common to NapCat, LLBot and go-cqhttp.
func inGroup(notice, notify maker) []object {
	return []object{
		notice("group_card", object{"group_id": 100, "card_new": "三哥", "card_old": ""}),
		notify("title", object{"group_id": 100, "title": "话痨"}),
	}
}

// essence has a user_id, the author, only from NapCat and LLBot.
func (s *Server) essence(sub string, id int64) object {
	ev := s.event("notice", object{"notice_type": "essence", "sub_type": sub, "group_id": 100, "message_id": id, "sender_id": 1, "operator_id": 2})
	if like := s.opts.Quirks.Events; like == LikeNapCat || like == LikeLLBot || like == LikeSnowLuma {
		ev["user_id"] = 1
	}
	return ev
}

func (s *Server) profileLike() object {
	return s.event("notice", object{"notice_type": "notify", "sub_type": "profile_like", "operator_id": 1, "operator_nick": "张三", "times": 10})
}

func (s *Server) extensionsNapCat(notice, notify maker) []object {
	return slices.Concat(inGroup(notice, notify), []object{
		s.essence("add", 7),
		notify("group_name", object{"group_id": 100, "name_new": "新群名"}),
		notify("input_status", object{"group_id": 0, "event_type": 1, "status_text": "对方正在输入..."}),
		s.profileLike(),
		notify("gray_tip", object{"group_id": 100, "message_id": 7, "busi_id": "1014", "content": "{}", "raw_info": object{}}),
		notice("group_msg_emoji_like", object{
			"group_id": 100, "message_id": 7, "likes": []object{{"emoji_id": "66", "count": 1}}, "is_add": true, "message_seq": "9",
		}),
		notice("bot_offline", object{"user_id": s.opts.SelfID, "tag": "下线通知", "message": "你的账号已在另一台设备登录"}),
		notice("online_file_send", object{"sub_type": "receive", "peer_id": 1}),
		notice("online_file_receive", object{"sub_type": "cancel", "peer_id": 1}),
		notice("group_decrease", object{"sub_type": "disband", "group_id": 100, "operator_id": 2}),
	})
}

func (s *Server) extensionsLLBot(notice, notify maker) []object {
	all := append(inGroup(notice, notify),
		s.essence("add", 7), s.essence("delete", 7),
		s.profileLike(),
		notify("poke_recall", object{"group_id": 100, "target_id": 2, "raw_info": []any{}}),
		notice("group_msg_emoji_like", object{"group_id": 100, "message_id": 7, "likes": []object{{"emoji_id": "66", "count": 1}}, "is_add": false}),
		notice("group_dismiss", object{"group_id": 100}),
		s.event("request", object{
			"request_type": "group", "sub_type": "invite", "group_id": 100, "user_id": 1, "comment": "", "flag": "u_1|9", "source_group_id": 200,
		}),
	)
	for _, sub := range []string{"downloading", "downloaded", "uploading", "uploaded"} {
		all = append(all, s.event("notice", object{"notice_type": "flash_file", "sub_type": sub, "title": "相册",
			"share_link": "https://qfile.qq.com/q/x", "file_set_id": "f-1", "files": []object{{"name": "a.png", "size": 3}}}))
	}
	return all
}

func (s *Server) extensionsSnowLuma(notice maker) []object {
	reaction := func(sub string) object {
		return notice("group_msg_emoji_like", object{
			"sub_type": sub, "group_id": 100, "message_id": -7, "message_seq": 9, "operator_id": 1, "likes": []object{{"emoji_id": "66", "count": 1}},
		})
	}
	return []object{
		s.essence("add", -7), s.essence("delete", -7),
		reaction("add"), reaction("remove"),
		notice("group_decrease", object{"sub_type": "disband", "group_id": 100, "operator_id": 2}),
	}
}

func (s *Server) extensionsLagrange(notice maker) []object {
	reaction := func(sub string) object {
		return notice("reaction", object{"sub_type": sub, "group_id": 100, "message_id": -7, "operator_id": 1, "code": "66", "count": 1})
	}
	return []object{
		notice("group_name_change", object{"group_id": 100, "name": "新群名"}),
		s.essence("add", -7), s.essence("delete", -7),
		reaction("add"), reaction("remove"),
		s.event("notice", object{"notice_type": "bot_offline", "tag": "下线通知", "message": "你的账号已在另一台设备登录"}),
		s.event("notice", object{"notice_type": "bot_online", "reason": "登录成功"}),
		notice("offline_file", object{"file": object{"name": "a.txt", "size": 3, "url": "http://127.0.0.1/a.txt", "id": "f-1", "hash": "x"}}),
	}
}

func (s *Server) extensionsGoCQHTTP(notice, notify maker) []object {
	const guild, channel, tiny = "1234567890123456789", "1000001", "144115218000000001" // ids of guilds are strings
	inGuild := func(kind string, more object) object {
		ev := notice(kind, more)
		ev["guild_id"], ev["channel_id"], ev["operator_id"], ev["self_tiny_id"] = guild, channel, tiny, tiny
		return ev
	}
	info := object{"channel_id": channel, "channel_type": 1, "channel_name": "子频道", "owner_guild_id": guild, "creator_tiny_id": tiny}
	return append(inGroup(notice, notify),
		s.essence("add", -7), s.essence("delete", -7),
		notice("offline_file", object{"file": object{"name": "a.txt", "size": 3, "url": "http://127.0.0.1/a.txt"}}),
		s.event("notice", object{
			"notice_type": "client_status", "online": true, "client": object{"app_id": 537, "device_name": "我的手机", "device_kind": "Android"},
		}),
		s.event("message", object{
			"message_type": "guild", "sub_type": "channel", "guild_id": guild, "channel_id": channel, "message_id": "BAAFUg-1",
			"user_id": tiny, "self_tiny_id": tiny, "message": "频道里的话", "sender": object{"user_id": int64(144115218000000001), "tiny_id": tiny, "nickname": "张三"},
		}),
		inGuild("guild_channel_recall", object{"message_id": "BAAFUg-1"}),
		inGuild("message_reactions_updated", object{"message_id": "BAAFUg-1", "current_reactions": []object{{"emoji_id": "66", "count": 1, "clicked": false}}}),
		inGuild("channel_created", object{"channel_info": info}),
		inGuild("channel_updated", object{"old_info": info, "new_info": info}),
		inGuild("channel_destroyed", object{"channel_info": info}),
	)
}

// Events returns the implementation whose events the server has.
func (s *Server) Events() Implementation { return s.opts.Quirks.Events }
