package schedule

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"
)

// Due yields the wakes that are due at now, in this order: archives, timers, one task, a reflection, one background
// turn. Each is counted durably before it is yielded. An error comes from the State and does not end the loop. Wakes
// that need no write still follow. The others follow after a second, and the delay doubles up to a minute. If you break
// out of the loop, the rest is yielded next time. You may call the other methods inside the loop.
func (p *Planner) Due(ctx context.Context, now time.Time) iter.Seq2[Wake, error] {
	now = now.Round(0)
	return func(yield func(Wake, error) bool) {
		failed, running := false, true
		yieldWake := func(w Wake) bool { running = yield(w, nil); return running }
		yieldErr := func(err error) {
			if failed = err != nil || failed; err != nil && running {
				running = yield(Wake{}, err) && ctx.Err() == nil
			}
		}
		changed := p.observeClock(now)
		if next, ok := p.Next(now); !changed && (!ok || next.After(now)) || p.backingOff(now) {
			return
		}
		if changed {
			yieldErr(p.adaptTimers(ctx, now))
		}
		for _, part := range []func(context.Context, time.Time, func(Wake) bool) error{p.dueArchives, p.dueTimers, p.dueTask, p.dueReflection, p.dueBackground} {
			if running {
				err := ctx.Err()
				if err == nil {
					err = part(ctx, now, yieldWake)
				}
				yieldErr(err)
			}
		}
		p.endDue(now, failed && ctx.Err() == nil, running)
	}
}

// observeClock updates the latest time. It reports whether the clock went back, or whether this is the first call.
func (p *Planner) observeClock(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed := p.clockChanged || now.Before(p.seen)
	clampTo(now, &p.failedAt)
	p.seen, p.clockChanged = now, changed
	return changed
}

// endDue records the end of a Due. whole is false if the caller stopped it.
func (p *Planner) endDue(now time.Time, failed, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case failed:
		p.failures, p.failedAt = p.failures+1, now
	case whole:
		p.failures, p.clockChanged = 0, false
	}
}

// backingOff reports whether Due must wait after an error of the State.
func (p *Planner) backingOff(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures > 0 && now.Before(p.retryAt(now))
}

// adaptTimers adapts the timers to a clock that went back. The planner's own times are adapted with the next change.
func (p *Planner) adaptTimers(ctx context.Context, now time.Time) error {
	if p.timers == nil {
		return nil
	}
	return p.timers.table.change(ctx, func(c *tableChange[*timer]) error { p.timers.adaptToClock(c, now); return nil })
}

// start marks a job as running and returns its wake.
func (c *plannerChange) start(j pendingWake, now, since time.Time) *Wake {
	j.Running = true
	j.Starts++
	c.setJob(j)
	w := &Wake{ID: j.id(), Kind: j.Kind, Origin: c.planner.options.IdleOrigin, Conversation: j.Conversation}
	w.Reason = WakeReason{Since: since, Late: j.Backoff.N > j.Failures || now.Sub(since) >= lateAfter, Messages: j.Messages, Failures: j.Failures}
	switch {
	case j.Conversation.Messages > 0:
		w.Origin = j.Conversation.Origin
	case !c.counters.LastMessage.IsZero():
		w.Reason.IdleFor = now.Sub(c.counters.LastMessage)
	}
	c.planner.setStarted(j.Number, true)
	return w
}

// setStarted records whether a job was given out since the program started.
func (p *Planner) setStarted(number uint64, out bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if out {
		p.started[number] = true
	} else {
		delete(p.started, number)
	}
}

func (p *Planner) isStarted(number uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started[number]
}

// yieldOne calls f first and yields its wake. If f returns nil, one yields the first ready job of this kind. It returns
// false if the loop must stop.
func (p *Planner) yieldOne(ctx context.Context, now time.Time, kind WakeKind, yieldWake func(Wake) bool, f func(*plannerChange) *Wake) (bool, error) {
	var w *Wake
	var number uint64
	err := p.change(ctx, now, func(c *plannerChange) error {
		if w = f(c); w != nil {
			number = c.counters.Number
			return nil
		}
		all := c.all()
		inOrder := all
		if kind == WakeReview {
			inOrder = slices.SortedStableFunc(slices.Values(all), ownersFirst)
		}
		for _, j := range inOrder {
			if j.Kind != kind || !p.isReady(c, all, j, now) {
				continue
			}
			since := j.Made
			if kind == WakeArchive {
				since = j.Conversation.To.Add(p.options.ConversationGap)
			}
			if kind.isBackground() {
				c.countBackground(kind, now)
			}
			w, number = c.start(j, now, since), j.Number
			return nil
		}
		return nil
	})
	if err != nil && w != nil {
		p.setStarted(number, false)
	}
	return err == nil && w != nil && yieldWake(*w), err
}

