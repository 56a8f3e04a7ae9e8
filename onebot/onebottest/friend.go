package onebottest

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Friend is a friend of the bot; see [Server.Friend].
type Friend struct {
	ID int64

	s      *Server
	remark string
}

// Chat returns the private chat with the friend.
func (f *Friend) Chat() Chat { return PrivateChat(f.ID) }

// WithRemark sets the bot's remark for the friend. It pushes no event.
func (f *Friend) WithRemark(name string) *Friend {
	f.s.locked(func() { f.remark = name })
	return f
}

// Say sends a message from the friend to the bot and returns the message's id.
func (f *Friend) Say(m onebot.Message) (messageID int64) { return f.SayAt(time.Now(), m) }

// SayAt is Say with another time of the message.
func (f *Friend) SayAt(at time.Time, m onebot.Message) (messageID int64) {
	return f.say(f.ID, at, m)
}

// say also sends messages of the account itself from another device.
func (f *Friend) say(userID int64, at time.Time, m onebot.Message) (messageID int64) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.say(&message{ChatMessage: ChatMessage{Chat: f.Chat(), UserID: userID, Message: m, At: at}}).MessageID
}

// Poke pokes the bot: notify/poke.
func (f *Friend) Poke() {
	f.s.locked(func() { f.poke(f.ID, f.s.opts.SelfID) })
}

// Leave ends the friendship. It pushes no event, as on QQ: the bot's sends fail.
func (f *Friend) Leave() {
	f.s.locked(func() { f.s.friends = slices.DeleteFunc(f.s.friends, func(o *Friend) bool { return o == f }) })
}

// poke pushes a private poke. NapCat's user_id is always the friend, and its sender_id is the user who poked; the user_id of LLBot
// and SnowLuma is the user who poked. Lagrange and go-cqhttp report only pokes by the friend.
func (f *Friend) poke(sender, target int64) {
	f.s.recordPoke(f.Chat(), sender, target)
	ev := object{"notice_type": "notify", "sub_type": "poke", "user_id": sender, "target_id": target}
	switch f.s.opts.Quirks.Events {
	case LikeNapCat:
		ev["user_id"], ev["sender_id"], ev["raw_info"] = f.ID, sender, []any{}
	case LikeLLBot:
		ev["raw_info"] = []any{}
	case LikeSnowLuma:
		f.s.pokeWords(ev)
	default:
		if sender != f.ID {
			return
		}
		ev["sender_id"] = sender
		f.s.pokeWords(ev)
	}
	f.s.emit("notice", ev)
}

// pokeWords adds the description of a poke by Lagrange and SnowLuma.
func (s *Server) pokeWords(ev object) {
	if like := s.opts.Quirks.Events; like == LikeLagrange || like == LikeSnowLuma {
		ev["action"], ev["suffix"], ev["action_img_url"] = "戳了戳", "", ""
	}
}
