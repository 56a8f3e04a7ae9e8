// Package peoplefacts learns facts about people from the messages of chats, without a model, and shows them in prompts.
package peoplefacts

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Options are documented in package social.
type Options struct {
	PerPerson int
	People    int
}

// settle is the time within which new messages are read together.
const settle = 2 * time.Second

// Facts learns facts about people. It works in the background and calls no model. Its methods may be called
// concurrently.
type Facts struct {
	engine *engine.Engine
	o      Options

	mu      sync.Mutex
	chats   map[*engine.Chat]*state
	pending []*engine.Chat // with unread records
	reading bool           // one of them is being read
	wake    chan struct{}
}

// A state is the state of one chat.
type state struct {
	*facts.Facts
	pending bool
}

// New returns Facts over the memory of an engine.
func New(e *engine.Engine, o Options) *Facts {
	o.PerPerson, o.People = cmp.Or(o.PerPerson, 8), cmp.Or(o.People, 8)
	return &Facts{engine: e, o: o, chats: map[*engine.Chat]*state{}, wake: make(chan struct{}, 1)}
}

// Part returns the callbacks for the engine.
func (f *Facts) Part() engine.Part {
	return engine.Part{LoadChat: f.loadChat, HandleMessage: f.handle, Scene: f.scene, Run: f.run, DropPending: f.drop, Due: f.due}
}

// loadChat queues a chat, so that messages of earlier runs are read.
func (f *Facts) loadChat(_ context.Context, c *engine.Chat, past []memory.Record) error {
	if !c.People {
		return nil
	}
	f.mu.Lock()
	f.chats[c] = &state{Facts: facts.New(f.engine.Memory, f.engine.Options.Store, c.Space)}
	f.mu.Unlock()
	if len(past) > 0 {
		f.handle(c, persona.Message{})
	}
	return nil
}

// handle queues a chat with a new message. It never blocks.
func (f *Facts) handle(c *engine.Chat, _ persona.Message) (handled bool) {
	f.mu.Lock()
	s := f.chats[c]
	if s != nil && !s.pending {
		s.pending = true
		f.pending = append(f.pending, c)
	}
	f.mu.Unlock()
	if s != nil {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
	return false
}

// next removes and returns the chat that has waited longest; nil: none.
func (f *Facts) next() (c *engine.Chat, s *state) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reading = len(f.pending) > 0; !f.reading {
		return nil, nil
	}
	c, f.pending = f.pending[0], f.pending[1:]
	s = f.chats[c]
	s.pending = false
	return c, s
}

func (f *Facts) due(context.Context, time.Time) (d engine.Due, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reading || len(f.pending) > 0 {
		d.Busy = "facts are read"
	}
	return d, nil
}

// run reads new messages until ctx ends.
func (f *Facts) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.wake:
		}
		if loop.Sleep(ctx, settle) != nil {
			return nil
		}
		for c, s := f.next(); c != nil; c, s = f.next() {
			if err := f.process(ctx, c, s); err != nil && ctx.Err() == nil {
				f.engine.Log.Warn("could not learn facts about the people of a chat", "chat", c.ID, "err", err)
			}
		}
	}
}

// process reads the new messages of a chat.
func (f *Facts) process(ctx context.Context, c *engine.Chat, s *state) error {
	if err := s.Load(ctx); err != nil {
		return err
	}
	_, err := s.CatchUp(ctx, func(rec memory.Record) memory.Record {
		if f.engine.Tombstones.Covers(c.ID, rec.Person, rec.At) {
			rec.Person = ""
		}
		return typed(c, rec, s.NameOf)
	})
	return err
}

// Add stores what the model read in a message of a chat.
func (f *Facts) Add(ctx context.Context, c *engine.Chat, message memory.Record, claims ...facts.Claim) error {
	f.mu.Lock()
	s := f.chats[c]
	f.mu.Unlock()
	if s == nil || f.engine.Tombstones.Covers(c.ID, message.Person, message.At) || engine.MessageFromRecord(c, message).Bot {
		return nil
	}
	_, err := s.Add(ctx, message, claims...)
	return err
}

// typed returns a record with the words of its author only, without cards, files, transcripts and forwards. A mention has the name of
// the account. Messages of other bots have no author.
func typed(c *engine.Chat, rec memory.Record, nameOf func(string) string) memory.Record {
	m := engine.MessageFromRecord(c, rec)
	if m.Bot || m.Action {
		rec.Person = ""
	}
	if m.Parts == nil {
		return rec
	}
	rec.Text = ""
	for _, p := range m.Parts {
		switch p := p.(type) {
		case persona.Text:
			rec.Text += string(p)
		case persona.Mention:
			rec.Text += nameOf(p.ID)
		default:
			rec.Text += "\n"
		}
	}
	return rec
}

// drop forgets what is cached about matching people.
func (f *Facts) drop(c *engine.Chat, gone func(persona.Message) bool) {
	f.mu.Lock()
	s := f.chats[c]
	f.mu.Unlock()
	if s != nil {
		s.Forget(func(person string) bool { return gone(persona.Message{Chat: c.ID, From: person}) })
	}
}
