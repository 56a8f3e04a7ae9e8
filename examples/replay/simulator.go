package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/hearth-bot/hearth/memory"
)

const (
	modelDelay      = 3 * time.Second // from a verdict to the reply
	contextMessages = 50              // messages of history in a prompt
	replyText       = "…"             // a placeholder
	maxMessageAge   = 2 * time.Minute // an older message is stored but not judged
)

// A simulator runs a bot's buffer, attention and history on virtual time. It does in one loop, in order of time, what a live
// bot does in goroutines and with timers. The decisions are the same; see the tests.
type simulator struct {
	attention attention
	flow      *hfc.Flow[string] // attention as a Flow, or nil
	buffer    *buffer.Buffer[string, *input]
	history   *memory.Memory
	scheduled []scheduledTurn // earliest first
	last      map[string]*input
	replies   int
	now       time.Time
	lastJudge heartflow.Trace // trace of the last verdict
	onTurn    func(turn)      // gets each finished turn
}

// attention is an Attention or a Flow over one.
type attention interface {
	whentospeak.Decider
	State(now time.Time, chat string) heartflow.State
	JudgeUpTo(now time.Time, chat, last string) heartflow.Verdict
	BeginTurn(now time.Time, chat string, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat, text string, reasons ...heartflow.Code) error
	SkipTurn(now time.Time, chat string, why heartflow.Code)
	Retract(now time.Time, chat, id string)
	Mute(now time.Time, chat string, until time.Time)
	Unmute(now time.Time, chat string)
}

// A turn is the result of a batch, or of a turn that a Flow wanted.
type turn struct {
	Chat    string
	Batch   []*input  // messages; empty if the Flow wanted the turn
	Last    *input    // last message of the batch or of the chat
	At      time.Time // of the verdict
	Verdict heartflow.Verdict
	Trace   heartflow.Trace // of the verdict
	Asked   bool            // the model was asked; it always answers
	Spoke   time.Time       // time of the reply; zero without one
	Refused error           // error of Speak
	State   string          // of the chat
	Level   float64         // interest in the chat, for a Flow

	step uint64 // step of the cycle that wants the reply; 0 means none
}

// A scheduledTurn continues at its time.
type scheduledTurn struct {
	at    time.Time
	batch *buffer.Batch[string, *input] // to judge
	turn  turn                          // else to speak
}

// newSimulator returns the simulator of a variant. onTurn gets each finished turn.
func newSimulator(v variant, o heartflow.Options, onTurn func(turn)) (*simulator, error) {
	history, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		return nil, err
	}
	r := &simulator{
		buffer: buffer.New[string, *input](buffer.Options{}), history: history,
		last: map[string]*input{}, onTurn: onTurn,
	}
	trace := o.OnTrace
	o.OnTrace = func(t heartflow.Trace) {
		if t.Kind == heartflow.KindJudge {
			r.lastJudge = t
		}
		if trace != nil {
			trace(t)
		}
	}
	r.attention, r.flow, err = v.newAttention(o)
	return r, err
}

// run plays a log to its end.
func (r *simulator) run(ctx context.Context, all []input) error {
	for i := range all {
		a := &all[i]
		if err := r.handle(ctx, a); err != nil {
			return fmt.Errorf("message %q of %q: %w", a.Message.ID, a.Chat, err)
		}
	}
	return r.runUntil(ctx, time.Time{})
}

// handle runs everything that is due before an input, and then handles the input.
func (r *simulator) handle(ctx context.Context, a *input) error {
	if err := r.runUntil(ctx, a.At); err != nil {
		return err
	}
	r.now = later(r.now, a.At)
	switch {
	case a.Sent:
		return nil
	case a.Retracted != "":
		r.attention.Retract(r.now, a.Chat, a.Retracted)
		r.buffer.Drop(a.Chat, func(b *input) bool { return b.Message.ID == a.Retracted })
		return r.history.Delete(ctx, space(a.Chat), a.Retracted)
	case a.Muted && a.Until.IsZero():
		r.attention.Unmute(r.now, a.Chat)
		return nil
	case a.Muted:
		r.attention.Mute(r.now, a.Chat, a.Until)
		return nil
	}
	if err := r.history.Put(ctx, record(a)); err != nil || a.Act && !a.Message.AtMe {
		return err
	}
	called := r.attention.Observe(r.now, a.Chat, a.Message).Addressed
	if a.Message.Own {
		return nil
	}
	if !a.Message.At.IsZero() && r.now.Sub(a.Message.At) > maxMessageAge {
		r.reportStale(a)
		return nil
	}
	r.last[a.Chat] = a
	if called {
		r.buffer.AddUrgent(r.now, a.Chat, a)
	} else {
		r.buffer.Add(r.now, a.Chat, a)
	}
	return nil
}

// reportStale reports a message that arrived too late for a decision.
func (r *simulator) reportStale(a *input) {
	t := turn{Chat: a.Chat, Batch: []*input{a}, Last: a, At: r.now}
	t.Verdict.Why = []heartflow.Code{heartflow.WhyStale}
	t.Verdict.State = r.attention.State(r.now, a.Chat)
	t.State, t.Level = r.state(t)
	r.onTurn(t)
}

