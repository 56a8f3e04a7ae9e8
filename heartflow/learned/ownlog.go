package learned

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// A LogChat is a recorded group chat.
type LogChat struct {
	ID      string
	Entries []LogEntry // in order of time
}

// A LogEntry is a message of a recorded chat, or something that happened to one.
type LogEntry struct {
	// Message is a message. At must be set. Own marks those of the bot, AtMe and ReplyToMe those that address it. A message
	// without From is ignored.
	heartflow.Message
	Name    string // of the author, as the chat shows it
	Deleted string // if not empty, the entry is no message: the message with this ID was deleted
	By      string // who deleted it
	Muted   bool   // if set, the entry is no message: the bot was muted
}

// Limits of what counts as an answer in a log.
const (
	maxReplyLines  = 20              // lines back, with an @
	maxAnswerLines = 3               // lines back, without an @ and a quote
	maxAnswerGap   = 2 * time.Minute // the same
)

// An ownChat is a LogChat with what is known about its answers.
type ownChat struct {
	id      string
	entries []LogEntry
	answers []int // of each entry: the index of the entry that it answers; -1: none
	days    []int // of each entry
	names   map[string]string
	bot     string // author of the bot's messages; empty: it has written none
}

// newOwnChat prepares a chat. day numbers the days.
func newOwnChat(c LogChat, day func(time.Time) int) *ownChat {
	own := &ownChat{id: c.ID, entries: slices.Clone(c.Entries), names: map[string]string{}}
	ids, partners := map[string]int{}, map[string]string{}
	latest := time.Time{}
	for i := range own.entries {
		e := &own.entries[i]
		if e.At.Before(latest) {
			e.At = latest
		}
		latest = e.At
		own.days = append(own.days, day(e.At))
		own.answers = append(own.answers, -1)
		if !e.isMessage() {
			continue
		}
		if e.Own {
			own.bot = e.From
		}
		if e.Name != "" {
			own.names[e.From] = e.Name
		}
		if own.answers[i] = own.answered(i, ids, partners[e.From]); own.answers[i] >= 0 {
			other := own.entries[own.answers[i]].From
			partners[e.From], partners[other] = other, e.From
		}
		if e.Message.ID != "" {
			ids[e.Message.ID] = i
		}
	}
	return own
}

func (e *LogEntry) isMessage() bool { return e.Deleted == "" && !e.Muted && e.From != "" }

// answered returns the index of the entry that a message answers. A quote states it. So does a mention: it is the last entry of the
// mentioned person. Otherwise it is a near entry of somebody else that mentions no third person: the last one of partner, with whom the
// author was talking, or else the last one. ids are the earlier messages.
func (c *ownChat) answered(i int, ids map[string]int, partner string) int {
	e := &c.entries[i]
	if e.QuoteID != "" {
		if j, ok := ids[e.QuoteID]; ok && c.entries[j].From != e.From {
			return j
		}
		return -1
	}
	lines, near := 0, -1
	for j := i - 1; j >= 0 && lines < maxReplyLines; j-- {
		m := &c.entries[j]
		if !m.isMessage() {
			continue
		}
		lines++
		switch {
		case m.From == e.From:
		case len(e.Addressees) > 0:
			if slices.Contains(e.Addressees, m.From) {
				return j
			}
		case lines > maxAnswerLines || e.At.Sub(m.At) > maxAnswerGap:
			return near
		case len(m.Addressees) > 0 && !slices.Contains(m.Addressees, e.From):
			if near < 0 {
				return -1
			}
		case m.From == partner:
			return j
		case near < 0:
			near = j
		}
	}
	return near
}

// messageAs returns an entry as a bot sees it that plays a person.
func (c *ownChat) messageAs(i int, who string) heartflow.Message {
	m := c.entries[i].Message
	quoted := c.answers[i]
	if m.QuoteID == "" && m.From != who {
		quoted = -1 // only its author knows what it answers
	}
	if who != c.bot { // the log says it for the bot
		m.AtMe = slices.Contains(m.Addressees, who)
		m.ReplyToMe = quoted >= 0 && m.From != who && c.entries[quoted].From == who
	}
	m.ID, m.QuoteID, m.Own, m.Private, m.Replayed = strconv.Itoa(i+1), "", m.From == who, false, false
	if quoted >= 0 {
		m.QuoteID = strconv.Itoa(quoted + 1)
	}
	return m
}

// calls reports whether a message addresses the bot, in the log.
func (e *LogEntry) calls(names []string) bool {
	return e.AtMe || e.ReplyToMe || slices.ContainsFunc(names, func(n string) bool { return n != "" && strings.Contains(e.Text, n) })
}
