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

// defaultWorkers is the number of batches handled at the same time if Options.Buffer does not say. It is large
// because most workers wait for a model and must not delay the verdicts on other chats.
const defaultWorkers = 64

// New returns an Engine without parts: see [Engine.Register]. It starts no goroutine; [Engine.Run] does.
func New(o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		Options: o, Log: o.Logger, Delivery: oneMessage{}, Tools: o.Tools, Router: &persona.Router{Owners: o.Owners, Admins: o.Admins}, Jobs: jobs.NewQueue(o.Store),
		gaps: newGaps(), OwnerChat: newOwnerChat(), SelfChat: newSelfChat(),
		Tombstones: tombstones{writeMu: NewMutex()}, Link: connection{Ready: make(chan struct{})},
		life: lifetime{ready: make(chan struct{}), ended: make(chan struct{})},
	}
	e.attentionSaver = attentionSaver{engine: e, changed: make(chan struct{}, 1)}
	e.toolset.engine, e.unconfirmed.engine, e.Models.engine = e, e, e
	e.chatTable.engine, e.chats = e, map[persona.Chat]*Chat{}
	e.Link.ready = sync.OnceFunc(func() { close(e.Link.Ready) })
	e.Memory, err = memory.New(o.Store, memory.Options{
		Indexes: o.Indexes, Embedder: o.Embedder, EmbedderID: o.EmbedderID, OnErase: e.onErase, Logger: o.Logger,
		Relabel: func(kind string, l memory.Label) memory.Label { return o.Labels.LabelOf(Datum(kind), l) },
	})
	if err != nil {
		return nil, fmt.Errorf("social: %w", err)
	}
	if err := e.newAttention(); err != nil {
		return nil, err
	}
	if err := e.Models.wrapAll(); err != nil {
		return nil, err
	}
	gather := o.Buffer
	gather.Logger, gather.Workers = cmp.Or(gather.Logger, o.Logger), cmp.Or(gather.Workers, defaultWorkers)
	e.Buffer = buffer.NewRunner(batchHandler{e}.handle, gather)
	return e, e.toolset.collectLinkTools()
}

// Run receives messages and acts until ctx ends. It can be called once.
func (e *Engine) Run(ctx context.Context) error {
	if !e.life.running.CompareAndSwap(false, true) {
		return errors.New("social: Run was called before: make a new Bot over the same Store")
	}
	defer close(e.life.ended)
	removeTools, err := e.toolset.addTools(ctx)
	defer removeTools()
	if err != nil {
		return err
	}
	if err := (startup{e}).resume(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	close(e.life.ready)
	g, inside := errgroup.WithContext(ctx)
	g.Go(func() error { return e.Buffer.Run(inside) })
	g.Go(func() error { return backfiller{e}.run(inside) })
	g.Go(func() error { return e.attentionSaver.run(inside) })
	g.Go(func() error { return e.Memory.Run(inside) })
	g.Go(func() error {
		due := func(now time.Time) {
			for _, c := range e.Plain.Due(now) {
				BeginTalk(e, c)
			}
		}
		if e.Focus != nil {
			due = e.Focus.Due
		}
		return e.AttentionLoop.Run(inside, e.Attention.Next, due)
	})
	for _, p := range e.parts {
		if p.Run != nil {
			g.Go(func() error { return p.Run(inside) })
		}
	}
	g.Go(func() error {
		if err := e.Options.Link.Run(inside, e.handleEvent); err != nil {
			return err
		}
		if inside.Err() == nil {
			return errors.New("social: Link.Run returned although its context has not ended")
		}
		return nil
	})
	err = g.Wait()
	after, stop := DetachedContext(ctx)
	defer stop()
	err = errors.Join(err, e.Tools.Wait(after)) // some tools ignore their context
	for _, wait := range e.modelCalls.waits {
		err = errors.Join(err, wait(after))
	}
	return err
}
