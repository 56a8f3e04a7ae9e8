// Package expressions learns how the people of each group talk, and shows a few expressions that fit in prompts.
package expressions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Options are documented in package social.
type Options struct {
	PerTurn    int
	Every      time.Duration
	Weeks      int
	NoMeanings bool
}

const (
	lookEvery = time.Hour   // between two looks whether a round of learning is due
	firstLook = time.Minute // after a start, if a round is due
	minFresh  = 20          // new messages of a group after which it is learned from again
)

// Expressions learns the expressions of groups. Its methods may be called concurrently.
type Expressions struct {
	engine *engine.Engine
	o      Options
	wake   chan struct{} // an erasure asks for a round
	ask    chan struct{} // a round asks for meanings
	call   prompt.Turn   // for meanings; without a model, nothing is asked

	learning engine.Mutex // held during a round
	deciding engine.Mutex // held while decisions are read, changed and stored

	mu         sync.Mutex
	chats      map[*engine.Chat]*state
	round      time.Time // the last one, also of earlier runs
	explaining bool      // the model is being asked
}

// A state is the state of one group.
type state struct {
	*expressions.Group
	fresh     int  // messages since the last round
	learned   bool // a round ended, and the model was not asked yet
	decisions decisions
}

// New returns Expressions over the memory of an engine.
func New(e *engine.Engine, o Options) *Expressions {
	o.PerTurn, o.Every, o.Weeks = cmp.Or(o.PerTurn, 4), cmp.Or(o.Every, 20*time.Hour), cmp.Or(o.Weeks, 5)
	x := &Expressions{engine: e, o: o, learning: engine.NewMutex(), deciding: engine.NewMutex(), wake: make(chan struct{}, 1), ask: make(chan struct{}, 1), chats: map[*engine.Chat]*state{}}
	if !o.NoMeanings {
		x.call = prompt.Turn{Model: e.Models.Background(nil), Timeout: askTimeout}
	}
	return x
}

// Part returns the callbacks for the engine.
func (x *Expressions) Part() engine.Part {
	return engine.Part{LoadChat: x.loadChat, HandleMessage: x.handle, Scene: x.scene, Run: x.run, Erase: x.erase, Due: x.nextDue}
}

// nextDue returns when the next round of learning is due. Questions about the last one are not stored.
func (x *Expressions) nextDue(_ context.Context, now time.Time) (d engine.Due, _ error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.chats {
		if s.learned && x.call.Model != nil || x.explaining {
			d.Busy = "expressions are learned"
		}
		if s.fresh >= minFresh {
			d.At = x.round.Add(x.o.Every)
		}
	}
	return d, nil
}

// Off returns a part that erases the owner's decisions of an earlier run, and nothing else.
func Off(e *engine.Engine) engine.Part {
	return engine.Part{Erase: New(e, Options{NoMeanings: true}).erase}
}

// loadChat prepares a group. One with messages of earlier runs counts as fresh.
func (x *Expressions) loadChat(ctx context.Context, c *engine.Chat, past []memory.Record) error {
	if c.ID.Kind != persona.Group {
		return nil
	}
	d, err := x.loadDecisions(ctx, c.ID)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.chats[c] == nil {
		x.chats[c] = &state{Group: expressions.New(x.engine.Memory, x.engine.Options.Store, c.Space), fresh: len(past), decisions: d}
		if d.Learned.After(x.round) {
			x.round = d.Learned
		}
	}
	return nil
}

// handle counts a new message.
func (x *Expressions) handle(c *engine.Chat, _ persona.Message) (handled bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.chats[c]; s != nil {
		s.fresh++
	}
	return false
}

// run learns in rounds until ctx ends.
func (x *Expressions) run(ctx context.Context) error {
	pause := lookEvery
	if x.due(time.Now()) {
		pause = firstLook
	}
	for ; ; pause = lookEvery {
		timer := time.NewTimer(pause)
		now := false
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		case <-x.wake:
			timer.Stop()
			now = true
		case <-x.ask:
			timer.Stop()
			x.explainAll(ctx)
			continue
		}
		if !now && !x.due(time.Now()) {
			continue
		}
		if err := x.Learn(ctx); err != nil && ctx.Err() == nil {
			x.engine.Log.Warn("could not learn the expressions of groups", "err", err)
		}
	}
}

