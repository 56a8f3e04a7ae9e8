package social

import (
	"context"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/autonomy"
	"github.com/hearth-bot/hearth/persona/social/internal/delivery"
	"github.com/hearth-bot/hearth/persona/social/internal/digest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/erase"
	"github.com/hearth-bot/hearth/persona/social/internal/focus"
	"github.com/hearth-bot/hearth/persona/social/internal/presence"
	"github.com/hearth-bot/hearth/persona/social/internal/reports"
	"github.com/hearth-bot/hearth/persona/social/internal/requests"
	"github.com/hearth-bot/hearth/persona/social/internal/vision"
)

// A Bot hears through a [Link], remembers, decides when to speak, and speaks. It puts the packages of the library
// together and has no rule of its own. All methods may be called concurrently.
type Bot struct {
	engine   *engine.Engine
	presence *presence.Presence
	requests *requests.Handler
	eraser   *erase.Eraser
	days     *autonomy.Autonomy // nil: none
	digest   *digest.Digest     // nil: none
	delivery *delivery.Delivery // nil: a reply is one message
	vision   *vision.Vision     // nil: no picture is looked at
}

// New puts a being together. It starts nothing: [Bot.Run] does.
func New(o Options) (*Bot, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &Bot{}
	var err error
	if b.engine, err = engine.New(o.engine(b)); err != nil {
		return nil, err
	}
	parts, err := b.parts(o)
	b.engine.Register(parts...)
	return b, err
}

// parts makes what the being can do beyond hearing and answering, and lists it in the order in which the engine calls it.
// A capability that is off is not made; what it kept is still erased.
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
	tell := reports.Off(e)
	if o.Tools.Builtin != nil {
		r, err := reports.New(e, reports.Options(*o.Tools.Builtin))
		if err != nil {
			return nil, err
		}
		tell = r.Part()
	}
	made := digest.Off(e)
	if o.Background.Digest != nil {
		b.digest = digest.New(e, digest.Options(*o.Background.Digest))
		made = b.digest.Part()
	}
	if o.Reply.Speech != nil {
		b.delivery = delivery.New(e, o.delivery(b))
		e.Delivery = b.delivery
	}
	if b.vision, err = o.vision(e); err != nil {
		return nil, err
	}
	b.presence = presence.New(e.Attention, e.Options.Store)
	b.requests = requests.New(e, requests.Options{
		Policy: requests.Policy(o.Access.Requests), Joins: o.Access.OnJoinRequest, IsMember: b.presence.IsMember, People: o.Background.Digest != nil,
	})
	b.eraser = erase.New(e, func(ctx context.Context, s engine.Scope) error { return autonomy.ForgetOwn(ctx, e, b.days, s) })

	parts = append(parts, autonomy.Erasure(e, b.days), b.presence.Part(e, o.Access.Commands))
	add(o.Access.Commands, presence.NewCommands(e, b.presence, presence.CommandOptions{
		ForgetPerson: b.ErasePerson, Stats: func() engine.Stats { return engine.Stats(b.Stats()) },
	}).Part)
	parts = append(parts, b.requests.Part(), tell)
	notes := o.Tools.Builtin != nil && o.Tools.Builtin.Notes
	add(notes || o.Background.Autonomy != nil, func() engine.Part { return autonomy.Notes(e, notes) })
	parts = append(parts, made)
	add(o.Storage.Quota != (memory.Quota{}) && (o.Background.Digest == nil || o.Background.Digest.NoDream), func() engine.Part { return digest.Quota(e) })
	add(b.days != nil, b.days.Part)
	add(b.vision != nil, b.vision.Part)
	if o.When.HFC != nil {
		cycle := focus.New(e, o.Reply.Strategy == ThinkPlanReply)
		e.Focus = cycle
		parts = append(parts, cycle.Part())
	}
	return parts, nil
}

// Run lives until ctx ends, and returns nil then. It returns after everything that it started has ended. A being runs
// once.
func (b *Bot) Run(ctx context.Context) error {
	return b.engine.Run(ctx)
}

// Traces gives the last decisions of a chat, newest last.
func (b *Bot) Traces(chat persona.Chat) []heartflow.Trace {
	return b.engine.Why(chat)
}

// OwnerMessage is a turn in agent mode: the owner's own words, with every tool and the owner's memory. Only code can call it,
// so put it behind a terminal or an interface that you trust; nothing that people write in a chat leads here. It waits
// until [Bot.Run] has begun. Turns of the owner run one after the other; what the being thinks in the background gives way
// to them. A text that is a command ([persona.ParseOwnerCommand]) is carried out and answered without a model.
func (b *Bot) OwnerMessage(ctx context.Context, text string, attached ...Attachment) (reply string, err error) {
	if kind, arg, ok := persona.ParseOwnerCommand(text); ok && len(attached) == 0 {
		return b.obey(ctx, kind, arg)
	}
	return b.engine.Owner(ctx, text, attachments(attached), nil)
}

