package social

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/autonomy"
	"github.com/hearth-bot/hearth/persona/social/internal/changes"
	"github.com/hearth-bot/hearth/persona/social/internal/delivery"
	"github.com/hearth-bot/hearth/persona/social/internal/digest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/erase"
	"github.com/hearth-bot/hearth/persona/social/internal/excuses"
	talking "github.com/hearth-bot/hearth/persona/social/internal/expressions"
	reception "github.com/hearth-bot/hearth/persona/social/internal/feedback"
	"github.com/hearth-bot/hearth/persona/social/internal/focus"
	"github.com/hearth-bot/hearth/persona/social/internal/media"
	"github.com/hearth-bot/hearth/persona/social/internal/notices"
	"github.com/hearth-bot/hearth/persona/social/internal/peoplefacts"
	"github.com/hearth-bot/hearth/persona/social/internal/presence"
	"github.com/hearth-bot/hearth/persona/social/internal/reports"
	"github.com/hearth-bot/hearth/persona/social/internal/requests"
	"github.com/hearth-bot/hearth/persona/social/internal/settings"
)

// A Bot receives messages through a [Link], remembers them, decides when to speak, and speaks. It assembles the
// packages of hearth and has no rules of its own. All methods may be called concurrently.
type Bot struct {
	engine      *engine.Engine
	settings    *settings.Overrides
	presence    *presence.Presence
	requests    *requests.Handler
	eraser      *erase.Eraser
	changes     *changes.Log
	days        *autonomy.Autonomy   // nil without Options.Background.Autonomy
	digest      *digest.Digest       // nil without Options.Background.Digest
	facts       *peoplefacts.Facts   // nil without Options.Background.Facts
	expressions *talking.Expressions // nil without Options.Background.Expressions
	delivery    *delivery.Delivery   // nil sends a reply as one message
	media       *media.Opener        // nil if nothing can open parts
	feedback    *reception.Recorder  // nil without Options.When.Feedback
	allOf       func([]persona.Account) []persona.Account
	eraseHost   func(ctx context.Context, who persona.Account, chat persona.Chat) error // Options.Hooks.Erase
}

// New returns a Bot. It starts no goroutine; [Bot.Run] does. If Redact or Limits.Calls of Options.Tools.Registry are
// zero, New sets them, from Options.Access.Redact and Options.Reply.Turn.MaxCalls.
func New(o Options) (*Bot, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &Bot{allOf: o.Access.allOf, eraseHost: o.Hooks.Erase}
	var err error
	var tracker *feedback.Tracker[persona.Chat]
	if o.When.Feedback != nil {
		if tracker, err = feedback.New[persona.Chat](*o.When.Feedback); err != nil {
			return nil, err
		}
		o.When.Attention.Welcome = tracker.WelcomeIn
	}
	if b.settings, err = settings.New(o.settings(b)); err != nil {
		return nil, err
	}
	if b.engine, err = engine.New(o.engine(b)); err != nil {
		return nil, err
	}
	b.settings.Attach(b.engine)
	b.changes = changes.New(b.engine)
	if tracker != nil {
		b.feedback = reception.New(b.engine, tracker)
	}
	parts, err := b.parts(o)
	b.engine.Register(parts...)
	return b, err
}

