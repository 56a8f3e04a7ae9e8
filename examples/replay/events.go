package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/chatline"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// readEvents reads OneBot events, one per line: {"received": time, "event": {…}}, or the event alone, which then counts as
// received at its own time. A message of the recorded bot has "sent" in place of "event". It converts them like the link of a live
// bot. The bot is the first account in the log. What people read is in the language.
func readEvents(in *bufio.Reader, name string, language lang.Language) (*chatLog, error) {
	l := &chatLog{titles: map[string]string{}}
	s := &eventSource{in: in, account: account{name}}
	link := onebotlink.New(s, onebotlink.Options{})
	reader := &inputReader{log: l, key: social.FeaturesOf(link).MessageKey, seen: map[messageKey]seenMessage{}, lines: chatline.New(language, name), language: language, poked: map[messageKey]time.Time{}}
	err := link.Run(context.Background(), func(_ context.Context, e persona.Event) { reader.handle(s.at, s.sent, e) })
	if err == nil && len(l.inputs) == 0 {
		err = errors.New("the log has no message in it")
	}
	return l, err
}

// An eventSource reads events from a file, as a OneBot client does from a socket.
type eventSource struct {
	in      *bufio.Reader
	account account
	at      time.Time // receipt of the current event
	sent    bool      // the recorded bot sent the current event
}

// Run ends at the end of the file.
func (s *eventSource) Run(ctx context.Context, h onebot.Handler) error {
	bots := map[int64]*onebot.Bot{}
	for n := 1; ; n++ {
		line, err := s.in.ReadBytes('\n')
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, err := s.event(line)
			switch {
			case err != nil && last && !json.Valid(line): // the recording process was killed while it wrote
				return nil
			case err != nil:
				return fmt.Errorf("line %d: %w", n, err)
			}
			self := e.EventSelfID()
			if bots[self] == nil {
				bots[self] = onebot.NewBot(s.account, self)
			}
			h(ctx, bots[self], e)
		}
		if last {
			return nil
		}
	}
}

// event parses a line and sets s.at and s.sent.
func (s *eventSource) event(line []byte) (onebot.Event, error) {
	var recorded struct {
		Received time.Time       `json:"received"`
		Event    json.RawMessage `json:"event"`
		Sent     json.RawMessage `json:"sent"`
	}
	if err := json.Unmarshal(line, &recorded); err != nil {
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong):
			return nil, fmt.Errorf("is no JSON object: %s", wrong.Value)
		case json.Valid(line):
			return nil, fmt.Errorf("field \"received\": %w", err)
		}
		return nil, err
	}
	raw := []byte(recorded.Event)
	if s.sent = recorded.Sent != nil; s.sent {
		raw = recorded.Sent
	}
	alone := raw == nil
	if alone {
		raw = line
	}
	e, err := onebot.ParseEvent(raw)
	if err != nil {
		return nil, err
	}
	at := recorded.Received
	switch {
	case at.IsZero() && !alone:
		return nil, errors.New(`field "received" is missing`)
	case at.IsZero():
		at = e.EventTime()
	}
	s.at = later(s.at, at) // receipt times do not decrease
	return e, nil
}

// An account knows its own name and nothing else.
type account struct{ name string }

// Call returns the name of the account.
func (a account) Call(_ context.Context, action string, _, result any) error {
	info, ok := result.(*onebot.LoginInfo)
	if !ok || action != "get_login_info" {
		return onebot.ErrDisconnected
	}
	info.Nickname = a.name
	return nil
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

// ownWords returns the text of a message without the words of others in it, such as names, cards and transcripts: none of them
// calls a bot by its name.
func ownWords(m persona.Message) string {
	if m.Parts == nil {
		return m.Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		switch p := p.(type) {
		case persona.Text, persona.Face:
			b.WriteString(persona.TextOf([]persona.Part{p}))
		case persona.Mention:
			b.WriteString("@")
		default:
			name, _, _ := strings.Cut(persona.TextOf([]persona.Part{p}), "：")
			name, _, _ = strings.Cut(name, " ")
			b.WriteString(strings.TrimSuffix(name, "]") + "]")
		}
	}
	return b.String()
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
		ID: id, From: m.From, Text: ownWords(m), At: m.At, Addressees: m.Mentions, FromBot: m.Bot, Own: m.Own, AtMe: m.AtMe, QuoteID: x.key(m.ReplyTo),
		ReplyToMe: x.seen[messageKey{chat, x.key(m.ReplyTo)}].own, Private: m.Chat.Kind == persona.Private,
	}})
}
