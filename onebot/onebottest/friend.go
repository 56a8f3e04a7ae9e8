package onebottest

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Friend is a user whom the bot has as a friend; see [Server.Friend].
type Friend struct {
	ID int64

	s      *Server
	remark string
}

// Chat is the private chat with the friend.
func (f *Friend) Chat() Chat { return PrivateChat(f.ID) }

// WithRemark sets the name that the bot's account gave the friend. Nobody is told.
func (f *Friend) WithRemark(name string) *Friend {
	f.s.locked(func() { f.remark = name })
	return f
}

// Say lets the friend say something to the bot, now, and returns the message's id.
func (f *Friend) Say(m onebot.Message) (messageID int64) { return f.SayAt(time.Now(), m) }

// SayAt is Say with another time on the message.
func (f *Friend) SayAt(at time.Time, m onebot.Message) (messageID int64) {
	return f.say(f.ID, at, m)
}

// say is also for the account itself, whose owner types on another device.
func (f *Friend) say(userID int64, at time.Time, m onebot.Message) (messageID int64) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.say(&message{ChatMessage: ChatMessage{Chat: f.Chat(), UserID: userID, Message: m, At: at}}).MessageID
}

// Poke lets the friend poke the bot: notify/poke.
func (f *Friend) Poke() {
	f.s.locked(func() { f.poke(f.ID, f.s.opts.SelfID) })
}

// Leave lets the friend end the friendship. The bot is not told, as on QQ: its sends fail.
func (f *Friend) Leave() {
	f.s.locked(func() { f.s.friends = slices.DeleteFunc(f.s.friends, func(o *Friend) bool { return o == f }) })
}

// poke: NapCat gives user_id to the friend whoever poked, and sender_id tells; LLBot gives it to
// who poked. Lagrange and go-cqhttp tell of what the friend does only.
func (f *Friend) poke(sender, target int64) {
	ev := object{"notice_type": "notify", "sub_type": "poke", "user_id": sender, "target_id": target}
	switch f.s.opts.Quirks.Events {
	case LikeNapCat:
		ev["user_id"], ev["sender_id"], ev["raw_info"] = f.ID, sender, []any{}
	case LikeLLBot:
		ev["raw_info"] = []any{}
	default:
		if sender != f.ID {
			return
		}
		ev["sender_id"] = sender
		f.s.pokeWords(ev)
	}
	f.s.emit("notice", ev)
}

// pokeWords is how Lagrange describes a poke.
func (s *Server) pokeWords(ev object) {
	if s.opts.Quirks.Events == LikeLagrange {
		ev["action"], ev["suffix"], ev["action_img_url"] = "戳了戳", "", ""
	}
}
