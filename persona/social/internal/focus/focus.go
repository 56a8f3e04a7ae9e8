// Package focus runs the cycle of Heart Flow Chat: in a focused chat the bot observes, thinks, plans and acts without
// being addressed. It also answers the question whether to look at another chat.
package focus

import (
	"context"
	"errors"
	"fmt"
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

// Focus drives an [hfc.Flow]. It implements [engine.Focus] for engines with Options.When.HFC.
type Focus struct {
	engine     *engine.Engine
	flow       *hfc.Flow[persona.Chat]
	nextStep   func(now time.Time, chat persona.Chat) (hfc.Step, bool) // the flow's NextStep; tests replace it
	threeCalls bool                                                    // thinking, planning and writing are separate model calls
	questions  chan hfc.Effect[persona.Chat]                           // for answerQuestions
}

// New returns a Focus for the engine's Flow. If three is true, thinking, planning and writing are three model calls.
func New(e *engine.Engine, three bool) *Focus {
	return &Focus{engine: e, flow: e.Flow, nextStep: e.Flow.NextStep, threeCalls: three, questions: make(chan hfc.Effect[persona.Chat], 64)}
}

// Part returns the callbacks for the engine.
func (f *Focus) Part() engine.Part { return engine.Part{Run: f.answerQuestions} }

// Due executes the due effects of the flow, and logs each change of a state. A wanted turn goes through the buffer like a message, so that one chat has
// one turn at a time.
func (f *Focus) Due(now time.Time) {
	for _, e := range f.flow.Due(now) {
		switch e.Kind {
		case hfc.AttentionChanged:
			engine.BeginTalk(f.engine, e.Change)
		case hfc.GlobalStateChanged:
			f.engine.Log.Info("the global state changed", "from", e.GlobalFrom.String(), "to", e.GlobalTo.String(), "why", e.Why)
		case hfc.ChatChanged:
			f.engine.Log.Info("the state of a chat changed", "chat", e.Chat, "from", e.From.String(), "to", e.To.String(), "why", e.Why)
		case hfc.TurnWanted:
			f.engine.Buffer.AddUrgent(e.Chat, engine.Incoming{TurnReason: e.Why})
		case hfc.QuestionAsked:
			select {
			case f.questions <- e:
			default: // an expired question counts as no
				f.engine.Log.Warn("too many unanswered questions", "chat", e.Chat)
			}
		}
	}
}

// AwaitPause waits until the pause of a chat's cycle is over. Without it a batch that arrives during the pause would be
// skipped instead of judged.
func (f *Focus) AwaitPause(ctx context.Context, chat persona.Chat) error {
	if rest := f.flow.RestTime(time.Now(), chat); rest > 0 && loop.Sleep(ctx, rest) != nil {
		return buffer.ErrRetry
	}
	return nil
}

// IsFocused reports whether a chat is focused.
func (f *Focus) IsFocused(chat persona.Chat) bool {
	return f.flow.ChatState(time.Now(), chat) == hfc.Focused
}

var (
	errNoSticker    = errors.New("social: no sticker matches the query")
	errTooManySteps = errors.New("social: the cycle needs too many steps")
)

// maxSteps limits the steps of one turn. A cycle has at most four: a thought, a second thought if messages arrived
// meanwhile, a plan, and an action. The next cycle may begin in the same turn if it is due already.
const maxSteps = 8

// Ask executes the steps of the chat's cycle until one returns text to send. Done reports the result of sending it. A
// turn that was cancelled takes no more steps: the flow would request each of them again at once.
func (f *Focus) Ask(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
	chat := t.Chat.ID
	var m engine.Reasoning
	for _, r := range f.flow.Records(chat) {
		m.Actions = append(m.Actions, prompt.Action{Name: string(r.Plan.Action), Reason: r.Plan.Reasoning})
	}
	m.Actions = m.Actions[max(0, len(m.Actions)-engine.MaxActions):]
	unseen := len(t.Items)
	var w engine.Answer // answer of the single call
	three, single := f.threeCalls && !t.Saves(), false
	thought := false // a thought of this turn is not kept yet
	for steps := 1; t.CancelCause() == nil; steps++ {
		step, ok := f.nextStep(time.Now(), chat)
		if !ok {
			return engine.Answer{}, nil
		}
		if steps > maxSteps {
			f.engine.Log.Warn("the cycle of a chat needs too many steps; it counts as no_reply", "chat", chat, "steps", maxSteps)
			f.finishStep(t, step.ID, hfc.StepResult{Err: errTooManySteps})
			return engine.Answer{}, nil
		}
		m.Thought, m.AllowedActions = step.Thought, engine.AvailableActions(ctx, t, step.Allowed...)
		if step.Kind == hfc.Think && !step.Rethink {
			m.Thought = "" // the last one of the chat, which may be from before the focus
		}
		if step.Kind == hfc.MakePlan && thought {
			t.KeepThought(ctx, step.Thought)
			thought = false
		}
		var result hfc.StepResult
		switch {
		case step.Kind == hfc.Act && step.Retried:
			result.Err = errors.New("social: the reply may have been sent before the restart")
		case step.Kind == hfc.Act:
			t.Step = step.ID
			if f.threeCalls && !single { // also a plan of an earlier turn
				w, err := t.Write(ctx, m, step.Plan)
				switch {
				case step.Plan.Action == hfc.TextReply: // the chance of the sticker was drawn by the plan
					w.StickerQuery, w.StickerPlanned = step.Plan.EmojiQuery, true
				case err == nil && w.IsEmpty():
					f.Done(t, errNoSticker)
				}
				return w, err
			}
			return w, nil
		case step.Kind == hfc.Think:
			unseen = max(unseen, step.NewMessages)
			if three {
				if result.Previous, result.Err = t.LastThought(ctx); result.Err == nil {
					result.Thought, result.Err = t.Think(ctx, m)
				}
				thought = result.Err == nil
			}
		case three:
			result.Plan, result.Err = t.Plan(ctx, m)
		default:
			single = true
			w, result.Plan, result.Err = f.singleCall(ctx, t, m, unseen)
		}
		failed := result.Err
		result.Err = f.cycleError(t, failed)
		f.finishStep(t, step.ID, result)
		if failed != nil {
			return engine.Answer{}, failed
		}
	}
	return engine.Answer{}, t.CancelCause()
}

// singleCall asks for a reply in one call instead of a plan. It returns silence without a call if there are no new
// messages or a reply is not allowed.
func (f *Focus) singleCall(ctx context.Context, t *engine.Turn, m engine.Reasoning, unseen int) (engine.Answer, hfc.Plan, error) {
	silence := hfc.Plan{Action: hfc.NoReply}
	if unseen == 0 || !slices.Contains(m.AllowedActions, hfc.TextReply) {
		return engine.Answer{}, silence, nil
	}
	w, err := t.AnswerInOneCall(ctx)
	if err != nil || w.Text == "" && !t.HasSpoken() {
		return engine.Answer{}, silence, err
	}
	return w, hfc.Plan{Action: hfc.TextReply}, nil
}

// Done reports to the cycle whether the text of a step was sent.
func (f *Focus) Done(t *engine.Turn, err error) {
	if t.Step != 0 {
		f.finishStep(t, t.Step, hfc.StepResult{Err: f.cycleError(t, err)})
		t.Step = 0
	}
}

// cycleError returns the error for the cycle. A step of a cancelled turn counts as withdrawn, not as failed.
func (f *Focus) cycleError(t *engine.Turn, err error) error {
	if t.CancelCause() != nil {
		return hfc.ErrWithdrawn
	}
	return err
}

// finishStep reports the result of a step and wakes the engine's loop, because the flow may have new effects.
func (f *Focus) finishStep(t *engine.Turn, id uint64, a hfc.StepResult) {
	f.flow.FinishStep(time.Now(), t.Chat.ID, id, a)
	f.engine.AttentionLoop.Wake()
}

// answerQuestions answers whether to take part in a chat or to focus on it.
func (f *Focus) answerQuestions(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-f.questions:
			yes, reason, err := f.judge(ctx, e)
			if err != nil {
				f.engine.Log.Warn("could not judge whether to look at a chat; it counts as no", "chat", e.Chat, "err", err)
			}
			yes = yes && err == nil
			if reason != "" {
				f.engine.Attention.LogPlan(time.Now(), e.Chat, map[bool]heartflow.Code{false: hfc.WhyJudgedOut, true: hfc.WhyJudgedIn}[yes], reason)
			}
			f.flow.AnswerQuestion(time.Now(), e.Chat, e.Question.ID, yes)
			f.engine.AttentionLoop.Wake()
		}
	}
}

