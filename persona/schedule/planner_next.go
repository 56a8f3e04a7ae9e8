package schedule

import (
	"slices"
	"time"
)

// Next returns the time of the next wake. The time may be in the past. ok is false if nothing is planned, or if another
// event must happen first. Call Next again after every other call, and call [Planner.Due] after a change of the system
// clock. Next knows nothing before [Planner.Restore].
func (p *Planner) Next(now time.Time) (time.Time, bool) {
	now = now.Round(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	var first earliest
	first.add(p.nextPending(now))
	first.add(p.nextTimers(&p.counters, now))
	first.add(p.nextTask(&p.counters, now))
	if p.failures > 0 {
		first.at = maxTime(first.at, p.retryAt(now))
	}
	return first.at, first.ok
}

// nextPending returns the time at which a conversation ends or a job is ready. The caller holds mu.
func (p *Planner) nextPending(now time.Time) (time.Time, bool) {
	var first earliest
	for _, t := range p.conversations { // any order: only the earliest counts
		first.add(minTime(t.To, now).Add(p.options.ConversationGap), true)
	}
	for i := range p.jobs {
		first.add(p.nextJob(&p.counters, p.jobs, &p.jobs[i], now))
	}
	first.add(p.nextIdle(&p.counters, p.jobs, len(p.conversations), now))
	return first.at, first.ok
}

// nextJob returns the time at which a job is ready.
func (p *Planner) nextJob(counts *counters, jobs []pendingWake, j *pendingWake, now time.Time) (time.Time, bool) {
	at, ok := maxTime(minTime(j.Made, now), j.Backoff.until(now)), !j.Running
	if ok && j.Kind == WakeReview {
		var room time.Time
		room, ok = p.nextBackground(counts, jobs, now)
		at = maxTime(at, room)
	}
	return at, ok
}

// nextIdle returns the time of the next planning turn. While a conversation is active, it returns false: the end of the
// conversation comes first.
func (p *Planner) nextIdle(counts *counters, jobs []pendingWake, talks int, now time.Time) (time.Time, bool) {
	planned := func() bool {
		if p.tasks == nil {
			return false
		}
		all := p.tasks.table.view()
		return len(all) > 0 && !all[0].Ended()
	}
	if p.options.TaskInterval < 0 || talks > 0 || slices.ContainsFunc(jobs, func(j pendingWake) bool { return j.Kind != WakeReflect }) || planned() {
		return time.Time{}, false
	}
	at, ok := p.nextBackground(counts, jobs, now)
	if n := len(counts.BackgroundStarts); ok && n > 0 {
		at = maxTime(at, minTime(counts.BackgroundStarts[n-1], now).Add(time.Hour/time.Duration(p.options.BackgroundPerHour)))
	}
	return maxTime(at, counts.PlanBackoff.until(now)), ok
}

// nextBackground returns the time at which a background turn may start. It returns false while one is running.
func (p *Planner) nextBackground(counts *counters, jobs []pendingWake, now time.Time) (at time.Time, ok bool) {
	most := p.options.BackgroundPerHour
	if most < 0 || slices.ContainsFunc(jobs, func(j pendingWake) bool { return j.Running && j.Kind.background() }) {
		return at, false
	}
	if n := len(counts.BackgroundStarts); n >= most {
		at = minTime(counts.BackgroundStarts[n-most], now).Add(time.Hour)
	}
	return at, true
}

// nextTimers returns the time at which timers may fire.
func (p *Planner) nextTimers(counts *counters, now time.Time) (at time.Time, ok bool) {
	if p.timers == nil {
		return at, false
	}
	at, ok = p.timers.Next()
	return maxTime(at, minTime(counts.LastTimers, now).Add(p.options.TimerInterval)), ok
}

// nextTask returns the time at which a task may start. The caller holds mu.
func (p *Planner) nextTask(counts *counters, now time.Time) (at time.Time, ok bool) {
	if p.tasks == nil || p.options.TaskInterval < 0 {
		return at, false
	}
	for _, t := range p.conversations { // any order
		if !p.hasEnded(t, now) {
			return at, false
		}
	}
	at, ok = p.tasks.Next()
	return maxTime(at, minTime(counts.LastTask, now).Add(p.options.TaskInterval), counts.TaskBackoff.until(now)), ok
}

// retryAt returns the time of the next try after an error of the State. The caller holds mu.
func (p *Planner) retryAt(now time.Time) time.Time {
	return minTime(p.failedAt, now).Add(min(time.Second<<min(p.failures-1, 6), time.Minute))
}

// earliest collects the earliest of several times.
type earliest struct {
	at time.Time
	ok bool
}

func (s *earliest) add(at time.Time, ok bool) {
	if ok && (!s.ok || at.Before(s.at)) {
		s.at, s.ok = at, true
	}
}

func maxTime(first time.Time, more ...time.Time) time.Time {
	for _, t := range more {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// minTime returns the earlier of t and now. t is in the future if the clock went back.
func minTime(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}