// parts creates the capabilities that the options ask for, and lists them in the order in which the engine calls
// them. Erasure also covers the data of capabilities that are off.
func (b *Bot) parts(o Options) (parts []engine.Part, err error) {
	e := b.engine
	add := func(on bool, p func() engine.Part) {
		if on {
			parts = append(parts, p())
		}
	}
	if o.Background.Autonomy != nil {
		if b.days, err = autonomy.New(e, o.days(b)); err != nil {
			return nil, err
		}
	}
	messaging := notices.Off(e)
	if o.privateNotices() {
		m := notices.New(e, notices.Options{
			Quiet:  func(chat persona.Chat) time.Time { return b.presence.Quiet(chat).Until },
			OnSent: func(ctx context.Context, text, id string) { b.requests.NoteSent(ctx, text, id) },
		})
		e.Options.Messenger = m
		messaging = m.Part()
	}
	reporting := reports.Off(e)
	if o.Tools.Builtin != nil {
		r, err := reports.New(e, reports.Options(*o.Tools.Builtin))
		if err != nil {
			return nil, err
		}
		reporting = r.Part()
	}
	var claim digest.ClaimFunc
	if o.Background.Facts != nil {
		b.facts = peoplefacts.New(e, peoplefacts.Options(*o.Background.Facts))
		claim = b.facts.Add
	}
	digesting := digest.Off(e)
	if o.Background.Digest != nil {
		b.digest = digest.New(e, digest.Options(*o.Background.Digest), claim)
		digesting = b.digest.Part()
	}
	talk := talking.Off(e)
	if x := o.Background.Expressions; x != nil && !x.Off {
		b.expressions = talking.New(e, talking.Options{PerTurn: x.PerTurn, Every: x.Every, Weeks: x.Weeks, NoMeanings: x.NoMeanings})
		talk = b.expressions.Part()
	}
	if o.Reply.Speech != nil {
		b.delivery = delivery.New(e, o.delivery(b))
		e.Delivery = b.delivery
	}
	if b.media, err = o.opener(e); err != nil {
		return nil, err
	}
	b.presence = presence.New(e.Attention, e.Options.Store)
	b.requests = requests.New(e, requests.Options{
		Policy: requests.Policy(o.Access.Requests), Joins: o.Access.OnJoinRequest, IsMember: b.presence.IsMember, People: o.Background.Digest != nil, NewCode: o.Access.newCode,
	})
	b.eraser = erase.New(e, func(ctx context.Context, s engine.Scope) error { return autonomy.ForgetOwn(ctx, e, b.days, s) })

	excusing, modelState := excuses.Off(e), (func(english bool) string)(nil)
	if o.Reply.Excuses != nil {
		x := excuses.New(e, excuses.Options(*o.Reply.Excuses))
		excusing, modelState = x.Part(), x.State
	}
	feedback := reception.Off(e)
	commands := presence.CommandOptions{ForgetPerson: b.ErasePerson, Stats: func() engine.Stats { return engine.Stats(b.Stats()) }, Links: b.LinkHealth, ModelState: modelState, Changed: b.noteCommand}
	if b.feedback != nil {
		feedback, commands.ResetFeedback, commands.Welcome = b.feedback.Part(), b.feedback.Reset, b.feedback.Welcome
	}
	parts = append(parts, b.changes.Part(), b.settings.Part(), feedback, autonomy.Erasure(e, b.days), b.presence.Part(e, o.Access.Commands), presence.Budget(e))
	add(o.Access.Commands, presence.NewCommands(e, b.presence, commands).Part)
	parts = append(parts, b.requests.Part(), reporting, messaging, excusing)
	notes := o.Tools.Builtin != nil && o.Tools.Builtin.Notes
	add(notes || o.Background.Autonomy != nil, func() engine.Part { return autonomy.Notes(e, notes) })
	parts = append(parts, digesting)
	add(b.facts != nil, func() engine.Part { return b.facts.Part() })
	parts = append(parts, talk)
	add(o.Storage.Quota != (memory.Quota{}) && (o.Background.Digest == nil || o.Background.Digest.NoDream), func() engine.Part { return digest.Quota(e) })
	add(b.days != nil, b.days.Part)
	add(b.media != nil, b.media.Part)
	if o.When.HFC != nil {
		cycle := focus.New(e, o.Reply.Strategy == ThinkPlanReply)
		e.Focus = cycle
		parts = append(parts, cycle.Part())
	}
	return parts, nil
}

// Run runs the bot until ctx ends, and returns nil then. It returns after all goroutines that it started have ended.
// Call it once for each Bot. It adds the tools of the link and the built-in tools to Options.Tools.Registry, and
// removes them at the end.
func (b *Bot) Run(ctx context.Context) error {
	return b.engine.Run(ctx)
}

