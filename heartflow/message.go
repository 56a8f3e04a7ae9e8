package heartflow

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Message is what was said in a chat.
type Message struct {
	ID        string    // for Recalled; empty: cannot be recalled
	From      string    // who says it
	Text      string    // as people read it; searched for names up to 16 KiB
	At        time.Time // when it was said; zero: now
	AtMe      bool      // it @s the bot
	ReplyToMe bool      // it quotes the bot
	Private   bool      // it was said to the bot alone
	Bot       bool      // From is known to be a program
	Own       bool      // the bot said it itself
	Quote     string    // ID of the message that it quotes or, of the bot's own, answers, for policies that look back; empty: none
	Again     bool      // it was heard before a restart, and the bot has spoken since: it calls, and resets no cap
	To        []string  // whom it addresses: @ed people and quoted authors. Handed over: not to be changed afterwards
}

// A Heard is a message as it was heard.
type Heard struct {
	Message // At is set
	seen    tick.Tick
	look    int64 // number of the look at it; 0: none
	calls   calls
}

// heards are messages as a snapshot holds them.
type heards []Heard

type savedHeard struct {
	Message
	Seen  tick.Tick
	Look  int64 `json:",omitempty"`
	Calls calls `json:",omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (l heards) MarshalJSON() ([]byte, error) {
	list := make([]savedHeard, len(l))
	for i, h := range l {
		list[i] = savedHeard{h.Message, h.seen, h.look, h.calls}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *heards) UnmarshalJSON(b []byte) error {
	var list []savedHeard
	err := json.Unmarshal(b, &list)
	for _, h := range list {
		*l = append(*l, Heard{h.Message, h.Seen, h.Look, h.Calls})
	}
	return err
}

// Calls lists why this message calls the bot; empty if it does not.
func (h Heard) Calls() []Code { return h.calls.codes() }

// ToOther reports whether the message is addressed to somebody, and not to the bot.
func (h Heard) ToOther() bool { return len(h.To) > 0 && h.calls&(isMention|isReply) == 0 }
