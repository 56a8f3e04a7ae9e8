package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

// A job is one reason to act, and how its turn goes. [Being.do] is the only way to a turn.
type job struct {
	persona.Errand // its row
	room           *room
	items          []persona.Message // that it answers
	caller         persona.Message   // on whose behalf its tools are called: the last one who called the bot, if anybody did
	verdict        heartflow.Verdict // that let it begin; zero where nothing was judged
	report         self.Reason       // why the owner should perhaps be told; "" for no reason that is known
	rules          string            // in place of those of the prompts
	wake           *persona.Wake     // why the bot acts unprompted; nil: it answers

	enter   func(ctx context.Context) (leave func(), err error)                                   // locks the chat; nil leaves it unlocked
	prepare func(ctx context.Context) (run bool, err error)                                       // completes the job once the chat is locked; nil: it is complete
	ask     func(ctx context.Context, t *turn) (answer, error)                                    // fills the scene and asks the model
	deliver func(ctx context.Context, t *turn, w *answer, err error) (outcome string, fail error) // ends an answer, or what failed
	after   func(ctx context.Context, r result)                                                   // runs when the turn is over; nil does nothing
	may     func(tool nit.Info) bool                                                              // which of its scope's tools the turn has; nil: all

	background bool // nothing of it is said
	order      bool // the owner ordered it: it is permitted as unprompted
	yields     bool // it gives the chat up to a job that somebody waits for, until it acts
	answers    bool // new messages of its caller, and recalled ones of its items, end its turn
	noRow      bool // another job's row covers it, or it has no effect
	once       bool // nobody runs it again: its row ends even when it was cut off
}

// A result is what became of a turn.
type result struct {
	text     string // the answer
	spoke    bool   // something was said in the job's own chat
	unclear  bool   // something was sent, perhaps
	executed bool   // the job was claimed, and its turn ran
	err      error  // why the turn failed; its row is ended or kept by what is true of it
}

// errGivenBack is what do answers for a turn that lost its ground before it had any effect: the job may be done again.
var errGivenBack = fmt.Errorf("social: the turn was given back: %w", buffer.ErrAgain)

// do does a job: it locks the chat, claims the job's row, thinks, delivers, and ends the row. A row whose turn is cut off
// by a stop, before it had any effect, stays claimed and is recovered by the next start.
func (b *Being) do(ctx context.Context, j *job) (r result, err error) {
	if j.enter != nil {
		leave, err := j.enter(ctx)
		if err != nil {
			return r, err
		}
		defer leave()
	}
	if j.prepare != nil {
		if run, err := j.prepare(ctx); !run || err != nil {
			return r, err
		}
	}
	if err := b.claim(ctx, j); err != nil {
		return r, err
	}
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := b.newTurn(j, cancel)
	defer t.begin()()
	w, err := j.ask(turnCtx, t)
	outcome, err := j.deliver(turnCtx, t, &w, err)
	r, err = t.finish(ctx, outcome, w, err)
	if j.after != nil {
		j.after(ctx, r)
	}
	return r, err
}

// claim takes the job's row. A verdict that let the job begin is used up where that fails.
func (b *Being) claim(ctx context.Context, j *job) error {
	if j.noRow {
		return nil
	}
	now := time.Now()
	err := b.errands.Take(ctx, now, j.Errand)
	if err != nil && j.verdict.Do != heartflow.Silent {
		why := whyNotWritten
		if errors.Is(err, persona.ErrOver) || errors.Is(err, persona.ErrTaken) {
			why = heartflow.WhyAlreadySpoke
		}
		b.attention.Skip(now, j.room.chat, why)
	}
	return err
}

func (b *Being) newTurn(j *job, cancel context.CancelCauseFunc) *turn {
	t := &turn{job: j, being: b, cancel: cancel}
	who := j.room.principal(j.background)
	who.Platform, who.Person, who.Turn = j.room.chat.Platform, j.caller.From, j.ID
	t.tools = t.view(who)
	if j.may != nil {
		t.tools = t.tools.Narrow(j.may)
	}
	return t
}

// begin makes the turn known to the chat, which may end it, until end is called.
func (t *turn) begin() (end func()) {
	switch {
	case t.answers:
		t.room.begin(t)
		return t.room.end
	case t.yields:
		return t.room.think(t)
	}
	return func() {}
}

// finish ends the row: with its outcome, by giving it back, or not at all where a stop has cut the turn off, or a send is
// unclear, which is settled later.
func (t *turn) finish(ctx context.Context, outcome string, w answer, failed error) (result, error) {
	t.mu.Lock()
	r := result{text: w.Text, spoke: t.spoke, unclear: t.unclear, executed: true, err: failed}
	lost, durable := t.gone, t.durable
	t.mu.Unlock()
	switch {
	case lost != nil && (failed != nil || !t.yields):
		return r, t.giveBack(ctx)
	case failed != nil && ctx.Err() != nil && !durable && !t.once, t.noRow, r.unclear:
		return r, nil
	}
	after, stop := afterwards(ctx)
	defer stop()
	return r, t.being.errands.Done(after, time.Now(), t.ID, outcome)
}

// giveBack ends a turn that lost its ground before it had any effect. Its job may be done again.
func (t *turn) giveBack(ctx context.Context) error {
	if !t.yields {
		code := heartflow.WhySuperseded
		if errors.Is(t.lost(), errRecalled) {
			code = heartflow.WhyRecalled
		}
		t.being.attention.Skip(time.Now(), t.room.chat, code)
	}
	if t.noRow {
		return nil
	}
	after, stop := afterwards(ctx)
	defer stop()
	if err := t.being.errands.Drop(after, t.ID); err != nil {
		return err
	}
	return errGivenBack
}
