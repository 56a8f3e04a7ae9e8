package social

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social/internal/autonomy"
	"github.com/hearth-bot/hearth/persona/social/internal/delivery"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/media"
	"github.com/hearth-bot/hearth/persona/social/internal/reports"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A Store persists messages and the state of jobs. memory.NewMemStore and memory/sqlite have one.
type Store interface {
	memory.Store
	memory.State
}

// Options configure a [Bot]. Profile.Name, Model and Link are required. Everything else has a default.
type Options struct {
	Profile persona.Profile // name, aliases and description; Name is required
	// Model writes the answers. It is required. It gets a system prompt and the scene as XML (see [prompt.Context]), in which the
	// messages to answer are the last msg elements. Its text is sent without Markdown ([speech.Plain]) and without the name of the
	// bot before it; "[skip]" means silence. An incomplete sentence at the end of an answer that the limit of tokens cut is not
	// sent. Every call is metered and uses the budget of When.Attention. A failed call is retried by [models.Retry], unless the
	// model retries itself, as a [models.Chain] does.
	Model llms.Model
	// Models are models for single purposes. Zero means Model for all.
	Models Models
	// Link connects the bot to a platform. It is required.
	Link Link

	Storage    Storage        // zero keeps all data in memory
	Tools      Tools          // zero means the tools of the link
	Access     Access         // zero means no owner and no commands
	When       When           // zero answers when addressed, and for some minutes after a reply also joins in
	Reply      Reply          // zero means one message, from one model call
	Background Background     // zero means no background work
	Hooks      Hooks          // zero means no notices and no log
	Location   *time.Location // of times in prompts, timers and tasks; nil means time.Local. QuietHours use time.Local
}

// Models are models for single purposes, each metered and retried as Options.Model is. A nil one means Options.Model. A model
// with a fallback is a [models.Chain]. [Bot.Usage] and the traces of kind heartflow.KindModel say what each purpose costs.
//
// All calls of a turn begin with the same text, which one provider reads from its prompt cache. Plan and Reply at
// different providers pay for that text twice. Judge, Plan, Reply and Background call tools: see [Scripts] for models that cannot.
type Models struct {
	Judge      llms.Model // whether to take part in a chat, friend requests and group invites, and reports to the owner
	Plan       llms.Model // thoughts and plans of [ThinkPlanReply] and of a focus of Heart Flow Chat
	Reply      llms.Model // texts for chats and the owner
	Background llms.Model // Digest and the turns of Autonomy that send nothing, unless they have a Model
	// See puts each picture into words once, for all calls of the turn. Then no other model has to see pictures. Reply.Pictures has
	// the limits; nil means its zero value, and Describe must be nil. Nil means as in Reply.Pictures.
	See llms.Model
	// Hear transcribes voice messages that the platform does not transcribe. models.OpenAITranscriber makes one. Nil means
	// Reply.Transcriber.
	Hear llms.Model
	// Speak says replies as voice messages, as Reply.Speech.Voice asks for. models.OpenAISpeech makes one. Nil means its Voicer.
	Speak llms.Model
}

// byPurpose returns the models that are not nil.
func (m Models) byPurpose() map[models.Purpose]llms.Model {
	all := map[models.Purpose]llms.Model{
		models.PurposeJudge: m.Judge, models.PurposePlan: m.Plan, models.PurposeReply: m.Reply, models.PurposeBackground: m.Background, models.PurposeSee: m.See,
		models.PurposeHear: m.Hear, models.PurposeSpeak: m.Speak,
	}
	maps.DeleteFunc(all, func(_ models.Purpose, one llms.Model) bool { return one == nil })
	return all
}

// Storage says where the bot keeps its data.
type Storage struct {
	// Store has the messages, memories and state. It belongs to one bot at a time. Nil keeps them in memory, and
	// loses them at exit.
	Store   Store
	Indexes []memory.Index // searched in addition to the built-in word index; nil means none, or an exact vector index with Embedder
	// Embedder creates vectors for recall. Nil means recall by words only. For more than some 10,000 records in a chat
	// set Indexes to a memory/flat.
	Embedder   embeddings.Embedder
	EmbedderID string       // names the embedder, so that vectors of different embedders never mix; required with Embedder
	Quota      memory.Quota // of each chat, enforced once a day; zero means none
}

