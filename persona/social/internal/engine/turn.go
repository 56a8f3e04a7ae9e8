package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

var (
	errSuperseded = errors.New("social: the author went on writing")
	errRecalled   = errors.New("social: the message was taken back")
	errForgotten  = fmt.Errorf("social: who said it is forgotten: %w", errRecalled)
)

// A turn is one job being done, from its claim to the last word.
type turn struct {
	*job
	being     *Being
	tools     *nit.View
	shown     []persona.Message // what the last model call could read
	made      []string          // what the notes and memories that it could read were made from
	cancel    context.CancelCauseFunc
	wanted    uint64                      // the step of a cycle that the words are for; 0: none
	began     time.Time                   // when it began to think: typing counts from there; zero: when it has its words
	inner     *nit.View                   // of a wake: the tool for its inner state; nil: it has none
	succeeded func(context.Context) error // of a wake: to be called when it went well

	outlet    *outlet    // says items while the model writes; nil: all is said when it has written
	utterance *utterance // what goes through the outlet
	told      []string   // items that the owner was given

	looked map[string][]persona.Picture // by message: what was seen of its pictures; nil: nobody has looked yet

	mu      sync.Mutex
	gone    error // why it may not act any more
	halt    error // why it may not go on, though it has begun to act
	acting  bool  // it has begun to act: nothing supersedes it
	durable bool  // and that is written down: nothing of it runs again
	spoke   bool  // something left for this session
	unclear bool  // something left, perhaps: settle ends the row
}

// handle deals with one batch: judge, think, speak. It is the buffer's handler: one batch at a time per chat.
func (b *Being) handle(ctx context.Context, batch buffer.Batch[persona.Chat, heard]) error {
	r, err := b.room(ctx, batch.Key)
	if err != nil {
		return err
	}
	if err := b.rested(ctx, r.chat); err != nil {
		return err
	}
	called := slices.ContainsFunc(batch.Items, func(m heard) bool { return m.called })
	j := &job{room: r, answers: true}
	j.ask = func(ctx context.Context, t *turn) (answer, error) { return t.reply(ctx) }
	j.deliver = func(ctx context.Context, t *turn, w *answer, err error) (string, error) { return t.close(ctx, *w, err) }
	j.enter = func(ctx context.Context) (func(), error) {
		if err := r.enter(ctx, called); err != nil {
			return nil, buffer.ErrAgain
		}
		return r.mind.unlock, nil
	}
	j.prepare = func(ctx context.Context) (bool, error) { return b.judge(ctx, j, batch) }
	j.after = func(ctx context.Context, done result) {
		b.dealt(r, done.spoke)
		if done.spoke {
			b.talked(ctx, r, len(j.items)+1)
		}
	}
	_, err = b.do(ctx, j)
	return err
}

// judge asks attention for the verdict on a batch, and completes the job with what is to be answered. It reports false where
// there is nothing to do any more.
func (b *Being) judge(ctx context.Context, j *job, batch buffer.Batch[persona.Chat, heard]) (run bool, err error) {
	r := j.room
	items := r.living(b, batch.Items)
	if j.verdict, j.Errand, run = b.verdict(r, batch, items); !run {
		return false, nil
	}
	if j.verdict.Do == heartflow.Silent {
		b.count.silent.Add(1)
		if len(items) == 0 {
			return false, nil
		}
		if reason := b.reportable(r, j.verdict, items); reason != "" {
			j.reportOn(items, reason)
			return true, nil
		}
		defer b.dealt(r, false)
		return false, b.errands.Pass(ctx, time.Now(), j.Errand)
	}
	called := false
	for _, m := range items {
		j.items = append(j.items, m.Message)
		j.report = cmp.Or(j.report, m.report)
		if m.called || !called {
			j.caller, called = m.Message, m.called
		}
	}
	return true, nil
}

// verdict is that of attention on a batch, with the row of the job that it would be. A batch without messages is a turn
// that attention wants by itself. ok is false where there is nothing to deal with.
func (b *Being) verdict(r *room, batch buffer.Batch[persona.Chat, heard], items []heard) (v heartflow.Verdict, e persona.Errand, ok bool) {
	now := time.Now()
	b.mood(now, r)
	if len(items) > 0 {
		last := items[len(items)-1].Message
		// When it was heard, not when it was said: cursors go by the order of arrival.
		return b.attention.JudgeTo(now, r.chat, messageID(last.Key)), persona.Errand{
			ID: "batch/" + r.chat.String() + "/" + last.Key, Kind: "batch", Chat: r.chat,
			At: batch.Last, Until: batch.Last.Add(b.opts.MaxAge), Last: last.Key,
		}, true
	}
	focused := b.flow != nil && b.flow.ChatState(now, r.chat) == hfc.Focused
	wanted := func(m heard) bool { return m.look != "" && (m.look != hfc.WhyFocused || focused) } // or it was, and is no more
	if i := slices.IndexFunc(batch.Items, wanted); i >= 0 {
		return b.attention.Begin(now, r.chat, batch.Items[i].look), persona.Errand{
			ID: "look/" + r.chat.String() + "/" + strconv.FormatInt(now.UnixNano(), 10), Kind: "look", Chat: r.chat,
			At: now, Until: now.Add(b.opts.MaxAge),
		}, true
	}
	return v, e, false
}

