package schedule_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// A trace runs timers and tasks over days on a clock that may jump, as a host would. It calls Due at the time of Next,
// and every minute to notice a jump. It records all events.
type trace struct {
	t      *testing.T
	b      strings.Builder
	rows   *statetest.Store
	loc    *time.Location
	now    time.Time
	timers *schedule.Timers
	tasks  *schedule.Tasks
	out    string        // the running task
	ends   time.Time     // its end
	takes  time.Duration // duration of a task
}

func newTrace(t *testing.T, loc *time.Location, start string) *trace {
	now, err := time.ParseInLocation(time.DateTime, start, loc)
	require.NoError(t, err)
	d := &trace{t: t, rows: statetest.New(nil), loc: loc, now: now, takes: 10 * time.Minute}
	d.start("starts")
	return d
}

func (d *trace) note(format string, args ...any) {
	line := d.now.In(d.loc).Format("Mon 02 15:04:05 -0700") + "  " + fmt.Sprintf(format, args...)
	d.b.WriteString(strings.TrimSpace(line) + "\n")
}

// start simulates a restart of the program.
func (d *trace) start(how string) {
	d.note("%s", how)
	d.timers, d.out = schedule.NewTimers(d.rows, schedule.TimerOptions{Location: d.loc}), ""
	d.tasks = schedule.NewTasks(d.rows, schedule.TaskOptions{Location: d.loc})
	_, err := d.timers.Restore(d.t.Context())
	require.NoError(d.t, err)
	_, err = d.tasks.Restore(d.t.Context())
	require.NoError(d.t, err)
}

func (d *trace) timer(spec string) {
	made, err := d.timers.Set(d.t.Context(), d.now, byself, spec, "")
	require.NoError(d.t, err)
	d.note("%s is set: %s, next %s", made.ID, spec, d.when(made.Next))
}

func (d *trace) plan(title string, in, lasts time.Duration) {
	made := plan(d.t, d.tasks, d.now, byself, title, in, lasts)
	d.note("%s %s is planned for %s", made.ID, title, d.when(made.ScheduledAt))
}

func (d *trace) when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(d.loc).Format("Mon 02 15:04")
}

// runs advances the time by pass, on a steady clock.
func (d *trace) runs(pass time.Duration) {
	for end := d.now.Add(pass); ; {
		d.due()
		if !d.now.Before(end) {
			return
		}
		next := d.now.Add(time.Minute)
		for _, f := range []func() (time.Time, bool){d.timers.Next, d.tasks.Next} {
			if at, ok := f(); ok && at.After(d.now) && at.Before(next) {
				next = at
			}
		}
		d.now = next
	}
}

func (d *trace) due() {
	ctx := d.t.Context()
	for f, err := range d.timers.Due(ctx, d.now) {
		require.NoError(d.t, err)
		late := ""
		if f.Late {
			late = ", late, of " + d.when(f.At)
		}
		d.note("%s fires%s, next %s", f.Timer.ID, late, d.when(f.Timer.Next))
		require.NoError(d.t, d.timers.Done(ctx, f.ID))
	}
	if d.out != "" && !d.now.Before(d.ends) {
		d.note("%s is done", d.out)
		require.NoError(d.t, d.tasks.Done(ctx, d.now, d.out, nil))
		d.out = ""
	}
	task, ok, err := d.tasks.Due(ctx, d.now)
	require.NoError(d.t, err)
	if ok {
		d.note("%s %s: %s %s", task.ID, task.Title, task.Status, task.Result.Error)
		d.out, d.ends = task.ID, d.now.Add(d.takes)
	}
}

func (d *trace) jump(by time.Duration) {
	d.now = d.now.Add(by)
	d.note("the clock jumps by %s", by)
	d.ends = d.ends.Add(by) // a running task keeps its duration
}

func (d *trace) golden(name string) {
	d.t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(d.t, os.WriteFile(path, []byte(d.b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(d.t, err)
	assert.Equal(d.t, string(want), d.b.String(), "go test ./persona/schedule -update rewrites it")
}

// The trace covers some days in spring with a change to summer time. The clock is ahead for a while and is corrected,
// the machine sleeps, and the program crashes.
func TestTimers_TraceWithClockJumps(t *testing.T) {
	d := newTrace(t, zone(t, "Europe/Berlin"), "2026-03-28 07:30:00")
	d.timer("cron:0 8 * * *")
	d.timer("cron:30 2 * * *")
	d.timer("cron:0 */6 * * *")
	d.timer("once:2026-03-29 02:15")
	d.timer("5min")
	d.plan("散步", time.Hour, 2*time.Hour)
	d.plan("读书", time.Hour, 0)
	d.plan("写周报", 3*time.Hour, time.Hour)
	d.runs(2 * time.Hour)
	d.plan("浇花", 0, 0)
	d.due()
	d.start("dies, and starts")
	d.runs(20 * time.Minute)
	d.jump(5 * time.Hour) // the machine sleeps
	d.runs(time.Hour)
	d.jump(72 * time.Hour) // the clock is wrong
	d.timer("90min")
	d.plan("喝水", time.Hour, time.Hour)
	d.runs(30 * time.Minute)
	d.jump(-72 * time.Hour) // the clock is corrected
	d.runs(14 * time.Hour)
	d.start("dies, and starts")
	d.runs(60 * time.Hour) // tasks that were planned by the wrong clock keep their planned time
	d.golden("day-jumps.golden")
}

// The clock starts in 1970 until the time is known.
func TestTimers_TraceWithoutClock(t *testing.T) {
	d := newTrace(t, zone(t, "Asia/Shanghai"), "2026-04-10 20:00:00")
	d.timer("cron:0 8 * * *")
	d.timer("2h")
	d.timer("once:2026-04-11 07:00")
	d.plan("早安", 12*time.Hour, 2*time.Hour)
	d.runs(time.Hour)
	boot := time.Date(1970, 1, 1, 8, 0, 0, 0, d.loc)
	right := d.now.Add(11 * time.Hour)
	d.now = boot
	d.start("dies, and starts on a machine that knows no time")
	d.runs(5 * time.Minute)
	d.now = right
	d.note("the time is known")
	d.runs(3 * time.Hour)
	d.golden("day-boot.golden")
}