// Tools are the tools that the model may call.
type Tools struct {
	Registry *nit.Registry // your tools; nil means only those of the link
	// Plugins are plugins over Registry. The link's plugin is loaded here and can be switched off. Nil adds the
	// link's tools to Registry.
	Plugins *nit.Plugins
	// NoSocialMode starts without the tools of the link: its plugin, such as social_adapter of nit/qq, is not loaded, and
	// no turn knows its tools. Messages are received and answered as usual. [Bot.SetSocialMode] switches it at run time.
	NoSocialMode bool
	Builtin      *BuiltinTools // tools over the bot's own memory and for reports to the owner; nil means none
	Scripts      *Scripts      // for models that write tool calls as text; nil means native calls
}

// Access holds the rights to command the bot and to read data.
type Access struct {
	// Owners are the accounts of the owner; nil means none. The first one gets notices and reports in a private message
	// of the bot. They are kept until they can be delivered, for a week at most, and none is sent twice. At most 6 a minute
	// and 60 an hour are sent. They wait while the bot sleeps, and, unless they are urgent, in quiet hours.
	Owners []persona.Account
	// NoPrivateNotices sends no notices and reports to Owners. Only Hooks.Notify gets them.
	NoPrivateNotices bool
	Admins           []persona.Account // people who may give some of the owner's commands; nil means none
	// SamePerson lists accounts, each list those of one person: rights of an account are those of all, and erasing one erases
	// all. Otherwise accounts on two platforms are two people, also if they have the same ID. No chat is shown what the person
	// said in another.
	SamePerson [][]persona.Account
	// Commands lets owners and admins give commands in chats, by a message that contains nothing else
	// ([persona.ParseCommand]): in a private chat, or in a group after a mention of the bot or its name. Owners may
	// ask for quiet, speech, sleep, waking, status and their own erasure; admins for quiet, speech and status. A
	// command starts no turn of the model, and its effect outlives a restart. The same text of anybody else is an
	// ordinary message. New returns an error if it is set without Owners and Admins.
	Commands bool
	Requests Requests // decides on friend requests and group invites; zero means the bot, by a model call
	// OnJoinRequest is called at least once for each request to join a group that the account administers. Answer
	// with [Bot.AnswerRequest]. Nil ignores these requests.
	OnJoinRequest func(ctx context.Context, r persona.Request)
	// Redact masks private data of the owner in text that leaves the owner's side: the owner's memories in the
	// prompts of chats, and the results of tools in tier L2. If it is nil, chats see none of these memories and such
	// calls fail.
	Redact func(ctx context.Context, text string) (string, error)
	Labels Labels // changes rules about labels of data; zero means the table of docs/SECURITY.md

	newCode func() string // tests replace the codes in notices about requests
}

// When says when the bot speaks.
type When struct {
	// Buffer debounces messages. By default a batch is due after 20 s without a message, 2 s after a message that
	// addresses the bot, after 60 s, or with 10 messages.
	Buffer buffer.Options
	// Attention has caps, budget, policy, quiet hours, and whether the bot begins talks. Zero answers when the bot is addressed,
	// and after a reply joins in by chance ([heartflow.Interject]). The names of Profile are added.
	Attention heartflow.Options
	// HFC is Heart Flow Chat, which decides instead of Attention's policy. Its field Attention is ignored: set
	// Attention above. If its Topics are empty, they are the Interests of Profile. A nil Relation or
	// Arousal is that of Background.Digest. Nil means the plain state machine of heartflow.
	HFC *hfc.Options
	// Feedback rates what the bot says in groups by what people do next, and changes by it how often the bot joins in there. It
	// calls no model. [Bot.ResetFeedback] and a command of the owner forget what it learned. Nil means none.
	Feedback *feedback.Options
	// Chats returns the options of a chat. It is called before the first message of the chat is handled, and again when
	// the settings of the chat change. Nil means that all chats are alike.
	Chats func(persona.Chat) ChatOptions
	// Settings are the settings of chats from a file. They override Chats. The zero Chat applies to all chats, and the
	// entry of a chat comes before it. [Bot.Reload] replaces them. See [Bot.Configure]. Nil means none.
	Settings map[persona.Chat]ChatSettings
	Policies map[string]heartflow.Policy // policies that ChatSettings.Policy may name; "mention" and "interject" are built in
	Banned   *heartflow.Filter           // matching messages are stored, but neither answered nor shown to a model; nil means none
	// ReactionsCall lets a reaction to a message of the bot call it, once per person in 10 minutes, as a poke does.
	// Otherwise reactions are only context.
	ReactionsCall bool
	MaxAge        time.Duration // messages that are older on receipt are only context; 0 means 2 min
}