// judge answers a question. A model answers whether to focus on a chat, because a focus costs many calls. It also answers
// whether to take part in one if a turn has three calls. With a single call in a turn, a rule without a model answers
// that: the model would otherwise be asked about a chat more often than it talks there.
func (f *Focus) judge(ctx context.Context, e hfc.Effect[persona.Chat]) (yes bool, reason string, err error) {
	if !f.threeCalls && e.Question.To == hfc.Chatting {
		return f.joins(e), "", nil
	}
	if f.flow.Level(time.Now(), e.Chat) >= heartflow.LevelNoJudge {
		return false, "", nil
	}
	return f.askModel(ctx, e)
}

// joins is the rule that judges whether to take part in a chat. The chance is a quarter for a chat without interest,
// grows with the interest to 1 where the chat may become focused, and is half of that without energy.
func (f *Focus) joins(e hfc.Effect[persona.Chat]) bool {
	q := e.Question
	chance := (.25 + .75*f.engine.Options.InterestShare(q.Interest)) * (.5 + .5*f.engine.Attention.Energy(e.At, e.Chat))
	return f.engine.Rand(fmt.Sprintf("join/%s/%d/%d", q.Chat, q.ID, q.Expires.UnixNano())).Float64() < chance
}

// askModel asks the model, with the waiting messages of the question as those to read.
func (f *Focus) askModel(ctx context.Context, e hfc.Effect[persona.Chat]) (yes bool, reason string, err error) {
	q, kind := e.Question, prompt.Consider
	if q.To == hfc.Focused {
		kind = prompt.ConsiderFocus
	}
	c, err := f.engine.Chat(ctx, e.Chat)
	if err != nil {
		return false, "", err
	}
	waiting, err := f.waiting(ctx, c, q)
	if err != nil {
		return false, "", err
	}
	ctx, stop := context.WithDeadline(ctx, q.Expires)
	defer stop()
	j := &engine.Job{Chat: c, Items: waiting, NoRow: true}
	j.Ask = func(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
		check := func(answer string) error {
			_, _, err := hfc.ParseDecision(answer, prompt.Texts(t.Shown)...)
			return err
		}
		reply, err := t.RunPrompt(ctx, kind, engine.Reasoning{Check: check})
		return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
	}
	j.Deliver = func(_ context.Context, t *engine.Turn, w *engine.Answer, err error) (string, error) {
		if err == nil {
			yes, reason, err = hfc.ParseDecision(w.Text, prompt.Texts(t.Shown)...)
		}
		return "", err
	}
	done, err := f.engine.Do(ctx, j)
	return yes, reason, errors.Join(done.Err, err)
}

// maxUnread is how many messages a question shows if none is waiting: in a chat that the bot takes part in, each batch is
// judged at once.
const maxUnread = 10

// waiting returns the messages of a question that are still stored, oldest first, or else the last ones by others.
func (f *Focus) waiting(ctx context.Context, c *engine.Chat, q hfc.Question) (ms []persona.Message, err error) {
	past, err := f.engine.Memory.Recent(ctx, c.Space, 4*maxUnread) // own messages are between them
	for _, rec := range past {
		if m := engine.MessageFromRecord(c, rec); !m.Own {
			ms = append(ms, m)
		}
	}
	isWaiting := func(m persona.Message) bool {
		return slices.ContainsFunc(q.Recent, func(n hfc.WaitingMessage) bool { return n.ID != "" && n.ID == m.ID })
	}
	if slices.ContainsFunc(ms, isWaiting) {
		return slices.DeleteFunc(ms, func(m persona.Message) bool { return !isWaiting(m) }), err
	}
	return ms[max(0, len(ms)-maxUnread):], err
}