// Traces returns the last decisions about a chat, newest last.
func (b *Bot) Traces(chat persona.Chat) []heartflow.Trace {
	return b.engine.Traces(chat)
}

// OwnerMessage runs a turn in agent mode: text is the owner's own words, and the model has every tool and the owner's
// memory. Only code can call it. Call it from a terminal or an interface that you trust; no message in a chat can
// reach it. It waits until [Bot.Run] has started. Turns of the owner run one after the other, and preempt background
// turns. If text is a command ([persona.ParseOwnerCommand]), the bot runs it and answers without a model.
func (b *Bot) OwnerMessage(ctx context.Context, text string, attached ...Attachment) (reply string, err error) {
	if kind, arg, ok := persona.ParseOwnerCommand(text); ok && len(attached) == 0 {
		return b.runOwnerCommand(ctx, text, kind, arg)
	}
	return b.engine.OwnerTurn(ctx, text, attachments(attached), nil)
}

// An Attachment is material that the owner hands over with a message and that others may have written: a file, a
// page, a quotation. The model sees it as data. The turn is untrusted from its start: see docs/SECURITY.md. Text that
// the owner pastes into the message itself counts as the owner's.
type Attachment struct {
	Name string
	Text string // Name and Text together have up to 4,000 characters; the rest is cut
}

func attachments(all []Attachment) []engine.Attachment {
	to := make([]engine.Attachment, len(all))
	for i, a := range all {
		to[i] = engine.Attachment(a)
	}
	return to
}

// StreamOwnerMessage is [Bot.OwnerMessage] with a streamed answer. It calls deliver with each <item> of the answer as
// soon as the item is complete, and with each stretch of other text when the model is done. Calls of deliver do not
// overlap and end before StreamOwnerMessage returns. The model does not wait for them. An error of deliver ends the
// answer and is returned. Each item is committed before its delivery, so no item is delivered again after a crash.
// The caveats of Speech.Stream apply.
func (b *Bot) StreamOwnerMessage(ctx context.Context, text string, deliver func(ctx context.Context, item string) error, attached ...Attachment) error {
	if kind, arg, ok := persona.ParseOwnerCommand(text); ok && len(attached) == 0 {
		reply, err := b.runOwnerCommand(ctx, text, kind, arg)
		if err != nil {
			return err
		}
		return deliver(ctx, reply)
	}
	_, err := b.engine.OwnerTurn(ctx, text, attachments(attached), deliver)
	return err
}

// AnswerRequest approves or rejects a request that was left to the host: one for the owner to decide, or one to join
// a group. The platform shows reason to the requester if it can. Each request is answered at most once by this call
// or by the bot. A second answer returns [ErrAnswered]. After an error that matches [ErrUnclear] the request may have
// been answered. After any other error the call may be repeated. It waits until [Bot.Run] has started.
func (b *Bot) AnswerRequest(ctx context.Context, r persona.Request, approve bool, reason string) error {
	err := b.requests.Answer(ctx, r, approve, reason)
	if err == nil || errors.Is(err, ErrUnclear) {
		is := prompt.Reject.String()
		if approve {
			is = prompt.Approve.String()
		}
		if err != nil {
			is += ", unclear"
		}
		b.note(ctx, Change{Chat: persona.Chat{Platform: r.From.Platform, Kind: persona.Private, ID: r.From.ID}, Field: "request", Subject: r.Kind, New: is})
	}
	return err
}

