package hfc

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// maxRecords is how many finished cycles are kept.
const maxRecords = 10

var (
	// ErrExpired is the error of a step without a result in time.
	ErrExpired = errors.New("hfc: step expired")
	// ErrWithdrawn as the error of a result gives a step back: its input changed before any side effect. The cycle
	// repeats the thought at once, and nothing is counted. The caller must limit how often it does this.
	ErrWithdrawn = errors.New("hfc: step withdrawn")
)

// A Cycle is the loop of a focus on one chat: think, plan and act, until the focus is over. It has no clock and calls
// no model. [Cycle.NextStep] returns a step for the caller, and [Cycle.FinishStep] takes its result. At most one step
// is open.
//
// A step that fails or expires makes the cycle a no_reply. So does a plan with an action that is not allowed. The
// cycle then waits for a message, at most for CycleOptions.SilenceWait. Three no_replies in a row end the focus if
// they waited 594 s in total. A planner ends it with exit_focus_mode. A text_reply resets both counts, an emoji_reply
// only the wait. So a chat with a silent planner always leaves Focused, with or without new messages.
//
// A Cycle may be used by one goroutine at a time. A time before the latest one counts as the latest one. Each method
// first applies what is due: a result exactly at the time of expiry is late.
type Cycle struct {
	o       CycleOptions
	dice    rand.PCG
	loc     *time.Location
	askedAt tick.Tick
	retry   bool // s.Asked was open when the cycle was saved, and is repeated
	s       cycleState
}

// A cycleState is the part of a Cycle that snapshots contain unchanged.
type cycleState struct {
	Now     tick.Tick // the latest time seen
	Began   tick.Tick
	Ended   Ending        `json:",omitempty"`
	Asked   Step          `json:",omitzero"`  // the latest step
	Open    bool          `json:",omitempty"` // Asked is open
	Step    StepKind      `json:",omitempty"` // the next step
	Wake    tick.Tick     `json:",omitempty"` // earliest time of the next step
	Quiet   tick.Tick     `json:",omitempty"` // start of the wait after a no_reply; 0: no wait
	Running CycleRecord   `json:",omitzero"`  // the running cycle; Began is zero before its first step
	Unseen  int           `json:",omitempty"` // messages that are in no thought
	Missed  int           `json:",omitempty"` // messages of a failed thought, for the next one; they end no wait
	Replies int           `json:",omitempty"`
	Silent  int           `json:",omitempty"`
	Waited  time.Duration `json:",omitempty"`
	Past    []CycleRecord `json:",omitempty"` // the last ten, oldest first
}

// NewCycle starts a focus at now. All random decisions depend on the seed. It returns an error if an option is
// invalid.
func NewCycle(now time.Time, seed uint64, o CycleOptions) (*Cycle, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return newCycle(now, seed, o), nil
}

// newCycle is NewCycle for valid options.
func newCycle(now time.Time, seed uint64, o CycleOptions) *Cycle {
	t := tick.Of(now)
	c := &Cycle{o: o.withDefaults(), loc: now.Location(), s: cycleState{Now: t, Began: t, Wake: t, Step: Think}}
	c.dice.Seed(seed, 0)
	return c
}

// Observe reports a message by somebody else in the chat. It ends the wait of a no_reply.
func (c *Cycle) Observe(now time.Time) {
	t := c.enter(now)
	c.s.Unseen++
	if c.s.Quiet != 0 {
		c.s.Wake = min(c.s.Wake, max(t, c.s.Quiet.Add(c.o.RestAfterNothing)))
	}
}

// Next returns when to call [Cycle.NextStep]. The time may be in the past. It returns false if the focus is over.
func (c *Cycle) Next() (time.Time, bool) {
	switch {
	case c.s.Ended != "":
		return time.Time{}, false
	case c.s.Open:
		return c.expires().Time(c.loc), true
	}
	return c.s.Wake.Time(c.loc), true
}

