package social

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/autonomy"
	"github.com/hearth-bot/hearth/persona/social/internal/delivery"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/reports"
	"github.com/hearth-bot/hearth/persona/social/internal/vision"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A Store is the being's truth: what was said, and the state of its errands. memory.NewStore and memory/sqlite make one.
type Store interface {
	memory.Store
	memory.State
}

// Options configure a [Bot]. Profile.Name, Model and Link are required. Everything else has a default that works.
type Options struct {
	Profile persona.Profile
	// Model makes all replies. Every call is metered and spends the budget of When.Attention. A failed call is retried by
	// [models.Retry], unless the model retries by itself as a [models.Chain] does.
	Model llms.Model
	Link  Link

	Storage    Storage        // zero keeps everything in memory, and loses it at exit
	Tools      Tools          // zero: the tools of the link
	Access     Access         // zero: no owner, and no commands
	When       When           // zero: the bot speaks when it is called
	Reply      Reply          // zero: one message for each reply, made by one model call
	Background Background     // zero: the bot makes nothing in the background and never acts unasked
	Hooks      Hooks          // zero: nobody is notified, and nothing is logged
	Location   *time.Location // of all times of day; nil means time.Local
}

// Storage says where the bot keeps its data.
type Storage struct {
	Store      Store               // messages, memories and state; nil keeps them in memory, and loses them at exit
	Indexes    []memory.Index      // searched beside the built-in one for words, such as memory/chromem; nil: none
	Embedder   embeddings.Embedder // makes vectors for recall; needs an index of vectors in Indexes; nil: recall is by words alone
	EmbedderID string              // names the embedder, so that vectors of different ones never mix; required with Embedder
	Quota      memory.Quota        // of every chat, enforced once a day; zero: none
}

// Tools are what the model may call.
type Tools struct {
	Registry *nit.Registry // your tools; nil: those of the link alone
	Plugins  *nit.Plugins  // over Registry. The link's plugin is loaded here and can be switched off; nil adds its tools to Registry
	Builtin  *BuiltinTools // tools over the bot's own memory, and for reports to the owner; nil: none
	Scripts  *Scripts      // for models that write tool calls as text; nil: the model calls tools natively
}

// Access says who may command the bot, and what may be shown to whom.
type Access struct {
	Owners   []persona.Account // the accounts of the owner; nil: nobody is the owner
	Admins   []persona.Account // people with some of the owner's commands; nil: none
	Commands bool              // owners and admins give commands in chats: see [persona.ParseCommand]. Admins: quiet, speak and status
	Requests Requests          // who decides on friend requests and group invites; zero: the bot, by one model call for each
	// OnJoinRequest is called for requests to join a group that the account administers, at least once for each. Reply by
	// [Bot.AnswerRequest]. Nil: they are ignored.
	OnJoinRequest func(ctx context.Context, r persona.Request)
	// Redact masks private data of the owner: in the owner's memories that a chat's turn is shown, and in the results of
	// L2 tools. Nil: such turns are shown none of these memories, and such calls fail.
	Redact func(ctx context.Context, text string) (string, error)
	Labels Labels // who is shown which data, and what a turn may do after reading it; zero: the table of docs/SECURITY.md
}

// When says when the bot speaks.
type When struct {
	Buffer    buffer.Options    // zero: debounces for 20 s, for 2 s after a call, 60 s at most, 10 messages
	Attention heartflow.Options // zero: speaks when it is called. Names are added from Profile
	// HFC is Heart Flow Chat, which then decides instead of Attention's policy. Its field Attention is ignored: set
	// Attention above. Nil: the plain state machine of heartflow.
	HFC    *hfc.Options
	Chats  func(persona.Chat) ChatOptions // settings of one chat, asked for once at its first message; nil: all chats are alike
	Banned *heartflow.Filter              // matching messages are stored, and neither answered nor shown to a model; nil: none
	MaxAge time.Duration                  // a message that is older when first seen is context only; 0 means 2 min
}

// Reply says how replies are made and sent.
type Reply struct {
	Prompts  persona.Prompts // your own texts; zero: those of persona/prompt
	Strategy Strategy        // zero: [SingleCall]
	Turn     TurnOptions     // limits of one turn; zero: those of [prompt.Turn]
	// History is the number of turns that a prompt shows, with at most twice as many messages, and up to three quarters of
	// that more to keep prompts alike (see [prompt.StableStart]); 0 means 50.
	History  int
	Pictures *Pictures // the model sees the pictures that it answers; nil: it reads [图片]
	Speech   *Speech   // replies are typed, in parts; nil: a reply is one message, sent at once
}

// Background says what the bot does without being asked. Each costs model calls.
type Background struct {
	Digest   *Digest   // summaries, relations and memories made of chats; nil: none
	Autonomy *Autonomy // timers, tasks, plans and reflections; nil: none
}

// Hooks tell the host what happens.
type Hooks struct {
	Notify func(ctx context.Context, text string) error // tells the owner about the account, such as that it was muted; nil: it is logged
	Trace  func(heartflow.Trace)                        // called for every decision, from several goroutines; must not block; nil: not called
	Logger *slog.Logger                                 // nil discards
}

// TurnOptions bound one turn. The zero value is persona's.
type TurnOptions struct {
	MaxCalls      int           // tool calls; 0 means 8
	Timeout       time.Duration // 0 means 60 s; a turn of the owner's has Limits.Confirm of Tools beside it, where that has a Confirm
	ContextTokens int           // budget of the context; 0 means 8000
	CallOptions   []llms.CallOption
}