// Reply says how replies are made and sent.
type Reply struct {
	Prompts  persona.Prompts // your own texts; zero means those of persona/prompt
	Strategy Strategy        // zero means [SingleCall]
	Turn     TurnOptions     // limits of one turn
	// History is the number of chat turns in a prompt, with at most twice as many messages. Up to three quarters of
	// that are added to keep the beginnings of prompts equal, for prompt caches: see [prompt.HistoryStart], which also
	// shortens histories of long messages. 0 means 50.
	History  int
	Pictures *Pictures // shows pictures to the model; nil shows the text [图片]
	// Transcriber turns voice messages into text, if the platform does not. It must be nil with Models.Hear. A failure leaves
	// the text [语音]. The bot does not meter its calls; it meters those of Models.Hear.
	Transcriber persona.Transcriber
	// Quote says when a reply quotes the message that it answers. Zero means [QuoteAuto].
	Quote   Quote
	Excuses *Excuses // says why the bot does not answer, after one more try; nil is silent
	Speech  *Speech  // splits and types replies at a human pace; nil sends one message at once
}

// Quote says when a reply quotes the message that addressed the bot. Replies to nobody quote nothing.
type Quote = engine.QuoteMode

// The modes of [Quote].
const (
	// QuoteAuto quotes if more than 4 messages or 250 characters stand between, if several people wait for an answer, or if
	// the link needs it.
	QuoteAuto   = engine.QuoteAuto
	QuoteAlways = engine.QuoteAlways
	QuoteNever  = engine.QuoteNever // unless the link needs it
)

// Background configures work that no user asks for. Digest, Autonomy and Expressions cost model calls.
type Background struct {
	Digest      *Digest      // derives summaries, relations and memories from chats; nil means none
	Autonomy    *Autonomy    // timers, tasks, plans and reflections; nil means none
	Facts       *Facts       // keeps facts about people, without model calls; nil means none
	Expressions *Expressions // learns how the people of groups talk; nil means none
}

// Hooks are functions of the host that the bot calls.
type Hooks struct {
	// Notify sends the owner a notice, for example that the account was muted, in addition to the private message to
	// Access.Owners. It may be nil.
	Notify func(ctx context.Context, text string) error
	// Trace is called for each decision, from several goroutines. It must not block. It may be nil.
	Trace func(heartflow.Trace)
	// Erase erases what the host keeps about a person, or about a chat, such as logs; the other argument is zero. It is called
	// first by [Bot.ErasePerson], once for each account, and by [Bot.EraseChat], also for a command in a chat. Their result
	// includes its error, and the bot erases its own data all the same. It may be nil.
	Erase  func(ctx context.Context, who persona.Account, chat persona.Chat) error
	Logger *slog.Logger // nil discards
}

// TurnOptions limit one turn.
type TurnOptions struct {
	MaxCalls int // tool calls; 0 means 8
	// Timeout limits the turn; 0 means 60 s. A turn of the owner also gets Limits.ConfirmTimeout of Tools.Registry,
	// if the registry has a Confirm.
	Timeout time.Duration
	// ContextTokens is the maximum size of the scene in a prompt, in tokens as [prompt.Tokens] counts them; 0 means 28000. Only
	// chats of long messages reach it. A model with a window below 32768 tokens needs less: the tools, the system prompt
	// and the answer must fit, too.
	ContextTokens int
	CallOptions   []llms.CallOption // passed to each call of the model
}

// ChatOptions are the options of one chat.
type ChatOptions struct {
	Off       bool               // messages are dropped and counted; with Attention.Off instead, they are stored and not answered
	Attention heartflow.Settings // names, wake words, keywords, policy and more
	SpeakLess bool               // with Options.When.HFC: the bot speaks a third as often
	NoFocus   bool               // with Options.When.HFC: the chat never gets the bot's full attention
	Banned    *heartflow.Filter  // replaces Options.When.Banned; nil changes nothing
	// Public means that everybody may read the chat. Other chats see its messages as background, and the bot's global
	// reflection ([Autonomy]) uses it.
	Public bool
}

