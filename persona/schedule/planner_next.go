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
	start, status := p.nextTask(&p.counters, now)
	first.add(start.at, start.ok)
	first.add(status.at, status.ok)
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
		room, ok = p.nextBackground(WakeReview, counts, jobs, now)
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
	archiving := func(j pendingWake) bool { return j.Kind == WakeArchive && j.Backoff.N == 0 } // its review comes first
	if p.TaskInterval() < 0 || talks > 0 || slices.ContainsFunc(jobs, archiving) || planned() {
		return time.Time{}, false
	}
	at, ok := p.nextBackground(WakeIdle, counts, jobs, now)
	if n := len(counts.PlanStarts); ok && n > 0 {
		at = maxTime(at, minTime(counts.PlanStarts[n-1], now).Add(time.Hour/time.Duration(p.options.BackgroundPerHour)))
	}
	return maxTime(at, counts.PlanBackoff.until(now)), ok
}

// nextBackground returns the time at which a background turn of this kind may start. It returns false while one is
// running.
func (p *Planner) nextBackground(kind WakeKind, counts *counters, jobs []pendingWake, now time.Time) (at time.Time, ok bool) {
	starts, most := counts.starts(kind), p.perHour(kind)
	if most < 0 || slices.ContainsFunc(jobs, func(j pendingWake) bool { return j.Running && j.Kind.isBackground() }) {
		return at, false
	}
	if n := len(*starts); n >= most {
		at = minTime((*starts)[n-most], now).Add(time.Hour)
	}
	return at, true
}

// perHour returns the maximum number of background turns of a kind in an hour.
func (p *Planner) perHour(kind WakeKind) int {
	if kind == WakeReview {
		return p.options.ReviewsPerHour
	}
	return p.options.BackgroundPerHour
}

// nextTimers returns the time at which timers may fire.
func (p *Planner) nextTimers(counts *counters, now time.Time) (at time.Time, ok bool) {
	if p.timers == nil {
		return at, false
	}
	at, ok = p.timers.Next()
	return maxTime(at, minTime(counts.LastTimers, now).Add(p.options.TimerInterval)), ok
}

// nextTask returns the time at which a task may start, and the time at which the status of a task changes. The caller
// holds mu.
func (p *Planner) nextTask(counts *counters, now time.Time) (start, status earliest) {
	every := p.TaskInterval()
	if p.tasks == nil || every < 0 {
		return start, status
	}
	status, start = p.tasks.next(p.taskStart(now))
	start.at = maxTime(start.at, minTime(counts.LastTask, now).Add(every), counts.TaskBackoff.until(now))
	return start, status
}

// taskStart returns the rule of when a task may start during the conversations of now. The caller holds mu, or the
// token.
func (p *Planner) taskStart(now time.Time) startFunc {
	talking := false
	for _, t := range p.conversations { // any order
		if p.hasEnded(t, now) {
			continue
		}
		if t.withOwner() {
			return neverStart
		}
		talking = true
	}
	if !talking {
		return atScheduledTime
	}
	return func(t *task) (time.Time, bool) { return t.ScheduledAt.Add(p.maxDelay(t)), true }
}

func neverStart(*task) (at time.Time, ok bool) { return at, false }

// maxDelay returns how long conversations of others than the owner may delay a task. They cannot make it outdated.
func (p *Planner) maxDelay(t *task) time.Duration {
	most := max(0, p.options.MaxTaskDelay)
	if t.OutdatedAt.IsZero() {
		return most
	}
	return min(most, t.OutdatedAt.Sub(t.ScheduledAt)/2)
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

func (s earliest) isDue(now time.Time) bool { return s.ok && !s.at.After(now) }

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
