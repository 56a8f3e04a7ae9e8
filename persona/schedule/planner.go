package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"sync"
	"time"
)

// A Planner says when a being acts though nobody asked, and with whose rights. [Planner.Observe] tells it of talks, [Planner.Next]
// says when to call [Planner.Due], what that yields is ended by [Planner.Done]:
//
//   - timers that fire, in moments that are 30 s apart or more;
//   - tasks, one at a time and one in 60 s at most, while no talk is going;
//   - 3 minutes after the last word of a talk, once, its archive, and a review of it after that;
//   - a reflection after every 10 messages, one at a time;
//   - when nothing is planned and nobody talks, a talk of the background that plans ahead. Of these and the reviews
//     there is one at a time, and 4 in an hour at most; one that plans comes a quarter of an hour after the last.
//
// What it counts by is rows "life/…" of a [State], each change durable before it shows: kill the program anywhere, and
// the limits hold. A wake that the program died of is told again after a while under the same ID, three times at most;
// one that planned is not, another comes later. What failed waits for a minute, doubled up to an hour. A timer or a task
// that failed is over; a failed task holds up the next one as long.
//
// It gives tasks and timers by [Timers.Due] and [Tasks.Due], so leave these to it. Memory's nightly dream has its own
// Next.
//
// All methods may be called concurrently. One Life at a time may use a State. When writing fails it is not known whether
// it was written: the next call reads the rows anew and goes by them.
//
// A clock that jumps ahead ends silences and waits; one that goes back makes none longer than it was at first.
type Planner struct {
	state    persona.State
	timers   *Timers
	schedule *Tasks
	limits   PlannerOptions

	writer chan struct{} // holds a token while a change is made: a lock that is held across I/O, so not a mutex
	ready  bool          // the rows are in memory; looked at with the token only
	broken []*RowError   // with the token only

	mu    sync.Mutex // guards what follows, which changes with the token only, for those who only look
	self  lifeRow
	jobs  []lifeJob               // by number; the slice is replaced, never changed
	talks map[string]Conversation // by key

	// These change without the token.
	live   map[uint64]bool // jobs that were given out in this life of the program
	seen   time.Time       // the latest now, or that of the last Due
	fresh  bool            // no Due has gone by the clock yet, or since it went back
	errors int             // of the State, one after the other
	erred  time.Time       // when it last failed
}

// PlannerOptions are how often a being acts by itself. The zero value is ready for use.
type PlannerOptions struct {
	TaskInterval      time.Duration // from one task to the next at least, 1 s to 1 h; 0 means 60 s; below: no tasks and no planning
	TimerInterval     time.Duration // from timers that fire to the next that do at least; 0 means 30 s
	ConversationGap   time.Duration // after this long a talk is over; 0 means 3 min
	ReflectEvery      int           // messages from one reflection to the next; 0 means 10; below: none
	BackgroundPerHour int           // talks of the background in an hour; 0 means 4; below: none, and no reviews
	IdleOrigin        Origin        // whose rights planning and reflection have; the zero Maker is the persona by itself
}

// errLife is matched by what is wrong with the options.
var errLife = errors.New("persona: life")

// NewPlanner drives timers and a schedule, either of which may be nil. It reads nothing yet; call [Planner.Restore] before
// anything else.
func NewPlanner(s persona.State, t *Timers, c *Tasks, o PlannerOptions) (*Planner, error) {
	switch {
	case o.TaskInterval > 0 && (o.TaskInterval < time.Second || o.TaskInterval > time.Hour):
		return nil, fmt.Errorf("%w: a heartbeat of %s is not within 1 s and 1 h", errLife, o.TaskInterval)
	case o.TimerInterval < 0 || o.ConversationGap < 0:
		return nil, fmt.Errorf("%w: a time below 0", errLife)
	}
	if err := o.IdleOrigin.check(); err != nil {
		return nil, err
	}
	o.TaskInterval, o.TimerInterval = cmp.Or(o.TaskInterval, time.Minute), cmp.Or(o.TimerInterval, 30*time.Second)
	o.ConversationGap, o.ReflectEvery, o.BackgroundPerHour = cmp.Or(o.ConversationGap, 3*time.Minute), cmp.Or(o.ReflectEvery, 10), cmp.Or(o.BackgroundPerHour, 4)
	return &Planner{
		state: s, timers: t, schedule: c, limits: o,
		writer: make(chan struct{}, 1), live: make(map[uint64]bool), talks: make(map[string]Conversation),
		fresh: true,
	}, nil
}

// Restore reads the rows, those of the timers and the schedule, too, and tells of those that cannot be read. What was
// going on when the program ended is interrupted.
func (l *Planner) Restore(ctx context.Context, now time.Time) ([]*RowError, error) {
	var broken []*RowError
	err := l.change(ctx, now, func(*living) error {
		broken = append(broken, l.broken...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if l.timers != nil {
		more, failed := l.timers.Restore(ctx)
		broken, err = append(broken, more...), failed
	}
	if l.schedule != nil && err == nil {
		more, failed := l.schedule.Restore(ctx)
		broken, err = append(broken, more...), failed
	}
	if err != nil {
		return nil, err
	}
	return broken, nil
}

// Observe tells that n messages were said in the session that m is of, by the being or to it. Tell only of talks that it
// takes part in: they count for reflection, and tasks wait until each has been silent for 3 minutes. The person of m
// does not matter.
func (l *Planner) Observe(ctx context.Context, now time.Time, m Origin, n int) error {
	m.Person, m.Restricted, m.Label = persona.Account{}, false, ""
	if err := m.check(); err != nil {
		return err
	}
	if n <= 0 {
		return nil
	}
	now = now.Round(0)
	return l.change(ctx, now, func(c *living) error {
		heard := Conversation{Origin: m, From: now, To: now, Messages: n}
		if old, ok := c.talk(heard.key()); ok {
			if l.over(old, now) {
				c.end(old, now) // nobody looked meanwhile
			} else {
				heard.From, heard.Messages = old.From, old.Messages+n
			}
		}
		c.put(heard)
		c.self.Heard = now
		c.self.Messages += n
		c.reflect(now)
		return nil
	})
}

// over reports whether a talk has been silent for long enough.
func (l *Planner) over(t Conversation, now time.Time) bool {
	return !now.Before(t.To.Add(l.limits.ConversationGap))
}

// EraseChat removes what is known of the talks in a chat. Timers and Schedule have their own.
func (l *Planner) EraseChat(ctx context.Context, now time.Time, chat persona.Chat) error {
	return l.change(ctx, now, func(c *living) error {
		here := Origin{Chat: chat}
		if t, ok := c.talk(Conversation{Origin: here}.key()); ok {
			c.remove(t)
		}
		for _, j := range c.l.jobs {
			if j.Talk.Messages > 0 && j.Talk.Origin == here {
				c.drop(j.Number)
			}
		}
		return nil
	})
}
