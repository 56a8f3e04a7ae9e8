package heartflow

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Begin lets the bot begin a talk in a chat that is not private. It may do so once in a silence, for one of two reasons:
// [WhyCold] and [WhyUnanswered]. [Attention.Due] reports the reason in Change.Begin. Open the turn with
// [Attention.BeginTurn] and that reason, and let a model decide whether and what to say.
//
// The bot must have seen eight talks in the chat, and have spoken there within 72 times Silence. It begins only at times
// of day at which people have talked there, outside of quiet hours, at the full [Level] of the budget, within the limit for
// interjections, and where Options.Welcome is not negative. It begins at most one talk in 12 times Silence. After that it
// begins no other talk until a person has written. That holds after a restart, too, because a silence during which the bot
// was restarted does not count.
type Begin struct {
	Off     bool          // for Settings: no talk is begun in the chat
	Silence time.Duration // least silence of a cold chat; 0 means 1 hour. Half of it is the least time to wait for an answer
}

// Reasons of a turn in which the bot begins a talk.
const (
	WhyCold       Code = "cold"       // the chat has been silent for longer than nine of ten of its pauses
	WhyUnanswered Code = "unanswered" // nobody has answered the bot's question for longer than half of the chat's pauses
)

func isBeginning(why Code) bool { return why == WhyCold || why == WhyUnanswered }

// withDefaults returns b with the default in place of a zero Silence.
func (b Begin) withDefaults() Begin {
	if b.Silence == 0 {
		b.Silence = time.Hour
	}
	return b
}

func (b *Begin) validate() error {
	if b != nil && b.Silence < 0 {
		return fmt.Errorf("heartflow: Begin.Silence is %v: it must not be negative", b.Silence)
	}
	return nil
}

// Times with the default Silence: 10 min, 30 min, 12 h and 3 days.

// pause is the least time without messages between two talks.
func (b *Begin) pause() time.Duration { return b.Silence / 6 }

// wait is the least time to wait for an answer.
func (b *Begin) wait() time.Duration { return b.Silence / 2 }

// interval is the least time between two talks that the bot begins.
func (b *Begin) interval() time.Duration { return 12 * b.Silence }

// limit is the longest silence that the bot ends, and the longest time since it spoke.
func (b *Begin) limit() time.Duration { return 72 * b.Silence }

// A silence is the current silence of a chat. Snapshots do not contain it: after a restart the bot does not know whether
// somebody wrote meanwhile.
type silence[K comparable] struct {
	tick.Place // position in Attention.silences

	chat   *chat[K]
	queued bool      // in Attention.silences
	last   tick.Tick // last message of a person
	fresh  bool      // that message was received when it was written
	begun  bool      // the bot has used this silence
	ready  Code      // reported by Due, and no person has written since
	asked  tick.Tick // last message of the bot, if it was a question without an answer
	whom   uint32    // the person asked; 0: all
	others int       // messages of others since
}

// maxOthers is the number of messages of others after which a question is no longer open.
const maxOthers = 3

// heard takes a message of somebody else. fresh means that it was written just now.
func (c *chat[K]) heard(at tick.Tick, m *Message, fresh bool) {
	b := c.settings.begin
	if b == nil || m.Private || m.FromBot || m.Replayed {
		return
	}
	if c.silence == nil {
		c.silence = &silence[K]{chat: c, Place: tick.Place{Order: c.Order}}
	}
	s := c.silence
	if at > s.last {
		if s.last > 0 && time.Duration(at-s.last) >= b.pause() {
			c.Rhythm.add(s.last, at)
		}
		s.last = at
	}
	if !fresh {
		return
	}
	s.fresh, s.begun, s.ready = true, false, ""
	if s.others++; s.whom == 0 || s.whom == authorHash(m.From) || s.others > maxOthers {
		s.asked = 0
	}
}

// asks takes a message of the bot. answers means that it belongs to a turn.
func (c *chat[K]) asks(at tick.Tick, text string, answers bool) {
	s := c.silence
	if s == nil {
		return
	}
	s.asked, s.whom, s.others = 0, 0, 0
	if answers && !c.turn.Begun && isQuestion(text) {
		s.asked, s.whom = at, c.turn.To.Person
	}
}

