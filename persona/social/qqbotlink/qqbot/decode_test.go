package qqbot

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 7, 21, 2, 0, 0, 0, time.UTC)

func decode(name, data string) Event {
	s := self{appID: "102"}
	s.learn("G", "ME")
	return s.decode(frame{name: name, id: "e1", data: json.RawMessage(data)}, t0)
}

// common checks what all events have and removes it for a comparison.
func common(t *testing.T, e Event, name, data string) {
	t.Helper()
	c := e.Base()
	assert.Equal(t, "e1", c.EventID)
	assert.Equal(t, name, c.Name)
	assert.False(t, c.Time.IsZero())
	assert.JSONEq(t, data, string(c.Raw))
	*c = Common{}
}

func TestDecode_Notices(t *testing.T) {
	for _, k := range []struct {
		name, data string
		want       Event
		conv       string
	}{
		{"FRIEND_ADD", `{"openid":"U","timestamp":1784599200,"scene":1003,"scene_param":"p","author":{"union_openid":""}}`, &FriendAdded{User: "U", Scene: 1003, SceneParam: "p"}, "user/U"},
		{"FRIEND_DEL", `{"openid":"U","timestamp":"1784599200"}`, &FriendRemoved{User: "U"}, "user/U"},
		{"C2C_MSG_REJECT", `{"openid":"U"}`, &ProactiveSwitched{Chat: UserChat("U")}, "user/U"},
		{"C2C_MSG_RECEIVE", `{"openid":"U"}`, &ProactiveSwitched{Chat: UserChat("U"), Allowed: true}, "user/U"},
		{"GROUP_MSG_REJECT", `{"group_openid":"G","op_member_openid":"M"}`, &ProactiveSwitched{Chat: GroupChat("G"), Operator: "M"}, "group/G"},
		{"GROUP_MSG_RECEIVE", `{"group_openid":"G","op_member_openid":"M"}`, &ProactiveSwitched{Chat: GroupChat("G"), Operator: "M", Allowed: true}, "group/G"},
		{"GROUP_ADD_ROBOT", `{"group_openid":"G","op_member_openid":"M"}`, &BotAdded{Group: "G", Operator: "M"}, "group/G"},
		{"GROUP_DEL_ROBOT", `{"group_openid":"G","op_member_openid":"M"}`, &BotRemoved{Group: "G", Operator: "M"}, "group/G"},
		{"GROUP_MEMBER_ADD", `{"group_openid":"G","member_openid":"M","user_openid":""}`, &MemberAdded{Group: "G", Member: "M"}, "group/G"},
		{"GROUP_MEMBER_REMOVE", `{"group_openid":"G","member_openid":"M","user_openid":"U"}`, &MemberRemoved{Group: "G", Member: "M", User: "U"}, "group/G"},
		{"GROUP_JOIN_REQUEST", `{"group_openid":"G","join_request_id":"r","member_openid":"M","username":"Ann","apply_at":1784599200,"apply_source":"invited","invited_by":"N","bot":true,"risk_tips":"t",
			"verify_info":{"verify_message":"hi","review_qa_list":[{"question":"q","answer":"a"},7]},"auto_approved":{"strategy_id":"s"}}`,
			&JoinRequest{Group: "G", RequestID: "r", Member: "M", Username: "Ann", Invited: true, InvitedBy: "N", Bot: true, Risk: "t", Message: "hi", Answers: []JoinAnswer{{"q", "a"}}, Approved: true}, "group/G"},
		{"INTERACTION_CREATE", `{"id":"i","type":11,"chat_type":1,"group_openid":"G","group_member_openid":"M","data":{"type":11,"resolved":{"button_id":"b","button_data":"d","message_id":"m"}}}`,
			&Interaction{ID: "i", Type: 11, Chat: GroupChat("G"), User: "M", ButtonID: "b", ButtonData: "d", MessageID: "m"}, "group/G"},
		{"INTERACTION_CREATE", `{"id":"i","type":12,"user_openid":"U","data":{"resolved":{"feature_id":"f"}}}`, &Interaction{ID: "i", Type: 12, Chat: UserChat("U"), User: "U", FeatureID: "f"}, "user/U"},
		{"ENTER_AIO", `{"user_openid":"U"}`, &Unknown{}, ""},
		{"FRIEND_ADD", `{}`, &Unknown{}, ""},
		{"GROUP_ADD_ROBOT", `{"group_openid":7.5e99}`, &BotAdded{Group: "7.5e99"}, "group/7.5e99"},
		{"GROUP_MESSAGE_CREATE", `{"group_openid":"G"}`, &Unknown{}, ""},
		{"C2C_MESSAGE_CREATE", `{"id":"m","author":[]}`, &Unknown{}, ""},
		{"RESUMED", `""`, &Resumed{}, ""},
		{"X", `[1]`, &Unknown{}, ""},
	} {
		e := decode(k.name, k.data)
		assert.Equal(t, k.conv, e.conversation(), k.name)
		common(t, e, k.name, k.data)
		assert.Equal(t, k.want, e, k.name)
	}
	assert.Equal(t, time.Unix(1784599200, 0), decode("FRIEND_DEL", `{"openid":"U","timestamp":"1784599200"}`).Base().Time)
}