// ErasePerson erases a person in all chats: their messages, their private chat, and all data derived from them or about them, as
// memory.Memory.ErasePerson does. It also removes their messages from the buffers and cancels the turn that would answer them. It
// clears their jobs and counts. It clears the cached texts of the bot's latest messages, because they may quote the person. With
// Options.Access.SamePerson it erases all accounts of the person. The bot's own messages in groups remain in the history of these
// groups, and so do messages of other people. It returns the number of erased records. progress is called after each space; it may
// be nil.
//
// If the store is a memory.Scrubber, no erased byte remains in its files. When the platform's history later returns
// an erased message, the bot ignores it: it stores a hash of the account and the time of the erasure. New messages of
// the person are handled as usual. In groups where the person has spoken, the bot no longer knows the number of its
// recent messages, nor whether it is muted.
//
// ErasePerson waits until [Bot.Run] has started, and for running turns. After a crash the next start completes the
// erasure. An error that matches memory.ErrCannotDelete means that an index cannot delete, and that everything else
// is erased.
func (b *Bot) ErasePerson(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error) {
	for _, one := range b.allOf([]persona.Account{who}) {
		hostErr := b.eraseOfHost(ctx, one, persona.Chat{})
		n, failed := b.eraser.Person(ctx, one, progress)
		records, err = records+n, errors.Join(err, failed, hostErr)
	}
	return records, err
}

// PreviewErasePerson returns what [Bot.ErasePerson] would change in memory now, and changes nothing. Timers and tasks are not in it; see
// [Bot.Agenda]. Show it to the owner only. It waits until [Bot.Run] has started.
func (b *Bot) PreviewErasePerson(ctx context.Context, who persona.Account) (memory.Changes, error) {
	return b.eraser.Preview(ctx, b.SamePerson(who)...)
}

// SamePerson returns an account and the other accounts of the same person in Options.Access.SamePerson.
func (b *Bot) SamePerson(who persona.Account) []persona.Account {
	return b.allOf([]persona.Account{who})
}

// EraseChat erases a chat: its messages, and all data derived from them. See [Bot.ErasePerson] for the details.
func (b *Bot) EraseChat(ctx context.Context, chat persona.Chat, progress func(done, total int)) (records int, err error) {
	hostErr := b.eraseOfHost(ctx, persona.Account{}, chat)
	records, err = b.eraser.Chat(ctx, chat, progress)
	return records, errors.Join(err, hostErr)
}

// eraseOfHost calls Options.Hooks.Erase. It comes before the bot's own data: if the process ends in between, the caller does not
// believe that anything was erased.
func (b *Bot) eraseOfHost(ctx context.Context, who persona.Account, chat persona.Chat) error {
	if b.eraseHost == nil || who == (persona.Account{}) && chat == (persona.Chat{}) {
		return nil
	}
	return b.eraseHost(ctx, who, chat)
}

// A DocumentHistory is one of the bot's documents with its stored versions.
type DocumentHistory struct {
	Name     string          // "character_state" or "history_tasks"
	Versions []patch.Version // newest first; the first one is the current text. Note is the ID of the turn that made it, "as it was given", or [DocumentRestored] with a number
}

// DocumentRestored begins the note of a version that [Bot.RestoreDocument] made. The number of the old version follows.
const DocumentRestored = autonomy.RestoredNote

// Documents returns the bot's documents with their versions, for the owner only. The list is empty without
// Options.Background.Autonomy.
func (b *Bot) Documents(ctx context.Context) ([]DocumentHistory, error) {
	if b.days == nil {
		return nil, nil
	}
	all, err := autonomy.Histories(ctx, b.days)
	list := make([]DocumentHistory, len(all))
	for i, d := range all {
		list[i] = DocumentHistory(d)
	}
	return list, err
}

// RestoreDocument makes an older version the text of a document again. That is a new version, so it can be undone in the same way. If
// the version is not stored, the error matches [patch.ErrNoVersion]. It is for the owner only.
func (b *Bot) RestoreDocument(ctx context.Context, name string, version int) error {
	if b.days == nil {
		return ErrNoAutonomy
	}
	return autonomy.RestoreDocument(ctx, b.days, name, version)
}

// ErrNoAutonomy is returned by methods that need Options.Background.Autonomy.
var ErrNoAutonomy = errors.New("social: Options.Background.Autonomy is nil")

