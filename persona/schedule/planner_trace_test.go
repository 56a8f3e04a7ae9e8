package schedule_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// A lived is a diary that is driven by a Life.
type lived struct {
	*diary
	life *schedule.Planner
	left []ending
	fail map[schedule.WakeKind]int // how many of a kind will fail
	plan func()                    // what a talk that plans ahead does
}

// An ending is a wake that takes its time.
type ending struct {
	wake schedule.Wake
	at   time.Time
}

var lasts = map[schedule.WakeKind]time.Duration{
	schedule.WakeTimer: 5 * time.Second, schedule.WakeTask: 40 * time.Second, schedule.WakeOutdated: 10 * time.Second,
	schedule.WakeReview: 90 * time.Second, schedule.WakeReflect: 20 * time.Second, schedule.WakeIdle: 2 * time.Minute,
}

func newLived(t *testing.T, start string) *lived {
	d := &lived{diary: newDiary(t, zone(t, "Asia/Shanghai"), start), fail: map[schedule.WakeKind]int{}}
	d.begin()
	return d
}

func (d *lived) begin() {
	var err error
	d.timers = schedule.NewTimers(d.rows, schedule.TimerOptions{Location: d.loc})
	d.schedule = schedule.NewTasks(d.rows, schedule.TaskOptions{Location: d.loc})
	d.life, err = schedule.NewPlanner(d.rows, d.timers, d.schedule, schedule.PlannerOptions{IdleOrigin: byOwner})
	require.NoError(d.t, err)
	broken, err := d.life.Restore(d.t.Context(), d.now)
	require.NoError(d.t, err)
	require.Empty(d.t, broken)
	d.left = nil
}

func (d *lived) dies() {
	d.note("dies, and starts")
	d.begin()
}

func (d *lived) says(m schedule.Origin, n int, every time.Duration) {
	for i := range n {
		require.NoError(d.t, d.life.Observe(d.t.Context(), d.now, m, 1))
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

// until lets time pass, by nothing but Next and what ends.
func (d *lived) until(end time.Time) {
	for step := 0; ; step++ {
		require.Less(d.t, step, 10_000, "it does not go on")
		next := end
		if at, ok := d.life.Next(d.now); ok && at.Before(next) {
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
		for w, err := range d.life.Due(d.t.Context(), d.now) {
			require.NoError(d.t, err)
			d.wakes(w)
		}
		if !d.now.Before(end) {
			return
		}
	}
}

func (d *lived) ended() {
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
		require.NoError(d.t, d.life.Done(d.t.Context(), d.now, e.wake.ID, failure))
	}
}

func (d *lived) wakes(w schedule.Wake) {
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

// TestLifeOfADay is a morning with a talk, silence, timers, tasks, planning, a model that is away and a program that dies.
func TestLifeOfADay(t *testing.T) {
	d := newLived(t, "2026-04-10 07:00:00")
	timer := func(m schedule.Origin, spec string) {
		made, err := d.timers.Set(t.Context(), d.now, m, spec, "")
		require.NoError(t, err)
		d.note("%s is set: %s", made.ID, spec)
	}
	task := func(m schedule.Origin, title string, in, lasts time.Duration) {
		made := plan(t, d.schedule, d.now, m, title, in, lasts)
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
	at(7, 30) // it plans twice, and has two tasks
	d.says(byOwner, 12, 20*time.Second)
	timer(inGroup, "5min") // talked into it by somebody
	task(inGroup, "给小明唱歌", time.Minute, 2*time.Minute)
	d.says(inGroup, 3, time.Minute) // the task waits for that, and comes too late
	at(8, 20)
	d.fail[schedule.WakeIdle] = 3
	at(9, 40)
	d.says(inGroup, 1, time.Second)
	d.fail[schedule.WakeReview] = 1
	at(9, 52)
	d.dies() // in the midst of a review, which waited for the hour to have room for it
	at(10, 0)
	d.says(byOwner, 9, time.Second)
	d.now = d.now.Add(5 * time.Hour)
	d.note("the machine slept")
	d.until(d.now.Add(20 * time.Minute))
	d.now = d.now.Add(-72 * time.Hour)
	d.left = nil
	d.note("the clock goes back by three days, and what was going on never ends")
	timer(byOwner, "30s")
	d.says(byOwner, 2, time.Second)
	d.until(d.now.Add(6 * time.Minute))
	d.dies()
	d.until(d.now.Add(70 * time.Minute))
	d.golden("life-day.golden")
}