// A real group message with everything that it can have.
func TestDecode_Message(t *testing.T) {
	data := `{"id":"ROBOT1.0_a!","timestamp":"2026-07-21T10:00:00+08:00","author":{"id":"M1","member_openid":"M1","member_role":"owner","union_openid":"","username":"Ann","bot":false},
		"group_openid":"G2","group_id":"G2","content":" <@M2> 看 <faceType=4,faceId=\"12\",ext=\"eyJ0ZXh0IjoiW+W+rueskV0ifQ==\"> <@!M3>","message_type":103,
		"mentions":[{"scope":"single","is_you":true,"bot":true,"id":"B","member_openid":"B","username":"小炉"},{"scope":"single","id":"M2","member_openid":"M2","username":"Bob"},{"scope":"all","is_you":true}],
		"message_scene":{"source":"default","ext":["msg_idx=REFIDX_x==","ref_msg_idx=REFIDX_y=="]},
		"attachments":[{"url":"multimedia.nt.qq.com.cn/a?rkey=1","filename":"a.jpg","content_type":"image/jpeg","size":"12","width":3,"height":4},
			{"url":"//x.example/v","filename":"v.silk","content_type":"voice","voice_wav_url":"https://x.example/w","asr_refer_text":"你好"},
			{"url":"file:///etc/passwd","content_type":"file"}],
		"msg_elements":[{"author":{"id":"M3","username":"Cid"},"message_type":0,"content":"原话","attachments":[{"url":"http://x.example/1","filename":"q.png","content_type":"image/png"},{"url":"http://x.example/2","filename":"q.png","content_type":"image/png"}]}]}`
	m, ok := decode("GROUP_MESSAGE_CREATE", data).(*Message)
	require.True(t, ok)
	assert.True(t, m.Time.Equal(t0))
	assert.Equal(t, GroupChat("G2"), m.Chat)
	assert.Equal(t, "REFIDX_x==", m.Index)
	assert.Equal(t, TypeQuote, m.Type)
	assert.Equal(t, Author{ID: "M1", Username: "Ann", Role: RoleOwner}, m.Author)
	assert.Equal(t, "@Bob 看 [微笑] @M3", m.Text())
	assert.True(t, m.ToMe())
	assert.Equal(t, []Mention{{ID: "B", Username: "小炉", Bot: true, You: true}, {ID: "M2", Username: "Bob"}, {All: true}, {ID: "M3"}}, m.Mentions)
	assert.Equal(t, []Attachment{
		{Type: ImageFile, URL: "https://multimedia.nt.qq.com.cn/a?rkey=1", Name: "a.jpg", ContentType: "image/jpeg", Size: 12, Width: 3, Height: 4},
		{Type: VoiceFile, URL: "https://x.example/v", WAV: "https://x.example/w", Transcript: "你好", Name: "v.silk", ContentType: "voice"},
		{Type: OtherFile, ContentType: "file"},
	}, m.Attachments)
	require.NotNil(t, m.Quote)
	assert.Equal(t, "REFIDX_y==", m.Quote.Index)
	assert.Equal(t, "Cid", m.Quote.Author.Username)
	assert.Equal(t, "原话", m.Quote.Text())
	assert.Len(t, m.Quote.Attachments, 1, "the same picture is listed twice")
	assert.False(t, m.Own)
}

