package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
)

// due lets happen what is due in attention. What it wants done goes the way of messages: through the buffer, so that a
// chat is dealt with by one at a time.
func (b *Engine) due(now time.Time) {
	if b.Flow == nil {
		b.simple.Due(now)
		return
	}
	for _, e := range b.Flow.Due(now) {
		switch e.Kind {
		case hfc.TurnWanted:
			b.gather.Summon(e.Chat, Incoming{Wanted: e.Why})
		case hfc.Judged:
			select {
			case b.questions <- e:
			default: // it expires, which is a no
				b.Log.Warn("too many questions wait for a judge", "chat", e.Chat)
			}
		}
	}
}

// rested waits until the cycle of a chat has rested, so that a batch that came meanwhile is judged, and not passed over.
func (b *Engine) rested(ctx context.Context, chat persona.Chat) error {
	if b.Flow == nil {
		return nil
	}
	rest := b.Flow.Rests(time.Now(), chat)
	if rest == 0 {
		return nil
	}
	wait := time.NewTimer(rest)
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return buffer.ErrAgain
	}
}

// focused reports that the turn is one of the steps of a cycle.
func (t *Turn) focused() bool {
	flow := t.Engine.Flow
	return flow != nil && flow.ChatState(time.Now(), t.Chat.ID) == hfc.Focused
}

var errNoSticker = errors.New("social: there is no sticker like that")

// steps does what the cycle of the chat wants, until it comes to words, which close says and then answers for.
func (t *Turn) steps(ctx context.Context) (Answer, error) {
	flow, chat := t.Engine.Flow, t.Chat.ID
	three := t.Engine.Options.Strategy == ThinkPlanReply
	var m Mind
	for _, r := range flow.Records(chat) {
		m.Deeds = append(m.Deeds, persona.Deed{Did: string(r.Plan.Action), Why: r.Plan.Reasoning})
	}
	m.Deeds = m.Deeds[max(0, len(m.Deeds)-deedsKept):]
	unseen := len(t.Items)
	var w Answer // of the single call
	for {
		ask, ok := flow.Step(time.Now(), chat)
		if !ok {
			return Answer{}, nil
		}
		m.Thought, m.Allowed = ask.Thought, t.Engine.possible(ctx, ask.Allowed...)
		var did hfc.CycleAnswer
		switch {
		case ask.Kind == hfc.Act && ask.Anew:
			did.Err = errors.New("social: it may have been said before the restart")
		case ask.Kind == hfc.Act:
			t.wanted = ask.ID
			if three {
				w, err := t.write(ctx, m, ask.Plan)
				switch {
				case ask.Plan.Action == hfc.TextReply: // whether it keeps its sticker is drawn already
					w.Feeling, w.Planned = ask.Plan.EmojiQuery, true
				case err == nil && w.Image == "":
					t.acted(errNoSticker)
				}
				return w, err
			}
			return w, nil
		case ask.Kind == hfc.Think:
			unseen = max(unseen, ask.New)
			if three {
				did.Thought, did.Err = t.thought(ctx, m)
			}
		case three:
			did.Plan, did.Err = t.plan(ctx, m)
		default:
			w, did.Plan, did.Err = t.decide(ctx, m, unseen)
		}
		failed := did.Err
		did.Err = t.why(failed)
		t.answer(ask.ID, did)
		if failed != nil {
			return Answer{}, failed
		}
	}
}

// decide is the single call in place of a plan. No model is asked about nothing new, or for what may not be said.
func (t *Turn) decide(ctx context.Context, m Mind, unseen int) (Answer, hfc.Plan, error) {
	silence := hfc.Plan{Action: hfc.NoReply}
	if unseen == 0 || !slices.Contains(m.Allowed, hfc.TextReply) {
		return Answer{}, silence, nil
	}
	w, err := t.inOne(ctx)
	if err != nil || w.Text == "" && !t.HasSpoken() {
		return Answer{}, silence, err
	}
	return w, hfc.Plan{Action: hfc.TextReply}, nil
}

// acted tells the cycle what came of the words that it wanted.
func (t *Turn) acted(err error) {
	if t.wanted != 0 {
		t.answer(t.wanted, hfc.CycleAnswer{Err: t.why(err)})
		t.wanted = 0
	}
}

// why is the error as the cycle counts it: a turn that lost its ground has only not done its step.
func (t *Turn) why(err error) error {
	if t.Lost() != nil {
		return hfc.ErrWithdrawn
	}
	return err
}

// answer tells what became of a step, and has it looked at what is due next: an answer leaves no trace that would.
func (t *Turn) answer(id uint64, a hfc.CycleAnswer) {
	t.Engine.Flow.Answer(time.Now(), t.Chat.ID, id, a)
	t.Engine.Beat.Wake()
}

// judges answers whether to look at a chat: by a model where turns are made in three. Else it is a yes: the limits of the
// flow hold, and in the chat it is decided what to answer.
func (b *Engine) judges(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-b.questions:
			yes, err := b.consider(ctx, e)
			if err != nil {
				b.Log.Warn("whether to look at a chat could not be judged, which is a no", "chat", e.Chat, "err", err)
			}
			b.Flow.Decide(time.Now(), e.Chat, e.Question.ID, yes && err == nil)
			b.Beat.Wake()
		}
	}
}

func (b *Engine) consider(ctx context.Context, e hfc.Effect[persona.Chat]) (yes bool, err error) {
	q := e.Question
	if b.Options.Strategy == SingleCall {
		return true, nil
	}
	if b.Flow.Level(time.Now(), e.Chat) >= heartflow.LevelNoJudge {
		return false, nil
	}
	r, err := b.Chat(ctx, e.Chat)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithDeadline(ctx, q.Expires)
	defer stop()
	j := &Job{Chat: r, NoRow: true}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) {
		reply, err := t.Part(ctx, persona.Consider, Mind{})
		return Answer{Out: persona.Out{Text: reply.Text}}, err
	}
	j.Deliver = func(_ context.Context, _ *Turn, w *Answer, err error) (string, error) {
		if err == nil {
			yes, _, err = hfc.ParseDecision(w.Text)
		}
		return "", err
	}
	done, err := b.Do(ctx, j)
	return yes, errors.Join(done.Err, err)
}
