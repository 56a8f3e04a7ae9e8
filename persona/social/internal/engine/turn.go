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

// A Turn is one run of a job, from the claim of its row to the last message.
type Turn struct {
	*Job
	Engine  *Engine
	Tools   *nit.View
	Shown   []persona.Message // messages in the last prompt
	Derived []string          // sources of the notes and memories in the last prompt
	cancel  context.CancelCauseFunc
	Step    uint64    // step of a focus cycle; 0: none
	Began   time.Time // when the model was first asked: the delay for typing starts here; zero: when the answer is complete
	Extra   *nit.View // of an autonomous turn: the tool for its inner state; nil: none

	outlet    *stream.Outlet // sends items while the model writes; nil: all is sent when complete
	utterance *Utterance     // the answer to a batch

	mu          sync.Mutex
	label       memory.Label               // join of the labels of all data read
	cancelErr   error                      // why it may not act; nil: it may
	haltErr     error                      // why it may send nothing more, although it has acted
	acting      bool                       // it has begun to act: it cannot be superseded
	committed   bool                       // the commit is durable: nothing of the job runs again
	spoke       bool                       // it sent something to its own chat
	unclear     bool                       // the outcome of a send is unknown: the look-up ends the row
	toolSources []string                   // ids of memories that tools returned
	saving      *bool                      // the answer of Saves; nil: not asked yet
	retryIn     time.Duration              // when the batch is tried again, because the model failed; 0: not
	opened      map[string]persona.Message // items whose parts were opened, by key
	refusedTool string                     // the last tool that the policy refused; "": none
}

// A Job is one reason to act, and how to do it. [Engine.Do] is the only way to run one.
type Job struct {
	jobs.Job // its row
	Chat     *Chat
	Items    []persona.Message // messages to answer
	Retried  bool              // the model failed to answer Items before
	Caller   persona.Message   // the last message that addressed the bot, or the last one; its author is the principal of tool calls
	Callers  int               // people whose messages in Items addressed the bot
	Verdict  heartflow.Verdict // allowed the job to begin; zero without a judgement
	Reason   self.Reason       // why the owner should perhaps be notified; "" if unknown
	Rules    string            // replaces the rules of the prompts; "": no change
	Wake     *schedule.Wake    // why the bot acts unprompted; nil: it answers

	Enter     func(ctx context.Context) (leave func(), err error)                                   // locks the chat; nil leaves it unlocked
	Prepare   func(ctx context.Context) (run bool, err error)                                       // completes the job under the lock; nil: it is complete
	Ask       func(ctx context.Context, t *Turn) (Answer, error)                                    // builds the scene and runs the model
	Deliver   func(ctx context.Context, t *Turn, w *Answer, err error) (outcome string, fail error) // handles the answer, or the error of Ask
	After     func(ctx context.Context, t *Turn, r Result)                                          // called when the turn has ended; may be nil
	AllowTool func(tool nit.ToolInfo) bool                                                          // limits the tools of the scope; nil: all

	claimedAt    time.Time
	receivedAt   time.Time    // when Caller was received; zero: it answers no message
	ModelCall    *prompt.Turn // model, timeout and options of its calls; nil: those of Options
	Background   bool         // it sends nothing
	OwnerOrder   bool         // the owner ordered it: attention counts it as unprompted
	Preemptible  bool         // until it acts, it is cancelled for a job that a user waits for
	Supersedable bool         // further messages of its caller, and retractions of its items, cancel it
	NoRow        bool         // the row of another job covers it, or it has no effect
	NoRetry      bool         // it is never retried: its row ends even after an interruption
}

// A Result is the outcome of a turn.
type Result struct {
	Text     string       // the answer
	Spoke    bool         // something was sent to the job's own chat
	Unclear  bool         // the outcome of a send is unknown
	Executed bool         // the job was claimed and its turn ran
	Label    memory.Label // join of the labels of all data read: also the label of Text
	Retry    bool         // the batch returned to the buffer, because the model failed
	Err      error        // why the turn failed; independent of the state of its row
}

// An Answer is the reply of a turn. Without text and image it is silence.
type Answer struct {
	persona.Outgoing
	Poke           []string // people to poke
	StickerQuery   string   // query for a sticker after the text; "": none
	StickerPlanned bool     // a plan has already decided about the sticker; else chance decides
}

// A Reasoning passes results between the model calls of a turn.
type Reasoning struct {
	Thought        string
	Actions        []prompt.Action
	Intent         string
	AllowedActions []hfc.Action
	Check          func(answer string) error // see [prompt.Turn]; nil accepts all
}

// HasSpoken reports whether the turn has sent something to its own chat.
func (t *Turn) HasSpoken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoke
}

// IsDurable reports whether the turn was committed. Nothing of it runs again after a restart.
func (t *Turn) IsDurable() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.committed
}

// NoteSent records an attempt to send. It counts as spoken if it may have reached the turn's own chat.
func (t *Turn) NoteSent(chat persona.Chat, err error, unclear bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unclear = t.unclear || unclear
	t.spoke = t.spoke || chat == t.Chat.ID && (err == nil || unclear)
}

// SendReply sends a reply, and returns the number of messages sent.
func (t *Turn) SendReply(ctx context.Context, chat persona.Chat, out persona.Outgoing) (said int, err error) {
	u := &Utterance{Turn: t, Chat: chat, Answer: Answer{Outgoing: out}}
	err = t.Engine.Delivery.Deliver(ctx, u, 0)
	return u.SentCount, err
}

// target returns the id of the last message that addressed the bot, or "".
func (t *Turn) target() string {
	if !t.Verdict.Addressed || t.Caller.Action {
		return ""
	}
	return t.Caller.ID
}

// recallQuery returns the query for memories of a turn without messages.
func (t *Turn) recallQuery() string {
	if t.Wake == nil {
		return ""
	}
	task := t.Wake.Task
	return strings.TrimSpace(strings.Join([]string{t.Wake.Timer.Timer.Payload, task.Title, task.Motivation, task.Plan}, "\n"))
}

// Rand returns the turn's own random generator.
func (t *Turn) Rand() *rand.Rand { return t.Engine.Rand(t.ID) }
