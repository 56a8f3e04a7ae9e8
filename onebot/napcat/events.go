package napcat

import (
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// Events that only NapCat sends have their types in package onebot, where they are parsed.
type (
	InputStatus       = onebot.InputStatus       // a friend types
	GrayTip           = onebot.GrayTip           // a gray line that NapCat does not know
	OnlineFileSend    = onebot.OnlineFileSend    // what became of a file that the bot offered
	OnlineFileReceive = onebot.OnlineFileReceive // what became of a file that was offered to the bot
)

// MessageExtra is what NapCat tells of a message beyond what other implementations do.
type MessageExtra struct {
	RealSeq    string              `json:"real_seq"`          // QQ's own count of the chat
	SentType   string              `json:"message_sent_type"` // "self" for the bot's own
	Format     string              `json:"message_format"`    // "array", "string"
	TempSource int64               `json:"temp_source"`       // of a temporary session: where it came from
	Likes      []onebot.EmojiCount `json:"emoji_likes_list"`  // of a message that [onebot.Bot.GetMsg] fetched
}

// Extra reads what NapCat tells of a message; of other events, and of other implementations', it is mostly zero.
func Extra(e onebot.Event) (x MessageExtra) {
	_ = lenient.Unmarshal(e.Raw(), &x) // the raw JSON was read before
	return x
}