// NextStep returns the step that is due at now. It returns false if a step is open, if the cycle rests or waits, or
// if the focus is over. The step contains f.
func (c *Cycle) NextStep(now time.Time, f Feeling) (Step, bool) {
	t := c.enter(now)
	if c.s.Open || c.s.Ended != "" || c.s.Wake > t {
		return Step{}, false
	}
	a := c.s.Asked
	if !c.retry {
		a = c.newStep(t)
	} else if a.Kind == Think {
		a.NewMessages += c.s.Unseen
		c.s.Unseen = 0
	}
	a.ID, a.Retried, a.Feeling = c.s.Asked.ID+1, c.retry, f
	a.At, a.Expires, a.FocusedFor = t.Time(c.loc), t.Add(c.o.StepTimeout).Time(c.loc), time.Duration(t-c.s.Began)
	c.s.Asked, c.askedAt, c.s.Open, c.retry = a, t, true, false
	return a, true
}

// FinishStep takes the result of the step with that id, once. It returns false and changes nothing if the step has
// expired or is unknown.
func (c *Cycle) FinishStep(now time.Time, id uint64, a StepResult) bool {
	t := c.enter(now)
	if !c.s.Open || id != c.s.Asked.ID {
		return false
	}
	c.closeStep(t)
	switch {
	case errors.Is(a.Err, ErrWithdrawn):
		c.restart(c.s.Asked)
	case a.Err != nil:
		c.fail(t, a.Err)
	case c.s.Asked.Kind == Think:
		c.setThought(cmp.Or(a.Previous, c.previousThought()), a.Thought)
	case c.s.Asked.Kind == MakePlan:
		c.setPlan(t, a.Plan)
	default:
		c.finish(t, c.s.Running.Plan.Action)
	}
	return true
}

// Ended returns why the focus is over at now; empty: it continues.
func (c *Cycle) Ended(now time.Time) Ending {
	c.enter(now)
	return c.s.Ended
}

// Records returns the last ten finished cycles, oldest first.
func (c *Cycle) Records() []CycleRecord { return slices.Clone(c.s.Past) }

// enter sets the time to now and applies what is due.
func (c *Cycle) enter(now time.Time) tick.Tick {
	c.s.Now, c.loc = max(c.s.Now, tick.Of(now)), now.Location()
	if at := c.expires(); c.s.Open && at <= c.s.Now {
		c.closeStep(at)
		c.fail(at, ErrExpired)
	}
	if c.s.Quiet != 0 && c.s.Wake <= c.s.Now { // the wait is over, so its length is known
		c.s.Waited += time.Duration(c.s.Wake - c.s.Quiet)
		c.s.Quiet = 0
		if c.s.Silent >= c.o.GiveUpAfter && c.s.Waited >= c.o.GiveUpWait {
			c.s.Ended = EndSilent
		}
	}
	return c.s.Now
}

func (c *Cycle) expires() tick.Tick { return c.askedAt.Add(c.o.StepTimeout) }

// newStep returns the next step.
func (c *Cycle) newStep(t tick.Tick) Step {
	if c.s.Running.Began.IsZero() {
		c.s.Running.ID, c.s.Running.Began = c.s.Running.ID+1, t.Time(c.loc)
	}
	a := Step{
		Kind: c.s.Step, Cycle: c.s.Running.ID, Thought: c.s.Running.Thought, ConsecutiveReplies: c.s.Replies, ConsecutiveSilences: c.s.Silent, SilentFor: c.s.Waited,
	}
	a.LastPlan = c.previous().Plan
	switch c.s.Step {
	case Think:
		if !c.s.Running.Replanned {
			a.Thought = c.previousThought()
		}
		a.NewMessages, a.Rethink = c.s.Unseen+c.s.Missed, c.s.Running.Replanned
		c.s.Unseen, c.s.Missed = 0, 0
	case MakePlan:
		a.Allowed = c.allowed()
	case Act:
		a.Plan = c.s.Running.Plan
	}
	return a
}

// previous returns the record of the cycle before.
func (c *Cycle) previous() CycleRecord {
	if len(c.s.Past) == 0 {
		return CycleRecord{}
	}
	return c.s.Past[len(c.s.Past)-1]
}

// previousThought returns the latest thought of an earlier cycle.
func (c *Cycle) previousThought() string {
	for _, r := range slices.Backward(c.s.Past) {
		if r.Thought != "" { // empty: the step failed
			return r.Thought
		}
	}
	return ""
}

