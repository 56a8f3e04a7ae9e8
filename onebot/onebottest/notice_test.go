package onebottest_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// Events beyond the standard in each implementation's form; "" means no event.
func TestNotices_EachImplementation(t *testing.T) {
	kind := func(o object) string {
		k, _ := o["notice_type"].(string)
		if sub, ok := o["sub_type"].(string); ok {
			k += "/" + sub
		}
		return k
	}
	for _, tt := range []struct {
		name string
		do   func(s *onebottest.Server, g *onebottest.Group, id int64)
		want [5]string // NapCat, LLBot, SnowLuma, Lagrange, GoCQHTTP
	}{
		{"card", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Member(1, "").SetCard("哥") },
			[5]string{"group_card", "group_card", "", "", "group_card"}},
		{"title", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Member(1, "").SetTitle("哥") },
			[5]string{"notify/title", "notify/title", "", "", "notify/title"}},
		{"admin", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Member(1, "").SetAdmin(true) },
			[5]string{"group_admin/set", "group_admin/set", "group_admin/set", "group_admin/set", "group_admin/set"}},
		{"admin no more", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Member(1, "").SetAdmin(false) },
			[5]string{"group_admin/unset", "group_admin/unset", "group_admin/unset", "group_admin/unset", "group_admin/unset"}},
		{"honor", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Member(1, "").Honor("talkative") },
			[5]string{"", "", "", "", "notify/honor"}},
		{"lucky king", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.LuckyKing(1, 2) },
			[5]string{"", "", "", "", "notify/lucky_king"}},
		{"name", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.SetName(1, "新") },
			[5]string{"notify/group_name", "", "", "group_name_change", ""}},
		{"essence", func(_ *onebottest.Server, g *onebottest.Group, id int64) { g.Essence(id, 1, true) },
			[5]string{"essence/add", "essence/add", "essence/add", "essence/add", "essence/add"}},
		{"no essence", func(_ *onebottest.Server, g *onebottest.Group, id int64) { g.Essence(id, 1, false) },
			[5]string{"", "essence/delete", "essence/delete", "essence/delete", "essence/delete"}},
		{"reaction", func(_ *onebottest.Server, g *onebottest.Group, id int64) { g.React(id, 1, "66", false) },
			[5]string{"group_msg_emoji_like", "group_msg_emoji_like", "group_msg_emoji_like/remove", "reaction/remove", ""}},
		{"upload", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Upload(1, "a", nil) },
			[5]string{"group_upload", "group_upload", "group_upload", "group_upload", "group_upload"}},
		{"friend's upload", func(s *onebottest.Server, _ *onebottest.Group, _ int64) { s.Friend(3, "").Upload("a", nil) },
			[5]string{"/friend", "/friend", "/friend", "offline_file", "offline_file"}},
		{"typing", func(s *onebottest.Server, _ *onebottest.Group, _ int64) { s.Friend(3, "").Typing("在输入") },
			[5]string{"notify/input_status", "", "", "", ""}},
		{"like", func(s *onebottest.Server, _ *onebottest.Group, _ int64) { s.Like(1, 10) },
			[5]string{"notify/profile_like", "notify/profile_like", "", "", ""}},
		{"offline", func(s *onebottest.Server, _ *onebottest.Group, _ int64) { s.SetOnline(false) },
			[5]string{"bot_offline", "", "", "bot_offline", ""}},
		{"poke", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Poke(1, 2) },
			[5]string{"notify/poke", "notify/poke", "notify/poke", "notify/poke", "notify/poke"}},
		{"dismissed", func(_ *onebottest.Server, g *onebottest.Group, _ int64) { g.Dismiss() },
			[5]string{"group_decrease/disband", "group_dismiss", "group_decrease/disband", "group_decrease/kick_me", "group_decrease/kick_me"}},
	} {
		for i, impl := range names {
			s := of(t, impl, onebottest.Options{})
			g := s.Group(7, "")
			g.Member(1, "张三").WithRole("owner")
			s.Friend(3, "王五")
			id := g.Say(1, text("话"))
			b := dial(t, s, "/", nil)
			b.event()
			tt.do(s, g, id)
			s.SendRaw([]byte(`{"post_type":"end"}`))
			got := b.event()
			if got["post_type"] == "end" {
				got = object{}
			} else {
				assert.NotZero(t, got["time"])
			}
			assert.Equal(t, tt.want[i], kind(got), "%s %s", tt.name, impl)
		}
	}
}

