package digest

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/tmc/langchaingo/llms"
)

// Options are the Layers of package social.
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

// A Digest makes summaries, opinions of people, moods and dreams of what was said. It works in the background and says
// nothing. Its methods may be called concurrently.
type Digest struct {
	engine *engine.Engine
	o      Options
	sums   *memory.Summarizer
	call   prompt.Turn // for what it asks

	mu      sync.Mutex
	chats   map[*engine.Chat]*state
	pending []*engine.Chat // that something may have to be made of, the one that has waited longest first
	wake    chan struct{}
}

// A state is what a Digest keeps of one chat in memory.
type state struct {
	relations map[string]int // how the bot stands to people here, −2 to 3; who is not in it: 0
	mood      persona.Mood   // that what is said here has put it in
	judged    uint64         // Seq of the last message that was taken in for what to think of people; of ponder alone
	pending   bool
	spoke     bool // the bot has spoken since people were judged
}

// New returns a Digest for an engine, whose budget and model it uses.
func New(e *engine.Engine, o Options) *Digest {
	o.Dream.Location = cmp.Or(o.Dream.Location, e.Options.Location)
	o.Dream.MaxRunes = cmp.Or(o.Dream.MaxRunes, engine.AskRunes)
	if o.Dream.Quota == (memory.Quota{}) {
		o.Dream.Quota = e.Options.Quota
	}
	d := &Digest{engine: e, o: o, chats: map[*engine.Chat]*state{}, wake: make(chan struct{}, 1)}
	d.call = prompt.Turn{Model: e.Model, Timeout: cmp.Or(o.Timeout, 2*time.Minute), Options: o.CallOptions}
	if o.Model != nil {
		d.call.Model = e.Meter(o.Model, nil)
	}
	d.sums = e.Memory.Summarizer(d.sumUp, d.o.Summary)
	return d
}

// of is the state of a chat; the caller holds d.mu.
func (d *Digest) of(c *engine.Chat) *state {
	s := d.chats[c]
	if s == nil { // the owner's talk, or the bot by itself
		s = &state{}
		d.chats[c] = s
	}
	return s
}

// drop forgets how the bot stands to some, and the mood of the chat: perhaps they caused it.
func (d *Digest) drop(c *engine.Chat, gone func(persona.Message) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.of(c)
	maps.DeleteFunc(s.relations, func(id string, _ int) bool { return gone(persona.Message{Chat: c.ID, From: id}) })
	s.mood = persona.Mood{}
}

// done has a chat looked at after a turn. It never blocks.
func (d *Digest) done(_ context.Context, c *engine.Chat, done engine.Done) {
	if done.Wake {
		return
	}
	d.mu.Lock()
	s := d.of(c)
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

// next takes the chat that has waited longest; nil: none does.
func (d *Digest) next() (c *engine.Chat, spoke bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.pending) == 0 {
		return nil, false
	}
	c, d.pending = d.pending[0], d.pending[1:]
	s := d.of(c)
	spoke, s.pending, s.spoke = s.spoke, false, false
	return c, spoke
}

// again notes that the bot spoke in a chat where nothing could be made of it. It waits for the next turn there.
func (d *Digest) again(c *engine.Chat) {
	d.mu.Lock()
	d.of(c).spoke = true
	d.mu.Unlock()
}

func (d *Digest) failed(ctx context.Context, what string, c *engine.Chat, err error) {
	if ctx.Err() == nil {
		d.engine.Log.Warn(what, "chat", c.ID, "err", err)
	}
}

// sumUp is the summariser.
func (d *Digest) sumUp(ctx context.Context, old string, raw []memory.Record) (string, error) {
	r, ok, err := d.engine.ChatOf(ctx, raw[0].Space)
	if err != nil || !ok {
		return "", err
	}
	s := prompt.Scene{Kind: prompt.Summarize, Summary: old}
	for _, rec := range raw {
		m := engine.Message(r, rec)
		m.ID, m.ReplyTo = "", ""
		s.Recent = append(s.Recent, m)
	}
	return d.engine.Ask(ctx, r, s, d.call)
}