// check validates the options of the parts.
func (o Options) check() error {
	if o.Background.Digest != nil && o.Background.Digest.Timeout < 0 {
		return fmt.Errorf("social: Options.Background.Digest.Timeout %v must not be negative", o.Background.Digest.Timeout)
	}
	if f := o.Background.Facts; f != nil && (f.PerPerson < 0 || f.People < 0) {
		return fmt.Errorf("social: Options.Background.Facts %+v must not be negative", *f)
	}
	if x := o.Background.Expressions; x != nil && (x.PerTurn < 0 || x.Every < 0 || x.Weeks < 0) {
		return fmt.Errorf("social: Options.Background.Expressions %+v must not be negative", *x)
	}
	if o.Reply.Strategy > ThinkPlanReply {
		return fmt.Errorf("social: Options.Reply.Strategy %d is unknown: SingleCall or ThinkPlanReply", o.Reply.Strategy)
	}
	if o.Reply.Quote > QuoteNever {
		return fmt.Errorf("social: Options.Reply.Quote %d is unknown: QuoteAuto, QuoteAlways or QuoteNever", o.Reply.Quote)
	}
	if o.Access.Requests > NoRequests {
		return fmt.Errorf("social: Options.Access.Requests %d is unknown: JudgeRequests, AskOwner or NoRequests", o.Access.Requests)
	}
	if o.Access.Commands && len(o.Access.Owners)+len(o.Access.Admins) == 0 {
		return errors.New("social: Options.Access.Commands needs Owners or Admins: nobody else may give commands")
	}
	for _, a := range slices.Concat(o.Access.Owners, o.Access.Admins, slices.Concat(o.Access.SamePerson...)) {
		if a.Platform == "" || a.ID == "" {
			return fmt.Errorf("social: Options.Access.Owners, Admins or SamePerson contains %+v: give Platform and ID, such as {Platform:qq ID:10001}", a)
		}
	}
	if o.When.Feedback != nil && o.When.Attention.Welcome != nil {
		return errors.New("social: Options.When.Feedback and When.Attention.Welcome both say how welcome the bot is: set one of them")
	}
	if o.Tools.Builtin != nil {
		if err := reports.Options(*o.Tools.Builtin).Check(o.Hooks.Notify != nil || o.privateNotices()); err != nil {
			return err
		}
	}
	if p := o.Reply.Pictures; o.Models.See != nil && p != nil && p.Describe != nil {
		return errors.New("social: Options.Models.See and Reply.Pictures.Describe both describe pictures: set one of them")
	}
	if err := o.checkVoice(); err != nil {
		return err
	}
	if o.Models.Hear != nil && o.Reply.Transcriber != nil {
		return errors.New("social: Options.Models.Hear and Reply.Transcriber both transcribe voice messages: set one of them")
	}
	if o.Background.Autonomy != nil {
		return o.days(nil).Check()
	}
	return nil
}

// checkVoice validates the options for voice messages of the bot.
func (o Options) checkVoice() error {
	var v *Voice
	if o.Reply.Speech != nil {
		v = o.Reply.Speech.Voice
	}
	switch {
	case v == nil && o.Models.Speak != nil:
		return errors.New("social: Options.Models.Speak does nothing without Reply.Speech.Voice")
	case v == nil:
		return nil
	case v.Voicer == nil && o.Models.Speak == nil:
		return errors.New("social: Options.Reply.Speech.Voice needs Models.Speak or a Voicer")
	case v.Voicer != nil && o.Models.Speak != nil:
		return errors.New("social: Options.Models.Speak and Reply.Speech.Voice.Voicer both speak: set one of them")
	case v.Chance < 0 || v.Chance > 1 || v.MaxRunes < 0:
		return fmt.Errorf("social: Options.Reply.Speech.Voice: Chance %v must be from 0 to 1, and MaxRunes %d must not be negative", v.Chance, v.MaxRunes)
	}
	return nil
}

// privateNotices reports whether the owner gets notices in a private message.
func (o Options) privateNotices() bool { return len(o.Access.Owners) > 0 && !o.Access.NoPrivateNotices }

// opener creates the part that opens parts of messages, or returns nil if there is nothing that could open them.
func (o Options) opener(e *engine.Engine) (*media.Opener, error) {
	m := media.Options{Transcriber: o.Reply.Transcriber}
	p := o.Reply.Pictures
	if p == nil && o.Models.See != nil {
		p = &Pictures{}
	}
	if p != nil {
		m.Pictures = &media.Pictures{Max: p.Max, MaxBytes: p.MaxBytes, Timeout: p.Timeout, Describe: p.Describe, ContentPart: p.ContentPart}
		m.Web = p.web
	}
	link := e.Options.Features
	if p == nil && o.Reply.Transcriber == nil && o.Models.Hear == nil && link.OpenPart == nil && link.Message == nil {
		return nil, nil
	}
	return media.New(e, m)
}

