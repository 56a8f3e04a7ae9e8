package prompt

import (
	"cmp"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// Length limits of texts in a context, in runes. Longer texts are cut. A mark at the end shows the cut, except in
// attributes.
const (
	maxText  = 4000 // for a message, a memory or the summary
	maxQuote = 200
	maxName  = 64 // for names and ids
)

// Context renders the scene as XML for the model. All texts in it are escaped: see [persona.Message]. The blocks have
// this order. Empty blocks are omitted, except those marked with *:
//
//	<document>                      a document of the bot: see [Plans]
//	<notes>                         the bot's notes on this session: note
//	<daily_hot_summary>             the summary of the day
//	<social_context>              *
//	  <history_messages>          * handled messages: msg
//	  <recent_messages>           * messages to answer, and background chats: session with msg
//	<people>                        people in this chat: person with nickname, impression and fact
//	<social_memory>                 memories of this chat: memory
//	<owner_memory_snapshot>         memories about the owner: memory
//	<events>                        the owner's activity
//	<past_tasks>, <planned_tasks>   tasks: task
//	<mind>                          the global reflection
//	<inner_state>                   the bot's feelings about this session
//	<mood>                          the current mood with tone and energy (0 to 1)
//	<request>, <self>               a friend request or invitation: see [RequestContext]
//	<wake>                          the reason of an autonomous turn: timer, task or talk
//	<session_info>                * current_mode, current_state, is_master_present, current_thought_target
//	<attention>                     global_state, chat_state and interest: see [AttentionSummary]
//	<recent_deeds>                  recent actions: deed
//	<beginning>                     why the bot may begin a talk
//	<past_thoughts>                 earlier thoughts about this chat: thought
//	<current_thought>               the latest one
//	<intent>                        the reason for the planned reply
//
// Stable blocks come before the history, and changing blocks after it. Therefore consecutive prompts start with the
// same text, and providers can cache it at a lower price. Before the end of the history, the text depends on now only
// in the dates of past days. [HistoryStart] keeps the start of the history stable.
//
// A msg has the attributes sender, sender_id, id and time. at_me, self and bot are present if true. A reply has
// reply_to, quote_sender, quote_sender_id and quote. Times are in [Scene.Location], with the date if it is not today.
// The text of a message to answer is followed by a picture element for each picture with data. Its n is the number of the
// picture in [Scene.Pictures], and quoted="true" marks one of the quoted message. A message that is an action, such as a poke, has no id.
//
// A task has the attributes id, title and time. until, status, result and error are optional. Its elements are
// motivation, plan, expected_outcome and reflection. A wake has kind ([schedule.WakeKind.String]) and since. Optional
// are late="true", quiet (the silence: 40s, 5m, 2h, 3d), messages, failed ([schedule.WakeReason]) and for_id (the
// person of its origin).
//
// A context above [Scene.Budget] is shortened in this order:
//
//  1. the messages of [Scene.CachePrefix]
//  2. background chats
//  3. memories about the owner, then memories of the chat
//  4. people
//  5. the owner's activity
//  6. past tasks
//  7. notes
//  8. planned tasks
//  9. the global reflection
//  10. the history
//  11. the summary
//  12. the inner state
//  13. documents
//
// The oldest messages and the oldest past tasks are dropped first. Other lists are dropped from the end. If messages are
// dropped, up to a third more of the history is dropped with them. The next turns can then start at the same message.
// With a CachePrefix, the first step also drops the messages that step 10 would have to drop in any case.
//
// The messages to answer, the mood, the request, the wake and all later blocks are never dropped. Past tasks to
// condense are not dropped either. A context that needs them may exceed its budget.
func Context(p persona.Profile, now time.Time, s Scene) string {
	w := writeContext(p, now, &s)
	return w.trimToBudget(s.Budget, s.History, s.CachePrefix)
}

// writeContext writes the whole context, before it is trimmed to its budget.
func writeContext(p persona.Profile, now time.Time, s *Scene) *contextWriter {
	w := newContextWriter(p, now, s)
	w.documents(s.Documents)
	w.notes(s.Notes)
	w.section(summary, "<daily_hot_summary>\n", s.Summary, maxText, "\n</daily_hot_summary>\n")
	w.raw("<social_context>\n<history_messages>\n")
	w.firstMessage = len(w.segments)
	for i := range s.History {
		w.begin(history)
		w.segmentID(s.History[i].Key)
		w.message(&s.History[i])
		w.end()
	}
	w.raw("</history_messages>\n<recent_messages>\n")
	for i := range s.Background {
		w.begin(background)
		w.session(&s.Background[i], ` background="true"`)
		w.end()
	}
	w.inRecent = true
	w.session(&Session{Chat: s.Chat, Name: s.ChatName, Messages: s.Recent}, "")
	w.raw("</recent_messages>\n</social_context>\n")
	w.people(s.People)
	w.memories("<social_memory>\n", s.Memories, "</social_memory>\n", chatMemory)
	w.memories("<owner_memory_snapshot>\n", s.OwnerMemories, "</owner_memory_snapshot>\n", ownerMemory)
	w.botState(s)
	w.request(s.Request)
	w.wake(s.Wake)
	w.info(now, s)
	w.attention(s.Attention)
	w.turnState(s)
	return w
}

// A contextWriter is a context under construction. It records the segments that may be dropped, and removes them at the end. Most
// contexts fit the budget and are written only once.
type contextWriter struct {
	markup
	clock
	name         string    // the bot's name
	segments     []segment // in the order of the text
	firstMessage int       // index in parts of the first history message

	inRecent     bool // writing the messages to answer; their pictures are numbered
	pictureCount int  // pictures numbered so far
}

func newContextWriter(p persona.Profile, now time.Time, s *Scene) *contextWriter {
	few := len(s.People) + len(s.Memories) + len(s.OwnerMemories) + len(s.Notes) + len(s.Past) + len(s.Planned) // these items are usually short
	size := 1024 + 256*few + maxBytes(s.Summary, maxText)
	count := func(ms []persona.Message) {
		for i := range ms {
			size += 140 + maxBytes(ms[i].Text, maxText)
		}
	}
	count(s.History)
	count(s.Recent)
	for i := range s.Background {
		count(s.Background[i].Messages)
	}
	w := &contextWriter{clock: newClock(now, cmp.Or(s.Location, time.Local)), name: p.Name}
	w.segments = make([]segment, 0, len(s.History)+len(s.Background)+len(s.Recent)+few+8)
	w.buf.Grow(size)
	return w
}

// maxBytes returns the maximum size of a text in bytes after a cut at max runes, without escapes.
func maxBytes(text string, max int) int { return min(len(text), 4*max) }

func (w *contextWriter) session(s *Session, flag string) {
	w.raw("<session")
	w.optional(` type="`, s.Chat.Kind, maxName)
	w.optional(` id="`, s.Chat.ID, maxName)
	w.optional(` name="`, s.Name, maxName)
	w.raw(flag)
	w.raw(">\n")
	for i := range s.Messages {
		if w.inRecent {
			w.begin(priorities)
			w.segmentID(s.Messages[i].Key)
		}
		w.message(&s.Messages[i])
		if w.inRecent {
			w.end()
		}
	}
	w.raw("</session>\n")
}

func (w *contextWriter) message(m *persona.Message) {
	w.raw("<msg")
	w.attr(` sender="`, w.senderName(m.Own, m.Name), maxName)
	w.optional(` sender_id="`, m.From, maxName)
	if !m.Action {
		w.optional(` id="`, m.ID, maxName)
	}
	w.time(m.At)
	w.flag(` at_me="true"`, m.AtMe)
	w.flag(` self="true"`, m.Own)
	w.flag(` bot="true"`, m.Bot)
	w.optional(` reply_to="`, m.ReplyTo, maxName)
	if q := m.Quote; q != nil {
		w.optional(` quote_sender="`, w.senderName(q.Own, q.Name), maxName)
		w.optional(` quote_sender_id="`, q.From, maxName)
		limit := maxQuote
		if w.inRecent && q.Parts != nil { // it was opened for this turn
			limit = maxText
		}
		w.attr(` quote="`, q.Text, limit)
	}
	w.raw(">")
	w.body(m.Text)
	w.pictures(m)
	w.raw("</msg>\n")
}

// senderName returns the name to show. For the bot it is the name of the profile, not the group card.
func (w *contextWriter) senderName(own bool, name string) string {
	if own && w.name != "" {
		return w.name
	}
	return name
}

func (w *contextWriter) memories(open string, ms []Memory, close string, r priority) {
	w.list(open, len(ms), close, r, func(i int) {
		w.segmentID(cmp.Or(ms[i].Key, ms[i].ID))
		w.raw("<memory")
		w.optional(` id="`, ms[i].ID, maxName)
		w.attr(` importance="`, cmp.Or(ms[i].Importance, "normal"), maxName)
		w.optional(` who="`, ms[i].Person, maxName)
		w.optional(` where="`, ms[i].Chat, maxName)
		w.time(ms[i].At)
		w.content(ms[i].Text, "</memory>\n")
	})
}

// list writes elements that may be dropped one by one. It writes nothing for an empty list.
func (w *contextWriter) list(open string, n int, close string, r priority, element func(i int)) {
	if n == 0 {
		return
	}
	w.raw(open)
	for i := range n {
		w.begin(r)
		element(i)
		w.end()
	}
	w.raw(close)
}

func (w *contextWriter) info(now time.Time, s *Scene) {
	w.raw("<session_info time=\"")
	w.text(now.In(w.loc).Format("2006-01-02 15:04:05 ")+weekdays[now.In(w.loc).Weekday()], maxName)
	w.raw("\">\n<current_mode>")
	w.raw(s.Mode.String())
	w.raw("</current_mode>\n<current_state>")
	w.text(cmp.Or(s.State, "observing"), maxName)
	w.raw("</current_state>\n<is_master_present>")
	w.raw(strconv.FormatBool(s.OwnerPresent))
	w.raw("</is_master_present>\n<current_thought_target>")
	w.body(cmp.Or(s.Target, s.Chat.SourceID()))
	w.raw("</current_thought_target>\n</session_info>\n")
}

// turnState writes the state that the calls of a turn pass on. It comes last, so that all calls start with the same text.
func (w *contextWriter) turnState(s *Scene) {
	if len(s.Actions) > 0 {
		w.raw("<recent_deeds>\n")
		for _, deed := range s.Actions {
			w.raw("<deed")
			w.attr(` did="`, deed.Name, maxName)
			w.content(deed.Reason, "</deed>\n")
		}
		w.raw("</recent_deeds>\n")
	}
	w.block("<beginning>", s.Beginning, "</beginning>\n")
	w.thoughts(s.Thoughts)
	w.block("<intent>", s.Intent, "</intent>\n")
}

func (w *contextWriter) thoughts(all []Thought) {
	if len(all) == 0 {
		return
	}
	past, current := all[:len(all)-1], all[len(all)-1]
	if len(past) > 0 {
		w.raw("<past_thoughts>\n")
		for _, t := range past {
			w.raw("<thought")
			w.time(t.At)
			w.content(t.Text, "</thought>\n")
		}
		w.raw("</past_thoughts>\n")
	}
	w.block("<current_thought>", current.Text, "</current_thought>\n")
}

func (w *contextWriter) block(open, text, close string) {
	if text != "" {
		w.raw(open)
		w.body(text)
		w.raw(close)
	}
}

// flag writes an attribute if on is true.
func (w *contextWriter) flag(attr string, on bool) {
	if on {
		w.raw(attr)
	}
}

// content ends a start tag and writes the text and the end tag.
func (w *contextWriter) content(text, close string) {
	w.raw(">")
	w.body(text)
	w.raw(close)
}

func (w *contextWriter) optional(prefix, value string, max int) {
	if value != "" {
		w.attr(prefix, value, max)
	}
}

func (w *contextWriter) body(s string) { w.longText(s, maxText) }

func (w *contextWriter) longText(s string, max int) {
	if w.text(s, max) {
		w.text("…（后文略）", maxText)
	}
}

func (w *contextWriter) time(t time.Time) { w.timestamp(` time="`, t) }

func (w *contextWriter) timestamp(prefix string, t time.Time) {
	if !t.IsZero() {
		w.raw(prefix)
		var shown [24]byte
		w.buf.Write(w.clock.append(shown[:0], t))
		w.raw(`"`)
	}
}
