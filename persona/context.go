package persona

import (
	"cmp"
	"time"
)

// How much of one piece of text a context shows, in runes. What is longer is cut, and says so where it is a text.
const (
	maxText  = 4000 // of a message, a memory, the summary
	maxQuote = 200
	maxName  = 64 // names and ids
)

// Context renders the scene as the XML that the model reads. Every text in it is data: see [Message]. It holds, in
// this order, and leaves out a block that has nothing in it unless it is marked with *:
//
//	<daily_hot_summary>             what the day has brought so far
//	<social_context>              *
//	  <history_messages>          * what has been dealt with: msg
//	  <recent_messages>           * what is to be answered, and background: session with msg
//	<social_memory>                 what this chat's memory holds on the topic: memory
//	<owner_memory_snapshot>         what may be told of the owner: memory
//	<session_info>                * current_mode, current_state, is_master_present, current_thought_target
//	<recent_deeds>                  what was done here lately: deed
//	<current_thought>               the latest one about this chat
//	<intent>                        why something is to be said
//
// A msg has the attributes sender, sender_id, id and time; at_me, self and bot where they are true; reply_to,
// quote_sender, quote_sender_id and quote where it answers another. Times are shown in [Scene.Location], with the date
// where it is not the day of now.
//
// What exceeds [Scene.Budget] is left out in this order: background sessions (the last first), memories of the owner
// and then of the chat (the last first), history (the oldest first), the summary. The messages to answer always stay:
// a context is larger than its budget rather than without them.
func (p Profile) Context(now time.Time, s Scene) string {
	d := newDraft(p, now, s)
	d.summary(s.Summary)
	d.raw("<social_context>\n<history_messages>\n")
	for i := range s.History {
		d.begin(history)
		d.message(&s.History[i])
		d.end()
	}
	d.raw("</history_messages>\n<recent_messages>\n")
	for i := range s.Background {
		d.begin(background)
		d.session(&s.Background[i], ` background="true"`)
		d.end()
	}
	d.session(&Session{Chat: s.Chat, Name: s.ChatName, Messages: s.Recent}, "")
	d.raw("</recent_messages>\n</social_context>\n")
	d.memories("<social_memory>\n", s.Recall, "</social_memory>\n", chatMemory)
	d.memories("<owner_memory_snapshot>\n", s.Owner, "</owner_memory_snapshot>\n", ownerMemory)
	d.info(now, s)
	d.mind(s)
	return d.fit(s.Budget)
}

// A draft is a context that is being written. Parts of it that may be left out are noted as they are written, and cut
// out at the end: most contexts fit, and are written once.
type draft struct {
	markup
	clock
	name  string // the bot's
	parts []part // in the order of the text
}

func newDraft(p Profile, now time.Time, s Scene) *draft {
	size := 512 + len(s.Summary)
	count := func(ms []Message) {
		for i := range ms {
			size += 140 + min(len(ms[i].Text), 4*maxText)
		}
	}
	count(s.History)
	count(s.Recent)
	for i := range s.Background {
		size += 100
		count(s.Background[i].Messages)
	}
	for _, ms := range [][]Memory{s.Recall, s.Owner} {
		for i := range ms {
			size += 90 + min(len(ms[i].Text), 4*maxText)
		}
	}
	loc := s.Location
	if loc == nil {
		loc = time.Local
	}
	d := &draft{clock: newClock(now, loc), name: p.Name, parts: make([]part, 0, 1+len(s.History)+len(s.Background)+len(s.Recall)+len(s.Owner))}
	d.buf.Grow(size)
	return d
}

func (d *draft) summary(s string) {
	if s == "" {
		return
	}
	d.begin(summary)
	d.raw("<daily_hot_summary>\n")
	d.body(s)
	d.raw("\n</daily_hot_summary>\n")
	d.end()
}

