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
	"github.com/hearth-bot/hearth/persona/social/internal/days"
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

// Options say who a being is, what it thinks with and where it lives. Profile.Name, Model and Link are required.
type Options struct {
	Profile persona.Profile
	Model   llms.Model // every call of it goes through one meter, which spends the budget; asked again by models.Retry, unless it is a models.Chain
	Link    Link

	Store      Store               // nil keeps everything in memory, and forgets at exit
	Indexes    []memory.Index      // beside the built-in one for words, such as memory/chromem
	Embedder   embeddings.Embedder // nil recalls by words alone
	EmbedderID string              // names the embedder: vectors of different ones never mix; required with Embedder
	Tools      *nit.Registry       // your tools; nil means only those of the link, which are added while the being runs
	Plugins    *nit.Plugins        // over Tools: the link's plugin, social_adapter for OneBot's, is loaded here, and can be switched off; nil adds its tools to Tools
	Owners     []persona.Account   // the owner's accounts

	// Redact masks what the owner would not tell strangers: in the owner's memories that a persona turn is shown, and in
	// the results of L2 tools. Nil: it is shown none, and such calls fail.
	Redact func(ctx context.Context, text string) (string, error)
	// Notify tells the owner what happened to the being, such as that it was muted. Nil only logs.
	Notify func(ctx context.Context, text string) error

	Buffer    buffer.Options                 // zero: 20 s of quiet, 2 s after a call, 60 s at most, 10 messages
	Attention heartflow.Options              // zero: speaks when it is called. Names are added from Profile
	HFC       *hfc.Options                   // Heart Flow Chat over Attention, which stands in for its field of that name; nil: the simple machine of perception states
	Prompts   persona.Prompts                // texts of your own; zero: persona's
	Banned    *heartflow.Filter              // what it bans is journaled where no turn reads it, and else not heard; nil: nothing
	Chats     func(persona.Chat) ChatOptions // how one chat differs; nil: none does. Asked once for each chat, at its first message
	Layers    *Digest                        // what is made of what is heard, in the background: summaries, people, dreams; nil: nothing, and no call for it
	Pictures  *Pictures                      // turns look at the pictures of what they answer; nil: they read [图片]
	Own       *BuiltinTools                  // tools over what the being itself has: its memory, and the way to its owner; nil: there are none
	Days      *Autonomy                      // what it does by itself: timers, tasks, plans, reflections; nil: nothing, and it only answers
	Quota     memory.Quota                   // of every chat, seen to once a day; the zero Quota is none
	Strategy  Strategy                       // how a turn comes to its words
	Scripts   *Scripts                       // Model writes its calls of tools as text; nil: it calls them by itself
	Speech    *Speech                        // a reply is typed, in parts; nil: it is one message, which leaves as soon as it may
	Turn      TurnOptions                    // limits of one turn
	MaxAge    time.Duration                  // a message older than this when first seen is context only; 0 means 2 min
	History   int                            // turns of the chat that a turn sees, of twice as many messages at most, and up to three quarters of that more (see persona.Window); 0 means 50
	Location  *time.Location                 // times of day; nil means time.Local
	Labels    Labels                         // who is shown what, and what may act after it; zero: the table of docs/SECURITY.md
	Trace     func(heartflow.Trace)          // told of every decision; nil: none is. Called from several goroutines, must not block
	Logger    *slog.Logger                   // nil discards

	Admins   []persona.Account // people whom the owner trusts with some of the commands
	Commands bool              // owners and admins give commands in chats: see [persona.ParseCommand]. Admins: quiet, speak and status
	Requests Requests          // who decides on friend requests and group invites; zero: the being, by a model call for each
	// Joins is given the requests to join a group that the account administers, each at least once: answer by
	// [Bot.AnswerRequest]. Nil: they are passed over.
	Joins func(ctx context.Context, r persona.Request)
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
	SpeakLess bool               // with Options.HFC: it speaks a third as often here
	NoFocus   bool               // with Options.HFC: it never gives this chat its full attention
	Banned    *heartflow.Filter  // in place of Options.Banned; nil: that one
	// Public says that everybody may read what is said here. Other chats see it in the background, and the being's wider
	// thought ([Autonomy]) is of such chats.
	Public bool
}