func TestDecode_MessageForms(t *testing.T) {
	at := decode("GROUP_AT_MESSAGE_CREATE", `{"id":"m","group_openid":"G","author":{"member_openid":"M"},"content":" /x ","mentions":null}`).(*Message)
	assert.True(t, at.ToMe(), "the event does not list the bot")
	assert.Equal(t, "/x", at.Text())
	full := decode("GROUP_MESSAGE_CREATE", `{"id":"m","group_openid":"G","author":{"member_openid":"M"},"content":"<@102> <@ME>在","mentions":[{"scope":"all","is_you":true}]}`).(*Message)
	assert.True(t, full.ToMe(), "known by app id")
	assert.Equal(t, "在", full.Text())
	all := decode("GROUP_MESSAGE_CREATE", `{"id":"m","group_openid":"G","content":"<qqbot-at-everyone /> 开会","mentions":[{"scope":"all","is_you":true}]}`).(*Message)
	assert.False(t, all.ToMe())
	assert.Equal(t, []Mention{{All: true}}, all.Mentions)
	assert.Equal(t, "@全体成员 开会", all.Text())
	own := decode("GROUP_MESSAGE_CREATE", `{"id":"m","group_openid":"G","author":{"member_openid":"ME","bot":true},"content":"x"}`).(*Message)
	assert.True(t, own.Own)
	assert.False(t, decode("GROUP_MESSAGE_CREATE", `{"id":"m","group_openid":"H","author":{"member_openid":"ME"},"content":"x"}`).(*Message).Own)
	private := decode("C2C_MESSAGE_CREATE", `{"id":"m","author":{"user_openid":"U"},"content":"x","message_scene":{"ext":["ref_msg_idx=TMP_1"]}}`).(*Message)
	assert.True(t, private.ToMe())
	assert.Equal(t, &Quote{Index: "TMP_1"}, private.Quote)
	card := decode("C2C_MESSAGE_CREATE", `{"id":"m","author":{"user_openid":"U"},"message_type":3,"content":"[卡片消息]","ark_data":{"prompt":"p","ark_type":"miniapp","ark_name":"n","fields":{"a":1}}}`).(*Message)
	assert.Equal(t, &Card{Prompt: "p", Type: "miniapp", Name: "n", Fields: json.RawMessage(`{"a":1}`)}, card.Card)
}

