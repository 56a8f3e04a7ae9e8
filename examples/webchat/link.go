package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Limits of the room.
const (
	maxTabs    = 200
	maxFrame   = 16 << 10         // bytes of a frame
	maxName    = 20               // runes
	maxText    = 2000             // runes
	maxHistory = 100              // messages that a new tab sees
	maxQueue   = 64               // frames that wait for a slow tab, or messages that wait for the bot
	sendWithin = 10 * time.Second // a tab that does not read is closed
)

// chat is the only chat. Its people are known by their names.
var chat = persona.Chat{Platform: "webchat", Kind: persona.Group, ID: "room"}

// A line is a message, as the page gets it.
type line struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
	Own     bool      `json:"own,omitempty"` // the bot's
	ReplyTo string    `json:"reply_to,omitempty"`
}

// A room is one group chat. It serves the tabs of people as an http.Handler, and it is the social.Link of the bot.
type room struct {
	bot  string               // its name
	said chan persona.Message // to the bot

	mu   sync.Mutex
	last int64 // id of the last message
	past []line
	tabs map[*tab]bool
}

// A tab is the connection of one person.
type tab struct {
	name string
	out  chan line // closed when the tab is removed
}

func newRoom(bot string) *room {
	return &room{bot: bot, said: make(chan persona.Message, maxQueue), tabs: map[*tab]bool{}}
}

// Run implements [social.Link].
func (r *room) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	handle(ctx, persona.Connected{Self: persona.Account{Platform: chat.Platform, ID: r.bot}, Name: r.bot, At: time.Now()})
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-r.said:
			handle(ctx, m)
		}
	}
}

// Send implements [social.Link].
func (r *room) Send(_ context.Context, to persona.Chat, out persona.Outgoing) (id string, err error) {
	if to != chat {
		return "", errors.New("webchat: there is only one room")
	}
	text := out.Text
	for _, who := range out.Mentions {
		text = "@" + who + " " + text
	}
	return r.post(line{Name: r.bot, Text: text, ReplyTo: out.ReplyTo, Own: true}).ID, nil
}

// Features implements [social.FeatureProvider]. Everything in it is optional.
func (r *room) Features() social.LinkFeatures {
	return social.LinkFeatures{
		Platform: chat.Platform,
		RecentMessages: func(context.Context, persona.Chat, func(persona.Message) bool) (all []persona.Message, err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, l := range r.past {
				all = append(all, r.message(l))
			}
			return all, nil
		},
	}
}

// post gives a line its id, shows it to all tabs, and returns it.
func (r *room) post(l line) line {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.At = time.Now()
	r.last = max(r.last+1, l.At.UnixMicro()) // ids do not repeat after a restart
	l.ID = strconv.FormatInt(r.last, 36)
	if r.past = append(r.past, l); len(r.past) > maxHistory {
		r.past = r.past[1:]
	}
	for t := range r.tabs {
		select {
		case t.out <- l:
		default: // it does not read
			r.removeLocked(t)
		}
	}
	return l
}

// message returns a line as the bot reads it.
func (r *room) message(l line) persona.Message {
	return persona.Message{
		ID: l.ID, Chat: chat, ChatName: "webchat", From: l.Name, Name: l.Name, At: l.At, Text: l.Text, ReplyTo: l.ReplyTo,
		Own: l.Own, AtMe: strings.Contains(l.Text, "@"+r.bot), Parts: []persona.Part{persona.Text(l.Text)},
	}
}

// ServeHTTP serves a tab. Its first frame is {"name": "…"}, and all others are {"text": "…", "reply_to": "…"}.
func (r *room) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil) // refuses pages of other origins
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxFrame)
	ctx, stop := context.WithCancel(req.Context())
	defer stop()
	var hello line
	if err := read(ctx, conn, &hello); err != nil {
		conn.Close(websocket.StatusInvalidFramePayloadData, err.Error())
		return
	}
	t, past, err := r.join(clean(hello.Name, maxName))
	if err != nil {
		conn.Close(websocket.StatusPolicyViolation, err.Error())
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer stop()
		t.write(ctx, conn, past)
	}()
	defer func() { r.leave(t); stop(); <-written }()
	for {
		var said line
		if err := read(ctx, conn, &said); err != nil {
			return
		}
		text := clean(said.Text, maxText)
		if text == "" {
			continue
		}
		l := r.post(line{Name: t.name, Text: text, ReplyTo: clean(said.ReplyTo, maxName)})
		select {
		case r.said <- r.message(l): // waits while the bot is busy: then this tab is read more slowly
		case <-ctx.Done():
			return
		}
	}
}

// join adds a tab and returns what was said before.
func (r *room) join(name string) (*tab, []line, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case name == "" || name == r.bot:
		return nil, nil, errors.New("choose another name")
	case len(r.tabs) >= maxTabs:
		return nil, nil, errors.New("the room is full")
	}
	t := &tab{name: name, out: make(chan line, maxQueue)}
	r.tabs[t] = true
	return t, append([]line{}, r.past...), nil
}

func (r *room) leave(t *tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removeLocked(t)
}

func (r *room) removeLocked(t *tab) {
	if r.tabs[t] {
		delete(r.tabs, t)
		close(t.out)
	}
}

// write sends lines to the page until the tab is removed or a write fails.
func (t *tab) write(ctx context.Context, conn *websocket.Conn, past []line) {
	send := func(l line) error {
		ctx, stop := context.WithTimeout(ctx, sendWithin)
		defer stop()
		return wsjson.Write(ctx, conn, l)
	}
	for _, l := range past {
		if send(l) != nil {
			return
		}
	}
	for l := range t.out {
		if send(l) != nil {
			return
		}
	}
}

// read reads one text frame.
func read(ctx context.Context, conn *websocket.Conn, into *line) error {
	kind, frame, err := conn.Read(ctx)
	switch {
	case err != nil:
		return err
	case kind != websocket.MessageText || !utf8.Valid(frame):
		return errors.New("send text")
	}
	return json.Unmarshal(frame, into)
}

// clean removes control characters, and cuts a text after max runes.
func clean(text string, max int) string {
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, text)))
	return string(runes[:min(len(runes), max)])
}
