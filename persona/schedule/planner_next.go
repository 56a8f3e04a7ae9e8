package schedule

import (
	"slices"
	"time"
)

// Next says when there is something to do next, a time that may be past. It is false when there is nothing, or when
// something has to end first. Ask anew after whatever was done, and call [Planner.Due] also when the clock was changed. It
// knows nothing before [Planner.Restore].
func (l *Planner) Next(now time.Time) (time.Time, bool) {
	now = now.Round(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	var first soonest
	first.in(l.nextOwn(now))
	first.in(l.nextTick(&l.self, now))
	first.in(l.nextBeat(&l.self, now))
	if l.errors > 0 {
		first.at = latest(first.at, l.rested(now))
	}
	return first.at, first.ok
}

// nextOwn is when a talk is over or a job may be given. It looks at what the mutex guards.
func (l *Planner) nextOwn(now time.Time) (time.Time, bool) {
	var first soonest
	for _, t := range l.talks { // in any order: only the first counts
		first.in(past(t.To, now).Add(l.limits.ConversationGap), true)
	}
	for i := range l.jobs {
		first.in(l.nextJob(&l.self, l.jobs, &l.jobs[i], now))
	}
	first.in(l.nextIdle(&l.self, l.jobs, len(l.talks), now))
	return first.at, first.ok
}

// nextJob is when a job may be given.
func (l *Planner) nextJob(self *lifeRow, jobs []lifeJob, j *lifeJob, now time.Time) (time.Time, bool) {
	at, ok := latest(past(j.Made, now), j.Wait.until(now)), !j.Out
	if ok && j.Kind == WakeReview {
		var room time.Time
		room, ok = l.room(self, jobs, now)
		at = latest(at, room)
	}
	return at, ok
}

// nextIdle is when to plan ahead. That talks are going is nothing to wait for: what comes first is the end of one.
func (l *Planner) nextIdle(self *lifeRow, jobs []lifeJob, talks int, now time.Time) (time.Time, bool) {
	planned := func() bool {
		if l.schedule == nil {
			return false
		}
		all := l.schedule.shelf.view()
		return len(all) > 0 && !all[0].Ended()
	}
	if l.limits.TaskInterval < 0 || talks > 0 || slices.ContainsFunc(jobs, func(j lifeJob) bool { return j.Kind != WakeReflect }) || planned() {
		return time.Time{}, false
	}
	at, ok := l.room(self, jobs, now)
	if n := len(self.Began); ok && n > 0 {
		at = latest(at, past(self.Began[n-1], now).Add(time.Hour/time.Duration(l.limits.BackgroundPerHour)))
	}
	return latest(at, self.Plans.until(now)), ok
}

// room is when a talk of the background may begin; false while one is going.
func (l *Planner) room(self *lifeRow, jobs []lifeJob, now time.Time) (at time.Time, ok bool) {
	most := l.limits.BackgroundPerHour
	if most < 0 || slices.ContainsFunc(jobs, func(j lifeJob) bool { return j.Out && j.Kind.background() }) {
		return at, false
	}
	if n := len(self.Began); n >= most {
		at = past(self.Began[n-most], now).Add(time.Hour)
	}
	return at, true
}

// nextTick is when timers may fire.
func (l *Planner) nextTick(self *lifeRow, now time.Time) (at time.Time, ok bool) {
	if l.timers == nil {
		return at, false
	}
	at, ok = l.timers.Next()
	return latest(at, past(self.Tick, now).Add(l.limits.TimerInterval)), ok
}

// nextBeat is when a task may be given. It looks at what the mutex guards.
func (l *Planner) nextBeat(self *lifeRow, now time.Time) (at time.Time, ok bool) {
	if l.schedule == nil || l.limits.TaskInterval < 0 {
		return at, false
	}
	for _, t := range l.talks { // in any order
		if !l.over(t, now) {
			return at, false
		}
	}
	at, ok = l.schedule.Next()
	return latest(at, past(self.Beat, now).Add(l.limits.TaskInterval), self.Tasks.until(now)), ok
}

// rested is when to try again after the State failed. It looks at what the mutex guards.
func (l *Planner) rested(now time.Time) time.Time {
	return past(l.erred, now).Add(min(time.Second<<min(l.errors-1, 6), time.Minute))
}

// soonest is the first of some times, if there are any.
type soonest struct {
	at time.Time
	ok bool
}

func (s *soonest) in(at time.Time, ok bool) {
	if ok && (!s.ok || at.Before(s.at)) {
		s.at, s.ok = at, true
	}
}

func latest(first time.Time, more ...time.Time) time.Time {
	for _, t := range more {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// past is t, or now where a clock made t that was ahead.
func past(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}
