package onebot

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const notice = head + `"notice","notice_type":`

// time and account of every event below
var that = at(1735689600, 10000)

var channel7 = &ChannelInfo{GuildID: "76", ChannelID: "7", Type: 1, Name: "闲聊", Created: time.Unix(1735689600, 0), CreatorID: "144115218000000001"}

const channelJSON = `{"owner_guild_id":"76","channel_id":"7","channel_type":1,"channel_name":"闲聊","create_time":1735689600,"creator_tiny_id":"144115218000000001","slow_modes":[]}`

// Extension events and rare events, in the forms of all implementations.
var extensionCases = []struct {
	name, in string
	want     Event
}{
	{"upload", notice + `"group_upload","group_id":1,"user_id":2,"file":{"id":"/a","name":"作业.docx","size":"1200","busid":102}}`,
		&GroupUpload{Common: that, GroupID: 1, UserID: 2, File: UploadedFile{ID: "/a", Name: "作业.docx", Size: 1200, BusID: 102}}},
	{"upload without a file", notice + `"group_upload","group_id":1,"user_id":2,"file":null}`, &GroupUpload{Common: that, GroupID: 1, UserID: 2}},
	{"lucky king", notice + `"notify","sub_type":"lucky_king","group_id":1,"user_id":2,"target_id":3}`, &LuckyKing{Common: that, GroupID: 1, UserID: 2, TargetID: 3}},
	{"honor", notice + `"notify","sub_type":"honor","group_id":1,"user_id":"2","honor_type":"talkative"}`, &Honor{Common: that, GroupID: 1, UserID: 2, Honor: "talkative"}},
	{"essence", notice + `"essence","sub_type":"add","group_id":1,"user_id":2,"sender_id":2,"operator_id":3,"message_id":-7}`,
		&Essence{Common: that, SubType: "add", GroupID: 1, SenderID: 2, OperatorID: 3, MessageID: -7}},
	{"title", notice + `"notify","sub_type":"title","group_id":1,"user_id":2,"title":"龙"}`, &GroupTitle{Common: that, GroupID: 1, UserID: 2, Title: "龙"}},
	{"name, NapCat", notice + `"notify","sub_type":"group_name","group_id":1,"user_id":2,"name_new":"新"}`, &GroupName{Common: that, GroupID: 1, UserID: 2, Name: "新"}},
	{"name, Lagrange", notice + `"group_name_change","group_id":1,"name":"新"}`, &GroupName{Common: that, GroupID: 1, Name: "新"}},
	{"typing", notice + `"notify","sub_type":"input_status","status_text":"对方正在输入...","event_type":1,"user_id":2,"group_id":0}`,
		&InputStatus{Common: that, UserID: 2, EventType: 1, Text: "对方正在输入..."}},
	{"profile like", notice + `"notify","sub_type":"profile_like","operator_id":2,"operator_nick":"甲","times":10}`, &ProfileLike{Common: that, UserID: 2, Nickname: "甲", Times: 10}},
	{"poke recall", notice + `"notify","sub_type":"poke_recall","user_id":2,"target_id":10000,"raw_info":[]}`, &PokeRecall{Common: that, UserID: 2, TargetID: 10000}},
	{"poke, Lagrange", notice + `"notify","sub_type":"poke","group_id":1,"user_id":2,"target_id":3,"action":"拍了拍","suffix":"的头","action_img_url":"https://x"}`,
		&Poke{Common: that, GroupID: 1, UserID: 2, TargetID: 3, Action: "拍了拍", Suffix: "的头", Image: "https://x"}},
	{"gray tip", notice + `"notify","sub_type":"gray_tip","group_id":1,"user_id":2,"message_id":9,"busi_id":"1061","content":"{}","raw_info":{"a":1}}`,
		&GrayTip{Common: that, GroupID: 1, UserID: 2, MessageID: 9, BusiID: "1061", Content: "{}", Info: json.RawMessage(`{"a":1}`)}},
	{"emoji, NapCat", notice + `"group_msg_emoji_like","group_id":1,"user_id":2,"message_id":9,"likes":[{"emoji_id":"66","count":1}],"is_add":true,"message_seq":"5"}`,
		&Reaction{Common: that, GroupID: 1, UserID: 2, MessageID: 9, Seq: 5, Added: true, Likes: []EmojiCount{{"66", 1}}}},
	{"emoji taken away", notice + `"group_msg_emoji_like","group_id":1,"user_id":2,"message_id":9,"likes":[{"emoji_id":66,"count":"0"}],"is_add":false}`,
		&Reaction{Common: that, GroupID: 1, UserID: 2, MessageID: 9, Likes: []EmojiCount{{"66", 0}}}},
	{"emoji of old NapCat", notice + `"group_msg_emoji_like","group_id":1,"user_id":2,"message_id":9,"likes":[]}`,
		&Reaction{Common: that, GroupID: 1, UserID: 2, MessageID: 9, Added: true, Likes: []EmojiCount{}}},
	{"reaction, Lagrange", notice + `"reaction","sub_type":"remove","group_id":1,"operator_id":2,"message_id":9,"code":"66","count":3}`,
		&Reaction{Common: that, GroupID: 1, UserID: 2, MessageID: 9, Likes: []EmojiCount{{"66", 3}}}},
	{"bot online", notice + `"bot_online","reason":"login"}`, &BotOnline{Common: that, Reason: "login"}},
	{"offline file", notice + `"offline_file","user_id":2,"file":{"name":"a","size":7,"url":"https://x","id":"f","hash":"h"}}`,
		&OfflineFile{Common: that, UserID: 2, File: UploadedFile{ID: "f", Name: "a", Size: 7, URL: "https://x", Hash: "h"}}},
	{"client status", notice + `"client_status","online":true,"client":{"app_id":537,"device_name":"小米","device_kind":"Android"}}`,
		&ClientStatus{Common: that, Online: true, Client: Device{537, "小米", "Android"}}},
	{"online file sent", notice + `"online_file_send","sub_type":"refuse","peer_id":2}`, &OnlineFileSend{Common: that, SubType: "refuse", PeerID: 2}},
	{"online file withdrawn", notice + `"online_file_receive","sub_type":"cancel","peer_id":2}`, &OnlineFileReceive{Common: that, SubType: "cancel", PeerID: 2}},
	{"flash file", notice + `"flash_file","sub_type":"downloading","title":"t","share_link":"https://x","file_set_id":"s","files":[{"name":"a","size":7}],"downloaded_size":3,"total_size":7,"speed":2,"remain_seconds":2}`,
		&FlashFile{Common: that, SubType: "downloading", Title: "t", ShareLink: "https://x", FileSetID: "s", Files: []FlashFilePart{{Name: "a", Size: 7}}, Done: 3, Total: 7, Speed: 2, Remaining: 2 * time.Second}},
	{"flash file, up", notice + `"flash_file","sub_type":"uploading","files":[],"uploaded_size":3}`,
		&FlashFile{Common: that, SubType: "uploading", Files: []FlashFilePart{}, Done: 3}},
	{"dismissed, LLBot", notice + `"group_dismiss","group_id":1,"user_id":2}`, &GroupDecrease{Common: that, GroupID: 1, UserID: 10000, OperatorID: 2, SubType: "disband"}},
	{"dismissed, NapCat", notice + `"group_decrease","sub_type":"disband","group_id":1,"user_id":10000,"operator_id":2}`,
		&GroupDecrease{Common: that, GroupID: 1, UserID: 10000, OperatorID: 2, SubType: "disband"}},
	{"request with an inviter", head + `"request","request_type":"group","sub_type":"add","group_id":1,"user_id":2,"invitor_id":3,"source_group_id":4,"flag":"f"}`,
		&GroupRequest{Common: that, SubType: "add", GroupID: 1, UserID: 2, InviterID: 3, SourceGroupID: 4, Flag: "f"}},
	{"friend request with a way", head + `"request","request_type":"friend","user_id":2,"via":"QQ群","flag":"u|1"}`, &FriendRequest{Common: that, UserID: 2, Via: "QQ群", Flag: "u|1"}},
	{"system line", head + `"message","message_type":"group","sub_type":"notice","group_id":1,"user_id":2,"message":"甲撤回了一条消息"}`,
		&GroupMessage{Common: that, SubType: "notice", GroupID: 1, UserID: 2, Message: Message{Text("甲撤回了一条消息")}}},
	{"sequences of NapCat", head + `"message","message_type":"group","group_id":1,"user_id":2,"message_id":9,"message_seq":9,"real_id":9,"real_seq":"84213","font":14,"message":[]}`,
		&GroupMessage{Common: that, GroupID: 1, UserID: 2, MessageID: 9, Seq: 84213, RealID: 9, Font: 14, Message: Message{}}},
	{"sequences of go-cqhttp", head + `"message","message_type":"private","user_id":2,"message_id":9,"message_seq":84213,"font":0,"message":"在"}`,
		&PrivateMessage{Common: that, UserID: 2, MessageID: 9, Seq: 84213, Message: Message{Text("在")}}},
	{"temporary session of go-cqhttp", head + `"message","message_type":"private","sub_type":"group","user_id":2,"temp_source":0,"sender":{"user_id":2,"group_id":1},"message":"在"}`,
		&PrivateMessage{Common: that, SubType: "group", UserID: 2, GroupID: 1, Sender: Sender{UserID: 2, GroupID: 1}, Message: Message{Text("在")}}},
	{"guild message", head + `"message","message_type":"guild","sub_type":"channel","guild_id":"76","channel_id":"7","message_id":"BAC-1","user_id":"144115218000000001","self_tiny_id":"144115218000000002","sender":{"user_id":144115218000000001,"tiny_id":"144115218000000001","nickname":"甲"},"message":[{"type":"text","data":{"text":"在"}}]}`,
		&GuildMessage{Common: that, Guild: Guild{"76", "7", "144115218000000002"}, SubType: "channel", MessageID: "BAC-1", UserID: "144115218000000001",
			Sender: Sender{UserID: 144115218000000001, Nickname: "甲"}, Message: Message{{Type: "text", Data: json.RawMessage(`{"text":"在"}`)}}}},
	{"guild recall", notice + `"guild_channel_recall","guild_id":"76","channel_id":"7","message_id":"BAC-1","user_id":144115218000000001,"operator_id":"144115218000000001"}`,
		&GuildRecall{Common: that, Guild: Guild{GuildID: "76", ChannelID: "7"}, MessageID: "BAC-1", UserID: "144115218000000001", OperatorID: "144115218000000001"}},
	{"guild reactions", notice + `"message_reactions_updated","guild_id":"76","channel_id":"7","message_id":"BAC-1","operator_id":"3","current_reactions":[{"emoji_id":"66","emoji_index":66,"emoji_type":1,"emoji_name":"爱心","count":1,"clicked":true}]}`,
		&GuildReactions{Common: that, Guild: Guild{GuildID: "76", ChannelID: "7"}, MessageID: "BAC-1", OperatorID: "3", Current: []GuildReaction{{"66", 66, 1, "爱心", 1, true}}}},
	{"channel created", notice + `"channel_created","guild_id":"76","channel_id":"7","user_id":3,"operator_id":"3","channel_info":` + channelJSON + `}`,
		&GuildChannel{Common: that, Guild: Guild{GuildID: "76", ChannelID: "7"}, Kind: "channel_created", UserID: "3", OperatorID: "3", Channel: channel7}},
	{"channel updated", notice + `"channel_updated","guild_id":"76","channel_id":"7","operator_id":"3","old_info":` + channelJSON + `,"new_info":` + channelJSON + `}`,
		&GuildChannel{Common: that, Guild: Guild{GuildID: "76", ChannelID: "7"}, Kind: "channel_updated", OperatorID: "3", Channel: channel7, Old: channel7}},
	{"channel destroyed", notice + `"channel_destroyed","guild_id":"76","channel_id":"7","operator_id":"3","channel_info":` + channelJSON + `}`,
		&GuildChannel{Common: that, Guild: Guild{GuildID: "76", ChannelID: "7"}, Kind: "channel_destroyed", OperatorID: "3", Channel: channel7}},
}