func (p *Planner) isReady(c *plannerChange, jobs []pendingWake, j pendingWake, now time.Time) bool {
	at, ok := p.nextJob(&c.counters, jobs, &j, now)
	return ok && !at.After(now)
}

// ownersFirst sorts jobs about conversations with the owner before others.
func ownersFirst(a, b pendingWake) int {
	rank := map[bool]int{true: 0, false: 1}
	return cmp.Compare(rank[a.Conversation.withOwner()], rank[b.Conversation.withOwner()])
}

// countBackground counts a background turn.
func (c *plannerChange) countBackground(kind WakeKind, now time.Time) {
	starts := c.counters.starts(kind)
	all := append(slices.Clone(*starts), now)
	*starts = all[max(0, len(all)-c.planner.perHour(kind)):]
}

func (p *Planner) dueArchives(ctx context.Context, now time.Time, yieldWake func(Wake) bool) error {
	for {
		more, err := p.yieldOne(ctx, now, WakeArchive, yieldWake, func(c *plannerChange) *Wake {
			for _, t := range c.ended(now) {
				c.archive(t, now)
			}
			return nil
		})
		if !more {
			return err
		}
	}
}

// ended returns the ended conversations, oldest first.
func (c *plannerChange) ended(now time.Time) []Conversation {
	var over []Conversation
	for key := range c.planner.conversations { // any order: the result is sorted
		if t, ok := c.conversation(key); ok && c.planner.hasEnded(t, now) {
			over = append(over, t)
		}
	}
	slices.SortFunc(over, func(a, b Conversation) int { return cmp.Or(a.To.Compare(b.To), cmp.Compare(a.key(), b.key())) })
	return over
}

func (p *Planner) dueReflection(ctx context.Context, now time.Time, yieldWake func(Wake) bool) error {
	_, err := p.yieldOne(ctx, now, WakeReflect, yieldWake, func(c *plannerChange) *Wake { return nil })
	return err
}

// dueBackground yields a review, or else a planning turn.
func (p *Planner) dueBackground(ctx context.Context, now time.Time, yieldWake func(Wake) bool) error {
	_, err := p.yieldOne(ctx, now, WakeReview, yieldWake, func(c *plannerChange) *Wake {
		all := c.all()
		at, ok := p.nextIdle(&c.counters, all, len(p.conversations), now)
		reviewable := func(j pendingWake) bool { return j.Kind == WakeReview && p.isReady(c, all, j, now) }
		if !ok || at.After(now) || slices.ContainsFunc(all, reviewable) {
			return nil
		}
		c.countBackground(WakeIdle, now)
		c.counters.Number++
		return c.start(pendingWake{Number: c.counters.Number, Kind: WakeIdle, Made: now, Failures: c.counters.PlanBackoff.N}, now, now)
	})
	return err
}

func (p *Planner) dueTimers(ctx context.Context, now time.Time, yieldWake func(Wake) bool) error {
	due := false
	err := p.change(ctx, now, func(c *plannerChange) error {
		if at, ok := p.nextTimers(&c.counters, now); ok && !at.After(now) {
			c.counters.LastTimers, due = now, true
		}
		return nil
	})
	if err != nil || !due {
		return err
	}
	for f, err := range p.timers.Due(ctx, now) {
		if err != nil {
			return err
		}
		if !yieldWake(Wake{ID: f.ID, Kind: WakeTimer, Origin: f.Timer.Origin, Timer: f, Reason: WakeReason{Since: f.At, Late: f.Late}}) {
			return nil
		}
	}
	return nil
}

// dueTask updates the statuses of tasks and yields the next task.
func (p *Planner) dueTask(ctx context.Context, now time.Time, yieldWake func(Wake) bool) error {
	due, start := false, startFunc(neverStart)
	err := p.change(ctx, now, func(c *plannerChange) error {
		starts, status := p.nextTask(&c.counters, now)
		if starts.isDue(now) {
			c.counters.LastTask, start = now, p.taskStart(now)
		}
		due = starts.isDue(now) || status.isDue(now)
		return nil
	})
	if err != nil || !due {
		return err
	}
	t, ok, err := p.tasks.due(ctx, now, start)
	if err != nil || !ok {
		return err
	}
	w := Wake{ID: "task/" + t.ID, Kind: WakeTask, Origin: t.Origin, Task: t, Reason: WakeReason{Since: t.ScheduledAt}}
	if t.Status == TaskOutdated {
		w.ID, w.Kind, w.Reason.Since = w.ID+"/outdated", WakeOutdated, (&task{t}).outdatedAt()
	}
	w.Reason.Late = t.Result.Error == ErrorInterrupted || now.Sub(w.Reason.Since) >= lateAfter
	yieldWake(w)
	return nil
}