// isQuestion reports whether a text ends with a question mark.
func isQuestion(text string) bool {
	text = strings.TrimRight(text, " \t\r\n~～。.!！”」』\"')）")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}

// beginsAt returns when the bot may begin a talk in c, from t on, and why; 0: not in this silence. It ignores caps, mutes
// and sleep.
func (c *chat[K]) beginsAt(t tick.Tick) (at tick.Tick, why Code) {
	s, b := c.silence, c.settings.begin
	if s == nil || b == nil || !s.fresh || s.begun || s.ready != "" || !c.Rhythm.known() {
		return 0, ""
	}
	since := max(s.last, c.Said.Last)
	at, why = since.Add(max(b.Silence, c.Rhythm.quantile(.9))), WhyCold
	if s.asked > 0 {
		if asked := s.asked.Add(max(b.wait(), c.Rhythm.quantile(.5))); asked < at {
			at, why = asked, WhyUnanswered
		}
	}
	at = max(at, t)
	if c.Rhythm.Begun > 0 {
		at = max(at, c.Rhythm.Begun.Add(b.interval()))
	}
	for end := min(s.last, c.Said.Last).Add(b.limit()); at <= end; {
		switch q := c.settings.quietHours; {
		case q.at(at, c.account.loc):
			at = q.ends(at, c.account.loc)
		case !c.Rhythm.usualAt(at, c.account.loc):
			at = at.Add(usualStep)
		default:
			return at, why
		}
	}
	return 0, ""
}

// schedule computes when Due looks at the silence again.
func (s *silence[K]) schedule(a *Attention[K], t tick.Tick) {
	if s != nil {
		at, _ := s.chat.beginsAt(t)
		s.set(a, at)
	}
}

// extend is schedule after a message of somebody else. Such messages are frequent and only postpone the beginning, so a time
// that is set stays, and Due then computes the next one.
func (s *silence[K]) extend(a *Attention[K], t tick.Tick) {
	if s != nil && !s.queued {
		s.schedule(a, t)
	}
}

// set sets when Due looks at the silence again; 0: not before another message.
func (s *silence[K]) set(a *Attention[K], at tick.Tick) {
	s.queued = at != 0
	a.silences.Set(s, at)
}

// reportBeginnings appends the chats in which the bot may begin a talk at a.now.
func reportBeginnings[K comparable](a *Attention[K], list []Change[K]) []Change[K] {
	for len(a.silences) > 0 && a.silences[0].Due <= a.now {
		s := a.silences[0]
		c := s.chat
		at, why := c.beginsAt(a.now)
		if at == 0 || at > a.now {
			s.set(a, at)
			continue
		}
		if _, blocked := c.gates(a.now, addressee{}, false, a.gates[:0]); blocked != "" {
			opens := c.reopensAt(a.now, addressee{}, blocked)
			if opens <= a.now || opens == tick.Forever {
				opens = 0 // the next message schedules it again
			}
			s.set(a, opens)
			continue
		}
		s.set(a, 0)
		s.ready = why
		list = append(list, Change[K]{Chat: c.key, From: c.reported, To: c.reported, At: max(s.last, c.Said.Last).Time(a.account.loc), Begin: why})
	}
	return list
}

// begin uses the silence of c for a turn. The gate is closed if Due has not reported why, or if somebody has written since.
func (c *chat[K]) begin(at tick.Tick, why Code) Gate {
	g, s := Gate{Code: why}, c.silence
	if s == nil || c.settings.begin == nil {
		return g
	}
	since, usual := max(s.last, c.Said.Last), max(c.settings.begin.Silence, c.Rhythm.quantile(.9))
	if why == WhyUnanswered {
		since, usual = s.asked, max(c.settings.begin.wait(), c.Rhythm.quantile(.5))
	}
	if s.ready == why {
		g.Pass, g.Value, g.Threshold = true, at.Since(since).Round(time.Minute).Minutes(), usual.Round(time.Minute).Minutes()
		s.begun, s.ready, s.asked = true, "", 0
	}
	return g
}
