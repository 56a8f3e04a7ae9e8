package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/replay"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/hearth-bot/hearth/memory"
)

const (
	modelDelay      = 3 * time.Second // from a verdict to the reply
	contextMessages = 50              // messages of history in a prompt
	replyText       = "…"             // a placeholder
)

// A simulator runs a bot's buffer, attention and history on virtual time, with a model that always answers. Its decisions are
// those of a live bot; see the tests.
type simulator struct {
	*replay.Simulator[*input]
	history *memory.Memory
	replies int
	failed  error      // first error of history
	onTurn  func(turn) // gets each finished turn
}

// attention is an Attention or a Flow over one.
type attention interface {
	replay.Attention
	whentospeak.Decider
}

// A turn is the result of a batch, or of a turn that a Flow wanted.
type turn = replay.Turn[*input]

// newSimulator returns the simulator of a variant. onTurn gets each finished turn.
func newSimulator(v variant, o heartflow.Options, onTurn func(turn)) (*simulator, error) {
	history, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		return nil, err
	}
	r := &simulator{history: history, onTurn: onTurn}
	trace := o.OnTrace
	o.OnTrace = func(t heartflow.Trace) {
		r.Trace(t)
		if trace != nil {
			trace(t)
		}
	}
	attention, flow, err := v.newAttention(o)
	if err != nil {
		return nil, err
	}
	r.Simulator = replay.New(replay.Options[*input]{Attention: attention, Flow: flow, Buffer: buffer.Options{}, Answer: r.answer, OnTurn: r.finished})
	return r, nil
}

// run plays a log to its end.
func (r *simulator) run(ctx context.Context, all []input) error {
	for i := range all {
		a := &all[i]
		if err := r.handle(ctx, a); err != nil {
			return fmt.Errorf("message %q of %q: %w", a.Message.ID, a.Chat, err)
		}
	}
	r.RunUntil(time.Time{})
	return r.failed
}

// handle runs everything that is due before an input, and then handles the input.
func (r *simulator) handle(ctx context.Context, a *input) error {
	if r.RunUntil(a.At); r.failed != nil {
		return r.failed
	}
	switch {
	case a.Sent:
		return nil
	case a.Retracted != "":
		r.Retract(a.At, a.Chat, a.Retracted)
		return r.history.Delete(ctx, space(a.Chat), a.Retracted)
	case a.Muted:
		r.Mute(a.At, a.Chat, a.Until)
		return nil
	}
	if err := r.history.Put(ctx, record(a)); err != nil || a.Act && !a.Message.AtMe {
		return err
	}
	r.Message(a.At, a.Chat, a.Message, a)
	return nil
}

// answer returns the reply of the model. It reads the history as a prompt would.
func (r *simulator) answer(t *turn) replay.Answer {
	_, err := r.history.Recent(context.Background(), space(t.Chat), contextMessages)
	r.failed = cmp.Or(r.failed, err)
	return replay.Answer{Say: []replay.Saying{{At: r.Now().Add(modelDelay), Text: replyText}}}
}

// finished stores the reply of a turn.
func (r *simulator) finished(t turn) {
	if !t.Spoke.IsZero() {
		r.replies++
		err := r.history.Put(context.Background(), memory.Record{ID: fmt.Sprint("own ", r.replies), Space: space(t.Chat), Text: replyText, At: t.Spoke, Own: true})
		r.failed = cmp.Or(r.failed, err)
	}
	r.onTurn(t)
}

func later(a, b time.Time) time.Time { return replay.Later(a, b) }

func space(chat string) memory.Space { return memory.Space(chat) }

func record(a *input) memory.Record {
	m := a.Message
	id := m.ID
	if id == "" {
		id = fmt.Sprint("n", a.N)
	}
	return memory.Record{
		ID: id, Space: space(a.Chat), Kind: memory.KindMessage, Person: m.From, Name: a.Name,
		Text: a.text(), At: a.At, Own: m.Own,
	}
}
