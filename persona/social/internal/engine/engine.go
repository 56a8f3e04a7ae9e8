package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/tmc/langchaingo/llms"
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
	Plain      *heartflow.Attention[persona.Chat] // without Options.When.HFC
	Flow       *hfc.Flow[persona.Chat]            // with it
	Buffer     *buffer.Runner[persona.Chat, Incoming]
	Jobs       *jobs.Queue
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

// A keeper keeps what attention has counted and the budget was spent on, so that a restart is no way around the caps.
type keeper struct {
	engine  *Engine
	counted chan struct{} // something was counted that a restart must know
}

// A toolset adds the link's and the built-in tools to those of the host while the engine runs.
type toolset struct {
	engine  *Engine
	plugins []nit.Plugin
	builtin map[string]bool // names of the built-in tools
	linked  map[string]bool // and of the link's
}

// unconfirmed are the sends that are in doubt.
type unconfirmed struct {
	engine *Engine
	mu     sync.Mutex
	sends  []doubtful
}

// A doubtful send is one whose outcome nobody knows. It is looked up in the chat's history where the platform has one,
// else told; it is never sent again. Its errand ends with it.
type doubtful struct {
	errand string
	n      int // of the errand's outbox
	entry  jobs.Entry
	looked int // how often a look at the history failed
}

// modelCalls are waited for when the engine ends: some do not heed their context.
type modelCalls struct {
	scripts *script.Scripts // nil: the model writes none
	waits   []func(context.Context) error
}

// An attention decides when to speak: a heartflow.Attention, or an hfc.Flow over one.
type Attention interface {
	Seed() uint64
	Observe(now time.Time, chat persona.Chat, m heartflow.Message) heartflow.Notice
	JudgeUpTo(now time.Time, chat persona.Chat, last string) heartflow.Verdict
	BeginTurn(now time.Time, chat persona.Chat, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat persona.Chat, text string, reasons ...heartflow.Code) error
	ResetConsecutive(now time.Time, chat persona.Chat)
	AllowNext(now time.Time, chat persona.Chat) error
	LogUnsent(now time.Time, chat persona.Chat, text string, why ...heartflow.Code)
	SkipTurn(now time.Time, chat persona.Chat, why heartflow.Code)
	Retract(now time.Time, chat persona.Chat, id string)
	Mute(now time.Time, chat persona.Chat, until time.Time)
	Unmute(now time.Time, chat persona.Chat)
	MuteAll(now, until time.Time)
	UnmuteAll(now time.Time)
	Mood(chat persona.Chat) float64
	SetChatMood(chat persona.Chat, mood float64)
	State(now time.Time, chat persona.Chat) heartflow.State
	Sleep(now, until time.Time)
	Wake(now time.Time)
	Energy(now time.Time, chat persona.Chat) float64
	InQuietHours(now time.Time, chat persona.Chat) (until time.Time, quiet bool)
	Forget(chat persona.Chat)
	Next() (time.Time, bool)
	Traces(chat persona.Chat) []heartflow.Trace
	SnapshotWithoutMessages() ([]byte, error)
	Restore(snapshot []byte) error
}

// SelfID returns the id of the bot's account; "" until the link has told it.
func (b *Engine) SelfID() string {
	if id := b.selfID.Load(); id != nil {
		return *id
	}
	return ""
}

// Why gives the last decisions of a chat, newest last.
func (b *Engine) Why(chat persona.Chat) []heartflow.Trace { return b.Attention.Traces(chat) }

// Begun waits until the being runs.
func (b *Engine) Begun(ctx context.Context) error {
	select {
	case <-b.life.over:
		return errNotRunning
	default:
	}
	select {
	case <-b.life.ready:
		return nil
	case <-b.life.over:
		return errNotRunning
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotRunning, context.Cause(ctx))
	}
}

var errNotRunning = errors.New("social: the being does not run")

// Register adds parts, before the engine runs.
func (b *Engine) Register(parts ...Part) { b.parts = append(b.parts, parts...) }

// Chats are those of all chats, in order.
func (b *Engine) Chats() []*Chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*Chat, 0, len(b.rooms))
	for _, r := range b.rooms {
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y *Chat) int { return cmp.Compare(x.ID.String(), y.ID.String()) })
	return all
}

// Met is a chat of which something was heard since the start; nil: nothing was.
func (b *Engine) Met(chat persona.Chat) *Chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rooms[chat]
}

// AppOpened notes that a window of the owner's is connected, until closed is called.
func (b *Engine) AppOpened() (closed func()) { return b.Router.AppOpened() }

// Dice are the chance of one thing that happens, by its name: the same after a restart, and whatever else happened before.
func (b *Engine) Dice(of string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(of))
	return rand.New(rand.NewPCG(b.Attention.Seed(), h.Sum64()))
}

// recovery is that of the part whose jobs are of this kind.
func (b *Engine) recovery(kind string) (r Recovery) {
	for _, p := range b.parts {
		if found, ok := p.Jobs[kind]; ok {
			r = found
		}
	}
	return r
}

// Done tells the parts that a turn is over.
func (b *Engine) Done(ctx context.Context, c *Chat, d Done) {
	for _, p := range b.parts {
		if p.Done != nil {
			p.Done(ctx, c, d)
		}
	}
}

// Builtin reports that a tool is one of the bot's own.
func (b *Engine) Builtin(tool nit.ToolInfo) bool { return b.toolset.builtin[tool.Name] }

// Possible are those of the actions that the bot can do: emoji_reply needs stickers.
func (b *Engine) Possible(ctx context.Context, actions ...hfc.Action) []hfc.Action {
	if !slices.Contains(actions, hfc.EmojiReply) || b.Delivery.Stickers(ctx) {
		return actions
	}
	return slices.DeleteFunc(slices.Clone(actions), func(a hfc.Action) bool { return a == hfc.EmojiReply })
}

// handled reports that a part has dealt with a message: no turn sees it then but as history.
func (b *Engine) handled(r *Chat, m persona.Message) bool {
	return slices.ContainsFunc(b.parts, func(p Part) bool { return p.Hear != nil && p.Hear(r, m) })
}
