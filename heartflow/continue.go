package heartflow

import "time"

// AllowNext tells whether a reply that [Attention.Speak] has permitted may go on with a further message: nil, or a
// [*RefusedError] where the chat or the account is closed for sending by now. It counts nothing, for the messages of one reply
// count as one: whoever says a reply in parts bounds how many there are. Ask it after every wait between them, and tell by
// [Attention.LogUnsent] where the rest is not said.
func (a *Attention[K]) AllowNext(now time.Time, chat K) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	if shut := c.closed(at); shut != "" {
		return c.refused(at, shut)
	}
	return nil
}

// LogUnsent leaves a trace of the rest of a reply that is not said, and why. text is where it would have gone on.
func (a *Attention[K]) LogUnsent(now time.Time, chat K, text string, why ...Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	a.record(c, at, &Trace{Kind: KindSpeak, Text: excerpt(text), Why: append([]Code{WhyUnsent}, why...), Next: c.next(at, "")})
}
