package schedule_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// A plannerTrace is a trace with a planner.
type plannerTrace struct {
	*trace
	planner *schedule.Planner
	left    []ending
	fail    map[schedule.WakeKind]int // how many wakes of a kind will fail
	plan    func()                    // the actions of a planning turn

	statuses bool                           // trace the statuses of tasks
	known    map[string]schedule.TaskStatus // by id
}

// An ending is the planned end of a running wake.
type ending struct {
	wake schedule.Wake
	at   time.Time
}

var lasts = map[schedule.WakeKind]time.Duration{
	schedule.WakeTimer: 5 * time.Second, schedule.WakeTask: 40 * time.Second, schedule.WakeOutdated: 10 * time.Second,
	schedule.WakeReview: 90 * time.Second, schedule.WakeReflect: 20 * time.Second, schedule.WakeIdle: 2 * time.Minute,
}

func newPlannerTrace(t *testing.T, start string) *plannerTrace {
	d := &plannerTrace{trace: newTrace(t, zone(t, "Asia/Shanghai"), start), fail: map[schedule.WakeKind]int{}}
	d.begin()
	return d
}

func (d *plannerTrace) begin() {
	var err error
	d.timers = schedule.NewTimers(d.rows, schedule.TimerOptions{Location: d.loc})
	d.tasks = schedule.NewTasks(d.rows, schedule.TaskOptions{Location: d.loc})
	d.planner, err = schedule.NewPlanner(d.rows, d.timers, d.tasks, schedule.PlannerOptions{IdleOrigin: byOwner})
	require.NoError(d.t, err)
	broken, err := d.planner.Restore(d.t.Context(), d.now)
	require.NoError(d.t, err)
	require.Empty(d.t, broken)
	d.left = nil
}

func (d *plannerTrace) crash() {
	d.note("dies, and starts")
	d.begin()
}

func (d *plannerTrace) talk(m schedule.Origin, n int, every time.Duration) {
	for i := range n {
		require.NoError(d.t, d.planner.Observe(d.t.Context(), d.now, m, 1))
		d.note("%s: message %d", place(m), i+1)
		d.until(d.now.Add(every))
	}
}

func place(m schedule.Origin) string {
	if s := m.Session(); s != "" {
		return s
	}
	return "by itself"
}

// until advances the time to the next event.
func (d *plannerTrace) until(end time.Time) {
	for step := 0; ; step++ {
		require.Less(d.t, step, 10_000, "Next does not advance")
		next := end
		if at, ok := d.planner.Next(d.now); ok && at.Before(next) {
			next = at
		}
		for _, e := range d.left {
			if e.at.Before(next) {
				next = e.at
			}
		}
		if next.After(d.now) {
			d.now = next
		}
		d.ended()
		for w, err := range d.planner.Due(d.t.Context(), d.now) {
			require.NoError(d.t, err)
			d.handle(w)
		}
		d.noteStatuses()
		if !d.now.Before(end) {
			return
		}
	}
}

// noteStatuses notes the tasks that became due or outdated and wait.
func (d *plannerTrace) noteStatuses() {
	for _, task := range d.tasks.List(byOwner) {
		if d.statuses && d.known[task.ID] != task.Status && task.Status != schedule.TaskRunning {
			d.note("%s %s: %s", task.ID, task.Title, task.Status)
		}
		if d.known == nil {
			d.known = map[string]schedule.TaskStatus{}
		}
		d.known[task.ID] = task.Status
	}
}

func (d *plannerTrace) ended() {
	for i := 0; i < len(d.left); i++ {
		e := d.left[i]
		if e.at.After(d.now) {
			continue
		}
		d.left = append(d.left[:i], d.left[i+1:]...)
		i--
		if e.wake.Kind == schedule.WakeIdle && d.plan != nil {
			d.plan()
		}
		var failure error
		if d.fail[e.wake.Kind] > 0 {
			d.fail[e.wake.Kind]--
			failure = errors.New("the model is away")
		}
		if failure != nil || e.wake.Kind != schedule.WakeTimer {
			d.note("%s ends: %v", e.wake.ID, failure)
		}
		require.NoError(d.t, d.planner.Done(d.t.Context(), d.now, e.wake.ID, failure))
	}
}

