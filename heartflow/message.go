package heartflow

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A Message is what was said in a chat.
type Message struct {
	ID         string    // for Recalled; empty: cannot be recalled
	From       string    // who says it
	Text       string    // as people read it; searched for names up to 16 KiB
	At         time.Time // when it was said; zero: now
	AtMe       bool      // it @s the bot
	ReplyToMe  bool      // it quotes the bot
	Private    bool      // it was said to the bot alone
	FromBot    bool      // From is known to be a program
	Own        bool      // the bot said it itself
	QuoteID    string    // ID of the message that it quotes or, of the bot's own, answers, for policies that look back; empty: none
	Replayed   bool      // it was heard before a restart, and the bot has spoken since: it calls, and resets no cap
	Addressees []string  // whom it addresses: @ed people and quoted authors. Handed over: not to be changed afterwards
}

// A Received is a message as it was heard.
type Received struct {
	Message // At is set
	seen    tick.Tick
	look    int64 // number of the look at it; 0: none
	calls   calls
}

// heards are messages as a snapshot holds them.
type heards []Received

// A savedHeard has the fields of a Heard under the names that snapshots keep.
type savedHeard struct {
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
	Look      int64 `json:",omitempty"`
	Calls     calls `json:",omitempty"`
}

func (h *Received) save() savedHeard {
	return savedHeard{
		ID: h.ID, From: h.From, Text: h.Text, At: h.At, AtMe: h.AtMe, ReplyToMe: h.ReplyToMe, Private: h.Private, Bot: h.FromBot,
		Own: h.Own, Quote: h.QuoteID, Again: h.Replayed, To: h.Addressees, Seen: h.seen, Look: h.look, Calls: h.calls,
	}
}

func (s *savedHeard) heard() Received {
	return Received{Message{
		ID: s.ID, From: s.From, Text: s.Text, At: s.At, AtMe: s.AtMe, ReplyToMe: s.ReplyToMe, Private: s.Private, FromBot: s.Bot,
		Own: s.Own, QuoteID: s.Quote, Replayed: s.Again, Addressees: s.To,
	}, s.Seen, s.Look, s.Calls}
}

// MarshalJSON implements [json.Marshaler].
func (l heards) MarshalJSON() ([]byte, error) {
	list := make([]savedHeard, len(l))
	for i := range l {
		list[i] = l[i].save()
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *heards) UnmarshalJSON(b []byte) error {
	var list []savedHeard
	err := json.Unmarshal(b, &list)
	for i := range list {
		*l = append(*l, list[i].heard())
	}
	return err
}

// AddressedBy lists why this message calls the bot; empty if it does not.
func (h Received) AddressedBy() []Code { return h.calls.codes() }

// ToOthers reports whether the message is addressed to somebody, and not to the bot.
func (h Received) ToOthers() bool { return len(h.Addressees) > 0 && h.calls&(isMention|isReply) == 0 }
