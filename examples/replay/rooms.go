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
	thinks   = 3 * time.Second // from a verdict to the words
	contexts = 50              // messages of the past that a model would be shown
	words    = "…"             // what stands for a reply
	tooOld   = 2 * time.Minute // a message that comes so late belongs to the history alone
)

// rooms are a bot's buffer, attention and history on virtual time. What a live bot does in goroutines and on timers
// happens here in the order of its time, in one loop; the same decisions come of it (see the tests).
type rooms struct {
	heart  heart
	flow   *hfc.Flow[string] // the heart, where it is one; else nil
	gather *buffer.Buffer[string, *arrival]
	past   *memory.Memory
	turns  []waiting // for their time, the earliest first
	last   map[string]*arrival
	said   int
	now    time.Time
	judged heartflow.Trace // of the verdict just given
	told   func(turn)      // gets each turn when it is over
}

// A heart is an Attention, or a Flow over one.
type heart interface {
	whentospeak.Decider
	State(now time.Time, chat string) heartflow.State
	JudgeUpTo(now time.Time, chat, last string) heartflow.Verdict
	BeginTurn(now time.Time, chat string, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat, text string) error
	SkipTurn(now time.Time, chat string, why heartflow.Code)
	Retract(now time.Time, chat, id string)
	Mute(now time.Time, chat string, until time.Time)
	Unmute(now time.Time, chat string)
}

// A turn is what became of a batch, or of what a Flow wanted by itself.
type turn struct {
	Chat    string
	Batch   []*arrival // messages; empty: the Flow wanted it
	Last    *arrival   // of them, or else the last that was heard in the chat
	At      time.Time  // of the verdict
	Verdict heartflow.Verdict
	Trace   heartflow.Trace // of the verdict
	Asked   bool            // the model is to speak: it has something to say whenever it is asked
	Spoke   time.Time       // when it said something; zero: it did not
	Refused error           // by the attention, when the words were ready
	State   string          // of the chat
	Level   float64         // of the interest in the chat, for a Flow

	step uint64 // of the cycle that the words are for; 0: of none
}

// A waiting turn goes on at its time.
type waiting struct {
	at    time.Time
	batch *buffer.Batch[string, *arrival] // to be judged
	turn  turn                            // else to be spoken
}

// newRooms makes the rooms of a variant. told gets each turn when it is over.
func newRooms(v variant, o heartflow.Options, told func(turn)) (*rooms, error) {
	past, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		return nil, err
	}
	r := &rooms{
		gather: buffer.New[string, *arrival](buffer.Options{}), past: past,
		last: map[string]*arrival{}, told: told,
	}
	trace := o.OnTrace
	o.OnTrace = func(t heartflow.Trace) {
		if t.Kind == heartflow.KindJudge {
			r.judged = t
		}
		if trace != nil {
			trace(t)
		}
	}
	r.heart, r.flow, err = v.heart(o)
	return r, err
}

// hearAll plays a log to its end.
func (r *rooms) hearAll(ctx context.Context, all []arrival) error {
	for i := range all {
		a := &all[i]
		if err := r.hear(ctx, a); err != nil {
			return fmt.Errorf("message %q of %q: %w", a.Message.ID, a.Chat, err)
		}
	}
	return r.until(ctx, time.Time{})
}

// hear takes what arrives, after all that was due before.
func (r *rooms) hear(ctx context.Context, a *arrival) error {
	if err := r.until(ctx, a.At); err != nil {
		return err
	}
	r.now = later(r.now, a.At)
	switch {
	case a.Retracted != "":
		r.heart.Retract(r.now, a.Chat, a.Retracted)
		r.gather.Drop(a.Chat, func(b *arrival) bool { return b.Message.ID == a.Retracted })
		return r.past.Delete(ctx, space(a.Chat), a.Retracted)
	case a.Muted && a.Until.IsZero():
		r.heart.Unmute(r.now, a.Chat)
		return nil
	case a.Muted:
		r.heart.Mute(r.now, a.Chat, a.Until)
		return nil
	}
	if err := r.past.Put(ctx, record(a)); err != nil {
		return err
	}
	called := r.heart.Observe(r.now, a.Chat, a.Message).Addressed
	if a.Message.Own {
		return nil
	}
	if !a.Message.At.IsZero() && r.now.Sub(a.Message.At) > tooOld {
		r.late(a)
		return nil
	}
	r.last[a.Chat] = a
	if called {
		r.gather.AddUrgent(r.now, a.Chat, a)
	} else {
		r.gather.Add(r.now, a.Chat, a)
	}
	return nil
}

