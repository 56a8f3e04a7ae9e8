package hfc

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// recordsKept is how many finished cycles are kept.
const recordsKept = 10

var (
	// ErrExpired is the error of a step that nobody answered in time.
	ErrExpired = errors.New("hfc: expired")
	// ErrWithdrawn, as the error of an answer, gives a step back: what it was about has changed before anything was
	// done. The cycle is thought anew at once, and nothing is counted. Whoever answers so bounds how often.
	ErrWithdrawn = errors.New("hfc: withdrawn")
)

// A Cycle is a focus on one chat: observe and think, plan, act, again and again until it is over. It has no clock and no
// model: [Cycle.NextStep] asks for a step, [Cycle.FinishStep] takes what came of it. At most one ask is outstanding.
//
// A step that fails or expires, and a plan that is withheld at the time, make the cycle a no_reply. It then waits for a
// message, or for CycleOptions.Wait, before the next. Three no_replies in a row that waited 594 s in all end the focus,
// and so does a planner that chooses exit_focus_mode. A text_reply begins both counts anew, an emoji_reply only the wait.
// So a planner that is always silent leaves a chat in any case, whether people write there or not.
//
// It is used by one goroutine at a time. A step back in time counts as the latest time seen. What was due by then has
// happened before whatever a method is told: an answer at the very time of its expiry is late.
type Cycle struct {
	o       CycleOptions
	dice    rand.PCG
	loc     *time.Location
	askedAt tick.Tick
	anew    bool // s.Asked was outstanding when the cycle was saved, and is to be asked anew
	s       cycleState
}

// A cycleState is what a snapshot holds of a Cycle as it is.
type cycleState struct {
	Now     tick.Tick // the latest seen
	Began   tick.Tick
	Ended   Ending        `json:",omitempty"`
	Asked   Step          `json:",omitzero"`  // the latest
	Open    bool          `json:",omitempty"` // it is outstanding
	Step    StepKind      `json:",omitempty"` // the next to ask
	Wake    tick.Tick     `json:",omitempty"` // not before
	Quiet   tick.Tick     `json:",omitempty"` // a no_reply waits since; 0: none does
	Running CycleRecord   `json:",omitzero"`  // the cycle that runs; Began is zero before its first ask
	Unseen  int           `json:",omitempty"` // messages that no thought has seen
	Missed  int           `json:",omitempty"` // those that a thought should have seen that failed: nothing waits for them
	Replies int           `json:",omitempty"`
	Silent  int           `json:",omitempty"`
	Waited  time.Duration `json:",omitempty"`
	Past    []CycleRecord `json:",omitempty"` // the last ten, oldest first
}

// NewCycle begins a focus at now. All chance comes from the seed. It returns an error if an option is invalid.
func NewCycle(now time.Time, seed uint64, o CycleOptions) (*Cycle, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return newCycle(now, seed, o), nil
}

// newCycle is NewCycle with valid options.
func newCycle(now time.Time, seed uint64, o CycleOptions) *Cycle {
	t := tick.Of(now)
	c := &Cycle{o: o.withDefaults(), loc: now.Location(), s: cycleState{Now: t, Began: t, Wake: t, Step: Think}}
	c.dice.Seed(seed, 0)
	return c
}

// Observe tells of a message of somebody else in the chat. It ends the wait of a no_reply.
func (c *Cycle) Observe(now time.Time) {
	t := c.enter(now)
	c.s.Unseen++
	if c.s.Quiet != 0 {
		c.s.Wake = min(c.s.Wake, max(t, c.s.Quiet.Add(c.o.RestAfterNothing)))
	}
}

// Next returns when [Cycle.NextStep] has something to do, which may be in the past; false: the focus is over.
func (c *Cycle) Next() (time.Time, bool) {
	switch {
	case c.s.Ended != "":
		return time.Time{}, false
	case c.s.Open:
		return c.expires().Time(c.loc), true
	}
	return c.s.Wake.Time(c.loc), true
}

// NextStep asks for the step that is wanted at now; false: none is, since one is outstanding, the cycle rests or waits, or
// the focus is over. The feeling is passed on.
func (c *Cycle) NextStep(now time.Time, f Feeling) (Step, bool) {
	t := c.enter(now)
	if c.s.Open || c.s.Ended != "" || c.s.Wake > t {
		return Step{}, false
	}
	a := c.s.Asked
	if !c.anew {
		a = c.ask(t)
	} else if a.Kind == Think {
		a.NewMessages += c.s.Unseen
		c.s.Unseen = 0
	}
	a.ID, a.Retried, a.Feeling = c.s.Asked.ID+1, c.anew, f
	a.At, a.Expires, a.FocusedFor = t.Time(c.loc), t.Add(c.o.StepTimeout).Time(c.loc), time.Duration(t-c.s.Began)
	c.s.Asked, c.askedAt, c.s.Open, c.anew = a, t, true, false
	return a, true
}

// FinishStep takes the answer to the ask of that id, once; false: it is late, or was never asked, and nothing changes.
func (c *Cycle) FinishStep(now time.Time, id uint64, a StepResult) bool {
	t := c.enter(now)
	if !c.s.Open || id != c.s.Asked.ID {
		return false
	}
	c.close(t)
	switch {
	case errors.Is(a.Err, ErrWithdrawn):
		c.anewFrom(c.s.Asked)
	case a.Err != nil:
		c.fail(t, a.Err)
	case c.s.Asked.Kind == Think:
		c.thought(a.Thought)
	case c.s.Asked.Kind == MakePlan:
		c.planned(t, a.Plan)
	default:
		c.finish(t, c.s.Running.Plan.Action)
	}
	return true
}

