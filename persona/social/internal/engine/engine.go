package engine

import (
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
)

// An Engine receives messages through a [Link] and journals, buffers and judges them. It runs turns of the model and
// sends the replies. Further capabilities are added as [Part], [Delivery] and [Focus]. All methods may be called
// concurrently.
type Engine struct {
	Options       Options
	Log           *slog.Logger
	Models        Models
	modelCalls    modelCalls
	Memory        *memory.Memory
	Attention     Attention                          // Plain or Flow
	Plain         *heartflow.Attention[persona.Chat] // nil with Options.HFC
	Flow          *hfc.Flow[persona.Chat]            // nil without Options.HFC
	Buffer        *buffer.Runner[persona.Chat, Incoming]
	Jobs          *jobs.Queue
	Router        *persona.Router
	Tools         *nit.Registry
	toolset       toolset
	parts         []Part
	Focus         Focus     // nil without Flow; set before Run
	Delivery      Delivery  // sends replies; set before Run
	AttentionLoop loop.Loop // runs Attention's deadlines
	gaps          *gaps
	Counters      Counters
	Watchers      Watchers
	self          selfAccounts
	OwnerChat     *Chat      // the owner's conversation
	SelfChat      *Chat      // the conversation of background turns that belong to no chat
	Tombstones    tombstones // erased people and chats

	Link           connection
	life           lifetime
	attentionSaver attentionSaver
	unconfirmed    unconfirmedSends
	invalid        invalidEvents

	chatTable
}

// A connection handles the first event of the link, and remembers which platforms are connected.
type connection struct {
	Ready chan struct{} // closed after the first event
	once  sync.Once     // for the first event
	ready func()        // closes Ready

	mu     sync.Mutex
	online map[string]bool      // by platform, as the events say
	since  map[string]time.Time // of the current connection
}

// A lifetime tracks the progress of [Engine.Run].
type lifetime struct {
	running      atomic.Bool
	ready, ended chan struct{} // ready is closed after recovery, ended when Run ends
}

// An attentionSaver persists the counts of attention and of the budget, so that a restart does not reset the caps.
type attentionSaver struct {
	engine  *Engine
	changed chan struct{} // signals that the rows are stale
}

// A toolset adds the tools of the link and the built-in tools to the host's registry while the engine runs.
type toolset struct {
	engine    *Engine
	plugins   []nit.Plugin    // of the built-in tools
	social    socialMode      // the plugins of the link
	builtin   map[string]bool // names of the built-in tools
	linkTools map[string]bool // names of the link's tools
}

// unconfirmedSends holds the sends whose outcome is unknown.
type unconfirmedSends struct {
	engine *Engine
	mu     sync.Mutex
	sends  []unconfirmedSend
}

// An unconfirmedSend is a send whose outcome is unknown. The engine looks it up in the chat's history, if the
// platform has one. If it is not found, the owner is notified. It is never sent again. Its job ends with it.
type unconfirmedSend struct {
	jobID         string
	index         int // in the job's outbox
	entry         jobs.Entry
	failedLookups int // reads of the history that failed
}

// modelCalls lists what the engine waits for before Run returns, because some model calls ignore their context.
type modelCalls struct {
	scripts *script.Scripts // nil if the model calls tools natively
	waits   []func(context.Context) error
}

// An Attention decides when to speak. It is a heartflow.Attention, or an hfc.Flow that contains one.
type Attention interface {
	Seed() uint64
	Observe(now time.Time, chat persona.Chat, m heartflow.Message) heartflow.Notice
	JudgeUpTo(now time.Time, chat persona.Chat, last string) heartflow.Verdict
	BeginTurn(now time.Time, chat persona.Chat, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat persona.Chat, text string, reasons ...heartflow.Code) error
	SpeakCapNotice(now time.Time, chat persona.Chat, text string, why heartflow.Code) error
	ResetConsecutive(now time.Time, chat persona.Chat)
	AllowNext(now time.Time, chat persona.Chat) error
	LogUnsent(now time.Time, chat persona.Chat, text string, why ...heartflow.Code)
	LogModel(now time.Time, chat persona.Chat, call heartflow.ModelCall)
	LogFeedback(now time.Time, chat persona.Chat, score float64, why ...heartflow.Code)
	LogPlan(now time.Time, chat persona.Chat, decided heartflow.Code, reason string)
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
	Level(now time.Time, chat persona.Chat) heartflow.Level
	BudgetState(now time.Time, chat persona.Chat) heartflow.BudgetState
	AddTrace(at time.Time, chat persona.Chat, gates []heartflow.Gate, why ...heartflow.Code)
	InQuietHours(now time.Time, chat persona.Chat) (until time.Time, quiet bool)
	Forget(chat persona.Chat)
	Next() (time.Time, bool)
	Traces(chat persona.Chat) []heartflow.Trace
	SnapshotWithoutMessages() ([]byte, error)
	Restore(snapshot []byte) error
}

// SelfID returns the id of the bot's account, or "" before the link has reported it.
func (e *Engine) SelfID() string { return e.self.id("") }

// Traces returns the last decisions about a chat, newest last.
func (e *Engine) Traces(chat persona.Chat) []heartflow.Trace { return e.Attention.Traces(chat) }

// AwaitStart waits until Run has finished its recovery. It returns an error if Run has ended or ctx ends first.
func (e *Engine) AwaitStart(ctx context.Context) error {
	select {
	case <-e.life.ended:
		return errNotRunning
	default:
	}
	select {
	case <-e.life.ready:
		return nil
	case <-e.life.ended:
		return errNotRunning
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotRunning, context.Cause(ctx))
	}
}

var errNotRunning = errors.New("social: the bot is not running")

// Register adds parts. Call it before Run.
func (e *Engine) Register(parts ...Part) { e.parts = append(e.parts, parts...) }

// AppOpened counts the owner as present until closed is called.
func (e *Engine) AppOpened() (closed func()) { return e.Router.AppOpened() }

// Rand returns a random generator seeded with the engine's seed and a name. The same name always gives the same
// numbers, also after a restart.
func (e *Engine) Rand(of string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(of))
	return rand.New(rand.NewPCG(e.Attention.Seed(), h.Sum64()))
}

// recoveryOf returns the Recovery of the part that registered this kind of job.
func (e *Engine) recoveryOf(kind string) (r Recovery) {
	for _, p := range e.parts {
		if found, ok := p.Jobs[kind]; ok {
			r = found
		}
	}
	return r
}

// Done notifies the parts that a turn has ended.
func (e *Engine) Done(ctx context.Context, c *Chat, d Done) {
	for _, p := range e.parts {
		if p.Done != nil {
			p.Done(ctx, c, d)
		}
	}
}

// IsBuiltin reports whether a tool is one of the bot's built-in tools.
func (e *Engine) IsBuiltin(tool nit.ToolInfo) bool { return e.toolset.builtin[tool.Name] }

// handledByPart reports whether a part has handled a message. Turns then see the message only as history.
func (e *Engine) handledByPart(c *Chat, m persona.Message) bool {
	return slices.ContainsFunc(e.parts, func(p Part) bool { return p.HandleMessage != nil && p.HandleMessage(c, m) })
}
