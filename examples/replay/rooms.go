package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/hearth-bot/hearth/memory"
)

const (
	thinks   = 3 * time.Second // from a verdict to the words
	contexts = 50              // messages of the past that a model would be shown
	words    = "…"             // what stands for a reply
)

// rooms are a bot's buffer, attention and history on virtual time. What a live bot does in goroutines and on timers
// happens here in the order of its time, in one loop; the same decisions come of it (see the tests).
type rooms struct {
	policy  heartflow.Policy
	heart   *heartflow.Attention[string]
	gather  *buffer.Buffer[string, *arrival]
	past    *memory.Memory
	replies []turn // being thought of; all take equally long, so the first is due first
	said    int
	now     time.Time
	judged  heartflow.Trace // of the verdict just given
	told    func(turn)      // gets each turn when it is over
}

// A turn is what became of a batch.
type turn struct {
	Chat    string
	Batch   []*arrival
	At      time.Time // of the verdict
	Verdict heartflow.Verdict
	Trace   heartflow.Trace // of the verdict
	Asked   bool            // the policy let the model speak
	Spoke   time.Time       // when it said something; zero: it did not
	Refused error           // by the attention, when the words were ready
}

func newRooms(o heartflow.Options, told func(turn)) *rooms {
	r := &rooms{
		policy: o.Policy, gather: buffer.New[string, *arrival](buffer.Options{}), past: memory.New(memory.NewStore(), nil), told: told,
	}
	trace := o.Trace
	o.Trace = func(t heartflow.Trace) {
		if t.Kind == heartflow.KindJudge {
			r.judged = t
		}
		if trace != nil {
			trace(t)
		}
	}
	r.heart = heartflow.New[string](o)
	return r
}

// hear takes what arrives, after all that was due before.
func (r *rooms) hear(ctx context.Context, a *arrival) error {
	if err := r.until(ctx, a.At); err != nil {
		return err
	}
	r.now = later(r.now, a.At)
	switch {
	case a.Recalled != "":
		r.heart.Recalled(r.now, a.Chat, a.Recalled)
		r.gather.Drop(a.Chat, func(b *arrival) bool { return b.Message.ID == a.Recalled })
		return r.past.Forget(ctx, space(a.Chat), a.Recalled)
	case a.Muted && a.Until.IsZero():
		r.heart.Unmute(r.now, a.Chat)
		return nil
	case a.Muted:
		r.heart.Mute(r.now, a.Chat, a.Until)
		return nil
	}
	if err := r.past.Keep(ctx, record(a)); err != nil {
		return err
	}
	called := r.heart.Observe(r.now, a.Chat, a.Message)
	switch {
	case a.Message.Own:
	case called:
		r.gather.Summon(r.now, a.Chat, a)
	default:
		r.gather.Add(r.now, a.Chat, a)
	}
	return nil
}

// end lets happen what is still due.
func (r *rooms) end(ctx context.Context) error { return r.until(ctx, time.Time{}) }

// until lets happen what is due by then; the zero time: all.
func (r *rooms) until(ctx context.Context, then time.Time) error {
	for {
		at, waiting := r.gather.Next()
		thinking := len(r.replies) > 0
		reply := thinking && (!waiting || !at.Before(r.replies[0].At.Add(thinks)))
		if reply {
			at = r.replies[0].At.Add(thinks)
		}
		if !waiting && !thinking || !then.IsZero() && at.After(then) {
			return nil
		}
		r.now = later(r.now, at)
		if err := r.step(ctx, reply); err != nil {
			return err
		}
	}
}

// step does what is due now: the reply that was thought of first, or the batches.
func (r *rooms) step(ctx context.Context, reply bool) error {
	if reply {
		t := r.replies[0]
		r.replies = r.replies[1:]
		return r.speak(ctx, t)
	}
	for b := range r.gather.Due(r.now) {
		if err := r.judge(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// judge begins a turn, and ends it where nothing is to be said.
func (r *rooms) judge(ctx context.Context, b buffer.Batch[string, *arrival]) error {
	t := turn{Chat: b.Key, Batch: b.Items, At: r.now}
	t.Verdict = r.heart.JudgeTo(r.now, t.Chat, b.Items[len(b.Items)-1].Message.ID)
	t.Trace = r.judged
	t.Asked = whentospeak.Speaks(r.policy, t.Verdict)
	if !t.Asked {
		if t.Verdict.Do != heartflow.Silent {
			r.heart.Skip(r.now, t.Chat, heartflow.WhyModelSilent)
		}
		r.over(t)
		return nil
	}
	if _, err := r.past.Recent(ctx, space(t.Chat), contexts); err != nil { // for the model
		return err
	}
	r.replies = append(r.replies, t)
	return nil
}

// speak says what was thought of, where that is still allowed.
func (r *rooms) speak(ctx context.Context, t turn) error {
	defer func() { r.over(t) }()
	if t.Refused = r.heart.Speak(r.now, t.Chat, words); t.Refused != nil {
		return nil
	}
	t.Spoke = r.now
	r.said++
	return r.past.Keep(ctx, memory.Record{ID: fmt.Sprint("own ", r.said), Space: space(t.Chat), Text: words, At: r.now, Own: true})
}

func (r *rooms) over(t turn) {
	r.gather.Done(r.now, t.Chat)
	r.told(t)
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
	return memory.Record{ID: m.ID, Space: space(a.Chat), Kind: memory.Message, Person: m.From, Name: a.Name, Text: m.Text, At: a.At, Own: m.Own}
}
