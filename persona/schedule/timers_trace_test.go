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

// A diary runs timers and a schedule over days on a clock that may jump, as a host would: it looks when Next says so,
// and every minute to notice a jump, and writes down what happens.
type diary struct {
	t        *testing.T
	b        strings.Builder
	rows     *statetest.Store
	loc      *time.Location
	now      time.Time
	timers   *schedule.Timers
	schedule *schedule.Tasks
	out      string        // the task that is out
	ends     time.Time     // when it is done
	takes    time.Duration // how long a task takes
}

func newDiary(t *testing.T, loc *time.Location, start string) *diary {
	now, err := time.ParseInLocation(time.DateTime, start, loc)
	require.NoError(t, err)
	d := &diary{t: t, rows: statetest.New(nil), loc: loc, now: now, takes: 10 * time.Minute}
	d.start("starts")
	return d
}

func (d *diary) note(format string, args ...any) {
	line := d.now.In(d.loc).Format("Mon 02 15:04:05 -0700") + "  " + fmt.Sprintf(format, args...)
	d.b.WriteString(strings.TrimSpace(line) + "\n")
}

// start is the next life of the program.
func (d *diary) start(how string) {
	d.note("%s", how)
	d.timers, d.out = schedule.NewTimers(d.rows, schedule.TimerOptions{Location: d.loc}), ""
	d.schedule = schedule.NewTasks(d.rows, schedule.TaskOptions{Location: d.loc})
	_, err := d.timers.Restore(d.t.Context())
	require.NoError(d.t, err)
	_, err = d.schedule.Restore(d.t.Context())
	require.NoError(d.t, err)
}

func (d *diary) timer(spec string) {
	made, err := d.timers.Set(d.t.Context(), d.now, byself, spec, "")
	require.NoError(d.t, err)
	d.note("%s is set: %s, next %s", made.ID, spec, d.when(made.Next))
}

func (d *diary) plan(title string, in, lasts time.Duration) {
	made := plan(d.t, d.schedule, d.now, byself, title, in, lasts)
	d.note("%s %s is planned for %s", made.ID, title, d.when(made.ScheduledAt))
}

func (d *diary) when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(d.loc).Format("Mon 02 15:04")
}

// runs lets d pass, by a clock that goes evenly.
func (d *diary) runs(pass time.Duration) {
	for end := d.now.Add(pass); ; {
		d.look()
		if !d.now.Before(end) {
			return
		}
		next := d.now.Add(time.Minute)
		for _, f := range []func() (time.Time, bool){d.timers.Next, d.schedule.Next} {
			if at, ok := f(); ok && at.After(d.now) && at.Before(next) {
				next = at
			}
		}
		d.now = next
	}
}

func (d *diary) look() {
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
		require.NoError(d.t, d.schedule.Done(ctx, d.now, d.out, nil))
		d.out = ""
	}
	task, ok, err := d.schedule.Due(ctx, d.now)
	require.NoError(d.t, err)
	if ok {
		d.note("%s %s: %s %s", task.ID, task.Title, task.Status, task.Result.Error)
		d.out, d.ends = task.ID, d.now.Add(d.takes)
	}
}

func (d *diary) jump(by time.Duration) {
	d.now = d.now.Add(by)
	d.note("the clock jumps by %s", by)
	d.ends = d.ends.Add(by) // what is being done takes as long as it takes
}

func (d *diary) golden(name string) {
	d.t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(d.t, os.WriteFile(path, []byte(d.b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(d.t, err)
	assert.Equal(d.t, string(want), d.b.String(), "go test ./persona/schedule -update rewrites it")
}

// TestDayOnAClockThatJumps is some days in spring, with the change to summer time in between, on a clock that runs ahead
// for a while and goes back, with a machine that sleeps and a program that dies.
func TestDayOnAClockThatJumps(t *testing.T) {
	d := newDiary(t, zone(t, "Europe/Berlin"), "2026-03-28 07:30:00")
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
	d.look()
	d.start("dies, and starts")
	d.runs(20 * time.Minute)
	d.jump(5 * time.Hour) // the machine sleeps
	d.runs(time.Hour)
	d.jump(72 * time.Hour) // the clock is wrong
	d.timer("90min")
	d.plan("喝水", time.Hour, time.Hour)
	d.runs(30 * time.Minute)
	d.jump(-72 * time.Hour) // it is set right
	d.runs(14 * time.Hour)
	d.start("dies, and starts")
	d.runs(60 * time.Hour) // what was planned by the wrong clock is done at the time that it was planned for
	d.golden("day-jumps.golden")
}

// TestDayOnAMachineWithoutAClock starts in 1970, until the time is known.
func TestDayOnAMachineWithoutAClock(t *testing.T) {
	d := newDiary(t, zone(t, "Asia/Shanghai"), "2026-04-10 20:00:00")
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
