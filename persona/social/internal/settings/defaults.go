package settings

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
)

// Defaults returns the values that hold in a chat without overrides, as far as a Chat can express them. o are the options of
// all chats. A policy without a name, banned words and the host's patterns stay empty.
func (v *Overrides) Defaults(chat persona.Chat, o heartflow.Options) Chat {
	v.mu.Lock()
	s := v.fromFile(chat)
	v.mu.Unlock()
	c := v.base(chat)
	a := c.Attention
	begin := cmp.Or(a.Begin, o.Begin)
	begins := begin != nil && !begin.Off
	below := Chat{
		Begins: &begins,
		Off:    &c.Off, SpeakLess: &c.SpeakLess, NoFocus: &c.NoFocus, Public: &c.Public,
		Names: either(a.Names, o.Names), WakeWords: either(a.WakeWords, o.WakeWords), Keywords: either(a.Keywords, o.Keywords),
		Policy: v.policyName(cmp.Or(a.Policy, o.Policy)), QuietHours: cmp.Or(a.QuietHours, &o.QuietHours).Spans,
		WindowMinutes: int(cmp.Or(a.Caps.Window, o.Caps.Window) / time.Minute), MaxReplies: cmp.Or(a.Caps.Replies, o.Caps.Replies),
		MaxRepliesPerPerson: cmp.Or(a.Caps.RepliesPerPerson, o.Caps.RepliesPerPerson), MaxInterjections: cmp.Or(a.Caps.Interjections, o.Caps.Interjections),
		MaxConsecutive: cmp.Or(a.Caps.Consecutive, o.Caps.Consecutive),
	}
	if a.Limits != nil {
		below.HourTokens, below.DayTokens = a.Limits.HourTokens, a.Limits.DayTokens
	}
	s = s.over(below)
	caps := heartflow.Caps{Replies: s.MaxReplies, RepliesPerPerson: s.MaxRepliesPerPerson, Interjections: s.MaxInterjections, Window: time.Duration(s.WindowMinutes) * time.Minute, Consecutive: s.MaxConsecutive}.
		WithDefaults(chat.Kind == persona.Private)
	s.MaxReplies, s.MaxRepliesPerPerson, s.MaxInterjections, s.MaxConsecutive = caps.Replies, caps.RepliesPerPerson, caps.Interjections, caps.Consecutive
	s.WindowMinutes = int(caps.Window / time.Minute)
	return s
}

func either(own, otherwise []string) []string {
	if own == nil {
		return otherwise
	}
	return own
}

// policyName returns the name of a policy, or "" if it has none.
func (v *Overrides) policyName(p heartflow.Policy) string {
	switch p.(type) {
	case heartflow.MentionOnly:
		return "mention"
	case nil, heartflow.Interject:
		return "interject"
	}
	return ""
}
