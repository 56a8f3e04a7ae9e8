package qq_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tools of a persona with everything its view shows of them.
func TestTools_PersonaList(t *testing.T) {
	s, _ := gallery(t, qq.Options{AllowImageURLs: true, Requests: new(qq.PendingRequests)})
	persona := s.r.View(nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123", Person: "987"}).Tools()
	owner := s.r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}).Tools()
	names := map[string]bool{}
	for _, tool := range persona {
		names[tool.Function.Name] = true
	}
	assert.Equal(t, map[string]bool{
		"qq_send_text": true, "qq_send_image": true, "qq_poke": true, "qq_handle_friend_request": true, "qq_handle_group_invite": true,
		"qq_delete_friend": true, "qq_get_stranger_info": true, "qq_react": true, "qq_send_voice": true, "qq_send_forward": true,
	}, names)
	b, err := json.Marshal(persona)
	require.NoError(t, err)
	for _, tool := range owner {
		if !names[tool.Function.Name] {
			assert.NotContains(t, string(b), tool.Function.Name)
			assert.NotContains(t, string(b), tool.Function.Description)
		}
	}
	for _, hidden := range []string{"全体", "all", "网址", "http", "禁言", "主人", "kick", "ban"} {
		assert.NotContains(t, string(b), hidden)
	}
	assert.Len(t, owner, 29)
	for mode, want := range map[string]int{nit.ModePersona: 10, "Agent": 0, "root": 0} {
		assert.Len(t, s.r.View(nit.Principal{Mode: mode, Tiers: nit.L1 | nit.L2 | nit.L3, Session: "group_123"}).Tools(), want, mode)
	}
}

