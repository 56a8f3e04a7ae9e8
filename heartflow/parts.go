package heartflow

import "time"

// AllowNext reports whether a reply that [Attention.Speak] permitted may continue with another part. It returns a
// [*RefusedError] if the chat or the account is muted, asleep or off by now. It counts nothing, because the parts of
// one reply count as one message. The caller must limit the number of parts. Call AllowNext after every wait between
// parts. If the rest is not sent, call [Attention.LogUnsent].
func (a *Attention[K]) AllowNext(now time.Time, chat K) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	if blocked := c.blockedBy(at); blocked != "" {
		return c.refused(at, addressee{}, blocked)
	}
	return nil
}

// LogPlan records a trace of a model's decision, so that the trace has its reason. A model wrote the reason, perhaps
// after the words of others: show it to people, and decide nothing by it. LogPlan changes nothing else.
func (a *Attention[K]) LogPlan(now time.Time, chat K, decided Code, reason string) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	a.record(c, at, &Trace{Kind: KindPlan, Text: excerpt(reason), Why: []Code{decided}})
}

// LogFeedback records a trace of how people took a message of the bot. Package feedback rates it. LogFeedback changes nothing else.
func (a *Attention[K]) LogFeedback(now time.Time, chat K, score float64, why ...Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	a.record(c, at, &Trace{Kind: KindFeedback, Score: score, Why: why})
}

// LogUnsent records a trace of the rest of a reply that is not sent. text is the beginning of the rest, and why is
// the cause.
func (a *Attention[K]) LogUnsent(now time.Time, chat K, text string, why ...Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	a.record(c, at, &Trace{Kind: KindSpeak, Text: excerpt(text), Why: append([]Code{WhyUnsent}, why...), Next: c.nextChange(at, addressee{}, "")})
}