// runUntil runs everything that is due until then. The zero time means everything that follows from the inputs.
func (r *simulator) runUntil(ctx context.Context, then time.Time) error {
	for {
		at, due := r.buffer.Next()
		do := r.judgeBatches
		if len(r.scheduled) > 0 && (!due || !r.scheduled[0].at.After(at)) {
			at, due, do = r.scheduled[0].at, true, r.resumeTurn
		}
		if r.flow != nil && (due || !then.IsZero()) { // a Flow always has a next time
			if next, ok := r.flow.Next(); ok && (!due || next.Before(at)) {
				at, due, do = next, true, r.runFlow
			}
		}
		if !due || !then.IsZero() && at.After(then) {
			return nil
		}
		r.now = later(r.now, at)
		if err := do(ctx); err != nil {
			return err
		}
	}
}

func (r *simulator) judgeBatches(ctx context.Context) error {
	for b := range r.buffer.Due(r.now) {
		if err := r.judge(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// resumeTurn continues the next scheduled turn.
func (r *simulator) resumeTurn(ctx context.Context) error {
	w := r.scheduled[0]
	r.scheduled = r.scheduled[1:]
	if w.batch != nil {
		return r.judge(ctx, *w.batch)
	}
	return r.speak(ctx, w.turn)
}

// schedule inserts a turn in order of time.
func (r *simulator) schedule(w scheduledTurn) {
	i := len(r.scheduled)
	for i > 0 && r.scheduled[i-1].at.After(w.at) {
		i--
	}
	r.scheduled = slices.Insert(r.scheduled, i, w)
}

// judge begins a turn. It ends the turn if the bot stays silent.
func (r *simulator) judge(ctx context.Context, b buffer.Batch[string, *input]) error {
	if rest := r.cycleRest(b.Key); rest > 0 {
		r.schedule(scheduledTurn{at: r.now.Add(rest), batch: &b})
		return nil
	}
	t := turn{Chat: b.Key, Batch: messages(b), Last: r.last[b.Key], At: r.now}
	if n := len(t.Batch); n > 0 {
		t.Last = t.Batch[n-1]
		t.Verdict = r.attention.JudgeUpTo(r.now, t.Chat, t.Last.Message.ID)
	} else if look := r.wantedReason(b); look != "" {
		t.Verdict = r.attention.BeginTurn(r.now, t.Chat, look)
	} else {
		r.buffer.Done(r.now, t.Chat)
		return nil
	}
	t.Trace = r.lastJudge
	t.State, t.Level = r.state(t)
	t.Asked = t.Verdict.Do != heartflow.Silent
	if t.Asked && r.focused(t.Chat) {
		t.step, t.Asked = r.runCycle(t)
	}
	if !t.Asked {
		if t.Verdict.Do != heartflow.Silent {
			r.attention.SkipTurn(r.now, t.Chat, heartflow.WhyModelSilent)
		}
		r.finish(t)
		return nil
	}
	if _, err := r.history.Recent(ctx, space(t.Chat), contextMessages); err != nil { // as a prompt would
		return err
	}
	r.schedule(scheduledTurn{at: r.now.Add(modelDelay), turn: t})
	return nil
}

// speak sends the reply if the attention still permits it.
func (r *simulator) speak(ctx context.Context, t turn) error {
	defer func() { r.finish(t) }()
	t.Refused = r.attention.Speak(r.now, t.Chat, replyText)
	if t.step != 0 {
		r.flow.FinishStep(r.now, t.Chat, t.step, hfc.StepResult{Err: t.Refused})
	}
	if t.Refused != nil {
		return nil
	}
	t.Spoke = r.now
	r.replies++
	return r.history.Put(ctx, memory.Record{ID: fmt.Sprint("own ", r.replies), Space: space(t.Chat), Text: replyText, At: r.now, Own: true})
}

func (r *simulator) finish(t turn) {
	r.buffer.Done(r.now, t.Chat)
	r.onTurn(t)
}

// outcome returns speak, silent or refused.
func (t turn) outcome() string {
	switch {
	case !t.Spoke.IsZero():
		return "speak"
	case t.Refused != nil:
		return "refused"
	}
	return "silent"
}

// why returns the reasons of the verdict and of its outcome.
func (t turn) why() []heartflow.Code {
	why := slices.Clone(t.Verdict.Why)
	if refused, ok := t.Refused.(*heartflow.RefusedError); ok {
		why = append(why, refused.Code)
	}
	if t.Verdict.Do != heartflow.Silent && !t.Asked {
		why = append(why, heartflow.WhyModelSilent)
	}
	return why
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func space(chat string) memory.Space { return memory.Space(chat) }

func record(a *input) memory.Record {
	m := a.Message
	return memory.Record{
		ID: cmp.Or(m.ID, fmt.Sprint("n", a.N)), Space: space(a.Chat), Kind: memory.KindMessage, Person: m.From, Name: a.Name,
		Text: a.text(), At: a.At, Own: m.Own,
	}
}
