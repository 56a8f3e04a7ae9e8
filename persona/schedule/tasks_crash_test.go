package schedule_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// A host runs timers, tasks and their jobs on the same rows, as a host does.
type host struct {
	t       *testing.T
	rows    *statetest.Store
	now     time.Time
	timers  *schedule.Timers
	tasks   *schedule.Tasks
	queue   *jobs.Queue
	said    map[string]int
	unclear map[string]bool
	told    map[string]bool // tasks that were reported as outdated
}

// start simulates a start of the program.
func (h *host) start() error {
	ctx := h.t.Context()
	h.timers = schedule.NewTimers(h.rows, schedule.TimerOptions{Location: time.UTC})
	h.tasks = schedule.NewTasks(h.rows, schedule.TaskOptions{Location: time.UTC})
	h.queue = jobs.NewQueue(h.rows)
	if _, err := h.timers.Restore(ctx); err != nil {
		return err
	}
	if _, err := h.tasks.Restore(ctx); err != nil {
		return err
	}
	again, unclear, err := h.queue.Recover(ctx, h.now)
	if err != nil {
		return err
	}
	for _, d := range unclear {
		h.unclear[d.ID] = true
		if err := h.queue.Done(ctx, h.now, d.ID, "unclear"); err != nil {
			return err
		}
	}
	for _, d := range again {
		if strings.HasPrefix(d.ID, "task/") { // the task was running and is reported as interrupted
			err = h.queue.Done(ctx, h.now, d.ID, jobs.OutcomeInterrupted)
		} else {
			err = h.send(d.ID, func() error { return nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// send runs a job that sends its own id. taken is called when the job is on disk.
func (h *host) send(id string, taken func() error) error {
	ctx := h.t.Context()
	err := h.queue.Claim(ctx, h.now, jobs.Job{ID: id})
	if errors.Is(err, jobs.ErrDone) {
		return taken()
	}
	if err != nil {
		return err
	}
	if err := taken(); err != nil {
		return err
	}
	entry, err := h.queue.Commit(ctx, h.now, id, jobs.Entry{Text: id})
	if err != nil {
		return err
	}
	h.said[id]++
	if err := h.queue.Result(ctx, h.now, id, entry, "1", nil, false); err != nil {
		return err
	}
	return h.queue.Done(ctx, h.now, id, "spoke")
}

func (h *host) due() error {
	ctx := h.t.Context()
	for f, err := range h.timers.Due(ctx, h.now) {
		if err == nil {
			err = h.send(f.ID, func() error { return h.timers.Done(ctx, f.ID) })
		}
		if err != nil {
			return err
		}
	}
	for {
		task, ok, err := h.tasks.Due(ctx, h.now)
		if err != nil || !ok {
			return err
		}
		if task.Status == schedule.TaskOutdated {
			h.told[task.ID] = true
		} else if err := h.send("task/"+task.ID, func() error { return nil }); err != nil {
			return err
		}
		if err := h.tasks.Done(ctx, h.now, task.ID, nil); err != nil {
			return err
		}
	}
}

// The program crashes once at each write, before or after it. Everything that is due is sent once or reported as
// unclear. A task may be interrupted and reported instead.
func TestTasks_CrashAtEveryWrite(t *testing.T) {
	deaths := 0
	for at := 1; ; at++ {
		died := false
		for _, written := range []bool{false, true} {
			h := &host{t: t, rows: statetest.New(nil), now: statetest.T0, said: map[string]int{}, unclear: map[string]bool{}, told: map[string]bool{}}
			require.NoError(t, h.start())
			set(t, h.timers, statetest.T0, inGroup, "cron:0 * * * *")
			set(t, h.timers, statetest.T0, inGroup, "90min")
			plan(t, h.tasks, statetest.T0, inGroup, "喝水", time.Hour, 0)
			plan(t, h.tasks, statetest.T0, inGroup, "散步", time.Hour, 30*time.Minute)
			writes := 0
			h.rows.After = func(int) (bool, error) {
				if writes++; writes != at {
					return true, nil
				}
				died = true
				return written, statetest.ErrCrash
			}
			for h.now.Before(statetest.T0.Add(4 * time.Hour)) {
				h.now = h.now.Add(30 * time.Minute)
				if err := h.due(); err != nil {
					require.ErrorIs(t, err, statetest.ErrCrash)
					require.NoError(t, h.start())
					require.NoError(t, h.due())
				}
			}
			where := fmt.Sprintf("write %d, written %t", at, written)
			for id, n := range h.said {
				require.Equal(t, 1, n, "%s: %s", where, id)
			}
			for _, id := range []string{"timer/t1/1", "timer/t1/2", "timer/t1/3", "timer/t1/4", "timer/t2/1"} {
				require.True(t, h.said[id] == 1 || h.unclear[id], "%s: %s was not sent", where, id)
			}
			require.LessOrEqual(t, len(h.said), 7, where)
			require.LessOrEqual(t, len(h.unclear), 1, where)
			for _, id := range []string{"s1", "s2"} {
				task, _ := h.tasks.Lookup(id)
				require.True(t, task.Ended(), "%s: %s is %s", where, id, task.Status)
				interrupted := task.Status == schedule.TaskOutdated
				require.Equal(t, interrupted, h.told[id], where)
				require.True(t, interrupted || h.said["task/"+id] == 1, "%s: %s was not done", where, id)
				require.Equal(t, interrupted, task.Result.Error == schedule.ErrorInterrupted, where)
			}
		}
		if !died {
			break
		}
		deaths++
	}
	require.Equal(t, 7*6, deaths, "seven wakes with six writes each")
}
