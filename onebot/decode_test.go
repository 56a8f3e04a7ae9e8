package onebot

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var badFrames = []string{
	`{"status":"failed","retcode":1403,"data":null,"message":"stray"}`,
	``, ` `, `x`, `null`, `[]`, `"post_type"`, `{`, `{"post_type"}`, `{"post_type":"message"`, `{"post_type":"message"}}`, `{"post_type":"message",}`,
	`{"post_type":message}`, `{"post_type":"mess` + "\n" + `age"}`, `{}`, `{"post_type":null}`, `{"post_type":"message","user_id":01}`,
	`{"post_type":"message","message":[{"type":"text"},]}`, `{"post_type":"message","sender":{"user_id":}}`, "\xff\xfe", `{"post_type":"a"} b`,
	`{"post_type":"message","x":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001) + `}`,
}

func TestParseEvent_InvalidInput(t *testing.T) {
	for _, s := range badFrames {
		e, err := ParseEvent([]byte(s))
		assert.Error(t, err, s)
		assert.Nil(t, e, s)
	}
}

func at(sec int64, self int64) Common { return Common{Time: time.Unix(sec, 0), SelfID: self} }

// head is the start of an event of account 10000 at Unix time 1735689600.
const head = `{"time":1735689600,"self_id":10000,"post_type":`

var eventCases = []struct {
	name, in string
	want     Event
}{
	{"group message", head + `"message","message_type":"group","sub_type":"normal","message_id":-964635551,"group_id":1,"user_id":2,` +
		`"anonymous":null,"message":[{"type":"text","data":{"text":"在吗"}}],"raw_message":"在吗","font":0,` +
		`"sender":{"user_id":2,"nickname":"甲","card":"","sex":"unknown","age":0,"area":"","level":"12","role":"admin","title":"龙"}}`,
		&GroupMessage{Common: at(1735689600, 10000), SubType: "normal", MessageID: -964635551, GroupID: 1, UserID: 2, RawMessage: "在吗",
			Sender:  Sender{UserID: 2, Nickname: "甲", Sex: "unknown", Level: "12", Role: "admin", Title: "龙"},
			Message: Message{{Type: "text", Data: json.RawMessage(`{"text":"在吗"}`)}}}},
	{"anonymous", head + `"message","message_type":"group","sub_type":"anonymous","group_id":1,"user_id":80000000,"anonymous":{"id":77,"name":"匿名","flag":"f"},"message":[]}`,
		&GroupMessage{Common: at(1735689600, 10000), SubType: "anonymous", GroupID: 1, UserID: 80000000, AnonymousID: 77, Anonymous: &Anonymous{77, "匿名", "f"}, Message: Message{}}},
	{"CQ string", head + `"message","message_type":"private","sub_type":"friend","message_id":5,"user_id":2,"message":"a\u0026amp;b[CQ:face,id=14]"}` + "\n",
		&PrivateMessage{Common: at(1735689600, 10000), SubType: "friend", MessageID: 5, UserID: 2, Message: Message{Text("a&b"), Face(14)}}},
	{"one segment", head + `"message","message_type":"private","user_id":2,"message":{"type":"dice","data":null}}`,
		&PrivateMessage{Common: at(1735689600, 10000), UserID: 2, Message: Message{{Type: "dice"}}}},
	{"temporary session", head + `"message","message_type":"private","sub_type":"group","user_id":2,"group_id":284840486,"target_id":10000,"message":null}`,
		&PrivateMessage{Common: at(1735689600, 10000), SubType: "group", UserID: 2, GroupID: 284840486, TargetID: 10000}},
	{"own", head + `"message_sent","message_type":"private","user_id":10000,"target_id":2,"message":[]}`,
		&PrivateMessage{Common: at(1735689600, 10000), UserID: 10000, TargetID: 2, Message: Message{}, own: true}},
	{"group recall", head + `"notice","notice_type":"group_recall","group_id":1,"user_id":2,"operator_id":3,"message_id":3330331745}`,
		&GroupRecall{Common: at(1735689600, 10000), GroupID: 1, UserID: 2, OperatorID: 3, MessageID: 3330331745}},
	{"friend recall", head + `"notice","notice_type":"friend_recall","user_id":2,"message_id":9}`,
		&FriendRecall{Common: at(1735689600, 10000), UserID: 2, MessageID: 9}},
	{"ban", head + `"notice","notice_type":"group_ban","sub_type":"ban","group_id":1,"operator_id":3,"user_id":2,"duration":600}`,
		&GroupBan{Common: at(1735689600, 10000), SubType: "ban", GroupID: 1, UserID: 2, OperatorID: 3, Duration: 10 * time.Minute}},
	{"whole ban", head + `"notice","notice_type":"group_ban","sub_type":"ban","group_id":1,"operator_id":3,"user_id":0,"duration":-1}`,
		&GroupBan{Common: at(1735689600, 10000), SubType: "ban", GroupID: 1, OperatorID: 3, Duration: -time.Second}},
	{"increase", head + `"notice","notice_type":"group_increase","sub_type":"invite","group_id":1,"operator_id":3,"user_id":2}`,
		&GroupIncrease{Common: at(1735689600, 10000), SubType: "invite", GroupID: 1, UserID: 2, OperatorID: 3}},
	{"decrease", head + `"notice","notice_type":"group_decrease","sub_type":"kick_me","group_id":1,"operator_id":3,"user_id":10000}`,
		&GroupDecrease{Common: at(1735689600, 10000), SubType: "kick_me", GroupID: 1, UserID: 10000, OperatorID: 3}},
	{"admin", head + `"notice","notice_type":"group_admin","sub_type":"set","group_id":1,"user_id":2}`,
		&GroupAdmin{Common: at(1735689600, 10000), SubType: "set", GroupID: 1, UserID: 2}},
	{"card", head + `"notice","notice_type":"group_card","group_id":1,"user_id":2,"card_new":"新","card_old":"旧"}`,
		&GroupCard{Common: at(1735689600, 10000), GroupID: 1, UserID: 2, New: "新", Old: "旧"}},
	{"poke", head + `"notice","notice_type":"notify","sub_type":"poke","group_id":1,"user_id":2,"target_id":10000,"raw_info":[{"col":"1"}]}`,
		&Poke{Common: at(1735689600, 10000), GroupID: 1, UserID: 2, TargetID: 10000, Info: json.RawMessage(`[{"col":"1"}]`)}},
	{"private poke of NapCat", head + `"notice","notice_type":"notify","sub_type":"poke","user_id":2,"sender_id":10000,"target_id":2}`,
		&Poke{Common: at(1735689600, 10000), UserID: 10000, TargetID: 2, peer: 2}},
	{"friend add", head + `"notice","notice_type":"friend_add","user_id":2}`, &FriendAdd{Common: at(1735689600, 10000), UserID: 2}},
	{"offline", head + `"notice","notice_type":"bot_offline","user_id":10000,"tag":"KickedOffLine","message":"被挤下线"}`,
		&BotOffline{Common: at(1735689600, 10000), Tag: "KickedOffLine", Message: "被挤下线"}},
	{"friend request", head + `"request","request_type":"friend","user_id":2,"comment":"我是甲","flag":"1700000000000001"}`,
		&FriendRequest{Common: at(1735689600, 10000), UserID: 2, Comment: "我是甲", Flag: "1700000000000001"}},
	{"group request", head + `"request","request_type":"group","sub_type":"invite","group_id":1,"user_id":2,"invitor_id":3,"comment":"","flag":170}`,
		&GroupRequest{Common: at(1735689600, 10000), SubType: "invite", GroupID: 1, UserID: 2, InviterID: 3, Flag: "170"}},
	{"lifecycle", head + `"meta_event","meta_event_type":"lifecycle","sub_type":"connect"}`, &Lifecycle{Common: at(1735689600, 10000), SubType: "connect"}},
	{"heartbeat", head + `"meta_event","meta_event_type":"heartbeat","status":{"online":true,"good":true,"plugins_good":null},"interval":30000}`,
		&Heartbeat{Common: at(1735689600, 10000), Interval: 30 * time.Second, Online: true, Good: true,
			Status: json.RawMessage(`{"online":true,"good":true,"plugins_good":null}`)}},
	{"unknown notice", head + `"notice","notice_type":"group_burnt","group_id":1,"user_id":2}`,
		&Unknown{Common: at(1735689600, 10000), PostType: "notice", Kind: "group_burnt", GroupID: 1, UserID: 2}},
	{"unknown notify", head + `"notice","notice_type":"notify","sub_type":"sneeze","user_id":2}`,
		&Unknown{Common: at(1735689600, 10000), PostType: "notice", Kind: "notify", SubType: "sneeze", UserID: 2}},
	{"unknown message", head + `"message","message_type":"telepathy","message":"x"}`,
		&Unknown{Common: at(1735689600, 10000), PostType: "message", Kind: "telepathy"}},
	{"unknown post", head + `"surprise"}`, &Unknown{Common: at(1735689600, 10000), PostType: "surprise"}},
}

func TestParseEvent(t *testing.T) {
	for _, c := range eventCases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseEvent([]byte(c.in))
			require.NoError(t, err)
			assert.Equal(t, c.in, string(got.Raw()))
			assert.Equal(t, int64(10000), got.EventSelfID())
			assert.Equal(t, int64(1735689600), got.EventTime().Unix())
			want := c.want.(interface{ base() *Common })
			want.base().raw = json.RawMessage(c.in)
			assert.Equal(t, c.want, got)
			want.base().raw = nil
		})
	}
}

func (c *Common) base() *Common { return c }

func TestParseEvent_IDsOfAnyType(t *testing.T) {
	for in, want := range map[string]int64{
		`7`: 7, `-7`: -7, `"7"`: 7, `" 7 "`: 7, `7.0`: 7, `"7.0"`: 7, `1e9`: 1e9, `1E+9`: 1e9, `3425462029`: 3425462029, `-2147483648`: -2147483648,
		`9223372036854775807`: 1<<63 - 1, `"9223372036854775807"`: 1<<63 - 1, `-9223372036854775808`: -1 << 63, `1234567890123456789`: 1234567890123456789,
		`null`: 0, `""`: 0, `"all"`: 0, `true`: 0, `{}`: 0, `[7]`: 0, `7.5`: 0, `18446744073709551616`: 0, `1e400`: 0, `"NaN"`: 0, `0`: 0, `-0`: 0, `"\u0037"`: 7,
	} {
		for _, space := range []string{"", " "} {
			e, err := ParseEvent([]byte(`{"post_type":"message","message_type":"group","group_id":` + in + space + `,"user_id":` + in + space + `}`))
			require.NoError(t, err, in)
			assert.Equal(t, want, e.(*GroupMessage).GroupID, in)
			assert.Equal(t, want, e.(*GroupMessage).UserID, in)
		}
	}
	e, err := ParseEvent([]byte(`{"post_type":"message","message_type":"group"}`))
	require.NoError(t, err)
	assert.Equal(t, &GroupMessage{Common: Common{raw: e.Raw()}}, e)
}

func TestParseEvent_Times(t *testing.T) {
	for in, want := range map[string]time.Time{
		`0`: time.Unix(0, 0), `1`: time.Unix(1, 0), `-5`: time.Unix(-5, 0), `1735689600`: time.Unix(1735689600, 0),
		`1735689600123`: time.Unix(1735689600, 0), `1735689600123456`: time.Unix(1735689600, 0), `"1735689600"`: time.Unix(1735689600, 0),
		`253402300799`: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), `9223372036854775807`: time.Unix(9223372036, 0),
	} {
		e, err := ParseEvent([]byte(`{"post_type":"notice","time":` + in + `}`))
		require.NoError(t, err, in)
		assert.True(t, want.Equal(e.EventTime()), "%s: %v", in, e.EventTime())
	}
	for _, in := range []string{`{"post_type":"notice"}`, `{"post_type":"notice","time":null}`} {
		e, err := ParseEvent([]byte(in))
		require.NoError(t, err)
		assert.True(t, e.EventTime().IsZero(), in)
	}
}

// Related events are handled in order, so they must have the same conversation.
func TestEvent_Conversations(t *testing.T) {
	for in, want := range map[string]string{
		`"post_type":"message","message_type":"group","group_id":1,"user_id":2`:                       "group_1",
		`"post_type":"message","message_type":"private","group_id":1,"user_id":2`:                     "user_2",
		`"post_type":"message_sent","message_type":"private","user_id":10000,"target_id":2`:           "user_2",
		`"post_type":"notice","notice_type":"group_recall","group_id":1,"user_id":2`:                  "group_1",
		`"post_type":"notice","notice_type":"friend_recall","user_id":2`:                              "user_2",
		`"post_type":"notice","notice_type":"group_ban","group_id":1,"user_id":2`:                     "group_1",
		`"post_type":"notice","notice_type":"group_increase","group_id":1,"user_id":2`:                "group_1",
		`"post_type":"notice","notice_type":"group_decrease","group_id":1,"user_id":2`:                "group_1",
		`"post_type":"notice","notice_type":"group_admin","group_id":1,"user_id":2`:                   "group_1",
		`"post_type":"notice","notice_type":"group_card","group_id":1,"user_id":2`:                    "group_1",
		`"post_type":"notice","notice_type":"friend_add","user_id":2`:                                 "user_2",
		`"post_type":"notice","notice_type":"bot_offline","user_id":10000`:                            "",
		`"post_type":"notice","notice_type":"notify","sub_type":"poke","group_id":1,"user_id":2`:      "group_1",
		`"post_type":"notice","notice_type":"notify","sub_type":"poke","user_id":2,"target_id":10000`: "user_2",
		`"post_type":"notice","notice_type":"notify","sub_type":"poke","user_id":10000,"target_id":2`: "user_2",
		`"post_type":"notice","notice_type":"notify","sub_type":"poke","user_id":2,"sender_id":10000`: "user_2",
		`"post_type":"notice","notice_type":"notify","sub_type":"title","group_id":1,"user_id":2`:     "group_1",
		`"post_type":"notice","notice_type":"profile_like","operator_id":3`:                           "",
		`"post_type":"request","request_type":"friend","user_id":2`:                                   "user_2",
		`"post_type":"request","request_type":"group","group_id":1,"user_id":2`:                       "group_1",
		`"post_type":"meta_event","meta_event_type":"heartbeat"`:                                      "",
	} {
		e, err := ParseEvent([]byte(`{"self_id":10000,` + in + `}`))
		require.NoError(t, err, in)
		assert.Equal(t, want, e.conversation().String(), in)
		assert.EqualValues(t, 10000, e.conversation().self, in)
	}
	d := &Dropped{Common: Common{SelfID: 10000}, GroupID: 1}
	assert.Equal(t, (&GroupMessage{Common: Common{SelfID: 10000}, GroupID: 1}).conversation(), d.conversation())
	assert.True(t, (&GroupBan{SubType: "lift_ban"}).Lifted())
	assert.True(t, (&GroupBan{SubType: "ban"}).Whole())
	assert.Zero(t, (&Poke{GroupID: 1, UserID: 2}).PeerID())
	assert.Equal(t, "卡", Sender{Nickname: "甲", Card: "卡"}.Name())
	assert.Equal(t, "甲", GroupMember{Nickname: "甲"}.Name())
}

func TestMessageKey_SignedAndUnsigned(t *testing.T) {
	assert.Equal(t, MessageKey(-964635551), MessageKey(3330331745))
	assert.NotEqual(t, MessageKey(1), MessageKey(2))
}

func TestMessages_OwnAndPeer(t *testing.T) {
	for _, c := range []struct {
		in   string
		own  bool
		peer int64
	}{
		{`"post_type":"message","user_id":2`, false, 2},
		{`"post_type":"message","user_id":2,"target_id":10000`, false, 2},
		{`"post_type":"message","user_id":10000,"target_id":2`, true, 2}, // go-cqhttp
		{`"post_type":"message_sent","user_id":10000,"target_id":2`, true, 2},
		{`"post_type":"message_sent","user_id":2`, true, 2},
		{`"post_type":"message_sent","user_id":10000`, true, 0},
	} {
		e, err := ParseEvent([]byte(`{"message_type":"private","self_id":10000,` + c.in + `}`))
		require.NoError(t, err)
		m := e.(*PrivateMessage)
		assert.Equal(t, c.own, m.Own(), c.in)
		assert.Equal(t, c.peer, m.PeerID(), c.in)
	}
}

// A large frame's strings must not keep the frame in memory.
func TestParseEvent_LargeFrameIsReleased(t *testing.T) {
	big := strings.Repeat("长", 5<<20/3)
	in := `{"post_type":"message","message_type":"group","group_id":1,"sender":{"nickname":"甲乙丙"},"message":[{"type":"at","data":{"qq":"5"}},` +
		`{"type":"text","data":{"text":` + strconv.Quote(big) + `}}]}`
	e, err := ParseEvent([]byte(in))
	require.NoError(t, err)
	m := e.(*GroupMessage)
	assert.Equal(t, big, m.Message[1].Param("text"))
	assert.False(t, within(m.Sender.Nickname, m.Raw()), "nickname")
	assert.False(t, within(asString(m.Message[0].Data), m.Raw()), "small segment")
	assert.True(t, within(asString(m.Message[1].Data), m.Raw()), "the large one is not copied")
}

// within reports whether s points into b.
func within(s string, b []byte) bool {
	from, p := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.StringData(s)))
	return from <= p && p < from+uintptr(len(b))
}
