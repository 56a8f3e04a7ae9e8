// Package chatline writes what happens in a chat as lines for people: messages with all their parts, quotes, and acts such as
// pokes, reactions and joins.
package chatline

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// A Line is one thing that somebody said or did.
type Line struct {
	Chat persona.Chat
	Who  string
	Text string // one or more lines, without Who
	Act  bool   // Who did something, such as a poke, and said nothing

	from string // id of the author of a message
}

// String returns "小满: 在吗", or for an act "小满 戳了戳 小炉".
func (l Line) String() string {
	if l.Act {
		return l.Who + " " + l.Text
	}
	return l.Who + ": " + l.Text
}

// A Writer writes lines. It remembers the last messages, to say what is quoted, and the names of their authors. Its methods may
// be called concurrently.
type Writer struct {
	lang lang.Language
	bot  string

	mu     sync.Mutex
	self   string // id of the bot; "" until it is known
	recent []remembered
}

type remembered struct {
	chat persona.Chat
	id   string
	line Line
}

// maxRemembered and maxExcerpt limit the messages that can be quoted, and the runes of a quote.
const (
	maxRemembered = 300
	maxExcerpt    = 20
)

// New returns a Writer. bot is the name of the bot.
func New(l lang.Language, bot string) *Writer { return &Writer{lang: l, bot: bot} }

// Event returns the line of an event. ok is false for events that are nothing in a chat.
func (w *Writer) Event(e persona.Event) (line Line, ok bool) {
	switch e := e.(type) {
	case persona.Message:
		return w.message(e), true
	case persona.Connected:
		w.mu.Lock()
		w.self = e.Self.ID
		w.mu.Unlock()
		return line, false
	}
	return w.act(e)
}

func (w *Writer) message(m persona.Message) Line {
	line := Line{Chat: m.Chat, Who: cmp.Or(m.Name, m.From), Text: Text(w.lang, m), from: m.From}
	if m.Own {
		line.Who = w.bot
	}
	w.remember(m.Chat, m.ID, line)
	if quote, ok := w.Quote(m.Chat, m.ReplyTo); ok {
		line.Text = w.lang.Sprintf("[回复 %s] %s", "[to %s] %s", quote, line.Text)
	}
	return line
}

// name returns the name that somebody has, or last used in a chat, or else the id.
func (w *Writer) name(chat persona.Chat, id, name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case id == w.self && id != "":
		return w.bot
	case name != "":
		return name
	}
	for _, r := range slices.Backward(w.recent) {
		if r.chat == chat && r.line.from == id {
			return r.line.Who
		}
	}
	return id
}

// Sent remembers a message that the bot sent.
func (w *Writer) Sent(chat persona.Chat, id string, out persona.Outgoing) {
	w.remember(chat, id, Line{Chat: chat, Who: w.bot, Text: out.Content()})
}

func (w *Writer) remember(chat persona.Chat, id string, line Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.recent = append(w.recent, remembered{chat, id, line}); len(w.recent) > maxRemembered {
		w.recent = w.recent[1:]
	}
}

// Quote returns the beginning of a message with its author. ok is false for an unknown one.
func (w *Writer) Quote(chat persona.Chat, id string) (text string, ok bool) {
	line, ok := w.find(chat, id)
	if !ok {
		return "", false
	}
	line.Text = clip.Ellipsis(strings.Join(strings.Fields(line.Text), " "), maxExcerpt)
	return line.String(), true
}

func (w *Writer) find(chat persona.Chat, id string) (Line, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.recent {
		if id != "" && r.chat == chat && r.id == id {
			return r.line, true
		}
	}
	return Line{}, false
}