// allowed returns the actions for a plan. It withholds replies after several in a row: the text after one (chance
// .4), and also stickers and reactions after two (chance .8) and after three (always).
func (c *Cycle) allowed() []Action {
	switch {
	case c.s.Replies >= 3, c.s.Replies == 2 && pcg.Draw(&c.dice) < .8:
		return actions[3:]
	case c.s.Replies == 1 && pcg.Draw(&c.dice) < .4:
		return actions[1:]
	}
	return actions[:]
}

// closeStep closes the open step and adds its duration.
func (c *Cycle) closeStep(t tick.Tick) {
	c.s.Open, c.s.Wake = false, t
	d := time.Duration(t - c.askedAt)
	switch c.s.Asked.Kind {
	case Think:
		c.s.Running.ThinkTime += d
	case MakePlan:
		c.s.Running.PlanTime += d
	case Act:
		c.s.Running.ActTime += d
	}
}

// setThought stores a thought that follows a previous one. If messages arrived meanwhile, it may schedule another thought.
func (c *Cycle) setThought(previous, s string) {
	c.s.Running.Thought = VaryThought(previous, s, func() float64 { return pcg.Draw(&c.dice) })
	c.s.Step = MakePlan
	if c.o.ReplanAfter > 0 && !c.s.Running.Replanned && c.s.Unseen >= c.o.ReplanAfter && pcg.Draw(&c.dice) < c.o.ReplanChance {
		c.s.Running.Replanned, c.s.Step = true, Think
	}
}

func (c *Cycle) setPlan(t tick.Tick, p Plan) {
	c.s.Running.Plan = p
	switch {
	case !slices.Contains(c.s.Asked.Allowed, p.Action):
		c.endSilent(t)
	case p.Action == NoReply || p.Action == ExitFocus:
		c.finish(t, p.Action)
	default:
		c.s.Step = Act
		if p.Action == TextReply && p.EmojiQuery != "" && pcg.Draw(&c.dice) >= c.o.StickerChance {
			c.s.Running.Plan.EmojiQuery = ""
		}
	}
}

// restart returns to the thought after step a was withdrawn.
func (c *Cycle) restart(a Step) {
	if a.Kind == Think {
		c.s.Missed += a.NewMessages
	}
	c.s.Running.Plan, c.s.Running.Replanned, c.s.Step = Plan{}, true, Think
}

// fail ends the cycle as a no_reply with err.
func (c *Cycle) fail(t tick.Tick, err error) {
	c.s.Running.Err = err.Error()
	if c.s.Asked.Kind == Think {
		c.s.Missed += c.s.Asked.NewMessages
	}
	c.endSilent(t)
}

// endSilent ends the cycle as a no_reply, and keeps the planned action in the record.
func (c *Cycle) endSilent(t tick.Tick) {
	c.s.Running.Chosen = c.s.Running.Plan.Action
	c.finish(t, NoReply)
}

// finish completes the record with the executed action, and schedules the next cycle.
func (c *Cycle) finish(t tick.Tick, did Action) {
	c.s.Running.Plan.Action, c.s.Running.Ended = did, t.Time(c.loc)
	if len(c.s.Past) == maxRecords {
		c.s.Past = slices.Delete(c.s.Past, 0, 1)
	}
	c.s.Past = append(c.s.Past, c.s.Running)
	failed := c.s.Running.Err != ""
	c.s.Running, c.s.Step = CycleRecord{ID: c.s.Running.ID}, Think
	switch did {
	case TextReply:
		c.s.Replies++
		c.s.Silent, c.s.Waited = 0, 0
		c.s.Wake = t.Add(c.o.RestAfterAction)
	case EmojiReply, React:
		c.s.Replies, c.s.Waited = 0, 0
		c.s.Wake = t.Add(c.o.RestAfterAction)
	case NoReply:
		if !failed { // a failure is no decision, so the replies before it stay consecutive
			c.s.Replies = 0
		}
		c.s.Silent++
		c.s.Quiet, c.s.Wake = t, t.Add(c.o.SilenceWait)
		if c.s.Unseen > 0 { // the message that it would wait for has arrived
			c.s.Wake = t.Add(c.o.RestAfterNothing)
		}
	case ExitFocus:
		c.s.Ended = EndPlanned
	}
}
