package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"golang.org/x/sync/errgroup"
)

// turnsAtOnce is how many chats are dealt with at the same time, where Options.Buffer does not say: most of them wait
// for a model, and must not hold up the verdicts of others.
const turnsAtOnce = 64

// New returns an Engine without parts: see [Engine.Register]. It starts nothing; [Engine.Run] does.
func New(o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Engine{
		Options: o, Log: o.Logger, Delivery: oneMessage{}, Tools: o.Tools, Router: &persona.Router{Owners: o.Owners, Admins: o.Admins}, Jobs: jobs.NewQueue(o.Store),
		rooms: map[persona.Chat]*Chat{}, gaps: newGaps(), Owners: ownerRoom(), Self: aloneRoom(),
		Tombstones: tombstones{writing: NewLatch()}, Linked: make(chan struct{}),
		life: lifetime{ready: make(chan struct{}), over: make(chan struct{})},
	}
	b.keeper = keeper{engine: b, counted: make(chan struct{}, 1)}
	b.toolset.engine, b.unconfirmed.engine = b, b
	b.link.meet = sync.OnceFunc(func() { close(b.Linked) })
	b.Memory, err = memory.New(o.Store, memory.Options{
		Indexes: o.Indexes, Embedder: o.Embedder, EmbedderID: o.EmbedderID, OnErase: b.forgotten, Logger: o.Logger,
		Relabel: func(kind string, l memory.Label) memory.Label { return o.Labels.LabelOf(Datum(kind), l) },
	})
	if err != nil {
		return nil, fmt.Errorf("social: %w", err)
	}
	if err := b.newAttention(); err != nil {
		return nil, err
	}
	if err := b.newModel(); err != nil {
		return nil, err
	}
	gather := o.Buffer
	gather.Logger, gather.Workers = cmp.Or(gather.Logger, o.Logger), cmp.Or(gather.Workers, turnsAtOnce)
	b.Buffer = buffer.NewRunner(batches{b}.handle, gather)
	return b, b.toolset.askLink()
}

// Run hears and acts until ctx ends.
func (b *Engine) Run(ctx context.Context) error {
	if !b.life.running.CompareAndSwap(false, true) {
		return errors.New("social: a Being runs once: make a new one over the same Store")
	}
	defer close(b.life.over)
	removeTools, err := b.toolset.addTools(ctx)
	defer removeTools()
	if err != nil {
		return err
	}
	if err := (startup{b}).resume(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	close(b.life.ready)
	g, inside := errgroup.WithContext(ctx)
	g.Go(func() error { return b.Buffer.Run(inside) })
	g.Go(func() error { return b.fill(inside) })
	g.Go(func() error { return b.keeper.keepAttention(inside) })
	g.Go(func() error { return b.Memory.Run(inside) })
	g.Go(func() error {
		due := func(now time.Time) { b.Plain.Due(now) }
		if b.Focus != nil {
			due = b.Focus.Due
		}
		return b.Beat.Run(inside, b.Attention.Next, due)
	})
	for _, p := range b.parts {
		if p.Run != nil {
			g.Go(func() error { return p.Run(inside) })
		}
	}
	g.Go(func() error {
		if err := b.Options.Link.Run(inside, b.hear); err != nil {
			return err
		}
		if inside.Err() == nil {
			return errors.New("social: the link ended by itself")
		}
		return nil
	})
	err = g.Wait()
	after, stop := Afterwards(ctx)
	defer stop()
	err = errors.Join(err, b.Tools.Wait(after)) // tools that did not heed their context
	for _, wait := range b.calls.waits {
		err = errors.Join(err, wait(after))
	}
	return err
}