// An Attachment is what the owner hands over with their own words, and what others may have written: a file, a page, a
// quotation. It is shown as data, and the turn is untrusted from its beginning: see docs/SECURITY.md. What the owner pastes
// into their own words counts as theirs.
type Attachment struct {
	Name string
	Text string // with Name no more than 4 000 characters; the rest is cut
}

func attachments(all []Attachment) []engine.Attachment {
	to := make([]engine.Attachment, len(all))
	for i, a := range all {
		to[i] = engine.Attachment(a)
	}
	return to
}

// StreamOwnerMessage is [Bot.OwnerMessage] for an answer that is heard while it is written: deliver is given each <item> of it as soon as it
// is complete, and all other text, one item for each stretch, when the model is done. It is called from one goroutine
// at a time and never after Talk has returned; the model need not wait for it. Its error ends the answer, and is Talk's.
// Each item is written down before it is delivered: after a crash none is delivered again. The model is asked for a
// stream: what Speech.Stream says of that holds here.
func (b *Bot) StreamOwnerMessage(ctx context.Context, text string, deliver func(ctx context.Context, item string) error, attached ...Attachment) error {
	if kind, arg, ok := persona.ParseOwnerCommand(text); ok && len(attached) == 0 {
		reply, err := b.obey(ctx, kind, arg)
		if err != nil {
			return err
		}
		return deliver(ctx, reply)
	}
	_, err := b.engine.Owner(ctx, text, attachments(attached), deliver)
	return err
}

// AnswerRequest answers a request for the host: one that was left to the owner, or of somebody who wants into a group. Reason is
// told to them where the platform has that. Whoever else answers it, through here or by judging, it is answered at most
// once; [ErrAnswered] says that it was. An error that matches [ErrUnclear] may have been an answer, too; after any other
// it may be tried again. It waits until [Bot.Run] has begun.
func (b *Bot) AnswerRequest(ctx context.Context, r persona.Request, approve bool, reason string) error {
	return b.requests.Answer(ctx, r, approve, reason)
}

// ErasePerson forgets somebody everywhere: what they said in every chat, the private chat with them as a whole, and all
// that was made of it or is known of them, as memory's ForgetPerson does; what waits in buffers, the turn in flight that
// would answer them, errands, what was counted of them, and what is remembered of what the being itself said of late, as
// that may quote them. Its own messages in groups stay in the history of those groups, as those of others do. It says how
// many records went. Progress is told after each space; nil: nobody.
//
// With a store that is a memory.Scrubber no byte of it is left in the files. What the platform's history brings of it
// later is not heard: it is kept, by digest, until when they are forgotten. What they say from now on is heard anew.
// In groups where they have spoken the being no longer knows how often it spoke in the last minutes, and whether it is muted.
//
// It waits until [Bot.Run] has begun, and for the turns that are under way. Killed in the middle, it is finished at the
// next start. An error that matches memory.ErrCannotForget means that everything else went.
func (b *Bot) ErasePerson(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error) {
	return b.eraser.Person(ctx, who, progress)
}

// EraseChat forgets a chat: all that was said there and is known of it, likewise.
func (b *Bot) EraseChat(ctx context.Context, chat persona.Chat, progress func(done, total int)) (records int, err error) {
	return b.eraser.Chat(ctx, chat, progress)
}

// Agenda tells it, for the owner's eyes: the texts may come from any chat. It is empty without Options.Background.Autonomy.
func (b *Bot) Agenda(ctx context.Context) (Agenda, error) {
	if b.days == nil {
		return Agenda{}, nil
	}
	a, err := b.days.Agenda(ctx)
	return Agenda(a), err
}

// AppOpened notes that a window of the owner's is connected: the owner counts as present in every chat until closed is
// called.
func (b *Bot) AppOpened() (closed func()) {
	return b.engine.AppOpened()
}

// Stats gives the counters, for any metrics library.
func (b *Bot) Stats() Stats {
	s := Stats(b.engine.Stats())
	if b.days != nil {
		s.AutonomousRuns = b.days.Wakes()
	}
	s.Requests, s.RequestsApproved, s.RequestsRejected, s.RequestsEscalated = b.requests.Counts()
	if b.delivery != nil {
		s.Truncated = b.delivery.Cuts()
	}
	if b.vision != nil {
		s.Pictures, s.PicturesFailed = b.vision.Counts()
	}
	return s
}