// Every extension parses as an event with its account and time, and all listed extensions occur.
func TestExtensions_Parse(t *testing.T) {
	for impl, want := range map[string]int{"NapCat": 12, "LLBot": 13, "SnowLuma": 5, "Lagrange": 8, "GoCQHTTP": 12} {
		s := of(t, impl, onebottest.Options{})
		all := s.Extensions()
		assert.Len(t, all, want, impl)
		kinds := map[string]bool{}
		for _, ev := range all {
			b, err := json.Marshal(ev)
			require.NoError(t, err)
			got, err := onebot.ParseEvent(b)
			require.NoError(t, err)
			assert.Equal(t, int64(self), got.EventSelfID())
			assert.False(t, got.EventTime().IsZero())
			kind, _ := json.Marshal([]any{ev["post_type"], ev["notice_type"], ev["request_type"], ev["sub_type"]})
			assert.False(t, kinds[string(kind)], "twice: %s", kind)
			kinds[string(kind)] = true
		}
	}
}

// Actions that manage a group take effect if the bot has the permission.
func TestGroup_ManagingActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		g := s.Group(7, "七")
		g.Member(1, "张三")
		id := g.Say(1, text("话"))
		b := connected(t, s)
		calls := []struct {
			action string
			params object
			notice string
		}{
			{"set_group_admin", object{"group_id": 7, "user_id": 1}, "group_admin"},
			{"set_group_name", object{"group_id": 7, "group_name": "新"}, "notify"},
			{"set_group_special_title", object{"group_id": 7, "user_id": 1, "special_title": "哥"}, "notify"},
			{"set_essence_msg", object{"message_id": id}, "essence"},
			{"delete_essence_msg", object{"message_id": id}, ""},
		}
		for _, c := range calls {
			b.fails(1200, c.action, c.params)
		}
		g.Member(self, "").WithRole("owner")
		for _, c := range calls {
			b.do(c.action, c.params)
			if c.notice != "" {
				assert.Equal(t, c.notice, b.notice()["notice_type"], c.action)
			}
		}
		b.do("set_msg_emoji_like", object{"message_id": id, "emoji_id": 66})
		assert.Equal(t, "group_msg_emoji_like", b.notice()["notice_type"])
		b.fails(1404, "set_group_reaction", nil)
		b.do("mark_msg_as_read", object{"message_id": id})
		b.do("send_like", object{"user_id": 1})
		b.fails(1400, "send_like", nil)
		assert.False(t, g.Essence(12345, 1, true))
		assert.False(t, g.React(12345, 1, "66", true))

		l := of(t, "Lagrange", onebottest.Options{})
		id = l.Group(7, "").Say(1, text("话"))
		b = connected(t, l)
		b.do("set_group_reaction", object{"group_id": 7, "message_id": id, "code": "66", "is_add": true})
		assert.Equal(t, "reaction", b.notice()["notice_type"])
		l.Close()

		ll := of(t, "LLBot", onebottest.Options{})
		id = ll.Group(7, "").Say(1, text("话"))
		b = connected(t, ll)
		b.do("unset_msg_emoji_like", object{"message_id": id, "emoji_id": "66"})
		assert.Equal(t, false, b.notice()["is_add"])
		ll.Close()

		sl := of(t, "SnowLuma", onebottest.Options{})
		id = sl.Group(7, "").Say(1, text("话"))
		b = connected(t, sl)
		b.do("set_group_reaction", object{"message_id": id, "code": "66", "is_set": false})
		assert.Equal(t, "remove", b.notice()["sub_type"])
		sl.Close()
	})
}
