package napcat_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/napcat"
)

// talks responds to every call with the same data, in place of NapCat.
type talks string

func (data talks) Call(_ context.Context, action string, params, result any) error {
	p, _ := json.Marshal(params)
	fmt.Println(action, string(p))
	if result == nil {
		return nil
	}
	return json.Unmarshal([]byte(data), result)
}

// NapCat's own actions and those of all implementations are methods of one Bot.
func ExampleBot() {
	bot := napcat.Bot{Bot: onebot.NewBot(talks(`{"text":"晚上一起吃饭吗"}`), 10000)}
	ctx := context.Background()

	said, err := bot.FetchPTTText(ctx, 1938475620)
	fmt.Println(said, err)

	album := true
	fmt.Println(bot.SetGroupMemberPermissions(ctx, 1, napcat.SetGroupMemberPermissionsOptions{AllowMemberUploadAlbum: &album}))

	fmt.Println(bot.SetGroupWholeBan(ctx, 1, false))
	// Output:
	// fetch_ptt_text {"message_id":1938475620}
	// 晚上一起吃饭吗 <nil>
	// set_group_member_permissions {"allow_member_upload_album":true,"group_id":1}
	// <nil>
	// set_group_whole_ban {"enable":false,"group_id":1}
	// <nil>
}
