// Package digest makes summaries, impressions of people, moods and dreams from messages, in the background.
package digest

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/tmc/langchaingo/llms"
)

// Options configure a Digest. They are documented in package social.
type Options struct {
	NoSummary bool
	NoPeople  bool
	NoDream   bool

	Summary memory.SummaryOptions
	Dream   memory.DreamOptions

	Model       llms.Model
	CallOptions []llms.CallOption
	Timeout     time.Duration
}

// A ClaimFunc stores what a dream read in a message about people.
type ClaimFunc func(ctx context.Context, c *engine.Chat, message memory.Record, claims ...facts.Claim) error

// A Digest makes summaries, impressions of people, moods and dreams from messages. It works in the background and sends
// nothing. Its methods may be called concurrently.
type Digest struct {
	engine     *engine.Engine
	o          Options
	summarizer *memory.Summarizer
	call       prompt.Turn // for its model calls
	claim      ClaimFunc   // nil: facts are not kept

	mu      sync.Mutex
	chats   map[*engine.Chat]*state
	pending []*engine.Chat // chats with a finished turn, the longest waiting first
	working bool           // one of them is being processed
	wake    chan struct{}
}

// A state is the cached state of one chat.
type state struct {
	relations map[string]int // relation levels of people, −2 to 3; absent: 0
	mood      persona.Mood   // mood caused by messages of this chat
	lastSeq   uint64         // Seq of the last message that updatePeople has read; used by process only
	pending   bool
	spoke     bool // the bot has spoken since the last updatePeople
}

// New returns a Digest that uses the budget and the model of an engine.
func New(e *engine.Engine, o Options, claim ClaimFunc) *Digest {
	o.Dream.Location = cmp.Or(o.Dream.Location, e.Options.Location)
	o.Dream.MaxRunes = cmp.Or(o.Dream.MaxRunes, engine.AskRunes)
	if o.Dream.Quota == (memory.Quota{}) {
		o.Dream.Quota = e.Options.Quota
	}
	d := &Digest{engine: e, o: o, claim: claim, chats: map[*engine.Chat]*state{}, wake: make(chan struct{}, 1)}
	d.call = prompt.Turn{Model: e.Models.Background(o.Model), Timeout: cmp.Or(o.Timeout, 2*time.Minute), Options: o.CallOptions}
	d.summarizer = e.Memory.Summarizer(d.summarize, d.o.Summary)
	return d
}

// stateOf returns the state of a chat. The caller holds d.mu.
func (d *Digest) stateOf(c *engine.Chat) *state {
	s := d.chats[c]
	if s == nil { // the owner's conversation, or the bot outside of chats
		s = &state{}
		d.chats[c] = s
	}
	return s
}

// drop removes relations to matching people. It also resets the mood of the chat, because these people may have caused
// it.
func (d *Digest) drop(c *engine.Chat, gone func(persona.Message) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stateOf(c)
	maps.DeleteFunc(s.relations, func(id string, _ int) bool { return gone(persona.Message{Chat: c.ID, From: id}) })
	s.mood = persona.Mood{}
}

// turnDone queues a chat after a turn. It never blocks.
func (d *Digest) turnDone(_ context.Context, c *engine.Chat, done engine.Done) {
	if done.Wake {
		return
	}
	d.mu.Lock()
	s := d.stateOf(c)
	s.spoke = s.spoke || done.Spoke
	if !s.pending {
		s.pending = true
		d.pending = append(d.pending, c)
	}
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// next removes and returns the chat that has waited longest; nil: none.
func (d *Digest) next() (c *engine.Chat, spoke bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.working = len(d.pending) > 0; !d.working {
		return nil, false
	}
	c, d.pending = d.pending[0], d.pending[1:]
	s := d.stateOf(c)
	spoke, s.pending, s.spoke = s.spoke, false, false
	return c, spoke
}

// retryPeople marks that updatePeople has to be repeated after the next turn of the chat.
func (d *Digest) retryPeople(c *engine.Chat) {
	d.mu.Lock()
	d.stateOf(c).spoke = true
	d.mu.Unlock()
}

func (d *Digest) logFailure(ctx context.Context, msg string, c *engine.Chat, err error) {
	if ctx.Err() == nil {
		d.engine.Log.Warn(msg, "chat", c.ID, "err", err)
	}
}

// summarize asks the model for a summary. It implements memory's summarizer.
func (d *Digest) summarize(ctx context.Context, old string, raw []memory.Record) (string, error) {
	c, ok, err := d.engine.ChatOfSpace(ctx, raw[0].Space)
	if err != nil || !ok {
		return "", err
	}
	s := prompt.Scene{Kind: prompt.Summarize, Summary: old}
	for _, rec := range raw {
		m := engine.MessageFromRecord(c, rec)
		m.ID, m.ReplyTo = "", ""
		s.Recent = append(s.Recent, m)
	}
	return d.engine.Ask(ctx, c, s, d.call)
}
