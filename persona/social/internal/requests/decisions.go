package requests

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const decisionRow = "decision/"

// A decision is a request that the owner decides. The owner answers by quoting its private message, or with its code.
type decision struct {
	Request    persona.Request `json:"request"`
	Text       string          `json:"text"`                 // of the private message; "" if there is none
	MessageID  string          `json:"message_id,omitempty"` // of the private message; "" before it was sent
	Until      time.Time       `json:"until"`                // the code expires then
	AnsweredBy string          `json:"by,omitempty"`         // key of the message that answered it, or byHost
}

// decisions are the pending and answered decisions of the last week by code. Every change is stored before it counts.
type decisions struct {
	state persona.State
	log   *slog.Logger
	key   func(id string) string // normalizes message ids
	write engine.Mutex           // held during a change

	newCode func() string

	mu  sync.Mutex
	all map[string]decision // by code
}

func newDecisions(e *engine.Engine, code func() string) *decisions {
	if code == nil {
		code = newCode
	}
	key := e.Options.Features.MessageKey
	if key == nil {
		key = func(id string) string { return id }
	}
	return &decisions{state: e.Options.Store, log: e.Log, key: key, write: engine.NewMutex(), newCode: code, all: map[string]decision{}}
}

// restore loads the rows.
func (d *decisions) restore(ctx context.Context) error {
	rows, err := d.state.Load(ctx, decisionRow)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, row := range rows {
		var one decision
		if json.Unmarshal(row, &one) == nil {
			d.all[strings.TrimPrefix(key, decisionRow)] = one
		}
	}
	return nil
}

// change stores one decision and deletes expired ones.
func (d *decisions) change(ctx context.Context, now time.Time, code string, one decision) error {
	row, err := json.Marshal(one)
	if err != nil {
		return err
	}
	rows := map[string][]byte{decisionRow + code: row}
	d.mu.Lock()
	for old, o := range d.all {
		if old != code && now.After(o.Until) {
			rows[decisionRow+old] = nil
		}
	}
	d.mu.Unlock()
	if err := d.state.Apply(ctx, rows); err != nil {
		return fmt.Errorf("social: store a decision: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all[code] = one
	for key, row := range rows {
		if row == nil {
			delete(d.all, strings.TrimPrefix(key, decisionRow))
		}
	}
	return nil
}

// add stores a decision for a request and returns the text of its private message. The same request gets the same code
// again. text makes the text with the code.
func (d *decisions) add(ctx context.Context, now time.Time, r persona.Request, text func(code string) string) (string, error) {
	if err := d.write.Lock(ctx); err != nil {
		return "", err
	}
	defer d.write.Unlock()
	same := func(o decision) bool { return requestDigest(o.Request) == requestDigest(r) }
	if _, old, ok := d.find(same); ok {
		return old.Text, nil
	}
	code := d.newCode()
	for _, taken := d.get(now, code); taken; _, taken = d.get(now, code) {
		code = d.newCode()
	}
	one := decision{Request: r, Text: strings.TrimSpace(engine.StripInvisible(text(code))), Until: now.Add(maxAge).Round(0)}
	return one.Text, d.change(ctx, now, code, one)
}

// noteSent stores the id of a private message.
func (d *decisions) noteSent(ctx context.Context, text, messageID string) error {
	if err := d.write.Lock(ctx); err != nil {
		return err
	}
	defer d.write.Unlock()
	code, one, ok := d.find(func(o decision) bool { return o.Text == text && o.MessageID == "" })
	if !ok || text == "" || messageID == "" {
		return nil
	}
	one.MessageID = messageID
	return d.change(ctx, time.Now(), code, one)
}

// take marks a decision as answered by a message. again is true if that message has answered it before a crash. Of an
// unknown code and of one that another message has answered, ok is false and known says which.
func (d *decisions) take(ctx context.Context, now time.Time, code, message string) (one decision, again, known, ok bool, err error) {
	if err := d.write.Lock(ctx); err != nil {
		return one, false, false, false, err
	}
	defer d.write.Unlock()
	one, known = d.get(now, code)
	switch {
	case !known, one.AnsweredBy != "" && one.AnsweredBy != message:
		return one, false, known, false, nil
	case one.AnsweredBy == message:
		return one, true, true, true, nil
	}
	one.AnsweredBy = message
	return one, false, true, true, d.change(ctx, now, code, one)
}

// reopen lets the owner answer again after a certain failure.
func (d *decisions) reopen(ctx context.Context, code string) error {
	if err := d.write.Lock(ctx); err != nil {
		return err
	}
	defer d.write.Unlock()
	now := time.Now()
	one, ok := d.get(now, code)
	if !ok {
		return nil
	}
	one.AnsweredBy = ""
	return d.change(ctx, now, code, one)
}

// get returns the decision of a code that has not expired.
func (d *decisions) get(now time.Time, code string) (decision, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one, ok := d.all[code]
	return one, ok && !now.After(one.Until)
}

// find returns the first decision, by code, for which is returns true.
func (d *decisions) find(is func(decision) bool) (code string, one decision, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, code := range slices.Sorted(maps.Keys(d.all)) {
		if one := d.all[code]; is(one) {
			return code, one, true
		}
	}
	return "", decision{}, false
}

// quoted returns the code of the decision whose private message m quotes, or "". If the id of that message is unknown,
// because a crash came after the send, the bot's own message in the journal identifies it.
func (d *decisions) quoted(m persona.Message) string {
	if m.ReplyTo == "" {
		return ""
	}
	code, _, _ := d.find(func(o decision) bool {
		if o.MessageID != "" {
			return d.key(o.MessageID) == d.key(m.ReplyTo)
		}
		return o.Text != "" && m.Quote != nil && m.Quote.Own && strings.TrimSpace(m.Quote.Text) == o.Text
	})
	return code
}

// erase adds the rows about erased chats and people.
func (d *decisions) erase(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
	if err := d.restore(ctx); err != nil { // they may be from an earlier run
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for code, o := range d.all {
		r := o.Request
		group := memory.Space(persona.Chat{Platform: r.From.Platform, Kind: persona.Group, ID: r.Group}.String())
		if r.From.ID == f.Person || slices.Contains(f.Spaces, memory.Space(privateOf(r).String())) || r.Group != "" && slices.Contains(f.Spaces, group) {
			delete(d.all, code)
			rows[decisionRow+code] = nil
		}
	}
	return nil
}

const codeLength = 6

// newCode returns a random code with a letter and a digit, so that no word looks like one.
func newCode() string {
	for {
		if code := rand.Text()[:codeLength]; isCode(code) {
			return code
		}
	}
}

var codeShape = regexp.MustCompile(`^[A-Z2-7]+$`)

// isCode reports whether an upper-case text has the form of a code.
func isCode(s string) bool {
	return len(s) == codeLength && codeShape.MatchString(s) && strings.ContainsAny(s, "234567") && strings.IndexFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) >= 0
}
