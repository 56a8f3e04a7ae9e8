package schedule

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// maxReviews is the maximum number of waiting reviews. The oldest one is dropped first.
const maxReviews = 32

// Done ends a wake. failure is nil if it succeeded. A timer or task ends in both cases. A failed review, reflection or
// archive is yielded again later under another ID. Done returns [ErrNotFound] if the wake was not yielded since the
// program started, or if it has ended. For timers it returns nil in these cases.
func (p *Planner) Done(ctx context.Context, now time.Time, id string, failure error) error {
	now = now.Round(0)
	kind, rest, _ := strings.Cut(id, "/")
	switch {
	case kind == "timer" && p.timers != nil:
		return p.timers.Done(ctx, id)
	case kind == "task" && p.tasks != nil:
		task, _, _ := strings.Cut(rest, "/")
		if !p.tasks.isRunning(task) {
			return ErrNotFound
		}
		err := p.change(ctx, now, func(c *plannerChange) error {
			c.counters.TaskBackoff = c.counters.TaskBackoff.after(now, failure)
			return nil
		})
		return cmp.Or(err, p.tasks.Done(ctx, now, task, failure))
	case kind == "life":
		return p.endWake(ctx, now, id, failure)
	}
	return ErrNotFound
}

func (p *Planner) endWake(ctx context.Context, now time.Time, id string, failure error) error {
	var number uint64
	err := p.change(ctx, now, func(c *plannerChange) error {
		i := slices.IndexFunc(c.all(), func(j pendingWake) bool { return j.Running && j.id() == id })
		if i < 0 {
			parts := strings.Split(id, "/")
			number, _ = strconv.ParseUint(parts[min(2, len(parts)-1)], 10, 64)
			if !p.isStarted(number) || slices.ContainsFunc(c.all(), func(j pendingWake) bool { return j.Number == number }) {
				number = 0
				return ErrNotFound
			}
			return nil // forgotten while it ran
		}
		j := c.all()[i]
		number = j.Number
		if failure == nil || j.Kind == WakeIdle {
			c.finish(j, now, failure)
			return nil
		}
		j.Running, j.Starts, j.Backoff = false, 0, j.Backoff.next(now)
		j.Failures++
		c.setJob(j)
		return nil
	})
	if err == nil {
		p.setStarted(number, false)
	}
	return err
}

// finish removes a job and creates its follow-up.
func (c *plannerChange) finish(j pendingWake, now time.Time, failure error) {
	c.removeJob(j.Number)
	switch j.Kind {
	case WakeArchive:
		c.addArchived(archived{j.Conversation, j.Number})
		c.addReview(j.Conversation, now)
	case WakeReflect:
		c.addReflection(now)
	case WakeIdle:
		c.counters.PlanBackoff = c.counters.PlanBackoff.after(now, failure)
	}
}

// interrupted handles a job that ran when the program crashed.
func (c *plannerChange) interrupted(j pendingWake, now time.Time) {
	switch {
	case j.Kind == WakeIdle:
		c.finish(j, now, errCrashed)
	case j.Starts >= maxStarts:
		c.finish(j, now, nil)
	default:
		j.Running, j.Backoff = false, j.Backoff.next(now)
		c.setJob(j)
	}
}

// archive turns an ended conversation into an archive job.
func (c *plannerChange) archive(t Conversation, now time.Time) {
	c.removeConversation(t)
	c.addJob(pendingWake{Kind: WakeArchive, Conversation: t, Made: now})
}

// maxArchived is the number of archived conversations to keep.
const maxArchived = 100

// addArchived adds an archived conversation and drops the oldest one above the limit, except the last one in agent
// mode.
func (c *plannerChange) addArchived(t archived) {
	all := append(slices.Clone(c.archived), t)
	if len(all) > maxArchived {
		isAgent := func(t archived) bool { return t.Origin.Mode == persona.Agent }
		oldest := 0
		if isAgent(all[0]) && !slices.ContainsFunc(all[1:], isAgent) {
			oldest = 1
		}
		all = slices.Delete(all, oldest, oldest+1)
	}
	c.archived = all
}

// diffArchived calls f for each archived conversation that the change adds or removes.
func (c *plannerChange) diffArchived(f func(t archived, gone bool)) {
	was, is := c.planner.archived, c.archived
	if n := len(is); n == len(was) && (n == 0 || is[n-1].number == was[n-1].number) {
		return
	}
	has := func(list []archived, t archived) bool {
		return slices.ContainsFunc(list, func(u archived) bool { return u.number == t.number })
	}
	for _, t := range is {
		if !has(was, t) {
			f(t, false)
		}
	}
	for _, t := range was {
		if !has(is, t) {
			f(t, true)
		}
	}
}

// addReview adds a review job for a conversation. It merges the conversation into a waiting review of the same session.
func (c *plannerChange) addReview(t Conversation, now time.Time) {
	if c.planner.options.ReviewsPerHour < 0 {
		return
	}
	waiting, oldest := 0, uint64(0)
	for _, j := range c.all() {
		if j.Kind != WakeReview || j.Running {
			continue
		}
		if j.Conversation.Origin == t.Origin && j.Starts == 0 && j.Failures == 0 {
			j.Conversation.To, j.Conversation.Messages = t.To, j.Conversation.Messages+t.Messages
			c.setJob(j)
			return
		}
		if waiting++; waiting == 1 {
			oldest = j.Number
		}
	}
	if waiting >= maxReviews {
		c.removeJob(oldest)
	}
	c.addJob(pendingWake{Kind: WakeReview, Conversation: t, Made: now})
}

// addReflection adds a reflection job if enough messages have arrived and none is pending.
func (c *plannerChange) addReflection(now time.Time) {
	most := c.planner.options.ReflectEvery
	if most < 0 || c.counters.Messages < most || slices.ContainsFunc(c.all(), func(j pendingWake) bool { return j.Kind == WakeReflect }) {
		return
	}
	c.addJob(pendingWake{Kind: WakeReflect, Messages: c.counters.Messages, Made: now})
	c.counters.Messages = 0
}