func (d *draft) session(s *Session, flag string) {
	d.raw("<session")
	d.optional(` type="`, s.Chat.Kind, maxName)
	d.optional(` id="`, s.Chat.ID, maxName)
	d.optional(` name="`, s.Name, maxName)
	d.raw(flag)
	d.raw(">\n")
	for i := range s.Messages {
		d.message(&s.Messages[i])
	}
	d.raw("</session>\n")
}

func (d *draft) message(m *Message) {
	d.raw("<msg")
	d.attr(` sender="`, d.shown(m.Own, m.Name), maxName)
	d.optional(` sender_id="`, m.From, maxName)
	d.optional(` id="`, m.ID, maxName)
	d.time(m.At)
	if m.AtMe {
		d.raw(` at_me="true"`)
	}
	if m.Own {
		d.raw(` self="true"`)
	}
	if m.Bot {
		d.raw(` bot="true"`)
	}
	d.optional(` reply_to="`, m.ReplyTo, maxName)
	if q := m.Quote; q != nil {
		d.optional(` quote_sender="`, d.shown(q.Own, q.Name), maxName)
		d.optional(` quote_sender_id="`, q.From, maxName)
		d.attr(` quote="`, q.Text, maxQuote)
	}
	d.raw(">")
	d.body(m.Text)
	d.raw("</msg>\n")
}

// shown gives the name to show: the bot's own, whatever its card in a group says.
func (d *draft) shown(own bool, name string) string {
	if own && d.name != "" {
		return d.name
	}
	return name
}

func (d *draft) memories(open string, ms []Memory, close string, r rank) {
	if len(ms) == 0 {
		return
	}
	d.raw(open)
	for i := range ms {
		d.begin(r)
		d.raw("<memory")
		d.attr(` importance="`, cmp.Or(ms[i].Importance, "normal"), maxName)
		d.optional(` who="`, ms[i].Who, maxName)
		d.time(ms[i].At)
		d.raw(">")
		d.body(ms[i].Text)
		d.raw("</memory>\n")
		d.end()
	}
	d.raw(close)
}

func (d *draft) info(now time.Time, s Scene) {
	d.raw("<session_info time=\"")
	d.text(now.In(d.loc).Format("2006-01-02 15:04:05 ")+weekdays[now.In(d.loc).Weekday()], maxName)
	d.raw("\">\n<current_mode>")
	d.raw(s.Mode.String())
	d.raw("</current_mode>\n<current_state>")
	d.text(cmp.Or(s.State, "observing"), maxName)
	d.raw("</current_state>\n<is_master_present>")
	if s.MasterPresent {
		d.raw("true")
	} else {
		d.raw("false")
	}
	d.raw("</is_master_present>\n<current_thought_target>")
	d.body(cmp.Or(s.Target, s.Chat.SourceID()))
	d.raw("</current_thought_target>\n</session_info>\n")
}

// mind writes what the parts of a turn hand on. It stands last, so that all parts begin alike.
func (d *draft) mind(s Scene) {
	if len(s.Deeds) > 0 {
		d.raw("<recent_deeds>\n")
		for _, deed := range s.Deeds {
			d.raw("<deed")
			d.attr(` did="`, deed.Did, maxName)
			d.raw(">")
			d.body(deed.Why)
			d.raw("</deed>\n")
		}
		d.raw("</recent_deeds>\n")
	}
	d.block("<current_thought>", s.Thought, "</current_thought>\n")
	d.block("<intent>", s.Intent, "</intent>\n")
}

func (d *draft) block(open, text, close string) {
	if text != "" {
		d.raw(open)
		d.body(text)
		d.raw(close)
	}
}

func (d *draft) optional(prefix, value string, max int) {
	if value != "" {
		d.attr(prefix, value, max)
	}
}

func (d *draft) body(s string) {
	if d.text(s, maxText) {
		d.text("…（后文略）", maxText)
	}
}

func (d *draft) time(t time.Time) {
	if !t.IsZero() {
		d.raw(` time="`)
		var shown [24]byte
		d.buf.Write(d.clock.append(shown[:0], t))
		d.raw(`"`)
	}
}
