package onebot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// says responds to every call with the same data and prints the call.
type says string

func (data says) Call(_ context.Context, action string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	p, _ := json.Marshal(params)
	fmt.Println(action, string(p))
	if result == nil {
		return nil
	}
	return json.Unmarshal([]byte(data), result)
}

// Messages: pictures from a URL or from bytes, extra parameters, and a merged forward.
func ExampleBot_SendGroupForwardMsg() {
	bot := onebot.NewBot(says(`{"message_id":7,"res_id":"f"}`), 10000)
	ctx := context.Background()
	bot.SendGroupMsg(ctx, 1, onebot.Message{onebot.Text("看 "), onebot.Image("https://example.com/cat.png").With("summary", "[猫]")})
	bot.SendPrivateMsg(ctx, 5, onebot.Message{onebot.Record(onebot.FileFromBytes([]byte("…")))})
	sent, err := bot.SendGroupForwardMsg(ctx, 1, onebot.Message{
		onebot.Node(1938475620), // an existing message
		onebot.CustomNode(5, "小满", onebot.Message{onebot.Text("在吗")}),
	}, onebot.ForwardPreview{Title: "昨晚"})
	fmt.Println(sent.ForwardID, err)
	// Output:
	// send_group_msg {"group_id":1,"message":[{"type":"text","data":{"text":"看 "}},{"type":"image","data":{"file":"https://example.com/cat.png","summary":"[猫]"}}]}
	// send_private_msg {"user_id":5,"message":[{"type":"record","data":{"file":"base64://4oCm"}}]}
	// send_group_forward_msg {"group_id":1,"messages":[{"type":"node","data":{"id":"1938475620"}},{"type":"node","data":{"user_id":"5","nickname":"小满","uin":"5","name":"小满","content":[{"type":"text","data":{"text":"在吗"}}]}}],"source":"昨晚"}
	// f <nil>
}

// Groups: actions of admins.
func ExampleBot_SetGroupBan() {
	bot := onebot.NewBot(says(``), 10000)
	ctx := context.Background()
	bot.SetGroupBan(ctx, 1, 5, 10*time.Minute)
	bot.SetGroupAdmin(ctx, 1, 5, false)
	bot.SendGroupNotice(ctx, 1, onebot.Announcement{Content: "今晚八点", Pinned: true})
	// Output:
	// set_group_ban {"group_id":1,"user_id":5,"duration":600}
	// set_group_admin {"enable":false,"group_id":1,"user_id":5}
	// _send_group_notice {"confirm_required":false,"content":"今晚八点","group_id":1,"is_show_edit_card":false,"pinned":true,"send_new_member":false,"tip_window":false,"tip_window_type":1,"type":1}
}

// A group's files.
func ExampleBot_GetGroupRootFiles() {
	bot := onebot.NewBot(says(`{"files":[{"file_id":"/f","file_name":"作业.docx","file_size":"1200","uploader":5}],"folders":[]}`), 10000)
	list, err := bot.GetGroupRootFiles(context.Background(), 1)
	for _, f := range list.Files {
		fmt.Println(f.ID, f.Name, f.Size, f.Uploader, err)
	}
	// Output:
	// get_group_root_files {"group_id":1}
	// /f 作业.docx 1200 5 <nil>
}

// The account itself and its friends.
func ExampleBot_GetFriendsWithCategory() {
	bot := onebot.NewBot(says(`[{"categoryName":"我的好友","buddyList":[{"user_id":5,"nickname":"小满","remark":"满满"}]}]`), 10000)
	sorted, err := bot.GetFriendsWithCategory(context.Background())
	fmt.Println(sorted[0].Name, sorted[0].Friends[0].Remark, err)
	// Output:
	// get_friends_with_category {}
	// 我的好友 满满 <nil>
}

// The text of a message for people and models, with the quoted message.
func ExampleMessage_TextWith() {
	m := onebot.Message{onebot.Reply(7), onebot.At(5), onebot.Text(" 好, "), onebot.Image("a.jpg")}
	fmt.Println(m.Text())
	fmt.Println(m.TextWith(onebot.TextOptions{
		LookupName:  func(int64) string { return "小满" },
		LookupQuote: func(int64) (from, text string, ok bool) { return "张三", "今晚八点还打不打", true },
	}))
	// Output:
	// [回复]@5 好, [图片]
	// [回复 张三: 今晚八点还打不打]@小满 好, [图片]
}

// Chat messages and other events.
func ExampleClassify() {
	for _, frame := range []string{
		`{"post_type":"message","message_type":"group","self_id":10000,"group_id":1,"user_id":5,"message":"在吗"}`,
		`{"post_type":"message_sent","message_type":"group","self_id":10000,"group_id":1,"user_id":10000,"message":"在"}`,
		`{"post_type":"notice","notice_type":"group_recall","self_id":10000,"group_id":1,"user_id":5,"message_id":7}`,
	} {
		e, _ := onebot.ParseEvent([]byte(frame))
		fmt.Println(onebot.Classify(e))
	}
	// Output:
	// received
	// own
	// ignored
}
