package hfc

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// Kind is what somebody is asked to do.
type Kind string

const (
	Think  Kind = "think"  // make a thought of what was observed
	Choose Kind = "choose" // make a plan of the thought
	Act    Kind = "act"    // carry the plan out: a text_reply or an emoji_reply
)

// A Feeling is how the bot feels, as far as a cycle passes it on. The zero value is calm and without energy.
type Feeling struct {
	Valence float64 // of the mood, -1 to 1
	Arousal float64 // of the mood, -1 to 1
	Energy  float64 // 0 to 1
}

// A CycleAsk is a step that is wanted. It is answered once, by [Cycle.Answer], before it expires.
type CycleAsk struct {
	ID      uint64 // never 0
	Kind    Kind
	At      time.Time
	Expires time.Time // from then on an answer is late, and the step has failed
	Cycle   int       // the number of its [Record], from 1
	Anew    bool      // it was asked before a restart and may have been carried out: an Act looks that up first

	New     int           // Think: messages that no thought has seen
	Again   bool          // Think: redone, since messages came meanwhile
	Thought string        // Think: of the cycle before; Choose and Act: of this one; empty: none
	Plan    Plan          // Act
	Allowed []Action      // Choose: what may be chosen, anything else counts as no_reply; read only
	Last    Plan          // the plan of the cycle before: its action and its reasons; no action: it is the first
	Replies int           // text_replies in a row
	Silent  int           // no_replies in a row
	Waited  time.Duration // while silent
	Focused time.Duration // since the chat became FOCUSED
	Feeling Feeling
}

// A CycleAnswer is what became of a [CycleAsk].
type CycleAnswer struct {
	Thought string // of Think
	Plan    Plan   // of Choose
	Err     error  // the step failed: the cycle ends as a no_reply. An Act that sent nothing fails
}

// An Ending is why a focus is over; empty: it is not.
type Ending string

const (
	EndPlanned Ending = "planned" // the planner chose exit_focus_mode
	EndSilent  Ending = "silent"  // too many no_replies in a row, and too long a silence
)

// A Record is one finished cycle.
type Record struct {
	ID           int
	Began, Ended time.Time
	Think        time.Duration // how long each step took; 0: there was none
	Choose       time.Duration
	Act          time.Duration
	Thought      string
	Plan         Plan   // its Action is what was done
	Wanted       Action // what the planner chose, where that is something else; else empty
	Err          string // why a step failed; empty: none did
	Replanned    bool   // the thought was made anew
}

// CycleOptions of a [Cycle]. The zero value is HFC's.
type CycleOptions struct {
	Timeout    time.Duration // an ask expires after it; 0 means 100 s
	Wait       time.Duration // a no_reply waits so long for a message; 0 means 300 s
	Rest       time.Duration // after a cycle that did nothing; 0 means 1 s
	RestDone   time.Duration // after one that did something; 0 means 200 ms
	Replan     int           // so many messages during a thought may have it made anew; 0 means 3, negative: never
	ReplanP    float64       // the chance of that; 0 means .2
	EmojiP     float64       // the chance that a text_reply keeps its emoji_query; 0 means .3, negative: never
	GiveUp     int           // so many no_replies in a row end the focus; 0 means 3
	GiveUpWait time.Duration // if they waited so long in all; 0 means 594 s
}

// Validate reports what [NewCycle] would panic about.
func (o CycleOptions) Validate() error {
	if o.Timeout < 0 || o.Wait < 0 || o.Rest < 0 || o.RestDone < 0 || o.GiveUp < 0 || o.GiveUpWait < 0 {
		return errors.New("hfc: a cycle option is negative")
	}
	if !(o.ReplanP >= 0 && o.ReplanP <= 1) || !(o.EmojiP <= 1) {
		return errors.New("hfc: a chance of the cycle is not one")
	}
	return nil
}

func (o CycleOptions) withDefaults() CycleOptions {
	o.Timeout = or(o.Timeout, 100*time.Second)
	o.Wait = or(o.Wait, 300*time.Second)
	o.Rest = or(o.Rest, time.Second)
	o.RestDone = or(o.RestDone, 200*time.Millisecond)
	o.Replan = or(o.Replan, 3)
	o.ReplanP = or(o.ReplanP, .2)
	o.EmojiP = or(o.EmojiP, .3)
	o.GiveUp = or(o.GiveUp, 3)
	o.GiveUpWait = or(o.GiveUpWait, 594*time.Second)
	return o
}

