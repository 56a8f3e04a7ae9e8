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
// model: [Cycle.Due] asks for a step, [Cycle.Answer] takes what came of it. At most one ask is outstanding.
//
// A step that fails or expires, and a plan that is withheld at the time, make the cycle a no_reply. It then waits for a
// message, or for CycleOptions.Wait, before the next. Three no_replies in a row that waited 594 s in all end the focus,
// and so does a planner that chooses exit_focus_mode. A text_reply begins both counts anew, an emoji_reply only the wait.
// So a planner that is always silent leaves a chat in any case, whether people write there or not.
//
// It is used by one goroutine at a time. A step back in time counts as the latest time seen. What was due by then has
// happened before whatever a method is told: an answer at the very time of its expiry is late.
type Cycle struct {
	o    CycleOptions
	dice rand.PCG
	loc  *time.Location
	now  tick.Tick // the latest seen

	began tick.Tick
	ended Ending

	asked   CycleAsk // the latest
	askedAt tick.Tick
	open    bool      // it is outstanding
	anew    bool      // it was outstanding when the cycle was saved, and is to be asked anew
	step    Kind      // the next to ask
	wake    tick.Tick // not before
	quiet   tick.Tick // a no_reply waits since; 0: none does

	cur     Record // of the cycle that runs; Began is zero before its first ask
	unseen  int    // messages that no thought has seen
	missed  int    // those that a thought should have seen that failed: nothing waits for them
	replies int
	silent  int
	waited  time.Duration
	past    []Record // the last ten, oldest first
}

// NewCycle begins a focus at now. All chance comes from the seed. It panics where [CycleOptions.Validate] returns an
// error.
func NewCycle(now time.Time, o CycleOptions, seed uint64) *Cycle {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	t := tick.Of(now)
	c := &Cycle{o: o.withDefaults(), loc: now.Location(), now: t, began: t, wake: t, step: Think}
	c.dice.Seed(seed, 0)
	return c
}

// Heard tells of a message of somebody else in the chat. It ends the wait of a no_reply.
func (c *Cycle) Heard(now time.Time) {
	t := c.enter(now)
	c.unseen++
	if c.quiet != 0 {
		c.wake = min(c.wake, max(t, c.quiet.Add(c.o.Rest)))
	}
}

// Next returns when [Cycle.Due] has something to do, which may be in the past; false: the focus is over.
func (c *Cycle) Next() (time.Time, bool) {
	switch {
	case c.ended != "":
		return time.Time{}, false
	case c.open:
		return c.expires().Time(c.loc), true
	}
	return c.wake.Time(c.loc), true
}

// Due asks for the step that is wanted at now; false: none is, since one is outstanding, the cycle rests or waits, or
// the focus is over. The feeling is passed on.
func (c *Cycle) Due(now time.Time, f Feeling) (CycleAsk, bool) {
	t := c.enter(now)
	if c.open || c.ended != "" || c.wake > t {
		return CycleAsk{}, false
	}
	a := c.asked
	if !c.anew {
		a = c.ask(t)
	} else if a.Kind == Think {
		a.New += c.unseen
		c.unseen = 0
	}
	a.ID, a.Anew, a.Feeling = c.asked.ID+1, c.anew, f
	a.At, a.Expires, a.Focused = t.Time(c.loc), t.Add(c.o.Timeout).Time(c.loc), time.Duration(t-c.began)
	c.asked, c.askedAt, c.open, c.anew = a, t, true, false
	return a, true
}

// Answer takes the answer to the ask of that id, once; false: it is late, or was never asked, and nothing changes.
func (c *Cycle) Answer(now time.Time, id uint64, a CycleAnswer) bool {
	t := c.enter(now)
	if !c.open || id != c.asked.ID {
		return false
	}
	c.close(t)
	switch {
	case errors.Is(a.Err, ErrWithdrawn):
		c.anewFrom(c.asked)
	case a.Err != nil:
		c.fail(t, a.Err)
	case c.asked.Kind == Think:
		c.thought(a.Thought)
	case c.asked.Kind == Choose:
		c.planned(t, a.Plan)
	default:
		c.finish(t, c.cur.Plan.Action)
	}
	return true
}

// Asked returns the ask that is outstanding.
func (c *Cycle) Asked(now time.Time) (CycleAsk, bool) {
	c.enter(now)
	if !c.open {
		return CycleAsk{}, false
	}
	return c.asked, true
}

// Waiting reports whether a no_reply waits for a message.
func (c *Cycle) Waiting(now time.Time) bool {
	c.enter(now)
	return c.quiet != 0
}

// Ended says why the focus is over at now; empty: it is not.
func (c *Cycle) Ended(now time.Time) Ending {
	c.enter(now)
	return c.ended
}

// Records returns the last ten finished cycles, oldest first.
func (c *Cycle) Records() []Record { return slices.Clone(c.past) }

// enter sets the clock to now, and lets happen what was due by then.
func (c *Cycle) enter(now time.Time) tick.Tick {
	c.now, c.loc = max(c.now, tick.Of(now)), now.Location()
	if at := c.expires(); c.open && at <= c.now {
		c.close(at)
		c.fail(at, ErrExpired)
	}
	if c.quiet != 0 && c.wake <= c.now { // only now is it known how long the wait was
		c.waited += time.Duration(c.wake - c.quiet)
		c.quiet = 0
		if c.silent >= c.o.GiveUp && c.waited >= c.o.GiveUpWait {
			c.ended = EndSilent
		}
	}
	return c.now
}

