package heartflow

import (
	"fmt"
	"strings"
	"time"
)

// A ModelCall is the record of one model call in a [Trace]. It contains no text of a prompt, an answer or an error.
type ModelCall struct {
	Purpose    string         // judge, plan, reply, background or see in package social
	Model      string         // that answered; "" if none did
	Took       time.Duration  // with all attempts and delays
	FirstToken time.Duration  // until the first streamed token; without streaming until the answer; 0: neither
	Streamed   bool           // FirstToken is that of a streamed token
	Tokens     int            // of the prompts and answers of all attempts
	Prompt     int            // of Tokens: those of the prompts
	CacheRead  int            // of Prompt: those that the provider read from its cache, if reported
	Repeated   int            // of Prompt: the start of an earlier request about the chat, which a provider could cache
	Attempts   []ModelAttempt // in order, at most 32; read only
}

// A ModelAttempt is one call of one model.
type ModelAttempt struct {
	Model string
	Error string        // kind of the failure, such as "rate limited (429)"; "" if it answered
	Took  time.Duration // 0 if the model was not called
}

// String returns a text like "reply small 1.2s 3400 tokens, failed: large rate limited (429) 0.1s". A streamed answer also
// has the time of its first token.
func (c ModelCall) String() string {
	var b strings.Builder
	b.WriteString(c.Purpose)
	if c.Model != "" {
		b.WriteString(" " + c.Model)
	}
	b.WriteString(" " + inSeconds(c.Took))
	if c.Streamed {
		b.WriteString(" first token " + inSeconds(c.FirstToken))
	}
	fmt.Fprintf(&b, " %d tokens", c.Tokens)
	before := ", failed: "
	for _, a := range c.Attempts {
		if a.Error == "" {
			continue
		}
		b.WriteString(before + strings.TrimSpace(a.Model+" "+a.Error+" "+inSeconds(a.Took)))
		before = ", "
	}
	return b.String()
}

func inSeconds(d time.Duration) string {
	return fmt.Sprintf("%.3gs", d.Seconds())
}

// LogModel records a trace of a model call for chat, or for the account if chat is the zero key. It changes nothing else. An
// unknown chat stays unknown, and its trace goes to Options.OnTrace only.
func (a *Attention[K]) LogModel(now time.Time, chat K, call ModelCall) {
	a.mu.Lock()
	defer a.leave()
	t := &Trace{At: now, Kind: KindModel, Call: &call}
	if account := *new(K); chat != account {
		t.Chat = fmt.Sprint(chat)
	}
	a.record(a.chats[chat], a.now, t)
}