// No call of a persona's model reaches anything outside its session, its root and the requests it was shown. Forbidden
// calls get the bytes and error of a missing tool.
func TestTools_ForbiddenForPersonaIsUnknown(t *testing.T) {
	s, _ := gallery(t, qq.Options{AllowImageURLs: true, Requests: new(qq.PendingRequests)})
	for action, answer := range town(t).answers {
		if s.answers == nil {
			s.answers = map[string]string{}
		}
		s.answers[action] = answer
	}
	s.answers["get_msg"] = `{"message_type":"group","group_id":123,"message_id":1,"user_id":5,"message":"在"}`
	s.answers["get_login_info"] = `{"user_id":10000,"nickname":"小炉"}`
	rng := rand.New(rand.NewPCG(6, 7))
	pick := func(list ...any) any { return list[rng.IntN(len(list))] }
	shown := qq.WithRequests(t.Context(), persona.Request{Kind: persona.FriendRequest, ID: "mine"}, persona.Request{Kind: persona.GroupInvite, ID: "ours", Group: "7"})
	tools := []string{
		"qq_send_text", "qq_send_text", "qq_send_image", "qq_send_image", "qq_poke", "qq_handle_friend_request", "qq_handle_group_invite", "qq_delete_friend", "qq_get_stranger_info", "qq_react", "qq_send_voice",
		"qq_send_forward", "qq_find_target", "qq_get_friend_list", "qq_get_group_list", "qq_get_group_member_list", "qq_get_group_history", "qq_get_requests",
		"qq_delete_message", "qq_group_kick", "qq_group_ban", "qq_group_card", "qq_group_title", "qq_group_sign", "qq_essence", "qq_get_essence_list",
		"qq_send_announcement", "qq_get_announcements", "qq_group_files", "qq_get_file_url", "qq_send_file",
	}
	refused, done := map[string]int{}, 0
	for range 9000 {
		p := pick(inGroup, inPrivate).(nit.Principal)
		p.Tiers = nit.Tier(rng.IntN(8)) | nit.L1
		name := tools[rng.IntN(len(tools))]
		in := map[string]any{}
		for key, value := range map[string]any{
			"target_id": pick("group_123", "user_987", 123, "987", "group_124", "user_5", 5, "炉边", "老王", "session_master", "", "group_0", "all"),
			"at":        []any{pick(987, "5", "all", "ALL", "0", "老王")},
			"image_path": pick("a.png", "猫/b.jpg", "../secret.png", "up/secret.png", "/etc/passwd", `..\a.png`, "http://1.1.1.1/", "out.png", "none.png", "text.png",
				"abs.png"),
			"flag": pick("mine", "ours", "theirs", 5), "approve": pick(true, false, nil), "user_id": pick(987, "5", "user_5", "老王", 0),
			"content": "x", "type": pick("group", "private"), "group_id": 123, "message_id": 1, "card": "x", "name": "老王",
			"face": "赞", "text": "x", "messages": []string{"x"}, "title": "x", "action": pick("add", "remove"), "path": pick("a.png", "../secret.png"), "file_id": "/x",
		} {
			if belongs[name][key] && (needed[key] || rng.IntN(2) == 0) {
				in[key] = value
			}
		}
		a := args(t, in)
		s.said, s.sent = nil, nil
		view := s.r.View(p)
		_, err := view.Do(shown, name, a)

		session, id := "group_123", `"group_id":123`
		if p.Session == "user_987" {
			session, id = "user_987", `"user_id":987`
		}
		if !mayReach(name, in, session) {
			refused[name]++
			require.Equal(t, nit.ErrUnknownTool, err, "%s %s", name, a)
			require.Empty(t, s.said, "%s %s", name, a)
			require.Empty(t, s.sent, "%s %s", name, a)
			require.Equal(t, s.callIn(shown, p, "no_such_tool", a), s.callIn(shown, p, name, a))
			continue
		}
		if err == nil {
			done++
		}
		require.False(t, errors.Is(err, nit.ErrUnknownTool), "%s %s", name, a)
		for _, said := range s.said {
			require.True(t, strings.HasPrefix(said, " "), said)
			require.NotContains(t, said, `"all"`)
			require.False(t, name == "qq_react" && session != "group_123", "the message is not in this chat")
		}
		for _, action := range s.sent {
			switch {
			case name == "qq_react" && strings.HasPrefix(action, "get_msg "), name == "qq_send_forward" && strings.HasPrefix(action, "get_login_info "):
			case strings.HasPrefix(action, "get_stranger_info "), strings.HasPrefix(action, "delete_friend ") && strings.Contains(action, `"user_id":987`):
			case strings.HasPrefix(action, "set_friend_add_request ") && strings.Contains(action, `"flag":"mine"`), strings.HasPrefix(action, "set_group_add_request ") && strings.Contains(action, `"flag":"ours"`):
			default:
				require.Contains(t, action, "_poke ")
				require.Contains(t, action, id)
			}
		}
	}
	for _, name := range tools {
		if name != "qq_get_stranger_info" {
			assert.Greater(t, refused[name], 20, name)
		}
	}
	assert.Greater(t, done, 500, "and much can be done")
}

// All arguments of each tool, and the required ones.
var (
	belongs = map[string]map[string]bool{
		"qq_send_text":  {"target_id": true, "at": true, "content": true, "type": true},
		"qq_send_image": {"target_id": true, "image_path": true},
		"qq_react":      {"target_id": true, "message_id": true, "face": true}, "qq_send_voice": {"target_id": true, "text": true},
		"qq_send_forward": {"target_id": true, "messages": true},
		"qq_poke":         {"target_id": true, "user_id": true}, "qq_handle_friend_request": {"flag": true, "approve": true}, "qq_handle_group_invite": {"flag": true, "approve": true},
		"qq_delete_friend": {"user_id": true}, "qq_get_stranger_info": {"user_id": true}, "qq_find_target": {"name": true}, "qq_get_group_member_list": {"group_id": true},
		"qq_get_group_history": {"group_id": true}, "qq_delete_message": {"message_id": true}, "qq_group_kick": {"group_id": true, "user_id": true},
		"qq_group_ban": {"group_id": true, "user_id": true}, "qq_group_card": {"group_id": true, "user_id": true, "card": true},
		"qq_group_title": {"group_id": true, "user_id": true, "title": true}, "qq_group_sign": {"group_id": true}, "qq_essence": {"message_id": true, "action": true},
		"qq_get_essence_list": {"group_id": true}, "qq_send_announcement": {"group_id": true, "text": true}, "qq_get_announcements": {"group_id": true},
		"qq_group_files": {"group_id": true}, "qq_get_file_url": {"group_id": true, "file_id": true}, "qq_send_file": {"target_id": true, "path": true},
	}
	needed = map[string]bool{"image_path": true, "flag": true, "content": true, "name": true, "message_id": true, "card": true, "user_id": true, "face": true, "text": true, "messages": true, "title": true, "action": true,
		"path": true, "file_id": true}
)

