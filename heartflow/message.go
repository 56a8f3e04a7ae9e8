package heartflow

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Message is one message in a chat.
type Message struct {
	ID         string    // for Retract; a message without an ID cannot be retracted
	From       string    // author
	Text       string    // as people read it; its first 16 KiB are searched for names
	At         time.Time // time of sending; zero means now
	AtMe       bool      // it mentions the bot with an @
	ReplyToMe  bool      // it quotes the bot
	Private    bool      // sent in a private chat with the bot
	FromBot    bool      // the author is known to be a bot
	Own        bool      // sent by the bot itself
	QuoteID    string    // quoted message, or of an own message the answered one; for policies with a history; may be empty
	Replayed   bool      // received before a restart, and the bot has spoken since; it may address the bot, but resets no cap
	Addressees []string  // mentioned people and quoted authors; must not be changed afterwards
}

// A Received is a message with the results of [Attention.Observe].
type Received struct {
	Message  // At is set
	seen     tick.Tick
	features int64 // number of its features; 0: none
	reasons  reasons
}

// receivedList is the JSON form of messages in a snapshot.
type receivedList []Received

// A savedMessage has the fields of a Received under the names of the snapshot format.
type savedMessage struct {
	ID        string
	From      string
	Text      string
	At        time.Time
	AtMe      bool
	ReplyToMe bool
	Private   bool
	Bot       bool
	Own       bool
	Quote     string
	Again     bool
	To        []string
	Seen      tick.Tick
	Look      int64   `json:",omitempty"`
	Calls     reasons `json:",omitempty"`
}

func (h *Received) save() savedMessage {
	return savedMessage{
		ID: h.ID, From: h.From, Text: h.Text, At: h.At, AtMe: h.AtMe, ReplyToMe: h.ReplyToMe, Private: h.Private, Bot: h.FromBot,
		Own: h.Own, Quote: h.QuoteID, Again: h.Replayed, To: h.Addressees, Seen: h.seen, Look: h.features, Calls: h.reasons,
	}
}

func (s *savedMessage) received() Received {
	return Received{Message{
		ID: s.ID, From: s.From, Text: s.Text, At: s.At, AtMe: s.AtMe, ReplyToMe: s.ReplyToMe, Private: s.Private, FromBot: s.Bot,
		Own: s.Own, QuoteID: s.Quote, Replayed: s.Again, Addressees: s.To,
	}, s.Seen, s.Look, s.Calls}
}

// MarshalJSON implements [json.Marshaler].
func (l receivedList) MarshalJSON() ([]byte, error) {
	list := make([]savedMessage, len(l))
	for i := range l {
		list[i] = l[i].save()
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *receivedList) UnmarshalJSON(b []byte) error {
	var list []savedMessage
	err := json.Unmarshal(b, &list)
	for i := range list {
		*l = append(*l, list[i].received())
	}
	return err
}

// AddressedBy lists the reasons for which the message addresses the bot. It is empty if there are none.
func (h Received) AddressedBy() []Code { return h.reasons.codes() }

// ToOthers reports whether the message addresses somebody else and not the bot.
func (h Received) ToOthers() bool { return len(h.Addressees) > 0 && h.reasons&(isMention|isReply) == 0 }
