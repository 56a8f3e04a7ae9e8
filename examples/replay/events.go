package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// readEvents reads OneBot events, one a line: {"received": when, "event": {…}}, or the event alone, which was then
// received at its own time. What a live bot's link makes of them is what arrives. The bot is the first account in the
// log.
func readEvents(in *bufio.Reader, name string) (*chatLog, error) {
	l := &chatLog{titles: map[string]string{}}
	s := &eventSource{in: in, account: account{name}}
	link := onebotlink.New(s, nil)
	ears := &ears{log: l, key: social.FeaturesOf(link).MessageKey, known: map[saidKey]saidBy{}}
	err := link.Run(context.Background(), func(_ context.Context, e persona.Event) { ears.hear(s.at, e) })
	if err == nil && len(l.arrivals) == 0 {
		err = errors.New("the log has no message in it")
	}
	return l, err
}

// An eventSource brings events from a file, as a OneBot client does from a socket.
type eventSource struct {
	in      *bufio.Reader
	account account
	at      time.Time // when the present event was received
}

// Run ends with the file.
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
			case err != nil && last && !json.Valid(line): // whoever recorded was killed over it
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

// event reads a line, and sets the time to that of its receipt.
func (s *eventSource) event(line []byte) (onebot.Event, error) {
	var recorded struct {
		Received time.Time       `json:"received"`
		Event    json.RawMessage `json:"event"`
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
	if raw == nil {
		raw = line
	}
	e, err := onebot.ParseEvent(raw)
	if err != nil {
		return nil, err
	}
	at := recorded.Received
	switch {
	case at.IsZero() && recorded.Event != nil:
		return nil, errors.New(`field "received" is missing`)
	case at.IsZero():
		at = e.EventTime()
	}
	s.at = later(s.at, at) // nothing was received before what stands above it
	return e, nil
}

// account knows its own name. What else a log does not tell stays unknown.
type account struct{ name string }

// Call answers who the account is.
func (a account) Call(_ context.Context, action string, _, result any) error {
	info, ok := result.(*onebot.LoginInfo)
	if !ok || action != "get_login_info" {
		return onebot.ErrDisconnected
	}
	info.Nickname = a.name
	return nil
}

// ears make arrivals of what a link tells.
type ears struct {
	log   *chatLog
	key   func(id string) string // one id is written in several ways
	known map[saidKey]saidBy
}

type saidKey struct{ chat, id string }

type saidBy struct {
	own bool
	at  time.Time
}

func (x *ears) hear(at time.Time, e persona.Event) {
	switch e := e.(type) {
	case persona.Message:
		x.message(at, e)
	case persona.Retracted:
		x.log.arrivals = append(x.log.arrivals, arrival{At: at, Chat: e.Chat.String(), Retracted: x.key(e.MessageID)})
	case persona.BotMuted:
		x.log.arrivals = append(x.log.arrivals, arrival{At: at, Chat: e.Chat.String(), Muted: true, Until: e.Until})
	}
}

func (x *ears) message(at time.Time, m persona.Message) {
	chat, id := m.Chat.String(), x.key(m.ID)
	if was, ok := x.known[saidKey{chat, id}]; ok && was.at.Equal(m.At) {
		return // it came twice, as over a new connection
	}
	x.known[saidKey{chat, id}] = saidBy{m.Own, m.At}
	if m.ChatName != "" {
		x.log.titles[chat] = m.ChatName
	}
	x.log.arrivals = append(x.log.arrivals, arrival{At: at, Chat: chat, Name: m.Name, Message: heartflow.Message{
		ID: id, From: m.From, Text: m.Text, At: m.At, Addressees: m.Mentions, FromBot: m.Bot, Own: m.Own, AtMe: m.AtMe, QuoteID: x.key(m.ReplyTo),
		ReplyToMe: x.known[saidKey{chat, x.key(m.ReplyTo)}].own, Private: m.Chat.Kind == persona.Private,
	}})
}
