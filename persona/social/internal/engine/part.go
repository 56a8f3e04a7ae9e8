package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
	"github.com/tmc/langchaingo/llms"
)

// A Part adds one capability to the engine. Every field may be zero. The engine calls its parts in the order of
// registration.
type Part struct {
	// Restore reads the part's rows after a start, before any message is handled.
	Restore func(ctx context.Context) error
	// LoadChat is called for each chat before anything in it is handled. past are its latest records, oldest first. Two
	// calls for one chat may run at the same time.
	LoadChat func(ctx context.Context, c *Chat, past []memory.Record) error
	// Tools adds the part's tools to the built-in tools, which exist while the engine runs.
	Tools func(ctx context.Context, o *self.Options) error
	// Run works in the background until ctx ends. The engine waits for it.
	Run func(ctx context.Context) error

	// Event receives each event of the link before the engine handles it.
	Event func(ctx context.Context, e persona.Event)
	// HandleMessage receives each journaled message. If it returns true, no turn answers the message.
	HandleMessage func(c *Chat, m persona.Message) (handled bool)
	// Observed receives each unhandled message after attention. addressed reports whether it addresses the bot.
	Observed func(now time.Time, c *Chat, m persona.Message, addressed bool)
	// Sent receives each message that a turn has sent to a chat. id is its normalized ID, or "" if the platform gave none.
	Sent func(now time.Time, c *Chat, u *Utterance, id string)
	// IsCommand reports whether HandleMessage would return true for a message as a command. It changes nothing.
	IsCommand func(m persona.Message) bool
	// Reason returns why the owner should perhaps be notified of an unhandled message, or "".
	Reason func(now time.Time, m persona.Message) self.Reason
	// Judge is called before each verdict on a chat.
	Judge func(now time.Time, c *Chat)
	// Silent is called for a batch that was judged silent. It returns true after completing j, and the job then runs.
	Silent func(j *Job, items []Incoming) (run bool)
	// Failed is called if the turn of a batch ended in an error. A positive retry returns the batch to the buffer for that
	// time. Otherwise text is sent to the chat, unless it is empty.
	Failed func(ctx context.Context, t *Turn, err error) (retry time.Duration, text string)

	// BeforeScene is called before the scene of a model call is built. It may take long.
	BeforeScene func(ctx context.Context, t *Turn)
	// OwnerHistory returns the part of the owner's latest messages that the turn is shown. It does not change past.
	OwnerHistory func(t *Turn, past []memory.Record) []memory.Record
	// Scene adds to the scene of a turn.
	Scene func(ctx context.Context, now time.Time, t *Turn, s *Scene) error
	// EditScene edits a scene before the model call, and returns further parts of the prompt, such as pictures.
	EditScene func(t *Turn, s *prompt.Scene) []llms.ContentPart
	// Cleanup is called when a turn has ended, even if no scene was built for it.
	Cleanup func(t *Turn)
	// Spent is called after each model call that was added to the budget. It must not block.
	Spent func()
	// Done is called after each turn, and after each batch that was judged silent.
	Done func(ctx context.Context, c *Chat, d Done)

	// Due returns when Run next has something to do by itself, for [NextDue].
	Due func(ctx context.Context, now time.Time) (Due, error)
	// Jobs holds the recovery of the part's own kinds of jobs.
	Jobs map[string]Recovery
	// DropPending removes matching messages from memory, before the stored ones are erased.
	DropPending func(c *Chat, gone func(persona.Message) bool)
	// Erase adds rows to delete with a person or a chat. After an error the erasure is retried.
	Erase func(ctx context.Context, f memory.Erasure, rows map[string][]byte) error
}

// A Scene is the content of a prompt.
type Scene struct {
	prompt.Scene
	Affinity map[string]float64 // weight of people's words in recall; nil: all alike
	About    []string           // people whom the messages to answer mean by a nickname
}