// check refuses what the parts cannot work with.
func (o Options) check() error {
	if o.Layers != nil && o.Layers.Timeout < 0 {
		return fmt.Errorf("social: Options.Layers.Timeout %v must not be negative", o.Layers.Timeout)
	}
	if o.Strategy > ThinkPlanReply {
		return fmt.Errorf("social: Options.Strategy %d is unknown: SingleCall or ThinkPlanReply", o.Strategy)
	}
	if o.Requests > NoRequests {
		return fmt.Errorf("social: Options.Requests %d is unknown: JudgeRequests, AskOwner or NoRequests", o.Requests)
	}
	if o.Own != nil {
		if err := reports.Options(*o.Own).Check(o.Notify != nil); err != nil {
			return err
		}
	}
	if o.Days != nil {
		return o.days(nil).Check()
	}
	return nil
}

// vision is the part that looks at pictures; nil without Options.Pictures.
func (o Options) vision(e *engine.Engine) (*vision.Vision, error) {
	p := o.Pictures
	if p == nil {
		return nil, nil
	}
	return vision.New(e, vision.Options{Max: p.Max, MaxBytes: p.MaxBytes, Timeout: p.Timeout, Describe: p.Describe, ContentPart: p.ContentPart, Web: p.web})
}

// days are the options of that part.
func (o Options) days(b *Bot) days.Options {
	d := o.Days
	p := days.Options{
		Planner: d.Planner, Timers: d.Timers, Tasks: d.Tasks, DeliverToOwner: d.DeliverToOwner, ShowNotification: d.ShowNotification, Character: d.Character,
		NoInnerState: d.NoInnerState, NoGlobalReflection: d.NoGlobalReflection, Model: d.Model, CallOptions: d.CallOptions, Timeout: d.Timeout,
		Nap:       func(now time.Time, chat persona.Chat, until time.Time) { b.presence.Nap(now, chat, until) },
		SaveSleep: func(ctx context.Context, until *time.Time) error { return b.presence.SaveSleep(ctx, until) },
	}
	if d.RecentActivity != nil {
		p.RecentActivity = func(ctx context.Context, since time.Time) (all []days.OwnerActivity, err error) {
			did, err := d.RecentActivity(ctx, since)
			for _, a := range did {
				all = append(all, days.OwnerActivity(a))
			}
			return all, err
		}
	}
	if d.OnWake != nil {
		p.OnWake = func(l days.WakeResult) { d.OnWake(WakeResult(l)) }
	}
	return p
}

// delivery are the options of how replies leave.
func (o Options) delivery(b *Bot) delivery.Options {
	d := delivery.Options{Speech: delivery.Speech(*o.Speech)}
	if o.Layers != nil {
		d.Arousal = func(now time.Time, c *engine.Chat) float64 { return b.digest.Mood(now, c).Arousal }
	}
	return d
}

// engine is what the engine is made of.
func (o Options) engine(b *Bot) engine.Options {
	e := engine.Options{
		Profile: o.Profile, Model: o.Model, Link: o.Link, Store: o.Store, Indexes: o.Indexes, Embedder: o.Embedder, EmbedderID: o.EmbedderID,
		Tools: o.Tools, Plugins: o.Plugins, Accounts: engine.Accounts{Owners: o.Owners, Admins: o.Admins}, Redact: o.Redact, Notify: o.Notify, Buffer: o.Buffer, Attention: o.Attention,
		HFC: o.HFC, Prompts: o.Prompts, Banned: o.Banned, Builtin: o.Own != nil,
		Quota: o.Quota, InThree: o.Strategy == ThinkPlanReply, Scripts: (*engine.Scripts)(o.Scripts),
		Turn: engine.TurnOptions(o.Turn), MaxAge: o.MaxAge, History: o.History, Location: o.Location, Labels: o.Labels.engine(), Trace: o.Trace, Logger: o.Logger,
	}
	if e.HFC != nil && e.HFC.Relation == nil && o.Layers != nil {
		h := *e.HFC
		h.Relation = func(chat, from string) int { return b.digest.Relation(chat, from) }
		e.HFC = &h
	}
	if o.Link != nil {
		e.Features = engine.Features(FeaturesOf(o.Link))
	}
	if o.Chats != nil {
		e.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions(o.Chats(c)) }
	}
	return e
}