func TestParseEvent_Extensions(t *testing.T) {
	for _, c := range extensionCases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseEvent([]byte(c.in))
			require.NoError(t, err)
			assert.Equal(t, c.in, string(got.Raw()))
			base := c.want.(interface{ base() *Common }).base()
			base.raw = json.RawMessage(c.in)
			assert.Equal(t, c.want, got)
			base.raw = nil
		})
	}
}

// The conversation decides which events are handled in order.
func TestEvent_ConversationsOfExtensions(t *testing.T) {
	for in, want := range map[string]string{
		`"notice_type":"group_upload","group_id":1,"user_id":2`:                             "group_1",
		`"notice_type":"essence","group_id":1`:                                              "group_1",
		`"notice_type":"reaction","group_id":1`:                                             "group_1",
		`"notice_type":"group_name_change","group_id":1`:                                    "group_1",
		`"notice_type":"notify","sub_type":"lucky_king","group_id":1`:                       "group_1",
		`"notice_type":"notify","sub_type":"honor","group_id":1`:                            "group_1",
		`"notice_type":"notify","sub_type":"gray_tip","group_id":1`:                         "group_1",
		`"notice_type":"notify","sub_type":"poke_recall","group_id":1,"user_id":2`:          "group_1",
		`"notice_type":"notify","sub_type":"poke_recall","user_id":10000,"target_id":2`:     "user_2",
		`"notice_type":"notify","sub_type":"input_status","user_id":2,"group_id":0`:         "user_2",
		`"notice_type":"notify","sub_type":"profile_like","operator_id":2`:                  "user_2",
		`"notice_type":"offline_file","user_id":2`:                                          "user_2",
		`"notice_type":"online_file_send","peer_id":2`:                                      "user_2",
		`"notice_type":"online_file_receive","peer_id":2`:                                   "user_2",
		`"notice_type":"client_status"`:                                                     "",
		`"notice_type":"flash_file"`:                                                        "",
		`"notice_type":"bot_online"`:                                                        "",
		`"notice_type":"group_dismiss","group_id":1,"user_id":2`:                            "group_1",
		`"notice_type":"guild_channel_recall","guild_id":"76","channel_id":"7","user_id":3`: "",
	} {
		e, err := ParseEvent([]byte(`{"self_id":10000,"post_type":"notice",` + in + `}`))
		require.NoError(t, err, in)
		assert.NotContains(t, fmt.Sprintf("%T", e), "Unknown", in)
		assert.Equal(t, want, e.conversation().String(), in)
	}
}

// Members of wrong types are zero and not an error: Raw has them.
func TestParseEvent_WrongTypes(t *testing.T) {
	for _, v := range []string{`null`, `7`, `"x"`, `[]`, `{}`, `[7]`, `{"file":[[]]}`, `true`} {
		for _, c := range extensionCases {
			var m map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(c.in), &m))
			for k := range m {
				if k != "post_type" && k != "notice_type" && k != "sub_type" && k != "message_type" && k != "request_type" {
					m[k] = json.RawMessage(v)
				}
			}
			b, err := json.Marshal(m)
			require.NoError(t, err)
			e, err := ParseEvent(b)
			require.NoError(t, err)
			assert.IsType(t, c.want, e, "%s", b)
			assert.Equal(t, b, []byte(e.Raw()))
		}
	}
}