func (d *plannerTrace) handle(w schedule.Wake) {
	what := ""
	switch w.Kind {
	case schedule.WakeTimer:
		what = w.Timer.Timer.Spec
	case schedule.WakeTask, schedule.WakeOutdated:
		what = w.Task.Title
	case schedule.WakeArchive, schedule.WakeReview:
		what = fmt.Sprintf("%d messages in %s", w.Conversation.Messages, w.Conversation.To.Sub(w.Conversation.From))
	case schedule.WakeReflect:
		what = fmt.Sprintf("%d messages", w.Reason.Messages)
	case schedule.WakeIdle:
		what = fmt.Sprintf("quiet for %s", w.Reason.IdleFor)
	}
	if w.Reason.Late {
		what += ", late, since " + d.when(w.Reason.Since)
	}
	if w.Reason.Failures > 0 {
		what += fmt.Sprintf(", failed %d times", w.Reason.Failures)
	}
	d.note("%s [%s, %s] %s", w.ID, w.Kind, place(w.Origin), what)
	d.left = append(d.left, ending{wake: w, at: d.now.Add(lasts[w.Kind])})
	d.ended()
}

// The trace covers a morning with a conversation, silence, timers, tasks, planning, failures of the model and a crash.
func TestPlanner_TraceOfADay(t *testing.T) {
	d := newPlannerTrace(t, "2026-04-10 07:00:00")
	timer := func(m schedule.Origin, spec string) {
		made, err := d.timers.Set(t.Context(), d.now, m, spec, "")
		require.NoError(t, err)
		d.note("%s is set: %s", made.ID, spec)
	}
	task := func(m schedule.Origin, title string, in, lasts time.Duration) {
		made := plan(t, d.tasks, d.now, m, title, in, lasts)
		d.note("%s %s is planned for %s", made.ID, title, d.when(made.ScheduledAt))
	}
	day := d.now
	at := func(hour, minute int) {
		d.until(day.Add(time.Duration(hour-7)*time.Hour + time.Duration(minute)*time.Minute))
	}

	timer(byOwner, "cron:0 8 * * *")
	plans := 0
	d.plan = func() {
		if plans++; plans == 2 {
			task(byOwner, "提醒喝水", 20*time.Minute, time.Hour)
			task(byOwner, "问问进展", 20*time.Minute, time.Hour)
		}
	}
	at(7, 30) // it plans twice and creates two tasks
	d.talk(byOwner, 12, 20*time.Second)
	timer(inGroup, "5min") // requested by a group member
	task(inGroup, "给小明唱歌", time.Minute, 2*time.Minute)
	d.talk(inGroup, 3, time.Minute) // the task waits for the conversation and is outdated
	at(8, 20)
	d.fail[schedule.WakeIdle] = 3
	at(9, 40)
	d.talk(inGroup, 1, time.Second)
	d.fail[schedule.WakeReview] = 1
	at(9, 44)
	d.crash() // the program crashes during a review
	at(10, 0)
	d.talk(byOwner, 9, time.Second)
	d.now = d.now.Add(5 * time.Hour)
	d.note("the machine slept")
	d.until(d.now.Add(20 * time.Minute))
	d.now = d.now.Add(-72 * time.Hour)
	d.left = nil
	d.note("the clock goes back by three days, and what was going on never ends")
	timer(byOwner, "30s")
	d.talk(byOwner, 2, time.Second)
	d.until(d.now.Add(6 * time.Minute))
	d.crash()
	d.until(d.now.Add(70 * time.Minute))
	d.golden("planner-day.golden")
}
