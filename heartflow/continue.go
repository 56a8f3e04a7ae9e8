package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Continue tells whether a reply that [Attention.Speak] has permitted may go on with a further message: nil, or a
// [*Refused] where the chat or the account is closed for sending by now. It counts nothing, for the messages of one reply
// count as one: whoever says a reply in parts bounds how many there are. Ask it after every wait between them, and tell by
// [Attention.Cut] where the rest is not said.
func (a *Attention[K]) Continue(now time.Time, chat K) error {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	c := a.chat(chat)
	shut := a.closed(c, at)
	if shut == "" {
		return nil
	}
	return &Refused{Code: shut, Until: a.opens(c, at, shut).End(a.loc)}
}

// Cut leaves a trace of the rest of a reply that is not said, and why. text is where it would have gone on.
func (a *Attention[K]) Cut(now time.Time, chat K, text string, why ...Code) {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	c := a.chat(chat)
	a.record(c, &Trace{
		At: at.Time(a.loc), Kind: KindSpeak, State: a.stateOf(c, at), Text: excerpt(text),
		Why: append([]Code{WhyCut}, why...), Next: a.next(c, at, ""),
	}, &out)
}

// closed says why nothing may be sent to c at t, whatever it is; empty: it may.
func (a *Attention[K]) closed(c *chat[K], t tick.Tick) Code {
	switch {
	case c.tuning.off:
		return WhyOff
	case a.asleep:
		return WhyOffline
	case a.muted > t:
		return WhyMutedAll
	case c.muted > t:
		return WhyMuted
	}
	return ""
}
