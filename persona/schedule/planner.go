package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A Planner decides when the bot acts without being asked, and with which rights. Report conversations to
// [Planner.Observe]. Call [Planner.Due] at the time that [Planner.Next] returns. End each wake with [Planner.Done]. Due
// yields:
//
//   - timers that fire, at most every 30 s
//   - tasks, one at a time and at most one in 60 s. A conversation with the owner delays them until it ends. Other
//     conversations delay a task for at most 10 minutes, and for at most half of the time until it is outdated. The
//     statuses of tasks change meanwhile
//   - an archive wake for each conversation after 3 minutes of silence, and a review of it later, at most 4 in an hour
//   - a reflection after every 10 messages, one at a time
//   - a background turn that plans ahead, if nothing is planned and nobody talks, at most 4 in an hour and 15 minutes
//     apart
//
// Reviews and planning are background turns. One runs at a time, and reviews come first, those of the owner before
// others. The times and counts are the defaults of [PlannerOptions].
//
// The counters and pending wakes are rows "life/…" of the [persona.State]. Every change is durable before it takes
// effect. Therefore the limits hold after a crash at any time. A wake that was interrupted by a crash is yielded again
// later with the same ID, at most three times. A planning turn is not: a new one follows later. A failed wake is
// retried after a minute, and the delay doubles up to an hour. A failed timer or task is not retried. A failed task
// delays the next task by the same backoff.
//
// The Planner calls [Timers.Due] and [Tasks.Due] itself, so do not call them. Memory's nightly dream is not part of the
// Planner.
//
// All methods may be called concurrently. Use only one Planner for each State at a time. After a failed write the
// outcome of the write is unknown. The next call then reads all rows again.
//
// If the clock jumps ahead, waits and silences end early. If it goes back, no wait becomes longer than its full length.
type Planner struct {
	state   persona.State
	timers  *Timers
	tasks   *Tasks
	options PlannerOptions

	writer chan struct{} // holds one token during a change; it is held during I/O, therefore it is not a mutex
	ready  bool          // the rows are in memory; needs the token
	broken []*RowError   // needs the token

	mu            sync.Mutex // guards the fields below for readers; those up to archived change only with the token
	counters      counters
	jobs          []pendingWake           // by number; the slice is immutable
	conversations map[string]Conversation // by key
	archived      []archived              // oldest first; the slice is immutable

	// These change without the token.
	started      map[uint64]bool // jobs that were given out since the program started
	seen         time.Time       // the latest time seen, or the time of the last Due
	clockChanged bool            // no Due has completed since the start, or since the clock went back
	failures     int             // consecutive errors of the State
	failedAt     time.Time       // time of the last error

	taskInterval atomic.Int64 // a [time.Duration]; negative: no tasks and no planning
}

// PlannerOptions limit the autonomous actions of the bot. The zero value is ready for use.
type PlannerOptions struct {
	TaskInterval      time.Duration // minimum time between tasks, 1 s to 1 h; 0 means 60 s; negative disables tasks and planning
	TimerInterval     time.Duration // minimum time between firings of timers; 0 means 30 s
	ConversationGap   time.Duration // a conversation ends after this silence; 0 means 3 min
	ReflectEvery      int           // messages between reflections; 0 means 10; negative disables them
	BackgroundPerHour int           // maximum planning turns in an hour; 0 means 4; negative disables them
	ReviewsPerHour    int           // maximum reviews in an hour; 0 means BackgroundPerHour; negative disables them
	MaxTaskDelay      time.Duration // longest delay of a task by conversations of others than the owner; 0 means 10 min; negative: none
	IdleOrigin        Origin        // rights of planning and reflection; zero means the bot itself in persona mode

	// IsOwner reports whether a private chat is the owner's. Nil means that the owner talks in agent mode only. Only
	// [Planner.Observe] calls it.
	IsOwner func(persona.Chat) bool
}

var (
	errPlannerOptions = errors.New("schedule: invalid PlannerOptions")
	errCrashed        = errors.New("schedule: the program crashed")
)

// NewPlanner returns a planner for timers and tasks. Either may be nil. It reads nothing. Call [Planner.Restore] before
// any other method.
func NewPlanner(s persona.State, t *Timers, c *Tasks, o PlannerOptions) (*Planner, error) {
	if o.TimerInterval < 0 || o.ConversationGap < 0 {
		return nil, fmt.Errorf("%w: TimerInterval or ConversationGap is negative", errPlannerOptions)
	}
	if err := cmp.Or(checkTaskInterval(o.TaskInterval), o.IdleOrigin.check()); err != nil {
		return nil, err
	}
	o.TaskInterval, o.TimerInterval = cmp.Or(o.TaskInterval, time.Minute), cmp.Or(o.TimerInterval, 30*time.Second)
	o.ConversationGap, o.ReflectEvery, o.BackgroundPerHour = cmp.Or(o.ConversationGap, 3*time.Minute), cmp.Or(o.ReflectEvery, 10), cmp.Or(o.BackgroundPerHour, 4)
	o.ReviewsPerHour, o.MaxTaskDelay = cmp.Or(o.ReviewsPerHour, o.BackgroundPerHour), cmp.Or(o.MaxTaskDelay, 10*time.Minute)
	p := &Planner{
		state: s, timers: t, tasks: c, options: o,
		writer: make(chan struct{}, 1), started: make(map[uint64]bool), conversations: make(map[string]Conversation),
		clockChanged: true,
	}
	p.taskInterval.Store(int64(o.TaskInterval))
	return p, nil
}