// due reports whether a round is due: the last one is long ago, and a group has enough new messages.
func (x *Expressions) due(now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.round.After(now) { // the clock was set back
		x.round = now
	}
	if now.Sub(x.round) < x.o.Every {
		return false
	}
	for _, s := range x.chats {
		if s.fresh >= minFresh {
			return true
		}
	}
	return false
}

// Learn runs one round now: it reads the messages of all groups to know what is frequent everywhere, and then learns each group. It
// holds the messages of one group at a time.
func (x *Expressions) Learn(ctx context.Context) error {
	if err := x.learning.Lock(ctx); err != nil {
		return err
	}
	defer x.learning.Unlock()
	now := time.Now()
	since := now.AddDate(0, 0, -7*x.o.Weeks)
	groups := x.groups()
	corpus := new(expressions.Corpus)
	if len(groups) > 1 {
		for _, c := range groups {
			messages, err := x.messages(ctx, c, since)
			if err != nil {
				return err
			}
			corpus.Add(messages)
			_ = loop.Sleep(ctx, 0)
		}
	}
	var failed error
	for _, c := range groups {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = errors.Join(failed, x.learn(ctx, now, since, c, corpus))
	}
	x.mu.Lock()
	x.round = now
	x.mu.Unlock()
	if x.call.Model != nil {
		select {
		case x.ask <- struct{}{}:
		default:
		}
	}
	return failed
}

func (x *Expressions) learn(ctx context.Context, now, since time.Time, c *engine.Chat, corpus *expressions.Corpus) error {
	x.mu.Lock()
	s := x.chats[c]
	s.fresh = 0
	x.mu.Unlock()
	messages, err := x.messages(ctx, c, since)
	if err != nil || len(messages) == 0 {
		return err
	}
	found := expressions.Learn(now, messages, expressions.Options{Corpus: corpus, Limit: expressions.MaxStored})
	if err := s.Put(ctx, now, messages[0].At, found); err != nil {
		return fmt.Errorf("%s: %w", c.ID, err)
	}
	x.mu.Lock()
	s.learned = true
	x.mu.Unlock()
	return x.decide(ctx, c.ID, s, func(d *decisions) { d.Learned = now })
}

// groups returns the groups in a fixed order.
func (x *Expressions) groups() (all []*engine.Chat) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.chats {
		if !c.Off() {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *engine.Chat) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
	return all
}

// messages returns what the people of a group typed.
func (x *Expressions) messages(ctx context.Context, c *engine.Chat, since time.Time) ([]expressions.Message, error) {
	return expressions.Messages(ctx, x.engine.Options.Store, c.Space, since, func(rec memory.Record) expressions.Message {
		m := engine.MessageFromRecord(c, rec)
		typed := expressions.Message{ID: rec.ID, Person: rec.Person, Name: rec.Name, Text: engine.OwnWords(m), At: rec.At}
		if m.Bot || m.Action || x.engine.Tombstones.Covers(c.ID, rec.Person, rec.At) {
			typed.Person = ""
		}
		return typed
	})
}

// stateOf returns the state of a group, or nil for another chat.
func (x *Expressions) stateOf(ctx context.Context, chat persona.Chat) (*engine.Chat, *state, error) {
	c, err := x.engine.Chat(ctx, chat)
	if err != nil {
		return nil, nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return c, x.chats[c], nil
}

// Of returns the expressions of a group, with their examples and what the owner decided.
func (x *Expressions) Of(ctx context.Context, chat persona.Chat) ([]expressions.Expression, error) {
	_, s, err := x.stateOf(ctx, chat)
	if err != nil || s == nil {
		return nil, err
	}
	all, err := x.decided(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Examples, err = s.Examples(ctx, all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// decided returns the stored expressions with what the owner decided.
func (x *Expressions) decided(ctx context.Context, s *state) ([]expressions.Expression, error) {
	all, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range all {
		s.decisions.apply(&all[i])
	}
	return all, nil
}