// Done describes a finished turn.
type Done struct {
	Verdict  heartflow.Decision
	Spoke    bool // it sent something to its chat
	Messages int  // length of the exchange, the bot's messages included
	Wake     bool // the bot acted unprompted
}

// A Recovery handles jobs that a stop or crash interrupted.
type Recovery struct {
	Rerun   func(j jobs.Job)                      // called if the job had no effect yet and can run again; nil releases it
	Unclear func(ctx context.Context, j jobs.Job) // called if the outcome of the job's first effect is unknown; nil: that effect was a message
}

// A Delivery sends a reply as one message or as several. Its methods may be called concurrently for different
// utterances.
type Delivery interface {
	// Stream starts sending a reply while the model still writes it. It returns nil if the reply is sent when
	// complete.
	Stream(ctx context.Context, u *Utterance) *stream.Outlet
	// IsSilent reports whether an answer contains nothing to send.
	IsSilent(w Answer) bool
	// Deliver sends u.Answer. The Outlet of Stream has already handled the first taken items of its text.
	Deliver(ctx context.Context, u *Utterance, taken int) error
	// HasStickers reports whether there are stickers to send.
	HasStickers(ctx context.Context) bool
	// PickSticker returns an image for a feeling, in the link's form, or "" if there is none.
	PickSticker(ctx context.Context, feeling string) (image string)
}

// An Utterance is the reply of a turn to a chat. The caps count all its messages as one.
type Utterance struct {
	Turn       *Turn
	Chat       persona.Chat
	Answer                    // the first message carries everything but Text and Image
	FullText   string         // the whole text, as far as it is known before the first message
	Label      memory.Label   // of the text, if it is not that of the chat; zero: that of the chat
	Answers    bool           // it answers the messages of the turn: its first message may quote the one that called
	Notice     bool           // a notice to the owner: it has its own limits, and attention does not count it
	CapNotice  heartflow.Code // the cap that the message tells of; "": none
	Failed     bool           // the last attempt to send failed, and certainly sent nothing
	SentCount  int            // messages sent; if it is not 0, an error means that only the rest was not sent
	LastSentAt time.Time      // time of the last message
	AfterSend  func()         // called after each attempt to send, before any other message to the chat; may be nil
	counted    bool           // attention has counted it
}

// Focus drives the chats that have the bot's full attention. Without one the bot only answers batches.
type Focus interface {
	// Due runs the deadlines of attention that have passed.
	Due(now time.Time)
	// AwaitPause waits until the focus cycle of a chat pauses, so that a batch that arrived meanwhile is judged and not
	// skipped.
	AwaitPause(ctx context.Context, chat persona.Chat) error
	// IsFocused reports whether a chat has the bot's full attention.
	IsFocused(chat persona.Chat) bool
	// Ask runs the model for a turn in such a chat.
	Ask(ctx context.Context, t *Turn) (Answer, error)
	// Done reports the outcome of the answer that Ask returned.
	Done(t *Turn, err error)
}

// An Incoming is a message that waits to be judged.
type Incoming struct {
	persona.Message
	ReceivedAt time.Time      // when the bot received it
	Called     bool           // it addressed the bot
	Retried    bool           // the model failed to answer it, and it is tried once more
	Reason     self.Reason    // why the owner should perhaps be notified; "" for none
	TurnReason heartflow.Code // not a message: attention requests a turn for this reason
}

// cleanUp tells the parts that the turn has ended.
func (t *Turn) cleanUp() {
	for _, p := range t.Engine.parts {
		if p.Cleanup != nil {
			p.Cleanup(t)
		}
	}
}

// editScene lets the parts edit a scene, and returns the further parts of the prompt.
func (t *Turn) editScene(s *prompt.Scene) (beside []llms.ContentPart) {
	for _, p := range t.Engine.parts {
		if p.EditScene != nil {
			beside = append(beside, p.EditScene(t, s)...)
		}
	}
	return beside
}
