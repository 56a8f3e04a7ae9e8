package engine

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
)

// Layers are documented in package social.
type Layers struct {
	NoSummary bool
	NoPeople  bool
	NoDream   bool

	Summary memory.SummaryOptions
	Dream   memory.DreamOptions

	Model   llms.Model
	Options []llms.CallOption
	Timeout time.Duration
}

// asideRunes is how much of what was said one call is shown; beyond it each message is cut alike.
const asideRunes = 12_000

func (b *Engine) newLayers() {
	if b.Options.Layers == nil {
		return
	}
	o := *b.Options.Layers
	o.Dream.Location = cmp.Or(o.Dream.Location, b.Options.Location)
	o.Dream.Most = cmp.Or(o.Dream.Most, asideRunes)
	if o.Dream.Quota == (memory.Quota{}) {
		o.Dream.Quota = b.Options.Quota
	}
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	b.layers = &o
	b.asides = asides{wake: make(chan struct{}, 1)}
	b.sums = b.Memory.Summaries(b.sumUp, &o.Summary)
	b.asideModel = b.Model
	if o.Model != nil {
		b.asideModel = b.tamed(o.Model, nil)
	}
}

// asides are the chats of which something may have to be made.
type asides struct {
	mu    sync.Mutex
	rooms []*Chat
	wake  chan struct{}
}

// add lets a chat be looked at; spoke: the being has said something there. It never blocks.
func (a *asides) add(r *Chat, spoke bool) {
	a.mu.Lock()
	r.spoke = r.spoke || spoke
	if !r.waits {
		r.waits = true
		a.rooms = append(a.rooms, r)
	}
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// take takes out the chat that has waited longest; nil: none does.
func (a *asides) take() (r *Chat, spoke bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.rooms) == 0 {
		return nil, false
	}
	r, a.rooms = a.rooms[0], a.rooms[1:]
	spoke = r.spoke
	r.waits, r.spoke = false, false
	return r, spoke
}

// again notes that the being spoke in a chat where nothing could be made of it. It waits for the next turn there.
func (a *asides) again(r *Chat) {
	a.mu.Lock()
	r.spoke = true
	a.mu.Unlock()
}

// dealt tells that a turn, or a batch without one, is over.
func (b *Engine) dealt(r *Chat, spoke bool) {
	if b.layers != nil {
		b.asides.add(r, spoke)
	}
}

// ponder makes what is to be made of chats, one after the other.
func (b *Engine) ponder(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.asides.wake:
		}
		for ctx.Err() == nil {
			r, spoke := b.asides.take()
			if r == nil {
				break
			}
			b.ponderOn(ctx, r, spoke)
		}
	}
}

func (b *Engine) ponderOn(ctx context.Context, r *Chat, spoke bool) {
	if b.OverBudget(r) {
		if spoke {
			b.asides.again(r)
		}
		return
	}
	if spoke && !b.layers.NoPeople && r.People {
		if err := b.regard(ctx, r); err != nil {
			b.asides.again(r)
			b.failed(ctx, "what to think of people was not made out", r, err)
		}
	}
	if b.layers.NoSummary {
		return
	}
	if _, err := b.sums.Update(ctx, time.Now(), r.Space); err != nil {
		b.failed(ctx, "a chat was not summed up", r, err)
	}
}

func (b *Engine) failed(ctx context.Context, what string, r *Chat, err error) {
	if ctx.Err() == nil {
		b.Log.Warn(what, "chat", r.ID, "err", err)
	}
}

var ErrOverBudget = errors.New("social: too much of the budget is spent for what is made in the background")

// spent reports that what is left of the budget is for what is said.
func (b *Engine) OverBudget(r *Chat) bool {
	return b.Options.Attention.Budget.Level(time.Now(), r.ID.String()) >= heartflow.LevelNoJudge
}

type asideKey struct{}

// aside makes something of a chat, by one call without tools. The scene holds nothing of any other.
func (b *Engine) aside(ctx context.Context, r *Chat, s persona.Scene) (string, error) {
	return b.Ask(ctx, r, s, persona.Turn{Model: b.asideModel, Timeout: b.layers.Timeout, Options: b.layers.Options})
}

// quietly holds a conversation without tools of which nothing is said.
func (b *Engine) Ask(ctx context.Context, r *Chat, s persona.Scene, call persona.Turn) (string, error) {
	if b.OverBudget(r) {
		return "", ErrOverBudget
	}
	now := time.Now()
	s.Chat, s.ChatName, s.Budget, s.Location, s.Prompts = r.Shown, r.Title(), -1, b.Options.Location, b.Options.Prompts
	s.Mode, s.MasterPresent = r.Origin.Mode, r.Agent() || b.Router.MasterPresent(now, r.ID)
	shorten(s.Recent)
	who := b.Options.Profile
	call.MaxCalls, call.Logger = -1, b.Log
	reply, err := call.Run(context.WithValue(ctx, asideKey{}, r), who.System(s), who.Context(now, s)+who.Task(s))
	return reply.Text, err
}

// shorten cuts messages so that all of them together are not too long.
func shorten(ms []persona.Message) {
	all := 0
	for i := range ms {
		all += len([]rune(ms[i].Text))
	}
	if all <= asideRunes {
		return
	}
	for i := range ms {
		if text := []rune(ms[i].Text); len(text) > asideRunes/len(ms) {
			ms[i].Text = string(text[:asideRunes/len(ms)]) + "…"
		}
	}
}

// roomOf is where a space was heard. Secret ones are no chat's: nothing is made of what must not be told.
func (b *Engine) ChatOf(ctx context.Context, s memory.Space) (r *Chat, ok bool, err error) {
	if s == memory.Owner {
		return b.Owners, true, nil
	}
	var chat persona.Chat
	if s.IsSecret() || chat.UnmarshalText([]byte(s)) != nil {
		return nil, false, nil
	}
	r, err = b.Chat(ctx, chat)
	return r, err == nil && !r.Off, err
}

// sumUp is the summariser.
func (b *Engine) sumUp(ctx context.Context, old string, raw []memory.Record) (string, error) {
	r, ok, err := b.ChatOf(ctx, raw[0].Space)
	if err != nil || !ok {
		return "", err
	}
	s := persona.Scene{Part: persona.SumUp, Summary: old}
	for _, rec := range raw {
		m := Message(r, rec)
		m.ID, m.ReplyTo = "", ""
		s.Recent = append(s.Recent, m)
	}
	return b.aside(ctx, r, s)
}
