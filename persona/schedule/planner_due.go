package schedule

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"
)

// Due yields what there is to do at now, in this order: archives, timers, one task, a reflection, one talk of the
// background. What it yields is durably counted. An error is of the State, and does not end the loop: what does not need
// it is still yielded, and the rest after a second, doubled up to a minute. Breaking out of the loop leaves the rest for
// the next time; the other methods may be called inside it.
func (l *Planner) Due(ctx context.Context, now time.Time) iter.Seq2[Wake, error] {
	now = now.Round(0)
	return func(yield func(Wake, error) bool) {
		failed, on := false, true
		give := func(w Wake) bool { on = yield(w, nil); return on }
		tell := func(err error) {
			if failed = err != nil || failed; err != nil && on {
				on = yield(Wake{}, err) && ctx.Err() == nil
			}
		}
		stepped := l.notice(now)
		if next, ok := l.Next(now); !stepped && (!ok || next.After(now)) || l.rests(now) {
			return
		}
		if stepped {
			tell(l.lend(ctx, now))
		}
		for _, part := range []func(context.Context, time.Time, func(Wake) bool) error{l.archives, l.tick, l.beat, l.reflection, l.background} {
			if on {
				err := ctx.Err()
				if err == nil {
					err = part(ctx, now, give)
				}
				tell(err)
			}
		}
		l.looked(now, failed && ctx.Err() == nil, on)
	}
}

// notice reports whether the clock went back, or is seen for the first time.
func (l *Planner) notice(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	stepped := l.fresh || now.Before(l.seen)
	back(now, &l.erred)
	l.seen, l.fresh = now, stepped
	return stepped
}

// looked ends a Due: to its end, or up to where an error or the caller stopped it.
func (l *Planner) looked(now time.Time, failed, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case failed:
		l.errors, l.erred = l.errors+1, now
	case whole:
		l.errors, l.fresh = 0, false
	}
}

// rests reports whether the State failed a moment ago.
func (l *Planner) rests(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.errors > 0 && now.Before(l.rested(now))
}

// lend has the timers go by a clock that went back. What is the life's own does so with its next change.
func (l *Planner) lend(ctx context.Context, now time.Time) error {
	if l.timers == nil {
		return nil
	}
	return l.timers.shelf.change(ctx, func(c *shelving[*timer]) error { l.timers.lend(c, now); return nil })
}

// give notes that a job is out and gives its wake.
func (c *living) give(j lifeJob, now, since time.Time) *Wake {
	j.Out = true
	j.Starts++
	c.set(j)
	w := &Wake{ID: j.id(), Kind: j.Kind, Origin: c.l.limits.IdleOrigin, Conversation: j.Talk}
	w.Reason = WakeReason{Since: since, Late: j.Wait.N > j.Tries || now.Sub(since) >= lateAfter, Messages: j.Messages, Failures: j.Tries}
	switch {
	case j.Talk.Messages > 0:
		w.Origin = j.Talk.Origin
	case !c.self.Heard.IsZero():
		w.Reason.IdleFor = now.Sub(c.self.Heard)
	}
	c.l.out(j.Number, true)
	return w
}

// out notes that a job is out in this life of the program, or is not.
func (l *Planner) out(number uint64, out bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if out {
		l.live[number] = true
	} else {
		delete(l.live, number)
	}
}

func (l *Planner) isOut(number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live[number]
}

// one gives the job of a kind that is ready first, after f has had its way; false when the loop is to end.
func (l *Planner) one(ctx context.Context, now time.Time, kind WakeKind, give func(Wake) bool, f func(*living) *Wake) (bool, error) {
	var w *Wake
	var number uint64
	err := l.change(ctx, now, func(c *living) error {
		if w = f(c); w != nil {
			number = c.self.Number
			return nil
		}
		all := c.all()
		for i := range all {
			j := all[i]
			if at, ok := l.nextJob(&c.self, all, &j, now); j.Kind != kind || !ok || at.After(now) {
				continue
			}
			since := j.Made
			if kind == WakeArchive {
				since = j.Talk.To.Add(l.limits.ConversationGap)
			}
			if kind.background() {
				c.begin(now)
			}
			w, number = c.give(j, now, since), j.Number
			return nil
		}
		return nil
	})
	if err != nil && w != nil {
		l.out(number, false)
	}
	return err == nil && w != nil && give(*w), err
}

