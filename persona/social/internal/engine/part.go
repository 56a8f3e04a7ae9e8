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

// A Part adds one capability to the engine, which does not know it. Every field may be zero. The parts of an engine are
// called in the order in which they were registered.
type Part struct {
	// Restore reads the part's rows after a start, before anything is heard.
	Restore func(ctx context.Context) error
	// Meet is called for each chat before anything of it is handled, with its latest records, oldest first. It may be called
	// twice at once.
	Meet func(ctx context.Context, c *Chat, past []memory.Record) error
	// Tools adds the part's tools to the built-in ones, which are there while the engine runs.
	Tools func(ctx context.Context, o *self.Options) error
	// Run works in the background until ctx ends. The engine waits for it.
	Run func(ctx context.Context) error

	// Event sees each event of the link before the engine handles it.
	Event func(ctx context.Context, e persona.Event)
	// Hear sees each message that was journaled. If it returns true, no turn answers the message.
	Hear func(c *Chat, m persona.Message) (handled bool)
	// Reason says why the owner should perhaps be told of a message that nobody handled; "" for no reason.
	Reason func(now time.Time, m persona.Message) self.Reason
	// Judge is called before a chat is judged.
	Judge func(now time.Time, c *Chat)
	// Silent may make a turn of a batch that was judged silent, by completing its job.
	Silent func(j *Job, items []Incoming) (run bool)

	// Before is called before the scene of a conversation is made, which it may prepare at length.
	Before func(ctx context.Context, t *Turn)
	// Scene adds to what a turn sees.
	Scene func(ctx context.Context, now time.Time, t *Turn, s *Scene) error
	// Show changes a scene before a model reads it, and returns what stands beside it.
	Show func(t *Turn, s *prompt.Scene) []llms.ContentPart
	// Over is called when a turn is over, whether Before was called for it or not.
	Over func(t *Turn)
	// Done is told that a turn is over, or a batch that was judged silent.
	Done func(ctx context.Context, c *Chat, d Done)

	// Jobs are the kinds of jobs that are the part's own, after a stop.
	Jobs map[string]Recovery
	// Drop forgets messages in memory, before those that are stored are erased.
	Drop func(c *Chat, gone func(persona.Message) bool)
	// Erase adds the rows to rows that go with a person or a chat. An error has the erasure tried again.
	Erase func(ctx context.Context, f memory.Erasure, rows map[string][]byte) error
}

// A Scene is what a turn sees.
type Scene struct {
	prompt.Scene
	Affinity map[string]float64 // how much people's words matter to the bot, for what it recalls; nil: all alike
}

// Done says what became of a turn.
type Done struct {
	Verdict  heartflow.Decision
	Spoke    bool // it said something in its chat
	Messages int  // of a conversation that the bot takes part in, its own among them
	Wake     bool // the bot acted unprompted
}

// A Recovery says what becomes of a job that a stop cut off.
type Recovery struct {
	Again   func(j jobs.Job)                      // it had no effect yet, and is to run again; nil: it is released
	Unclear func(ctx context.Context, j jobs.Job) // it is unclear what became of the first thing that it did; nil: that was said
}

// A Delivery is how a reply leaves the bot: as one message, or as several. Its methods may be called concurrently, for
// different utterances.
type Delivery interface {
	// Stream begins to say a reply while the model writes it; nil: it is said when it is written.
	Stream(ctx context.Context, u *Utterance) *stream.Outlet
	// Silent reports that an answer says nothing.
	Silent(w Answer) bool
	// Say says the Answer of u. The first taken items of its text went through the Outlet of Stream.
	Say(ctx context.Context, u *Utterance, taken int) error
	// Stickers reports that there are stickers that can be sent.
	Stickers(ctx context.Context) bool
	// Sticker picks one for a feeling, as the link takes it; "" for none. That is no reason to fail.
	Sticker(ctx context.Context, feeling string) (image string)
}

// An Utterance is what a turn says in a chat. Its messages count as one.
type Utterance struct {
	Turn   *Turn
	Chat   persona.Chat
	Answer           // all but Text and Image goes with the first message
	Whole  string    // all that it says, as far as that is known when it begins
	Said   int       // messages that have left: where there are some, an error means that the rest was not said
	Last   time.Time // when the last of them had left
	After  func()    // called after each attempt to send, before anything else can be sent to the chat; nil does nothing
}

// Focus drives chats that have the bot's full attention. Without one the bot only answers.
type Focus interface {
	// Due lets happen what is due in attention.
	Due(now time.Time)
	// Rest waits until the cycle of a chat has rested, so that a batch that came meanwhile is judged, and not passed over.
	Rest(ctx context.Context, chat persona.Chat) error
	// On reports that a chat has the bot's full attention.
	On(chat persona.Chat) bool
	// Ask is the ask of a turn in such a chat.
	Ask(ctx context.Context, t *Turn) (Answer, error)
	// Done is told what became of the words that Ask gave.
	Done(t *Turn, err error)
}

// A heard is a message that waits to be judged.
type Incoming struct {
	persona.Message
	Called bool           // it called the bot
	Reason self.Reason    // the owner should perhaps be told of it
	Wanted heartflow.Code // it is no message: attention wants a turn, for that reason
}

// over tells the parts that they need not keep anything of the turn any more.
func (t *Turn) over() {
	for _, p := range t.Engine.parts {
		if p.Over != nil {
			p.Over(t)
		}
	}
}

// show has the parts change a scene before a model reads it.
func (t *Turn) show(s *prompt.Scene) (beside []llms.ContentPart) {
	for _, p := range t.Engine.parts {
		if p.Show != nil {
			beside = append(beside, p.Show(t, s)...)
		}
	}
	return beside
}
