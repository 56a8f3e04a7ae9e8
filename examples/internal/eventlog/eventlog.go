// Package eventlog reads files of OneBot events, such as those of groupbot's -record.
package eventlog

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

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// A Reader reads OneBot events, one per line: {"received": time, "event": {…}}, or the event alone, which then counts as
// received at its own time. A message of the recorded bot has "sent" in place of "event". It converts them like the link of a
// live bot. The bot is the first account in the log.
type Reader struct {
	Key func(id string) string // normalizes the IDs of messages

	source *source
	link   social.Link
}

// New returns a Reader. name is the bot's name for mentions of its account.
func New(in *bufio.Reader, name string) *Reader {
	r := &Reader{source: &source{in: in, account: account{name}}}
	r.link = onebotlink.New(r.source, onebotlink.Options{})
	r.Key = social.FeaturesOf(r.link).MessageKey
	return r
}

// Run calls handle for each event, with the time of its receipt, which does not decrease, and whether the recorded bot sent it.
// An incomplete last line is the end.
func (r *Reader) Run(ctx context.Context, handle func(at time.Time, sent bool, e persona.Event)) error {
	return r.link.Run(ctx, func(_ context.Context, e persona.Event) { handle(r.source.at, r.source.sent, e) })
}

// A source reads events from a file, as a OneBot client does from a socket.
type source struct {
	in      *bufio.Reader
	account account
	at      time.Time // receipt of the current event
	sent    bool      // the recorded bot sent the current event
}

// Run ends at the end of the file.
func (s *source) Run(ctx context.Context, h onebot.Handler) error {
	bots := map[int64]*onebot.Bot{}
	for n := 1; ctx.Err() == nil; n++ {
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
	return ctx.Err()
}

// event parses a line and sets s.at and s.sent.
func (s *source) event(line []byte) (onebot.Event, error) {
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

// OwnWords returns the text of a message without the words of others in it, such as names, cards and transcripts: none of them
// calls a bot by its name.
func OwnWords(m persona.Message) string {
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

// later returns the later time.
func later(a, b time.Time) time.Time {
	if b.Before(a) {
		return a
	}
	return b
}