func checkTaskInterval(d time.Duration) error {
	if d > 0 && (d < time.Second || d > time.Hour) {
		return fmt.Errorf("%w: TaskInterval is %s, want 1s to 1h", errPlannerOptions, d)
	}
	return nil
}

// SetTaskInterval replaces [PlannerOptions.TaskInterval] until the program ends. 0 means the value of the options. A
// negative interval stops tasks and planning: statuses stay as they are, and tasks that became due meanwhile are late.
func (p *Planner) SetTaskInterval(d time.Duration) error {
	if err := checkTaskInterval(d); err != nil {
		return err
	}
	p.taskInterval.Store(int64(cmp.Or(d, p.options.TaskInterval)))
	return nil
}

// TaskInterval returns the current interval. It is negative if tasks and planning are stopped.
func (p *Planner) TaskInterval() time.Duration { return time.Duration(p.taskInterval.Load()) }

// Restore reads the rows of the planner, the timers and the tasks. It returns the rows that cannot be parsed. Wakes
// that ran when the program ended count as interrupted.
func (p *Planner) Restore(ctx context.Context, now time.Time) ([]*RowError, error) {
	var broken []*RowError
	err := p.change(ctx, now, func(*plannerChange) error {
		broken = append(broken, p.broken...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.timers != nil {
		more, failed := p.timers.Restore(ctx)
		broken, err = append(broken, more...), failed
	}
	if p.tasks != nil && err == nil {
		more, failed := p.tasks.Restore(ctx)
		broken, err = append(broken, more...), failed
	}
	if err != nil {
		return nil, err
	}
	return broken, nil
}

// Observe reports n messages in the session of m, from the bot or to it. Report only conversations with the bot. They
// count for reflection. They delay tasks and planning until the session has been silent for
// [PlannerOptions.ConversationGap]: see [Planner]. Person, Restricted and Label of m are ignored.
func (p *Planner) Observe(ctx context.Context, now time.Time, m Origin, n int) error {
	m.Person, m.Restricted, m.Label = persona.Account{}, false, ""
	if err := m.check(); err != nil {
		return err
	}
	if n <= 0 {
		return nil
	}
	now = now.Round(0)
	owners := m.Mode == persona.Agent || m.Chat.Kind == persona.Private && p.options.IsOwner != nil && p.options.IsOwner(m.Chat)
	return p.change(ctx, now, func(c *plannerChange) error {
		conv := Conversation{Origin: m, From: now, To: now, Messages: n, WithOwner: owners}
		if old, ok := c.conversation(conv.key()); ok {
			if p.hasEnded(old, now) {
				c.archive(old, now) // Due was not called in between
			} else {
				conv.From, conv.Messages = old.From, old.Messages+n
			}
		}
		c.setConversation(conv)
		c.counters.LastMessage = now
		c.counters.Messages += n
		c.addReflection(now)
		return nil
	})
}

// hasEnded reports whether a conversation has ended.
func (p *Planner) hasEnded(t Conversation, now time.Time) bool {
	return !now.Before(t.To.Add(p.options.ConversationGap))
}

// Archived returns the last 100 archived conversations, oldest first. The last one in agent mode is always among them.
// Archived returns nothing before [Planner.Restore].
func (p *Planner) Archived() []Conversation {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Conversation, len(p.archived))
	for i, t := range p.archived {
		list[i] = t.Conversation
	}
	return list
}

// Conversations returns the conversations that have not been archived, the one with the oldest last message first. It returns
// nothing before [Planner.Restore].
func (p *Planner) Conversations() []Conversation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.conversations), func(a, b Conversation) int {
		return cmp.Or(a.To.Compare(b.To), cmp.Compare(a.key(), b.key()))
	})
}

// EraseChat removes the conversations in a chat. Call ForgetChat of [Timers] and [Tasks], too.
func (p *Planner) EraseChat(ctx context.Context, now time.Time, chat persona.Chat) error {
	return p.change(ctx, now, func(c *plannerChange) error {
		here := Origin{Chat: chat}
		if t, ok := c.conversation(Conversation{Origin: here}.key()); ok {
			c.removeConversation(t)
		}
		for _, j := range c.planner.jobs {
			if j.Conversation.Messages > 0 && j.Conversation.Origin == here {
				c.removeJob(j.Number)
			}
		}
		c.archived = slices.DeleteFunc(slices.Clone(c.archived), func(t archived) bool { return t.Origin == here })
		return nil
	})
}
