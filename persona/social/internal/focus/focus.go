// Package focus runs Heart Flow Chat's cycle: in a chat that has the bot's full attention it observes, thinks, plans and acts
// by itself, and judges decide whether to look at another chat.
package focus

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Focus drives an [hfc.Flow]. It is the [engine.Focus] of an engine with Options.When.HFC.
type Focus struct {
	engine    *engine.Engine
	flow      *hfc.Flow[persona.Chat]
	step      func(now time.Time, chat persona.Chat) (hfc.Step, bool) // the flow's
	three     bool                                                    // the steps are calls of their own
	questions chan hfc.Effect[persona.Chat]                           // for judges
}

// New returns the Focus of an engine, whose Flow it drives. three: thinking, planning and writing are three calls.
func New(e *engine.Engine, three bool) *Focus {
	return &Focus{engine: e, flow: e.Flow, step: e.Flow.NextStep, three: three, questions: make(chan hfc.Effect[persona.Chat], 64)}
}

// Part is what the engine calls.
func (f *Focus) Part() engine.Part { return engine.Part{Run: f.judges} }

// Due lets happen what is due in attention. What it wants done goes the way of messages: through the buffer, so that a
// chat is dealt with by one at a time.
func (f *Focus) Due(now time.Time) {
	for _, e := range f.flow.Due(now) {
		switch e.Kind {
		case hfc.TurnWanted:
			f.engine.Buffer.AddUrgent(e.Chat, engine.Incoming{Wanted: e.Why})
		case hfc.QuestionAsked:
			select {
			case f.questions <- e:
			default: // it expires, which is a no
				f.engine.Log.Warn("too many questions wait for a judge", "chat", e.Chat)
			}
		}
	}
}

// Rest waits until the cycle of a chat has rested, so that a batch that came meanwhile is judged, and not passed over.
func (f *Focus) Rest(ctx context.Context, chat persona.Chat) error {
	if rest := f.flow.RestTime(time.Now(), chat); rest > 0 && loop.Sleep(ctx, rest) != nil {
		return buffer.ErrRetry
	}
	return nil
}

// On reports that a chat has the bot's full attention.
func (f *Focus) On(chat persona.Chat) bool { return f.flow.ChatState(time.Now(), chat) == hfc.Focused }

var (
	errNoSticker = errors.New("social: there is no sticker like that")
	errEndless   = errors.New("social: the cycle does not end")
)

// turnSteps bounds the steps of one turn. A cycle has four at most: a thought, another one where messages came meanwhile, a
// plan, and what it wants. The next cycle may begin in the same turn where its wait is over already.
const turnSteps = 8

// Ask does what the cycle of the chat wants, until it comes to words, which are said and then answered for by Done. A turn
// that lost its ground takes no step any more: each would be given back, and wanted anew at once.
func (f *Focus) Ask(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
	chat := t.Chat.ID
	var m engine.Mind
	for _, r := range f.flow.Records(chat) {
		m.Deeds = append(m.Deeds, prompt.Action{Name: string(r.Plan.Action), Reason: r.Plan.Reasoning})
	}
	m.Deeds = m.Deeds[max(0, len(m.Deeds)-engine.DeedsKept):]
	unseen := len(t.Items)
	var w engine.Answer // of the single call
	for steps := 1; t.Lost() == nil; steps++ {
		ask, ok := f.step(time.Now(), chat)
		if !ok {
			return engine.Answer{}, nil
		}
		if steps > turnSteps {
			f.engine.Log.Warn("the cycle of a chat does not end, which counts as no_reply", "chat", chat, "steps", turnSteps)
			f.answer(t, ask.ID, hfc.StepResult{Err: errEndless})
			return engine.Answer{}, nil
		}
		m.Thought, m.Allowed = ask.Thought, f.engine.Possible(ctx, ask.Allowed...)
		var did hfc.StepResult
		switch {
		case ask.Kind == hfc.Act && ask.Retried:
			did.Err = errors.New("social: it may have been said before the restart")
		case ask.Kind == hfc.Act:
			t.Step = ask.ID
			if f.three {
				w, err := t.Write(ctx, m, ask.Plan)
				switch {
				case ask.Plan.Action == hfc.TextReply: // whether it keeps its sticker is drawn already
					w.Feeling, w.Planned = ask.Plan.EmojiQuery, true
				case err == nil && w.Image == "":
					f.Done(t, errNoSticker)
				}
				return w, err
			}
			return w, nil
		case ask.Kind == hfc.Think:
			unseen = max(unseen, ask.NewMessages)
			if f.three {
				did.Thought, did.Err = t.Think(ctx, m)
			}
		case f.three:
			did.Plan, did.Err = t.Plan(ctx, m)
		default:
			w, did.Plan, did.Err = f.decide(ctx, t, m, unseen)
		}
		failed := did.Err
		did.Err = f.why(t, failed)
		f.answer(t, ask.ID, did)
		if failed != nil {
			return engine.Answer{}, failed
		}
	}
	return engine.Answer{}, t.Lost()
}