// Ended says why the focus is over at now; empty: it is not.
func (c *Cycle) Ended(now time.Time) Ending {
	c.enter(now)
	return c.s.Ended
}

// Records returns the last ten finished cycles, oldest first.
func (c *Cycle) Records() []CycleRecord { return slices.Clone(c.s.Past) }

// enter sets the clock to now, and lets happen what was due by then.
func (c *Cycle) enter(now time.Time) tick.Tick {
	c.s.Now, c.loc = max(c.s.Now, tick.Of(now)), now.Location()
	if at := c.expires(); c.s.Open && at <= c.s.Now {
		c.close(at)
		c.fail(at, ErrExpired)
	}
	if c.s.Quiet != 0 && c.s.Wake <= c.s.Now { // only now is it known how long the wait was
		c.s.Waited += time.Duration(c.s.Wake - c.s.Quiet)
		c.s.Quiet = 0
		if c.s.Silent >= c.o.GiveUpAfter && c.s.Waited >= c.o.GiveUpWait {
			c.s.Ended = EndSilent
		}
	}
	return c.s.Now
}

func (c *Cycle) expires() tick.Tick { return c.askedAt.Add(c.o.StepTimeout) }

// ask makes the next step's ask.
func (c *Cycle) ask(t tick.Tick) Step {
	if c.s.Running.Began.IsZero() {
		c.s.Running.ID, c.s.Running.Began = c.s.Running.ID+1, t.Time(c.loc)
	}
	a := Step{
		Kind: c.s.Step, Cycle: c.s.Running.ID, Thought: c.s.Running.Thought, ConsecutiveReplies: c.s.Replies, ConsecutiveSilences: c.s.Silent, SilentFor: c.s.Waited,
	}
	a.LastPlan = c.last().Plan
	switch c.s.Step {
	case Think:
		if !c.s.Running.Replanned {
			a.Thought = c.before()
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

// last returns the record of the cycle before.
func (c *Cycle) last() CycleRecord {
	if len(c.s.Past) == 0 {
		return CycleRecord{}
	}
	return c.s.Past[len(c.s.Past)-1]
}

// before returns the thought before this cycle's.
func (c *Cycle) before() string {
	for _, r := range slices.Backward(c.s.Past) {
		if r.Thought != "" { // else it failed
			return r.Thought
		}
	}
	return ""
}

// allowed withholds replies after some in a row: after one the text (.4), after two (.8) and three all.
func (c *Cycle) allowed() []Action {
	switch {
	case c.s.Replies >= 3, c.s.Replies == 2 && pcg.Draw(&c.dice) < .8:
		return actions[2:]
	case c.s.Replies == 1 && pcg.Draw(&c.dice) < .4:
		return actions[1:]
	}
	return actions[:]
}

// close ends the outstanding ask, and keeps how long it took.
func (c *Cycle) close(t tick.Tick) {
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

// thought takes a thought, and may want it anew where messages came meanwhile.
func (c *Cycle) thought(s string) {
	c.s.Running.Thought = VaryThought(c.before(), s, func() float64 { return pcg.Draw(&c.dice) })
	c.s.Step = MakePlan
	if c.o.ReplanAfter > 0 && !c.s.Running.Replanned && c.s.Unseen >= c.o.ReplanAfter && pcg.Draw(&c.dice) < c.o.ReplanChance {
		c.s.Running.Replanned, c.s.Step = true, Think
	}
}

func (c *Cycle) planned(t tick.Tick, p Plan) {
	c.s.Running.Plan = p
	switch {
	case !slices.Contains(c.s.Asked.Allowed, p.Action):
		c.silence(t)
	case p.Action == NoReply || p.Action == ExitFocus:
		c.finish(t, p.Action)
	default:
		c.s.Step = Act
		if p.Action == TextReply && p.EmojiQuery != "" && pcg.Draw(&c.dice) >= c.o.StickerChance {
			c.s.Running.Plan.EmojiQuery = ""
		}
	}
}

// anewFrom goes back to the thought.
func (c *Cycle) anewFrom(a Step) {
	if a.Kind == Think {
		c.s.Missed += a.NewMessages
	}
	c.s.Running.Plan, c.s.Running.Replanned, c.s.Step = Plan{}, true, Think
}

// fail ends the cycle as a no_reply because of err.
func (c *Cycle) fail(t tick.Tick, err error) {
	c.s.Running.Err = err.Error()
	if c.s.Asked.Kind == Think {
		c.s.Missed += c.s.Asked.NewMessages
	}
	c.silence(t)
}

// silence ends the cycle as a no_reply, whatever was chosen.
func (c *Cycle) silence(t tick.Tick) {
	c.s.Running.Chosen = c.s.Running.Plan.Action
	c.finish(t, NoReply)
}

// finish closes the record with what was done, and says when the next cycle begins.
func (c *Cycle) finish(t tick.Tick, did Action) {
	c.s.Running.Plan.Action, c.s.Running.Ended = did, t.Time(c.loc)
	if len(c.s.Past) == recordsKept {
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
	case EmojiReply:
		c.s.Replies, c.s.Waited = 0, 0
		c.s.Wake = t.Add(c.o.RestAfterAction)
	case NoReply:
		if !failed { // nobody chose to be silent: the replies before it are still the last that was said
			c.s.Replies = 0
		}
		c.s.Silent++
		c.s.Quiet, c.s.Wake = t, t.Add(c.o.SilenceWait)
		if c.s.Unseen > 0 { // what it would wait for is there
			c.s.Wake = t.Add(c.o.RestAfterNothing)
		}
	case ExitFocus:
		c.s.Ended = EndPlanned
	}
}