// late tells of a message that nothing is decided about.
func (r *rooms) late(a *arrival) {
	t := turn{Chat: a.Chat, Batch: []*arrival{a}, Last: a, At: r.now}
	t.Verdict.Why = []heartflow.Code{heartflow.WhyStale}
	t.Verdict.State = r.heart.State(r.now, a.Chat)
	t.State, t.Level = r.state(t)
	r.told(t)
}

// until lets happen what is due by then; the zero time: all that comes of what was heard.
func (r *rooms) until(ctx context.Context, then time.Time) error {
	for {
		at, due := r.gather.Next()
		do := r.judgeDue
		if len(r.turns) > 0 && (!due || !r.turns[0].at.After(at)) {
			at, due, do = r.turns[0].at, true, r.goOn
		}
		if r.flow != nil && (due || !then.IsZero()) { // a Flow alone never comes to an end
			if next, ok := r.flow.Next(); ok && (!due || next.Before(at)) {
				at, due, do = next, true, r.flowDue
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

func (r *rooms) judgeDue(ctx context.Context) error {
	for b := range r.gather.Due(r.now) {
		if err := r.judge(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// goOn takes up the turn that waited for now.
func (r *rooms) goOn(ctx context.Context) error {
	w := r.turns[0]
	r.turns = r.turns[1:]
	if w.batch != nil {
		return r.judge(ctx, *w.batch)
	}
	return r.speak(ctx, w.turn)
}

// wait puts a turn in its place.
func (r *rooms) wait(w waiting) {
	i := len(r.turns)
	for i > 0 && r.turns[i-1].at.After(w.at) {
		i--
	}
	r.turns = slices.Insert(r.turns, i, w)
}

// judge begins a turn, and ends it where nothing is to be said.
func (r *rooms) judge(ctx context.Context, b buffer.Batch[string, *arrival]) error {
	if rest := r.rests(b.Key); rest > 0 {
		r.wait(waiting{at: r.now.Add(rest), batch: &b})
		return nil
	}
	t := turn{Chat: b.Key, Batch: messages(b), Last: r.last[b.Key], At: r.now}
	if n := len(t.Batch); n > 0 {
		t.Last = t.Batch[n-1]
		t.Verdict = r.heart.JudgeUpTo(r.now, t.Chat, t.Last.Message.ID)
	} else if look := r.look(b); look != "" {
		t.Verdict = r.heart.BeginTurn(r.now, t.Chat, look)
	} else {
		r.gather.Done(r.now, t.Chat)
		return nil
	}
	t.Trace = r.judged
	t.State, t.Level = r.state(t)
	t.Asked = t.Verdict.Do != heartflow.Silent
	if t.Asked && r.focused(t.Chat) {
		t.step, t.Asked = r.steps(t)
	}
	if !t.Asked {
		if t.Verdict.Do != heartflow.Silent {
			r.heart.SkipTurn(r.now, t.Chat, heartflow.WhyModelSilent)
		}
		r.over(t)
		return nil
	}
	if _, err := r.past.Recent(ctx, space(t.Chat), contexts); err != nil { // for the model
		return err
	}
	r.wait(waiting{at: r.now.Add(thinks), turn: t})
	return nil
}

// speak says what was thought of, where that is still allowed.
func (r *rooms) speak(ctx context.Context, t turn) error {
	defer func() { r.over(t) }()
	t.Refused = r.heart.Speak(r.now, t.Chat, words)
	if t.step != 0 {
		r.flow.FinishStep(r.now, t.Chat, t.step, hfc.StepResult{Err: t.Refused})
	}
	if t.Refused != nil {
		return nil
	}
	t.Spoke = r.now
	r.said++
	return r.past.Put(ctx, memory.Record{ID: fmt.Sprint("own ", r.said), Space: space(t.Chat), Text: words, At: r.now, Own: true})
}

func (r *rooms) over(t turn) {
	r.gather.Done(r.now, t.Chat)
	r.told(t)
}

// outcome is speak, silent or refused.
func (t turn) outcome() string {
	switch {
	case !t.Spoke.IsZero():
		return "speak"
	case t.Refused != nil:
		return "refused"
	}
	return "silent"
}

// why lists the reasons of the verdict, and of what came of it.
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

func record(a *arrival) memory.Record {
	m := a.Message
	return memory.Record{
		ID: cmp.Or(m.ID, fmt.Sprint("n", a.N)), Space: space(a.Chat), Kind: memory.KindMessage, Person: m.From, Name: a.Name,
		Text: m.Text, At: a.At, Own: m.Own,
	}
}