// whyNotWritten is the reason of a turn that was not begun because nothing could be written down.
const whyNotWritten heartflow.Code = "not_written"

// view is what who may see of the tools. What has an effect commits the turn first.
func (t *turn) view(who nit.Principal) *nit.View {
	return t.being.tools.View(who).Guarded(func(ctx context.Context, _ nit.Info) error {
		_, err := t.commit(ctx)
		return err
	})
}

// converse holds one model conversation about the scene. A nil view: the model is told of no tool.
func (t *turn) converse(ctx context.Context, now time.Time, scene persona.Scene, tools *nit.View) (persona.Reply, error) {
	b, o := t.being, t.being.opts.Turn
	model := b.model
	if scene.Part == persona.Whole || scene.Part == persona.Write { // what others write is not said
		model = t.outlet.before(model, t.hasSpoken)
	}
	conversation := persona.Turn{Model: model, MaxCalls: o.MaxCalls, Timeout: o.Timeout, Options: o.Options, Parts: b.eyes.parts(scene), Logger: b.log}
	if tools != nil {
		conversation.Toolbox = t.toolbox(tools)
	}
	if scene.Part.Background() { // it is never said
		conversation.Model, conversation.Timeout, conversation.Options = b.life.model, b.life.Timeout, b.life.Options
		ctx = context.WithValue(ctx, asideKey{}, t.room)
	}
	who := b.opts.Profile
	if b.opts.Scripts != nil {
		ctx = script.WithToken(ctx)
	}
	if ctx = withTurn(ctx, t); t.report != "" {
		ctx = self.WithReason(ctx, t.report)
	}
	return conversation.Run(ctx, who.System(scene), who.Context(now, scene)+who.Task(scene))
}

// reply answers a batch by the bot's strategy.
func (t *turn) reply(ctx context.Context) (answer, error) {
	t.being.count.asked.Add(1)
	t.began = time.Now()
	t.open(ctx)
	return t.think(ctx)
}

// close says the answer to a batch, unless the turn is lost, failed, or wants to be silent.
func (t *turn) close(ctx context.Context, w answer, err error) (outcome string, fail error) {
	b, chat := t.being, t.room.chat
	outcome = "spoke"
	begun, taken, cut := t.outlet.end(err != nil || t.lost() != nil)
	defer func() { t.acted(cmp.Or(t.lost(), fail)) }()
	switch {
	case t.lost() != nil:
	case err != nil && ctx.Err() == nil:
		b.count.modelFailed.Add(1)
		b.log.Error("the turn failed", "chat", chat, "err", err)
		b.attention.Skip(time.Now(), chat, heartflow.WhyModelError)
		outcome = "error: " + err.Error()
	case err != nil:
	case t.hasSpoken() && begun == 0 && cut == nil:
		outcome = "spoke by tool"
	case begun == 0 && cut == nil && t.silent(w):
		b.attention.Skip(time.Now(), chat, heartflow.WhyModelSilent)
		outcome = "silent"
	default:
		said := begun
		if err = cut; err == nil {
			u := t.words(w)
			if said, err = t.utter(ctx, u, taken); err == nil {
				err = t.adorn(ctx, u, w)
			}
		}
		switch {
		case err == nil:
			t.prod(ctx, w.poke)
		case said > 0:
			outcome, err = fmt.Sprintf("spoke in part (%d): %v", said, err), nil
		default:
			outcome = "unsent: " + err.Error()
			b.log.Warn("the reply was not sent", "chat", chat, "err", err)
		}
	}
	return outcome, err
}

// commit makes the errand's start durable before its first effect: from then on nothing of it runs again.
// The entries are what is said; first is the place of the first in the errand's outbox.
func (t *turn) commit(ctx context.Context, entries ...persona.Entry) (first int, err error) {
	if err := t.act(); err != nil {
		return 0, err
	}
	first, err = t.being.errands.Commit(ctx, time.Now(), t.ID, entries...)
	if err == nil {
		t.mu.Lock()
		t.durable = true
		t.mu.Unlock()
	}
	return first, err
}

func (t *turn) isDurable() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.durable
}

func (t *turn) hasSpoken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoke
}

type turnKey struct{}

func withTurn(ctx context.Context, t *turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

func turnFrom(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// afterwards is for what must be written down even when ctx has ended, within a bound.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
}
