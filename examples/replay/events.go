package main

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/chatline"
	"github.com/hearth-bot/hearth/examples/internal/eventlog"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
)

// readEvents reads OneBot events. What people read is in the language.
func readEvents(in *bufio.Reader, name string, language lang.Language) (*chatLog, error) {
	l := &chatLog{titles: map[string]string{}}
	events := eventlog.New(in, name)
	reader := &inputReader{log: l, key: events.Key, seen: map[messageKey]seenMessage{}, lines: chatline.New(language, name), language: language, poked: map[messageKey]time.Time{}}
	err := events.Run(context.Background(), reader.handle)
	if err == nil && len(l.inputs) == 0 {
		err = lang.Errorf("记录里一条消息也没有", "the log has no message in it")
	}
	return l, err
}

// An inputReader converts the events of a link to inputs.
type inputReader struct {
	log  *chatLog
	key  func(id string) string // normalizes ids
	seen map[messageKey]seenMessage

	lines    *chatline.Writer
	language lang.Language
	poked    map[messageKey]time.Time // by chat and person: the last poke that called the bot
}

type messageKey struct{ chat, id string }

type seenMessage struct {
	own bool
	at  time.Time
}

func (x *inputReader) handle(at time.Time, sent bool, e persona.Event) {
	line, told := x.lines.Event(e)
	switch e := e.(type) {
	case persona.Message:
		x.message(at, sent, e)
	case persona.Retracted:
		x.log.inputs = append(x.log.inputs, input{At: at, Chat: e.Chat.String(), Retracted: x.key(e.MessageID)})
	case persona.BotMuted:
		x.log.inputs = append(x.log.inputs, input{At: at, Chat: e.Chat.String(), Muted: true, Until: e.Until})
	default:
		if told {
			x.act(at, e, line)
		}
	}
}

// pokeInterval is the time in which a person's pokes call the bot once, as in package social.
const pokeInterval = 10 * time.Minute

// act adds what somebody did. A poke of the bot calls it, as a mention does; other acts are only shown.
func (x *inputReader) act(at time.Time, e persona.Event, line chatline.Line) {
	a := input{At: at, Chat: line.Chat.String(), Name: line.Who, Shown: line.Text, Act: true}
	if poke, ok := e.(persona.Poked); ok {
		key := messageKey{a.Chat, poke.From}
		last, before := x.poked[key]
		if poke.ToMe && (!before || poke.At.Sub(last) >= pokeInterval) {
			x.poked[key] = poke.At
			a.Message = heartflow.Message{ID: fmt.Sprint("poke ", poke.From, " ", poke.At.UnixNano()), From: poke.From, Text: "[消息]", At: poke.At, AtMe: true, Private: poke.Chat.Kind == persona.Private}
		}
	}
	x.log.inputs = append(x.log.inputs, a)
}

func (x *inputReader) message(at time.Time, sent bool, m persona.Message) {
	chat, id := m.Chat.String(), x.key(m.ID)
	if was, ok := x.seen[messageKey{chat, id}]; ok && (was.at.Equal(m.At) || was.own && m.Own && m.At.Sub(was.at).Abs() < time.Minute) {
		return // a duplicate, for example after a reconnect, or because the implementation reports messages of the account, too
	}
	x.seen[messageKey{chat, id}] = seenMessage{m.Own, m.At}
	if m.ChatName != "" {
		x.log.titles[chat] = m.ChatName
	}
	x.log.inputs = append(x.log.inputs, input{At: at, Chat: chat, Name: m.Name, Sent: sent, Shown: chatline.Text(x.language, m), Message: heartflow.Message{
		ID: id, From: m.From, Text: eventlog.OwnWords(m), At: m.At, Addressees: m.Mentions, FromBot: m.Bot, Own: m.Own, AtMe: m.AtMe, QuoteID: x.key(m.ReplyTo),
		ReplyToMe: x.seen[messageKey{chat, x.key(m.ReplyTo)}].own, Private: m.Chat.Kind == persona.Private,
	}})
}
