package napcat

import (
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// Events that only NapCat sends are defined in package onebot, which parses them.
type (
	InputStatus       = onebot.InputStatus       // a friend is typing
	GrayTip           = onebot.GrayTip           // a gray system line that NapCat does not recognize
	OnlineFileSend    = onebot.OnlineFileSend    // state of a file offered by the bot
	OnlineFileReceive = onebot.OnlineFileReceive // state of a file offered to the bot
)

// MessageExtra holds the fields of a message that only NapCat sends.
type MessageExtra struct {
	RealSeq    string              `json:"real_seq"`          // QQ's sequence number in the chat
	SentType   string              `json:"message_sent_type"` // "self" for the bot's own messages
	Format     string              `json:"message_format"`    // "array", "string"
	TempSource int64               `json:"temp_source"`       // source of a temporary session
	Likes      []onebot.EmojiCount `json:"emoji_likes_list"`  // for a message from [onebot.Bot.GetMsg]
}

// Extra decodes the NapCat fields of a message. For other events and implementations most fields are zero.
func Extra(e onebot.Event) (x MessageExtra) {
	_ = lenient.Unmarshal(e.Raw(), &x) // Raw is valid JSON
	return x
}