const recordsKept = 10

// A Cycle is a focus on one chat: observe and think, plan, act, again and again until it is over. It has no clock and no
// model: [Cycle.Due] asks for a step, [Cycle.Answer] takes what came of it. At most one ask is outstanding.
//
// A step that fails, expires, gives no plan, or a plan that is withheld at the time, is a no_reply: the cycle waits for a
// message or for CycleOptions.Wait, then begins anew. Three of them in a row that waited 594 s in all end the focus, and
// so does a planner that chooses exit_focus_mode. A text_reply begins both counts anew, an emoji_reply only the wait.
//
// It is used by one goroutine at a time. A step back in time counts as the latest time seen.
type Cycle struct {
	o     CycleOptions
	dice  rand.PCG
	loc   *time.Location
	now   tick // the latest seen
	began tick

	asked   CycleAsk // the latest; its times are in askedAt
	askedAt tick
	open    bool // asked is outstanding
	anew    bool // the next ask was outstanding before a restart
	step    Kind // the next to ask
	wake    tick // not before
	quiet   tick // a no_reply waits since; 0: none does

	cur     record
	unseen  int // messages that no thought has seen
	replies int
	silent  int
	waited  time.Duration
	end     Ending
	past    []record // the last ten, oldest first
}

// A record is a Record with its times as ticks.
type record struct {
	Record
	began, ended tick
}

// NewCycle begins a focus at now. All chance comes from the seed. It panics where [CycleOptions.Validate] returns an
// error.
func NewCycle(now time.Time, o CycleOptions, seed uint64) *Cycle {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	c := &Cycle{o: o.withDefaults(), loc: now.Location(), step: Think}
	c.dice.Seed(seed, 0)
	c.now = tickOf(now)
	c.began, c.wake = c.now, c.now
	return c
}

// enter sets the clock to now, and lets an ask expire that is due.
func (c *Cycle) enter(now time.Time) tick {
	c.now, c.loc = max(c.now, tickOf(now)), now.Location()
	if at := c.expires(); c.open && at <= c.now {
		c.took(at)
		c.fail(at, ErrExpired)
	}
	return c.now
}

// ErrExpired is the error of a step that nobody answered in time.
var ErrExpired = errors.New("hfc: expired")

func (c *Cycle) expires() tick { return c.askedAt.add(c.o.Timeout) }

// Heard tells of a message in the chat. It ends the wait of a no_reply.
func (c *Cycle) Heard(now time.Time) {
	t := c.enter(now)
	c.unseen++
	if c.quiet != 0 && t < c.wake {
		c.wake = min(c.wake, max(t, c.quiet.add(c.o.Rest)))
	}
}

// Next returns when [Cycle.Due] has something to do, which may be in the past; false: the focus is over.
func (c *Cycle) Next() (time.Time, bool) {
	switch {
	case c.end != "":
		return time.Time{}, false
	case c.open:
		return c.expires().time(c.loc), true
	}
	return c.wake.time(c.loc), true
}

// Waiting reports whether a no_reply waits for a message.
func (c *Cycle) Waiting(now time.Time) bool {
	t := c.enter(now)
	return c.quiet != 0 && t < c.wake
}

// Asked returns the outstanding ask.
func (c *Cycle) Asked(now time.Time) (CycleAsk, bool) {
	c.enter(now)
	return c.asked, c.open
}

// Ended says why the focus is over; empty: it is not.
func (c *Cycle) Ended() Ending { return c.end }

// Records returns the last ten finished cycles, oldest first.
func (c *Cycle) Records() []Record {
	list := make([]Record, len(c.past))
	for i, r := range c.past {
		list[i] = r.Record
		list[i].Began, list[i].Ended = r.began.time(c.loc), r.ended.time(c.loc)
	}
	return list
}