// decide is the single call in place of a plan. No model is asked about nothing new, or for what may not be said.
func (f *Focus) decide(ctx context.Context, t *engine.Turn, m engine.Mind, unseen int) (engine.Answer, hfc.Plan, error) {
	silence := hfc.Plan{Action: hfc.NoReply}
	if unseen == 0 || !slices.Contains(m.Allowed, hfc.TextReply) {
		return engine.Answer{}, silence, nil
	}
	w, err := t.AnswerAtOnce(ctx)
	if err != nil || w.Text == "" && !t.HasSpoken() {
		return engine.Answer{}, silence, err
	}
	return w, hfc.Plan{Action: hfc.TextReply}, nil
}

// Done tells the cycle what came of the words that it wanted.
func (f *Focus) Done(t *engine.Turn, err error) {
	if t.Step != 0 {
		f.answer(t, t.Step, hfc.StepResult{Err: f.why(t, err)})
		t.Step = 0
	}
}

// why is the error as the cycle counts it: a turn that lost its ground has only not done its step.
func (f *Focus) why(t *engine.Turn, err error) error {
	if t.Lost() != nil {
		return hfc.ErrWithdrawn
	}
	return err
}

// answer tells what became of a step, and has it looked at what is due next: an answer leaves no trace that would.
func (f *Focus) answer(t *engine.Turn, id uint64, a hfc.StepResult) {
	f.flow.FinishStep(time.Now(), t.Chat.ID, id, a)
	f.engine.Beat.Wake()
}

// judges answers whether to look at a chat: by a model where turns are made in three. Else it is a yes: the limits of the
// flow hold, and in the chat it is decided what to answer.
func (f *Focus) judges(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-f.questions:
			yes, err := f.consider(ctx, e)
			if err != nil {
				f.engine.Log.Warn("whether to look at a chat could not be judged, which is a no", "chat", e.Chat, "err", err)
			}
			f.flow.AnswerQuestion(time.Now(), e.Chat, e.Question.ID, yes && err == nil)
			f.engine.Beat.Wake()
		}
	}
}

func (f *Focus) consider(ctx context.Context, e hfc.Effect[persona.Chat]) (yes bool, err error) {
	q := e.Question
	if !f.three {
		return true, nil
	}
	if f.flow.Level(time.Now(), e.Chat) >= heartflow.LevelNoJudge {
		return false, nil
	}
	r, err := f.engine.Chat(ctx, e.Chat)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithDeadline(ctx, q.Expires)
	defer stop()
	j := &engine.Job{Chat: r, NoRow: true}
	j.Ask = func(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
		reply, err := t.Part(ctx, prompt.Consider, engine.Mind{})
		return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
	}
	j.Deliver = func(_ context.Context, _ *engine.Turn, w *engine.Answer, err error) (string, error) {
		if err == nil {
			yes, _, err = hfc.ParseDecision(w.Text)
		}
		return "", err
	}
	done, err := f.engine.Do(ctx, j)
	return yes, errors.Join(done.Err, err)
}
