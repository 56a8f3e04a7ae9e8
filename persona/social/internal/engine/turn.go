package engine

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// A turn is one job being done, from its claim to the last word.
type Turn struct {
	*Job
	Engine  *Engine
	Tools   *nit.View
	Shown   []persona.Message // what the last model call could read
	Derived []string          // what the notes and memories that it could read were made from
	cancel  context.CancelCauseFunc
	Step    uint64    // the step of a cycle that the words are for; 0: none
	Began   time.Time // when it began to think: typing counts from there; zero: when it has its words
	Extra   *nit.View // of a wake: the tool for its inner state; nil: it has none

	outlet    *stream.Outlet // says items while the model writes; nil: all is said when it has written
	utterance *Utterance     // the answer to a batch

	mu      sync.Mutex
	label   memory.Label // of what it was shown
	gone    error        // why it may not act any more
	halt    error        // why it may not go on, though it has begun to act
	acting  bool         // it has begun to act: nothing supersedes it
	durable bool         // and that is written down: nothing of it runs again
	spoke   bool         // something left for this session
	unclear bool         // something left, perhaps: settle ends the row
	given   []string     // ids of memories that tools gave it
	undone  string       // the tool that was refused to it last; "": none
}

// A job is one reason to act, and how its turn goes. [Engine.Do] is the only way to a turn.
type Job struct {
	jobs.Job // its row
	Chat     *Chat
	Items    []persona.Message // that it answers
	Caller   persona.Message   // on whose behalf its tools are called: the last one who called the bot, if anybody did
	Verdict  heartflow.Verdict // that let it begin; zero where nothing was judged
	Reason   self.Reason       // why the owner should perhaps be told; "" for no reason that is known
	Rules    string            // in place of those of the prompts
	Wake     *schedule.Wake    // why the bot acts unprompted; nil: it answers

	Enter   func(ctx context.Context) (leave func(), err error)                                   // locks the chat; nil leaves it unlocked
	Prepare func(ctx context.Context) (run bool, err error)                                       // completes the job once the chat is locked; nil: it is complete
	Ask     func(ctx context.Context, t *Turn) (Answer, error)                                    // fills the scene and asks the model
	Deliver func(ctx context.Context, t *Turn, w *Answer, err error) (outcome string, fail error) // ends an answer, or what failed
	After   func(ctx context.Context, t *Turn, r Result)                                          // runs when the turn is over; nil does nothing
	May     func(tool nit.ToolInfo) bool                                                          // which of its scope's tools the turn has; nil: all

	began      time.Time    // when it was claimed
	Call       *prompt.Turn // model, time and options of its conversation; nil: those of the options
	Background bool         // nothing of it is said
	Order      bool         // the owner ordered it: it is permitted as unprompted
	Yields     bool         // it gives the chat up to a job that somebody waits for, until it acts
	Answers    bool         // new messages of its caller, and recalled ones of its items, end its turn
	NoRow      bool         // another job's row covers it, or it has no effect
	Once       bool         // nobody runs it again: its row ends even when it was cut off
}

// A result is what became of a turn.
type Result struct {
	Text     string       // the answer
	Spoke    bool         // something was said in the job's own chat
	Unclear  bool         // something was sent, perhaps
	Executed bool         // the job was claimed, and its turn ran
	Label    memory.Label // of what the turn was shown, and so of its text
	Err      error        // why the turn failed; its row is ended or kept by what is true of it
}

// An answer is what a turn wants to say and do. Without a text and a picture it is silence.
type Answer struct {
	persona.Outgoing
	Poke    []string
	Feeling string // what a sticker behind the words should show; "": none
	Planned bool   // it is a plan's that was drawn already; else there is one by chance
}

// A mind is what the parts of a turn hand on.
type Mind struct {
	Thought string
	Deeds   []prompt.Action
	Intent  string
	Allowed []hfc.Action
}

type turnKey struct{}

// WithTurn returns a context that carries a turn to the tools that it calls.
func WithTurn(ctx context.Context, t *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// TurnFrom returns the turn that a context carries; nil: none.
func TurnFrom(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// HasSpoken reports that the turn has sent something.
func (t *Turn) HasSpoken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoke
}

// IsDurable reports that the start of the turn is written down: nothing of it runs again.
func (t *Turn) IsDurable() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.durable
}

// Sent notes what may have been heard in the turn's own chat.
func (t *Turn) Sent(chat persona.Chat, err error, unclear bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unclear = t.unclear || unclear
	t.spoke = t.spoke || chat == t.Chat.ID && (err == nil || unclear)
}

// Speak says a reply, and gives how many messages of it have left.
func (t *Turn) Speak(ctx context.Context, chat persona.Chat, out persona.Outgoing) (said int, err error) {
	u := &Utterance{Turn: t, Chat: chat, Answer: Answer{Outgoing: out}}
	err = t.Engine.Delivery.Say(ctx, u, 0)
	return u.Said, err
}

// target is the message to think of first: that of the last one who called.
func (t *Turn) target() string {
	if !t.Verdict.Addressed {
		return ""
	}
	return t.Caller.ID
}

// about is what a turn without messages recalls by.
func (t *Turn) about() string {
	if t.Wake == nil {
		return ""
	}
	task := t.Wake.Task
	return strings.TrimSpace(strings.Join([]string{t.Wake.Timer.Timer.Payload, task.Title, task.Motivation, task.Plan}, "\n"))
}

// Dice are the turn's own chance.
func (t *Turn) Dice() *rand.Rand { return t.Engine.Dice(t.ID) }