// SetHeartbeat sets how often the bot runs a task: at most one in the interval, 1 s to 1 h; 0 keeps the interval. If off
// is true, the bot runs no tasks and does not plan ahead. Timers, replies and reviews go on. Tasks that become due
// meanwhile are late or outdated when it is on again. The setting is stored and replaces Planner.TaskInterval of
// [Autonomy] after a restart. It waits until [Bot.Run] has started. The owner can change the setting with the tool
// set_heartbeat.
func (b *Bot) SetHeartbeat(ctx context.Context, interval time.Duration, off bool) error {
	if b.days == nil {
		return ErrNoAutonomy
	}
	return b.days.SetHeartbeat(ctx, interval, off)
}

// Heartbeat returns the setting of [Bot.SetHeartbeat]. Without Options.Background.Autonomy it is off.
func (b *Bot) Heartbeat() (interval time.Duration, off bool) {
	if b.days == nil {
		return 0, true
	}
	return b.days.Heartbeat()
}

// AddTask plans a task with its Priority and with the rights of its Origin, and returns it with its ID. It waits until
// [Bot.Run] has started. See [schedule.Tasks.Add].
func (b *Bot) AddTask(ctx context.Context, t schedule.Task) (schedule.Task, error) {
	if b.days == nil {
		return t, ErrNoAutonomy
	}
	return b.days.AddTask(ctx, t)
}

// Sessions returns the archived conversations and background turns, oldest first, at most 200. They are for the owner
// only: the texts may come from any chat. The list is empty without Options.Background.Autonomy.
func (b *Bot) Sessions(ctx context.Context) ([]Session, error) {
	if b.days == nil {
		return nil, nil
	}
	all, err := b.days.Sessions(ctx)
	list := make([]Session, len(all))
	for i, s := range all {
		list[i] = Session(s)
	}
	return list, err
}

// AppOpened reports that the owner has opened the host's app. The owner counts as present in every chat until closed
// is called.
func (b *Bot) AppOpened() (closed func()) {
	return b.engine.AppOpened()
}

// SetSocialMode loads or unloads the tools of the link, such as the plugin social_adapter of nit/qq. After they are
// unloaded no turn knows them, not even a running one. The choice outlives a restart, but
// Options.Tools.NoSocialMode has precedence at the start. It waits until [Bot.Run] has started.
func (b *Bot) SetSocialMode(ctx context.Context, on bool) error {
	err := engine.SetSocialMode(ctx, b.engine, on)
	if err == nil {
		b.note(ctx, Change{Field: "social_mode", New: onOff(on)})
	}
	return err
}

// ErrNoFeedback is returned by [Bot.ResetFeedback] without Options.When.Feedback.
var ErrNoFeedback = errors.New("social: Options.When.Feedback is nil")

// ResetFeedback forgets how welcome the bot is in a chat and to the people there. It waits until [Bot.Run] has started.
func (b *Bot) ResetFeedback(ctx context.Context, chat persona.Chat) error {
	if b.feedback == nil {
		return ErrNoFeedback
	}
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	return b.feedback.Reset(ctx, chat)
}

// Usage returns the usage of all model calls since New by purpose. Its sum is that of Stats.ModelCalls and Stats.Tokens; failed
// attempts of a chain count as calls here only.
func (b *Bot) Usage() map[models.Purpose]models.Usage { return b.engine.Models.Usage() }

// CacheShare returns the share of all prompt tokens since New, from 0 to 1, that providers read from their caches. If they
// report none, it is the share that they could read: the start of one of the last eight requests about the chat, in blocks of
// 512 bytes.
func (b *Bot) CacheShare() (share float64, reported bool) { return b.engine.CacheShare() }

// Stats returns the counters since New, for any metrics library.
func (b *Bot) Stats() Stats {
	s := Stats(b.engine.Stats())
	if b.days != nil {
		s.AutonomousRuns = b.days.Wakes()
	}
	s.Requests, s.RequestsApproved, s.RequestsRejected, s.RequestsEscalated = b.requests.Counts()
	if b.delivery != nil {
		s.Truncated = b.delivery.Cuts()
	}
	if b.media != nil {
		s.Opened = b.media.Counts()
	}
	return s
}