// ChatOptions is how one chat differs from the others.
type ChatOptions struct {
	Off       bool               // what is said there is dropped and counted
	Attention heartflow.Settings // names, wake words, keywords, policy and more
	SpeakLess bool               // with Options.When.HFC: it speaks a third as often here
	NoFocus   bool               // with Options.When.HFC: it never gives this chat its full attention
	Banned    *heartflow.Filter  // in place of Options.When.Banned; nil: that one
	// Public says that everybody may read what is said here. Other chats see it in the background, and the being's wider
	// thought ([Autonomy]) is of such chats.
	Public bool
}

// check refuses what the parts cannot work with.
func (o Options) check() error {
	if o.Background.Digest != nil && o.Background.Digest.Timeout < 0 {
		return fmt.Errorf("social: Options.Background.Digest.Timeout %v must not be negative", o.Background.Digest.Timeout)
	}
	if o.Reply.Strategy > ThinkPlanReply {
		return fmt.Errorf("social: Options.Reply.Strategy %d is unknown: SingleCall or ThinkPlanReply", o.Reply.Strategy)
	}
	if o.Access.Requests > NoRequests {
		return fmt.Errorf("social: Options.Access.Requests %d is unknown: JudgeRequests, AskOwner or NoRequests", o.Access.Requests)
	}
	if o.Tools.Builtin != nil {
		if err := reports.Options(*o.Tools.Builtin).Check(o.Hooks.Notify != nil); err != nil {
			return err
		}
	}
	if o.Background.Autonomy != nil {
		return o.days(nil).Check()
	}
	return nil
}

// vision is the part that looks at pictures; nil without Options.Reply.Pictures.
func (o Options) vision(e *engine.Engine) (*vision.Vision, error) {
	p := o.Reply.Pictures
	if p == nil {
		return nil, nil
	}
	return vision.New(e, vision.Options{Max: p.Max, MaxBytes: p.MaxBytes, Timeout: p.Timeout, Describe: p.Describe, ContentPart: p.ContentPart, Web: p.web})
}

// days are the options of that part.
func (o Options) days(b *Bot) autonomy.Options {
	d := o.Background.Autonomy
	p := autonomy.Options{
		Planner: d.Planner, Timers: d.Timers, Tasks: d.Tasks, DeliverToOwner: d.DeliverToOwner, ShowNotification: d.ShowNotification, Character: d.Character,
		NoInnerState: d.NoInnerState, NoGlobalReflection: d.NoGlobalReflection, Model: d.Model, CallOptions: d.CallOptions, Timeout: d.Timeout,
		Nap:       func(now time.Time, chat persona.Chat, until time.Time) { b.presence.Nap(now, chat, until) },
		SaveSleep: func(ctx context.Context, until *time.Time) error { return b.presence.SaveSleep(ctx, until) },
	}
	if d.RecentActivity != nil {
		p.RecentActivity = func(ctx context.Context, since time.Time) (all []autonomy.OwnerActivity, err error) {
			did, err := d.RecentActivity(ctx, since)
			for _, a := range did {
				all = append(all, autonomy.OwnerActivity(a))
			}
			return all, err
		}
	}
	if d.OnWake != nil {
		p.OnWake = func(l autonomy.WakeResult) { d.OnWake(WakeResult(l)) }
	}
	return p
}

// delivery are the options of how replies leave.
func (o Options) delivery(b *Bot) delivery.Options {
	d := delivery.Options{Speech: delivery.Speech(*o.Reply.Speech)}
	if o.Background.Digest != nil {
		d.Arousal = func(now time.Time, c *engine.Chat) float64 { return b.digest.Mood(now, c).Arousal }
	}
	return d
}

// engine is what the engine is made of.
func (o Options) engine(b *Bot) engine.Options {
	e := engine.Options{
		Profile: o.Profile, Model: o.Model, Link: o.Link, Store: o.Storage.Store, Indexes: o.Storage.Indexes, Embedder: o.Storage.Embedder, EmbedderID: o.Storage.EmbedderID,
		Tools: o.Tools.Registry, Plugins: o.Tools.Plugins, Accounts: engine.Accounts{Owners: o.Access.Owners, Admins: o.Access.Admins}, Redact: o.Access.Redact, Notify: o.Hooks.Notify, Buffer: o.When.Buffer, Attention: o.When.Attention,
		HFC: o.When.HFC, Prompts: o.Reply.Prompts, Banned: o.When.Banned, Builtin: o.Tools.Builtin != nil,
		Quota: o.Storage.Quota, InThree: o.Reply.Strategy == ThinkPlanReply, Scripts: (*engine.Scripts)(o.Tools.Scripts),
		Turn: engine.TurnOptions(o.Reply.Turn), MaxAge: o.When.MaxAge, History: o.Reply.History, Location: o.Location, Labels: o.Access.Labels.engine(), Trace: o.Hooks.Trace, Logger: o.Hooks.Logger,
	}
	if e.HFC != nil && e.HFC.Relation == nil && o.Background.Digest != nil {
		h := *e.HFC
		h.Relation = func(chat, from string) int { return b.digest.Relation(chat, from) }
		e.HFC = &h
	}
	if o.Link != nil {
		e.Features = engine.Features(FeaturesOf(o.Link))
	}
	if o.When.Chats != nil {
		e.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions(o.When.Chats(c)) }
	}
	return e
}
