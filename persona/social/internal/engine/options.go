package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A Store keeps messages and the state of jobs.
type Store interface {
	memory.Store
	memory.State
}

// Options are documented in package social.
type Options struct {
	Profile  persona.Profile
	Model    llms.Model
	Models   map[models.Purpose]llms.Model // instead of Model; no value is nil
	Link     Link
	Features Features

	Store      Store
	Indexes    []memory.Index
	Embedder   embeddings.Embedder
	EmbedderID string
	Toolset
	Accounts

	Redact func(ctx context.Context, text string) (string, error)
	Notify func(ctx context.Context, text string) error

	Buffer    buffer.Options
	Attention heartflow.Options
	HFC       *hfc.Options
	Prompts   persona.Prompts
	Banned    *heartflow.Filter
	Chats     func(persona.Chat) ChatOptions
	Builtin   bool // turns have the built-in tools
	Quota     memory.Quota
	Manners
	Scripts  *Scripts
	Turn     TurnOptions
	MaxAge   time.Duration
	History  int
	Location *time.Location
	Labels   Labels
	Trace    func(heartflow.Trace)
	Logger   *slog.Logger
}

// A Toolset holds the tools of the host.
type Toolset struct {
	Tools        *nit.Registry
	Plugins      *nit.Plugins
	NoSocialMode bool // the tools of the link are not loaded at the start
}

// Manners say how the bot behaves in a conversation.
type Manners struct {
	Quote          QuoteMode
	ReactionsCall  bool // a reaction to a message of the bot calls it
	ThinkPlanReply bool // turns make separate calls to think, plan and write
}

// Accounts are the people whose commands the bot obeys.
type Accounts struct {
	Owners, Admins []persona.Account
	Messenger      Messenger // sends notices to the first owner; nil: none; set before Run
}

// TurnOptions are documented in package social.
type TurnOptions struct {
	MaxCalls      int
	Timeout       time.Duration
	ContextTokens int
	CallOptions   []llms.CallOption
}

// ChatOptions are documented in package social.
type ChatOptions struct {
	Off       bool
	Attention heartflow.Settings
	SpeakLess bool
	NoFocus   bool
	Banned    *heartflow.Filter
	Public    bool
}

// Scripts are documented in package social.
type Scripts struct {
	Model     script.ModelOptions
	Tool      script.ToolOptions
	CallsOnly bool
}

const defaultMaxAge = 2 * time.Minute

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Profile.Name == "":
		return o, errors.New("social: Options.Profile.Name is empty: people address the bot by it")
	case o.Model == nil:
		return o, errors.New("social: Options.Model is nil: give any llms.Model")
	case o.Link == nil:
		return o, errors.New("social: Options.Link is nil: onebotlink.New makes one from a OneBot client or server")
	case o.Embedder != nil && o.EmbedderID == "":
		return o, errors.New("social: Options.Storage.EmbedderID is empty: name the embedder, so that its vectors never mix with those of another")
	case o.Plugins != nil && o.Tools == nil:
		return o, errors.New("social: Options.Tools.Plugins without Tools.Registry: set the registry that the plugins use")
	case o.MaxAge < 0 || o.History < 0:
		return o, fmt.Errorf("social: Options.When.MaxAge %v and Options.Reply.History %d must not be negative", o.MaxAge, o.History)
	}
	if o.MaxAge == 0 {
		o.MaxAge = defaultMaxAge
	}
	if o.History == 0 {
		o.History = 50
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Store == nil {
		o.Store = memory.NewMemStore()
	}
	if o.Tools == nil {
		o.Tools = &nit.Registry{Logger: o.Logger}
	}
	if notify := o.Notify; notify != nil {
		o.Notify = func(ctx context.Context, text string) error { return notify(ctx, StripInvisible(text)) }
	}
	if o.Attention.Budget == nil {
		o.Attention.Budget, _ = heartflow.NewBudget(heartflow.BudgetOptions{}) // the defaults are valid
	}
	if o.Chats == nil {
		o.Chats = func(persona.Chat) ChatOptions { return ChatOptions{} }
	}
	if err := o.attentionOptions(nil).Validate(); err != nil {
		return o, fmt.Errorf("social: Options.When.Attention, or a name in Options.Profile: %w", err)
	}
	if o.HFC != nil {
		if err := o.HFC.Validate(); err != nil {
			return o, fmt.Errorf("social: Options.When.HFC: %w", err)
		}
	}
	if o.Quota.Records < 0 || o.Quota.Bytes < 0 {
		return o, fmt.Errorf("social: Options.Storage.Quota %+v must not be negative", o.Quota)
	}
	return o, nil
}

// InterestShare returns an interest level as a share of the level from which on a chat may become Focused, at most 1.
func (o Options) InterestShare(level float64) float64 {
	return min(level/cmp.Or(o.HFC.Interest.Threshold, hfc.DefaultThreshold), 1)
}

// attentionOptions returns the options of attention: with the names of the profile, the engine's age limit and its
// trace.
func (o Options) attentionOptions(trace func(heartflow.Trace)) heartflow.Options {
	a := o.Attention
	a.Names = slices.Concat([]string{o.Profile.Name}, o.Profile.Aliases, a.Names)
	a.MaxAge = cmp.Or(a.MaxAge, o.MaxAge)
	a.OnTrace = trace
	return a
}