// mayReach is a naive model of the rights of a persona in this session. Invalid arguments reach nothing and need not be
// hidden.
func mayReach(name string, in map[string]any, session string) bool {
	_, number, _ := strings.Cut(session, "_")
	kind := map[bool]any{true: "group", false: "private"}[strings.HasPrefix(session, "group_")]
	if to, given := in["target_id"]; given && to != "" {
		text := fmt.Sprint(to)
		bare := text == number && (in["type"] == nil || in["type"] == kind)
		if text != session && !bare {
			return false
		}
	}
	switch name {
	case "qq_send_text":
		at, given := in["at"]
		if in["target_id"] == "" || !given {
			return true
		}
		who := fmt.Sprint(at.([]any)[0])
		return who == "987" || who == "5"
	case "qq_send_image":
		return in["target_id"] == "" || map[any]bool{"a.png": true, "猫/b.jpg": true, "none.png": true, "text.png": true}[in["image_path"]]
	case "qq_handle_friend_request":
		return in["flag"] == "mine"
	case "qq_handle_group_invite":
		return in["flag"] == "ours"
	case "qq_delete_friend":
		return fmt.Sprint(in["user_id"]) == "987"
	case "qq_poke", "qq_get_stranger_info", "qq_react", "qq_send_voice", "qq_send_forward":
		return true
	}
	return false
}

// FuzzTarget checks that a persona's call with any target, name or path goes to its own session or gives an unknown
// tool. The owner's call finds a target only by its id or its full name.
func FuzzTarget(f *testing.F) {
	for _, s := range []string{"group_123", "123", "user_987", "group_124", "炉边", "老王", "小明", "../a.png", "all", "-1", "9999999999999999999", "group_ 123", "１２３"} {
		f.Add(s, "group")
		f.Add(s, "")
	}
	root, err := os.OpenRoot(f.TempDir())
	require.NoError(f, err)
	defer root.Close()
	s := stageWith(f, qq.Options{Images: root})
	s.answers = town(f).answers
	f.Fuzz(func(t *testing.T, given, kind string) {
		if kind != "group" && kind != "private" {
			kind = ""
		}
		in := map[string]any{"content": "x", "target_id": given}
		if kind != "" {
			in["type"] = kind
		}
		a := args(t, in)
		s.said, s.sent = nil, nil
		p := inGroup
		p.Tiers = nit.L1
		_, err := s.r.View(p).Do(t.Context(), "qq_send_text", a)
		var echo struct {
			Target string `json:"target_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(a), &echo)) // as JSON transports it
		switch {
		case err == nil:
			require.Len(t, s.said, 1)
			require.Contains(t, []string{"group_123", "123"}, echo.Target)
			require.True(t, strings.HasPrefix(s.said[0], " "))
		case !errors.Is(err, nit.ErrInvalidArgs):
			require.Equal(t, nit.ErrUnknownTool, err)
			require.Empty(t, s.said)
		}
		require.Empty(t, s.sent, "a persona looks no name up")

		s.said = nil
		p = agent
		p.Tiers = nit.L1
		if _, err := s.r.View(p).Do(t.Context(), "qq_send_text", a); err == nil {
			require.Len(t, s.said, 1)
			to, _, _ := strings.Cut(s.said[0], " ")
			_, digits, _ := strings.Cut(to, "_")
			if len(s.sent) == 0 {
				require.Contains(t, []string{to, digits}, echo.Target)
			} else {
				require.Contains(t, []string{"group_123", "group_124", "group_125", "group_126", "group_127", "user_5", "user_8", "user_9"}, to)
			}
		}
		_, err = s.r.View(inGroup).Do(t.Context(), "qq_send_image", args(t, map[string]any{"image_path": given}))
		require.Error(t, err, "there is no picture")
	})
}