// begin counts a talk of the background.
func (c *living) begin(now time.Time) {
	began := append(slices.Clone(c.self.Began), now)
	c.self.Began = began[max(0, len(began)-c.l.limits.BackgroundPerHour):]
}

func (l *Planner) archives(ctx context.Context, now time.Time, give func(Wake) bool) error {
	for {
		more, err := l.one(ctx, now, WakeArchive, give, func(c *living) *Wake {
			for _, t := range c.over(now) {
				c.end(t, now)
			}
			return nil
		})
		if !more {
			return err
		}
	}
}

// over gives the talks that are over, the oldest first.
func (c *living) over(now time.Time) []Conversation {
	var over []Conversation
	for key := range c.l.talks { // in any order: they are sorted
		if t, ok := c.talk(key); ok && c.l.over(t, now) {
			over = append(over, t)
		}
	}
	slices.SortFunc(over, func(a, b Conversation) int { return cmp.Or(a.To.Compare(b.To), cmp.Compare(a.key(), b.key())) })
	return over
}

func (l *Planner) reflection(ctx context.Context, now time.Time, give func(Wake) bool) error {
	_, err := l.one(ctx, now, WakeReflect, give, func(c *living) *Wake { return nil })
	return err
}

// background gives a review, or else a talk that plans ahead.
func (l *Planner) background(ctx context.Context, now time.Time, give func(Wake) bool) error {
	_, err := l.one(ctx, now, WakeReview, give, func(c *living) *Wake {
		at, ok := l.nextIdle(&c.self, c.all(), len(l.talks), now)
		if !ok || at.After(now) {
			return nil
		}
		c.begin(now)
		c.self.Number++
		return c.give(lifeJob{Number: c.self.Number, Kind: WakeIdle, Made: now, Tries: c.self.Plans.N}, now, now)
	})
	return err
}

func (l *Planner) tick(ctx context.Context, now time.Time, give func(Wake) bool) error {
	due := false
	err := l.change(ctx, now, func(c *living) error {
		if at, ok := l.nextTick(&c.self, now); ok && !at.After(now) {
			c.self.Tick, due = now, true
		}
		return nil
	})
	if err != nil || !due {
		return err
	}
	for f, err := range l.timers.Due(ctx, now) {
		if err != nil {
			return err
		}
		if !give(Wake{ID: f.ID, Kind: WakeTimer, Origin: f.Timer.Origin, Timer: f, Reason: WakeReason{Since: f.At, Late: f.Late}}) {
			return nil
		}
	}
	return nil
}

func (l *Planner) beat(ctx context.Context, now time.Time, give func(Wake) bool) error {
	due := false
	err := l.change(ctx, now, func(c *living) error {
		if at, ok := l.nextBeat(&c.self, now); ok && !at.After(now) {
			c.self.Beat, due = now, true
		}
		return nil
	})
	if err != nil || !due {
		return err
	}
	t, ok, err := l.schedule.Due(ctx, now)
	if err != nil || !ok {
		return err
	}
	w := Wake{ID: "task/" + t.ID, Kind: WakeTask, Origin: t.Origin, Task: t, Reason: WakeReason{Since: t.ScheduledAt}}
	if t.Status == TaskOutdated {
		w.ID, w.Kind, w.Reason.Since = w.ID+"/outdated", WakeOutdated, (&task{t}).outdated()
	}
	w.Reason.Late = t.Result.Error == ErrorInterrupted || now.Sub(w.Reason.Since) >= lateAfter
	give(w)
	return nil
}
