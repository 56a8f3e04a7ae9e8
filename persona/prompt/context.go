package prompt

import (
	"cmp"
	"github.com/hearth-bot/hearth/persona"
	"strconv"
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
//	<document>                      one that the being keeps, by name: of [Scene.Papers]
//	<notes>                         what it has written down here: note
//	<daily_hot_summary>             what the day has brought so far
//	<social_context>              *
//	  <history_messages>          * what has been dealt with: msg
//	  <recent_messages>           * what is to be answered, and background: session with msg
//	<people>                        what the being thinks of people here: person with nickname and impression
//	<social_memory>                 what this chat's memory holds on the topic: memory
//	<owner_memory_snapshot>         what may be told of the owner: memory
//	<events>                        what the owner has been doing
//	<past_tasks>, <planned_tasks>   what became of what it meant to do, and what it means to do: task
//	<mind>                          its wider thought
//	<inner_state>                   how it feels about this session
//	<mood>                          how it is just now, with tone and energy, from 0 to 1
//	<request>, <self>               what somebody asks for: see [RequestContext]
//	<wake>                          why it acts though nobody asked: timer, task or talk
//	<session_info>                * current_mode, current_state, is_master_present, current_thought_target
//	<recent_deeds>                  what was done here lately: deed
//	<current_thought>               the latest one about this chat
//	<intent>                        why something is to be said
//
// What seldom changes stands before the history, and what changes from turn to turn behind it, so that the prompts of
// neighbouring turns begin alike: providers bill such a beginning at a fraction. Nothing before the end of the history
// depends on now but the dates of days that are over. [StableStart] keeps the history's own beginning in its place.
//
// A msg has the attributes sender, sender_id, id and time; at_me, self and bot where they are true; reply_to,
// quote_sender, quote_sender_id and quote where it answers another. Times are shown in [Scene.Location], with the date
// where it is not the day of now. After its text stands a picture for each of its pictures that was looked at: with what
// it shows, or with n, its number among those beside the context ([Scene.Pictures]).
//
// A task has the attributes id, title and time; until, status, result and error where there is something to say; and the
// elements motivation, plan, expected_outcome and reflection. A wake has kind ([WakeKind.String]) and since; late="true";
// quiet, how long nobody has spoken (40s, 5m, 2h, 3d); messages and failed ([Motive]); for_id, on whose behalf it is.
//
// What exceeds [Scene.Budget] is left out in this order: the spare messages of the history; background sessions; memories
// of the owner, and then of the chat; people; events; past tasks; notes; planned tasks; the wider thought; the history;
// the summary; the inner state; documents. Messages and past tasks go the oldest first, of all else the last goes first.
// With the messages that have to go, spare ones or all, goes up to a third of the rest of the history, so that the next
// turns can begin with the same message; where there are spare ones, those that would have to go at last go with them.
// The messages to answer, the mood, what is asked for, the wake and all that follows always stay, and past tasks that are
// to be condensed: a context is larger than its budget rather than without them.
func Context(p persona.Profile, now time.Time, s Scene) string {
	d := newDraft(p, now, &s)
	d.papers(s.Documents)
	d.notes(s.Notes)
	d.piece(summary, "<daily_hot_summary>\n", s.Summary, maxText, "\n</daily_hot_summary>\n")
	d.raw("<social_context>\n<history_messages>\n")
	d.first = len(d.parts)
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
	d.answering = true
	d.session(&Session{Chat: s.Chat, Name: s.ChatName, Messages: s.Recent}, "")
	d.raw("</recent_messages>\n</social_context>\n")
	d.people(s.People)
	d.memories("<social_memory>\n", s.Memories, "</social_memory>\n", chatMemory)
	d.memories("<owner_memory_snapshot>\n", s.OwnerMemories, "</owner_memory_snapshot>\n", ownerMemory)
	d.self(&s)
	d.petition(s.Request)
	d.wake(s.Wake)
	d.info(now, &s)
	d.handed(&s)
	return d.fit(s.Budget, s.History, s.CachePrefix)
}

// A draft is a context that is being written. Parts of it that may be left out are noted as they are written, and cut
// out at the end: most contexts fit, and are written once.
type draft struct {
	markup
	clock
	name  string // the bot's
	parts []part // in the order of the text
	first int    // of them, the one that is the history's first message

	answering bool // what is written are the messages to answer, whose pictures are numbered
	numbered  int  // pictures so far
}

func newDraft(p persona.Profile, now time.Time, s *Scene) *draft {
	few := len(s.People) + len(s.Memories) + len(s.OwnerMemories) + len(s.Notes) + len(s.Past) + len(s.Planned) // each short, as a rule
	size := 1024 + 256*few + room(s.Summary, maxText)
	count := func(ms []persona.Message) {
		for i := range ms {
			size += 140 + room(ms[i].Text, maxText)
		}
	}
	count(s.History)
	count(s.Recent)
	for i := range s.Background {
		count(s.Background[i].Messages)
	}
	d := &draft{clock: newClock(now, cmp.Or(s.Location, time.Local)), name: p.Name}
	d.parts = make([]part, 0, len(s.History)+len(s.Background)+few+8)
	d.buf.Grow(size)
	return d
}

// room is how many bytes at most a text takes that is cut after max runes, unless much of it has to be escaped.
func room(text string, max int) int { return min(len(text), 4*max) }

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

func (d *draft) message(m *persona.Message) {
	d.raw("<msg")
	d.attr(` sender="`, d.shown(m.Own, m.Name), maxName)
	d.optional(` sender_id="`, m.From, maxName)
	d.optional(` id="`, m.ID, maxName)
	d.time(m.At)
	d.flag(` at_me="true"`, m.AtMe)
	d.flag(` self="true"`, m.Own)
	d.flag(` bot="true"`, m.Bot)
	d.optional(` reply_to="`, m.ReplyTo, maxName)
	if q := m.Quote; q != nil {
		d.optional(` quote_sender="`, d.shown(q.Own, q.Name), maxName)
		d.optional(` quote_sender_id="`, q.From, maxName)
		d.attr(` quote="`, q.Text, maxQuote)
	}
	d.raw(">")
	d.body(m.Text)
	d.pictures(m.Pictures)
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
	d.list(open, len(ms), close, r, func(i int) {
		d.raw("<memory")
		d.optional(` id="`, ms[i].ID, maxName)
		d.attr(` importance="`, cmp.Or(ms[i].Importance, "normal"), maxName)
		d.optional(` who="`, ms[i].Person, maxName)
		d.optional(` where="`, ms[i].Chat, maxName)
		d.time(ms[i].At)
		d.content(ms[i].Text, "</memory>\n")
	})
}

// list writes elements that may each be left out, and nothing where there are none.
func (d *draft) list(open string, n int, close string, r rank, element func(i int)) {
	if n == 0 {
		return
	}
	d.raw(open)
	for i := range n {
		d.begin(r)
		element(i)
		d.end()
	}
	d.raw(close)
}

func (d *draft) info(now time.Time, s *Scene) {
	d.raw("<session_info time=\"")
	d.text(now.In(d.loc).Format("2006-01-02 15:04:05 ")+weekdays[now.In(d.loc).Weekday()], maxName)
	d.raw("\">\n<current_mode>")
	d.raw(s.Mode.String())
	d.raw("</current_mode>\n<current_state>")
	d.text(cmp.Or(s.State, "observing"), maxName)
	d.raw("</current_state>\n<is_master_present>")
	d.raw(strconv.FormatBool(s.OwnerPresent))
	d.raw("</is_master_present>\n<current_thought_target>")
	d.body(cmp.Or(s.Target, s.Chat.SourceID()))
	d.raw("</current_thought_target>\n</session_info>\n")
}

// handed writes what the parts of a turn hand on. It stands last, so that all parts begin alike.
func (d *draft) handed(s *Scene) {
	if len(s.Actions) > 0 {
		d.raw("<recent_deeds>\n")
		for _, deed := range s.Actions {
			d.raw("<deed")
			d.attr(` did="`, deed.Name, maxName)
			d.content(deed.Reason, "</deed>\n")
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

// flag writes an attribute that says something is so.
func (d *draft) flag(attr string, on bool) {
	if on {
		d.raw(attr)
	}
}

// content ends a start tag, and writes the text of the element and its end tag.
func (d *draft) content(text, close string) {
	d.raw(">")
	d.body(text)
	d.raw(close)
}

func (d *draft) optional(prefix, value string, max int) {
	if value != "" {
		d.attr(prefix, value, max)
	}
}

func (d *draft) body(s string) { d.long(s, maxText) }

func (d *draft) long(s string, max int) {
	if d.text(s, max) {
		d.text("…（后文略）", maxText)
	}
}

func (d *draft) time(t time.Time) { d.moment(` time="`, t) }

func (d *draft) moment(prefix string, t time.Time) {
	if !t.IsZero() {
		d.raw(prefix)
		var shown [24]byte
		d.buf.Write(d.clock.append(shown[:0], t))
		d.raw(`"`)
	}
}
