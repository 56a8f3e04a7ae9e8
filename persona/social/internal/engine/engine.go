package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
	"golang.org/x/sync/errgroup"
)

// An Engine hears through a [Link], journals, buffers, judges, thinks and sends. What it can do beyond that are its parts,
// which it meets as [Part], [Delivery] and [Focus]. All methods may be called concurrently.
type Engine struct {
	Options    Options
	Log        *slog.Logger
	Model      llms.Model
	calls      modelCalls
	Memory     *memory.Memory
	Attention  Attention                          // one of the two below
	Plain      *heartflow.Attention[persona.Chat] // without Options.HFC
	Flow       *hfc.Flow[persona.Chat]            // with it
	Buffer     *buffer.Runner[persona.Chat, Incoming]
	Jobs       *persona.Errands
	Router     *persona.Router
	Tools      *nit.Registry
	toolset    toolset
	parts      []Part
	Focus      Focus    // of an engine with a flow; set before it runs
	Delivery   Delivery // of replies; set before the engine runs
	Beat       loop.Loop
	gaps       *gaps
	Counters   Counters
	selfID     atomic.Pointer[string]
	Owners     *Chat
	Self       *Chat      // where the persona is by itself
	Tombstones tombstones // who and what was forgotten

	Linked      chan struct{} // closed when the link has brought something
	link        connection
	life        lifetime
	keeper      keeper
	unconfirmed unconfirmed

	mu    sync.Mutex
	rooms map[persona.Chat]*Chat
}

// A connection is what happens once, when the link has brought something.
type connection struct {
	first sync.Once // the first event
	meet  func()    // closes Engine.Linked
}

// A lifetime says how far [Engine.Run] has come.
type lifetime struct {
	running     atomic.Bool
	ready, over chan struct{} // closed when what a stop left open has been taken up, and when Run has ended
}

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
		Options: o, Log: o.Logger, Delivery: oneMessage{}, Tools: o.Tools, Router: &persona.Router{Owners: o.Owners, Admins: o.Admins}, Jobs: persona.NewErrands(o.Store),
		rooms: map[persona.Chat]*Chat{}, gaps: newGaps(), Owners: ownerRoom(), Self: aloneRoom(),
		Tombstones: tombstones{writing: NewLatch()}, Linked: make(chan struct{}),
		life: lifetime{ready: make(chan struct{}), over: make(chan struct{})},
	}
	b.keeper = keeper{engine: b, counted: make(chan struct{}, 1)}
	b.toolset.engine, b.unconfirmed.engine = b, b
	b.link.meet = sync.OnceFunc(func() { close(b.Linked) })
	b.Memory = memory.New(o.Store, &memory.Options{
		Indexes: o.Indexes, Embedder: o.Embedder, EmbedderID: o.EmbedderID, Forgotten: b.forgotten, Logger: o.Logger,
	})
	b.newAttention()
	if err := b.newModel(); err != nil {
		return nil, err
	}
	gather := o.Buffer
	gather.Logger, gather.Workers = cmp.Or(gather.Logger, o.Logger), cmp.Or(gather.Workers, turnsAtOnce)
	b.Buffer = buffer.NewRunner(gather, batches{b}.handle)
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

// Why gives the last decisions of a chat, newest last.
func (b *Engine) Why(chat persona.Chat) []heartflow.Trace { return b.Attention.Traces(chat) }

// SelfID returns the id of the bot's account; "" until the link has told it.
func (b *Engine) SelfID() string {
	if id := b.selfID.Load(); id != nil {
		return *id
	}
	return ""
}
