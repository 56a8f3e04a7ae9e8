package heartflow

import "time"

// Continue tells whether a reply that [Attention.Speak] has permitted may go on with a further message: nil, or a
// [*Refused] where the chat or the account is closed for sending by now. It counts nothing, for the messages of one reply
// count as one: whoever says a reply in parts bounds how many there are. Ask it after every wait between them, and tell by
// [Attention.Cut] where the rest is not said.
func (a *Attention[K]) Continue(now time.Time, chat K) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	if shut := c.closed(at); shut != "" {
		return c.refused(at, shut)
	}
	return nil
}

// Cut leaves a trace of the rest of a reply that is not said, and why. text is where it would have gone on.
func (a *Attention[K]) Cut(now time.Time, chat K, text string, why ...Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	a.record(c, at, &Trace{Kind: KindSpeak, Text: excerpt(text), Why: append([]Code{WhyCut}, why...), Next: c.next(at, "")})
}