func (c *Cycle) expires() tick.Tick { return c.askedAt.Add(c.o.Timeout) }

// ask makes the next step's ask.
func (c *Cycle) ask(t tick.Tick) CycleAsk {
	if c.cur.Began.IsZero() {
		c.cur.ID, c.cur.Began = c.cur.ID+1, t.Time(c.loc)
	}
	a := CycleAsk{
		Kind: c.step, Cycle: c.cur.ID, Thought: c.cur.Thought, Replies: c.replies, Silent: c.silent, Waited: c.waited,
	}
	a.Last = c.last().Plan
	switch c.step {
	case Think:
		if !c.cur.Replanned {
			a.Thought = c.before()
		}
		a.New, a.Again = c.unseen+c.missed, c.cur.Replanned
		c.unseen, c.missed = 0, 0
	case Choose:
		a.Allowed = c.allowed()
	case Act:
		a.Plan = c.cur.Plan
	}
	return a
}

// last returns the record of the cycle before.
func (c *Cycle) last() Record {
	if len(c.past) == 0 {
		return Record{}
	}
	return c.past[len(c.past)-1]
}

// before returns the thought before this cycle's.
func (c *Cycle) before() string {
	for _, r := range slices.Backward(c.past) {
		if r.Thought != "" { // else it failed
			return r.Thought
		}
	}
	return ""
}

// allowed withholds replies after some in a row: after one the text (.4), after two (.8) and three all.
func (c *Cycle) allowed() []Action {
	switch {
	case c.replies >= 3, c.replies == 2 && pcg.Draw(&c.dice) < .8:
		return actions[2:]
	case c.replies == 1 && pcg.Draw(&c.dice) < .4:
		return actions[1:]
	}
	return actions[:]
}

// close ends the outstanding ask, and keeps how long it took.
func (c *Cycle) close(t tick.Tick) {
	c.open, c.wake = false, t
	d := time.Duration(t - c.askedAt)
	switch c.asked.Kind {
	case Think:
		c.cur.Think += d
	case Choose:
		c.cur.Choose += d
	case Act:
		c.cur.Act += d
	}
}

// thought takes a thought, and may want it anew where messages came meanwhile.
func (c *Cycle) thought(s string) {
	c.cur.Thought = Freshen(c.before(), s, func() float64 { return pcg.Draw(&c.dice) })
	c.step = Choose
	if c.o.Replan > 0 && !c.cur.Replanned && c.unseen >= c.o.Replan && pcg.Draw(&c.dice) < c.o.ReplanP {
		c.cur.Replanned, c.step = true, Think
	}
}

func (c *Cycle) planned(t tick.Tick, p Plan) {
	c.cur.Plan = p
	switch {
	case !slices.Contains(c.asked.Allowed, p.Action):
		c.silence(t)
	case p.Action == NoReply || p.Action == ExitFocus:
		c.finish(t, p.Action)
	default:
		c.step = Act
		if p.Action == TextReply && p.EmojiQuery != "" && pcg.Draw(&c.dice) >= c.o.EmojiP {
			c.cur.Plan.EmojiQuery = ""
		}
	}
}

// anewFrom goes back to the thought.
func (c *Cycle) anewFrom(a CycleAsk) {
	if a.Kind == Think {
		c.missed += a.New
	}
	c.cur.Plan, c.cur.Replanned, c.step = Plan{}, true, Think
}

// fail ends the cycle as a no_reply because of err.
func (c *Cycle) fail(t tick.Tick, err error) {
	c.cur.Err = err.Error()
	if c.asked.Kind == Think {
		c.missed += c.asked.New
	}
	c.silence(t)
}

// silence ends the cycle as a no_reply, whatever was chosen.
func (c *Cycle) silence(t tick.Tick) {
	c.cur.Wanted = c.cur.Plan.Action
	c.finish(t, NoReply)
}

// finish closes the record with what was done, and says when the next cycle begins.
func (c *Cycle) finish(t tick.Tick, did Action) {
	c.cur.Plan.Action, c.cur.Ended = did, t.Time(c.loc)
	if len(c.past) == recordsKept {
		c.past = slices.Delete(c.past, 0, 1)
	}
	c.past = append(c.past, c.cur)
	failed := c.cur.Err != ""
	c.cur, c.step = Record{ID: c.cur.ID}, Think
	switch did {
	case TextReply:
		c.replies++
		c.silent, c.waited = 0, 0
		c.wake = t.Add(c.o.RestDone)
	case EmojiReply:
		c.replies, c.waited = 0, 0
		c.wake = t.Add(c.o.RestDone)
	case NoReply:
		if !failed { // nobody chose to be silent: the replies before it are still the last that was said
			c.replies = 0
		}
		c.silent++
		c.quiet, c.wake = t, t.Add(c.o.Wait)
		if c.unseen > 0 { // what it would wait for is there
			c.wake = t.Add(c.o.Rest)
		}
	case ExitFocus:
		c.ended = EndPlanned
	}
}