func TestParseContent(t *testing.T) {
	names := map[string]string{"A": "甲"}
	for in, want := range map[string]string{
		"":                                     "[]",
		"a < b":                                "[t:a < b]",
		"<@A> <@A> x":                          "[@A:甲 t: x]",
		"<@A> <@B> x":                          "[@A:甲 t:  @B: t: x]",
		"<@A><@A>":                             "[@A:甲 @A:甲]",
		`<qqbot-at-user id="A" />x`:            "[@A:甲 t:x]",
		`<qqbot-at-user id="A"/>x`:             "[@A:甲 t:x]",
		"<@everyone>":                          "[all]",
		"[<face,id=14/>]":                      "[face 0 14 ]",
		`<faceType=1,faceId="5",ext="">`:       "[face 1 5 ]",
		`<faceType=1,faceId="5",ext="%%%">`:    `[t:<faceType=1,faceId="5",ext="%%%">]`,
		`<faceType=6,faceId="0",ext="AAAA">`:   "[face 6 0 ]",
		"<@A":                                  "[t:<@A]",
		"<@A/../>":                             "[t:<@A/../>]",
		`x<faceType=4,faceId="",ext="e30=">y"`: `[t:x face 4   t:y"]`,
	} {
		var got []string
		for _, p := range parseContent(in, func(id string) Mention { return Mention{ID: id, Username: names[id]} }) {
			switch {
			case p.Face != nil:
				got = append(got, fmt.Sprintf("face %d %s %s", p.Face.Type, p.Face.ID, p.Face.Text))
			case p.Mention != nil && p.Mention.All:
				got = append(got, "all")
			case p.Mention != nil:
				got = append(got, "@"+p.Mention.ID+":"+p.Mention.Username)
			default:
				got = append(got, "t:"+p.Text)
			}
		}
		assert.Equal(t, want, fmt.Sprint(got), in)
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]time.Time{
		"2026-07-21T10:00:00+08:00": t0, "2026-07-21 10:00:00 +0800 CST m=+1.5": t0, "2026-07-21 10:00:00 +0800 +0800": t0, "1784599200": t0, "1784599200000": t0,
		"": {}, "x": {}, "-5": {}, "0": {},
	} {
		assert.True(t, want.Equal(parseTime(in)), "%s: %v", in, parseTime(in))
	}
}

func TestPairs(t *testing.T) {
	p := pairs{window: 15 * time.Second}
	say := func(name, text string, at time.Time) bool {
		return p.second(at, &Message{Common: Common{Name: name}, Chat: GroupChat("G"), Author: Author{ID: "M"}, Mentions: []Mention{{You: true}}, Parts: []Part{{Text: text}}})
	}
	assert.False(t, say("A", "x", t0))
	assert.False(t, say("A", "x", t0), "said twice")
	assert.True(t, say("B", "x", t0))
	assert.True(t, say("B", "x", t0))
	assert.False(t, say("B", "x", t0))
	assert.False(t, say("A", "x", t0.Add(16*time.Second)), "too late")
}

// FuzzDecode passes anything as an event. Messages always have an id and a chat.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"C2C_MESSAGE_CREATE", "GROUP_AT_MESSAGE_CREATE", "GROUP_MESSAGE_CREATE", "FRIEND_ADD", "GROUP_JOIN_REQUEST", "INTERACTION_CREATE", "READY", "RESUMED"} {
		f.Add(name, `{"id":"m","openid":"U","group_openid":"G","author":{"id":"A"},"content":"<@A> <@A> x","mentions":[{"is_you":true,"id":"B"}],"msg_elements":[{}],"message_scene":{"ext":["msg_idx=1",2]}}`)
		f.Add(name, `{"id":1,"group_openid":{},"attachments":[{"url":"//","size":1e99}],"timestamp":"2026-07-21 10:00:00 +0800 CST m=+1"}`)
	}
	f.Fuzz(func(t *testing.T, name, data string) {
		raw, err := json.Marshal(map[string]any{"op": 0, "t": name, "id": "e", "s": 1, "d": json.RawMessage(data)})
		if err != nil {
			raw = []byte(data)
		}
		fr, ok := parseFrame(raw)
		if !ok {
			return
		}
		_ = fr.keys()
		s := self{appID: "102"}
		e := s.decode(fr, t0)
		assert.NotNil(t, e.Base())
		m, ok := e.(*Message)
		if !ok {
			return
		}
		assert.NotEmpty(t, m.ID)
		assert.NotEmpty(t, m.Chat.ID)
		_, _ = m.Text(), m.ToMe()
		for _, p := range m.Parts {
			assert.True(t, p.Text != "" && p.Mention == nil && p.Face == nil || p.Text == "" && (p.Mention == nil) != (p.Face == nil))
		}
		for _, a := range m.Attachments {
			assert.True(t, a.URL == "" || fullURL(a.URL) == a.URL, a.URL)
		}
	})
}