// Due asks for the step that is wanted at now; false: none is, since one is outstanding, the cycle rests or waits, or
// the focus is over. The feeling is passed on.
func (c *Cycle) Due(now time.Time, f Feeling) (CycleAsk, bool) {
	t := c.enter(now)
	if c.open || c.end != "" || c.wake > t {
		return CycleAsk{}, false
	}
	if c.quiet != 0 { // a wait is counted when it is over, for it may end early
		c.waited += time.Duration(c.wake - c.quiet)
		c.quiet = 0
		if c.silent >= c.o.GiveUp && c.waited >= c.o.GiveUpWait {
			c.end = EndSilent
			return CycleAsk{}, false
		}
	}
	a := CycleAsk{
		ID: c.asked.ID + 1, Kind: c.step, At: t.time(c.loc), Expires: t.add(c.o.Timeout).time(c.loc), Anew: c.anew,
		Thought: c.cur.Thought, Replies: c.replies, Silent: c.silent, Waited: c.waited,
		Focused: time.Duration(t - c.began), Feeling: f,
	}
	if n := len(c.past); n > 0 {
		a.Last = c.past[n-1].Plan
		if c.step == Think && !c.cur.Replanned {
			a.Thought = c.past[n-1].Thought
		}
	}
	switch c.step {
	case Think:
		if c.cur.began == 0 {
			c.cur.ID, c.cur.began = c.cur.ID+1, t
		}
		a.New, a.Again = c.unseen, c.cur.Replanned
		c.unseen = 0
	case Choose:
		a.Allowed = c.allowed()
	case Act:
		a.Plan = c.cur.Plan
	}
	a.Cycle = c.cur.ID
	c.asked, c.askedAt, c.open, c.anew = a, t, true, false
	return a, true
}

// Answer takes the answer to the ask of that id, once; false: it is late, or was never asked, and nothing changes.
func (c *Cycle) Answer(now time.Time, id uint64, a CycleAnswer) bool {
	t := c.enter(now)
	if !c.open || id != c.asked.ID {
		return false
	}
	c.took(t)
	c.wake = t
	switch {
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

// took closes the outstanding ask and keeps how long it was open.
func (c *Cycle) took(t tick) {
	c.open = false
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

func (c *Cycle) fail(t tick, err error) {
	c.cur.Err = err.Error()
	c.withhold(t)
}

// withhold ends the cycle as a no_reply, whatever the plan was.
func (c *Cycle) withhold(t tick) {
	c.cur.Wanted = c.cur.Plan.Action
	c.finish(t, NoReply)
}

func (c *Cycle) thought(s string) {
	prev := ""
	if n := len(c.past); n > 0 {
		prev = c.past[n-1].Thought
	}
	c.cur.Thought = Freshen(prev, s, func() float64 { return draw(&c.dice) })
	c.step = Choose
	if c.o.Replan > 0 && !c.cur.Replanned && c.unseen >= c.o.Replan && draw(&c.dice) < c.o.ReplanP {
		c.cur.Replanned, c.step = true, Think
	}
}

func (c *Cycle) planned(t tick, p Plan) {
	c.cur.Plan = p
	switch {
	case !slices.Contains(c.asked.Allowed, p.Action):
		c.withhold(t)
	case p.Action == NoReply || p.Action == ExitFocus:
		c.finish(t, p.Action)
	default:
		if p.Action == TextReply && p.EmojiQuery != "" && draw(&c.dice) >= c.o.EmojiP {
			c.cur.Plan.EmojiQuery = ""
		}
		c.step = Act
	}
}

// finish closes the cycle with what was done, and says when the next one begins.
func (c *Cycle) finish(t tick, did Action) {
	c.cur.Plan.Action, c.cur.ended = did, t
	if len(c.past) == recordsKept {
		c.past = slices.Delete(c.past, 0, 1)
	}
	c.past = append(c.past, c.cur)
	c.cur, c.step = record{Record: Record{ID: c.cur.ID}}, Think
	switch did {
	case TextReply:
		c.replies++
		c.silent, c.waited = 0, 0
		c.wake = t.add(c.o.RestDone)
	case EmojiReply:
		c.replies, c.waited = 0, 0
		c.wake = t.add(c.o.RestDone)
	case NoReply:
		if c.past[len(c.past)-1].Err == "" { // a failure is no change of subject
			c.replies = 0
		}
		c.silent++
		c.quiet, c.wake = t, t.add(c.o.Wait)
		if c.unseen > 0 { // they are what it would wait for
			c.wake = t.add(c.o.Rest)
		}
	case ExitFocus:
		c.end = EndPlanned
	}
}

// allowed withholds replies after some in a row: the text after one (.4), all after two (.8) and three.
func (c *Cycle) allowed() []Action {
	switch {
	case c.replies >= 3, c.replies == 2 && draw(&c.dice) < .8:
		return actions[2:]
	case c.replies == 1 && draw(&c.dice) < .4:
		return actions[1:]
	}
	return actions[:]
}