// days returns the options of package days.
func (o Options) days(b *Bot) autonomy.Options {
	d := o.Background.Autonomy
	p := autonomy.Options{
		Planner: d.Planner, Timers: d.Timers, Tasks: d.Tasks, DeliverToOwner: d.DeliverToOwner, ShowNotification: d.ShowNotification, Character: d.Character,
		NoInnerState: d.NoInnerState, NoGlobalReflection: d.NoGlobalReflection, Model: d.Model, CallOptions: d.CallOptions, Timeout: d.Timeout,
		Nap: func(now time.Time, chat persona.Chat, until time.Time) { b.presence.Nap(now, chat, until) },
		SaveSleep: func(ctx context.Context, until *time.Time) error {
			return b.saveSleep(ctx, until, b.presence.SaveSleep)
		},
		Changed: func(ctx context.Context, field, old, is string) { b.note(ctx, Change{Field: field, Old: old, New: is}) },
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

// delivery returns the options of package delivery.
func (o Options) delivery(b *Bot) delivery.Options {
	s := o.Reply.Speech
	d := delivery.Options{Speech: delivery.Speech{
		Split: s.Split, Pace: s.Pace, Stickers: s.Stickers, StickerChance: s.StickerChance, Stream: s.Stream, Voice: (*delivery.Voice)(s.Voice), Long: delivery.Long(s.Long),
	}}
	if o.Background.Digest != nil {
		d.Arousal = func(now time.Time, c *engine.Chat) float64 { return b.digest.Mood(now, c).Arousal }
	}
	return d
}

// allOf adds the accounts of the same people to a list of accounts.
func (a Access) allOf(list []persona.Account) []persona.Account {
	all := slices.Clone(list)
	for i := 0; i < len(all); i++ {
		for _, same := range a.SamePerson {
			if !slices.Contains(same, all[i]) {
				continue
			}
			for _, one := range same {
				if !slices.Contains(all, one) {
					all = append(all, one)
				}
			}
		}
	}
	return all
}

// engine returns the options of the engine.
func (o Options) engine(b *Bot) engine.Options {
	e := engine.Options{
		Profile: o.Profile, Model: o.Model, Models: o.Models.byPurpose(), Link: o.Link, Store: o.Storage.Store, Indexes: o.Storage.Indexes, Embedder: o.Storage.Embedder, EmbedderID: o.Storage.EmbedderID,
		Toolset:  engine.Toolset{Tools: o.Tools.Registry, Plugins: o.Tools.Plugins, NoSocialMode: o.Tools.NoSocialMode},
		Accounts: engine.Accounts{Owners: o.Access.allOf(o.Access.Owners), Admins: o.Access.allOf(o.Access.Admins)}, Redact: o.Access.Redact, Notify: o.Hooks.Notify, Buffer: o.When.Buffer, Attention: o.When.Attention,
		HFC: o.When.HFC, Prompts: o.Reply.Prompts, Banned: o.When.Banned, Builtin: o.Tools.Builtin != nil,
		Quota: o.Storage.Quota, Manners: engine.Manners{Quote: o.Reply.Quote, ReactionsCall: o.When.ReactionsCall, ThinkPlanReply: o.Reply.Strategy == ThinkPlanReply},
		Scripts: (*engine.Scripts)(o.Tools.Scripts),
		Turn:    engine.TurnOptions(o.Reply.Turn), MaxAge: o.When.MaxAge, History: o.Reply.History, Location: o.Location, Labels: o.Access.Labels.engine(), Trace: o.Hooks.Trace, Logger: o.Hooks.Logger,
	}
	if e.HFC != nil {
		h := *e.HFC
		if h.Relation == nil && o.Background.Digest != nil {
			h.Relation = func(chat, from string) int { return b.digest.Relation(chat, from) }
		}
		if h.Arousal == nil && o.Background.Digest != nil {
			h.Arousal = func(chat string) float64 { return b.digest.Arousal(time.Now(), chat) }
		}
		if len(h.Topics) == 0 {
			h.Topics = o.Profile.Interests
		}
		e.HFC = &h
	}
	if o.Link != nil {
		e.Features = engine.Features(FeaturesOf(o.Link))
	}
	e.Chats = b.settings.ChatOptions
	return e
}
