package schedule

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxReviews is how many reviews wait at most; the oldest goes first.
const maxReviews = 32

// Done ends a wake, well or with what went wrong. A timer or a task is over either way; a review, a reflection or an
// archive that failed is given again later, under another ID. It gives [ErrNotFound] for what was not given in this life
// of the program, or is done; of timers it does not know that.
func (l *Planner) Done(ctx context.Context, now time.Time, id string, failure error) error {
	now = now.Round(0)
	kind, rest, _ := strings.Cut(id, "/")
	switch {
	case kind == "timer" && l.timers != nil:
		return l.timers.Done(ctx, id)
	case kind == "task" && l.schedule != nil:
		task, _, _ := strings.Cut(rest, "/")
		if !l.schedule.isOut(task) {
			return ErrNotFound
		}
		err := l.change(ctx, now, func(c *living) error {
			c.self.Tasks = c.self.Tasks.after(now, failure)
			return nil
		})
		return cmp.Or(err, l.schedule.Done(ctx, now, task, failure))
	case kind == "life":
		return l.end(ctx, now, id, failure)
	}
	return ErrNotFound
}

func (l *Planner) end(ctx context.Context, now time.Time, id string, failure error) error {
	var number uint64
	err := l.change(ctx, now, func(c *living) error {
		i := slices.IndexFunc(c.all(), func(j lifeJob) bool { return j.Out && j.id() == id })
		if i < 0 {
			parts := strings.Split(id, "/")
			number, _ = strconv.ParseUint(parts[min(2, len(parts)-1)], 10, 64)
			if !l.isOut(number) || slices.ContainsFunc(c.all(), func(j lifeJob) bool { return j.Number == number }) {
				number = 0
				return ErrNotFound
			}
			return nil // forgotten meanwhile
		}
		j := c.all()[i]
		number = j.Number
		if failure == nil || j.Kind == WakeIdle {
			c.finish(j, now, failure)
			return nil
		}
		j.Out, j.Starts, j.Wait = false, 0, j.Wait.more(now)
		j.Tries++
		c.set(j)
		return nil
	})
	if err == nil {
		l.out(number, false)
	}
	return err
}

// finish takes a job away, and sees to what follows from it.
func (c *living) finish(j lifeJob, now time.Time, failure error) {
	c.drop(j.Number)
	switch j.Kind {
	case WakeArchive:
		c.review(j.Talk, now)
	case WakeReflect:
		c.reflect(now)
	case WakeIdle:
		c.self.Plans = c.self.Plans.after(now, failure)
	}
}

// interrupted sees to a job that the program died of.
func (c *living) interrupted(j lifeJob, now time.Time) {
	switch {
	case j.Kind == WakeIdle:
		c.finish(j, now, errLife)
	case j.Starts >= maxStarts:
		c.finish(j, now, nil)
	default:
		j.Out, j.Wait = false, j.Wait.more(now)
		c.set(j)
	}
}

// end makes a talk that is over a job.
func (c *living) end(t Conversation, now time.Time) {
	c.remove(t)
	c.new(lifeJob{Kind: WakeArchive, Talk: t, Made: now})
}

// review has a talk looked at once more, together with one of the same session that waits for it.
func (c *living) review(t Conversation, now time.Time) {
	if c.l.limits.BackgroundPerHour < 0 {
		return
	}
	waiting, oldest := 0, uint64(0)
	for _, j := range c.all() {
		if j.Kind != WakeReview || j.Out {
			continue
		}
		if j.Talk.Origin == t.Origin && j.Starts == 0 && j.Tries == 0 {
			j.Talk.To, j.Talk.Messages = t.To, j.Talk.Messages+t.Messages
			c.set(j)
			return
		}
		if waiting++; waiting == 1 {
			oldest = j.Number
		}
	}
	if waiting >= maxReviews {
		c.drop(oldest)
	}
	c.new(lifeJob{Kind: WakeReview, Talk: t, Made: now})
}

// reflect begins a reflection when it is time for one and none is under way.
func (c *living) reflect(now time.Time) {
	most := c.l.limits.ReflectEvery
	if most < 0 || c.self.Messages < most || slices.ContainsFunc(c.all(), func(j lifeJob) bool { return j.Kind == WakeReflect }) {
		return
	}
	c.new(lifeJob{Kind: WakeReflect, Messages: c.self.Messages, Made: now})
	c.self.Messages = 0
}
