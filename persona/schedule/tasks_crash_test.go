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

// A house runs timers, a schedule and the errands that are made of both on the same rows, as a host does.
type house struct {
	t        *testing.T
	rows     *statetest.Store
	now      time.Time
	timers   *schedule.Timers
	schedule *schedule.Tasks
	errands  *jobs.Queue
	said     map[string]int
	unclear  map[string]bool
	told     map[string]bool // tasks that came too late
}

// start is the beginning of a life of the program.
func (h *house) start() error {
	ctx := h.t.Context()
	h.timers = schedule.NewTimers(h.rows, schedule.TimerOptions{Location: time.UTC})
	h.schedule = schedule.NewTasks(h.rows, schedule.TaskOptions{Location: time.UTC})
	h.errands = jobs.NewQueue(h.rows)
	if _, err := h.timers.Restore(ctx); err != nil {
		return err
	}
	if _, err := h.schedule.Restore(ctx); err != nil {
		return err
	}
	again, unclear, err := h.errands.Recover(ctx, h.now)
	if err != nil {
		return err
	}
	for _, d := range unclear {
		h.unclear[d.ID] = true
		if err := h.errands.Done(ctx, h.now, d.ID, "unclear"); err != nil {
			return err
		}
	}
	for _, d := range again {
		if strings.HasPrefix(d.ID, "task/") { // what was being done is interrupted, which the schedule tells
			err = h.errands.Done(ctx, h.now, d.ID, jobs.OutcomeInterrupted)
		} else {
			err = h.speak(d.ID, func() error { return nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// speak runs an errand that says its own id. taken is called when the errand is on disk.
func (h *house) speak(id string, taken func() error) error {
	ctx := h.t.Context()
	err := h.errands.Claim(ctx, h.now, jobs.Job{ID: id})
	if errors.Is(err, jobs.ErrDone) {
		return taken()
	}
	if err != nil {
		return err
	}
	if err := taken(); err != nil {
		return err
	}
	entry, err := h.errands.Commit(ctx, h.now, id, jobs.Entry{Text: id})
	if err != nil {
		return err
	}
	h.said[id]++
	if err := h.errands.Result(ctx, h.now, id, entry, "1", nil, false); err != nil {
		return err
	}
	return h.errands.Done(ctx, h.now, id, "spoke")
}

func (h *house) look() error {
	ctx := h.t.Context()
	for f, err := range h.timers.Due(ctx, h.now) {
		if err == nil {
			err = h.speak(f.ID, func() error { return h.timers.Done(ctx, f.ID) })
		}
		if err != nil {
			return err
		}
	}
	for {
		task, ok, err := h.schedule.Due(ctx, h.now)
		if err != nil || !ok {
			return err
		}
		if task.Status == schedule.TaskOutdated {
			h.told[task.ID] = true
		} else if err := h.speak("task/"+task.ID, func() error { return nil }); err != nil {
			return err
		}
		if err := h.schedule.Done(ctx, h.now, task.ID, nil); err != nil {
			return err
		}
	}
}

// TestDyingAtAnyWrite lets the program die once at each of its writes, before or after it: everything that was due is
// said once, or known to be unclear; a task may be interrupted instead, which is told.
func TestDyingAtAnyWrite(t *testing.T) {
	deaths := 0
	for at := 1; ; at++ {
		died := false
		for _, written := range []bool{false, true} {
			h := &house{t: t, rows: statetest.New(nil), now: statetest.T0, said: map[string]int{}, unclear: map[string]bool{}, told: map[string]bool{}}
			require.NoError(t, h.start())
			set(t, h.timers, statetest.T0, inGroup, "cron:0 * * * *")
			set(t, h.timers, statetest.T0, inGroup, "90min")
			plan(t, h.schedule, statetest.T0, inGroup, "喝水", time.Hour, 0)
			plan(t, h.schedule, statetest.T0, inGroup, "散步", time.Hour, 30*time.Minute)
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
				if err := h.look(); err != nil {
					require.ErrorIs(t, err, statetest.ErrCrash)
					require.NoError(t, h.start())
					require.NoError(t, h.look())
				}
			}
			where := fmt.Sprintf("write %d, written %t", at, written)
			for id, n := range h.said {
				require.Equal(t, 1, n, "%s: %s", where, id)
			}
			for _, id := range []string{"timer/t1/1", "timer/t1/2", "timer/t1/3", "timer/t1/4", "timer/t2/1"} {
				require.True(t, h.said[id] == 1 || h.unclear[id], "%s: %s was not said", where, id)
			}
			require.LessOrEqual(t, len(h.said), 7, where)
			require.LessOrEqual(t, len(h.unclear), 1, where)
			for _, id := range []string{"s1", "s2"} {
				task, _ := h.schedule.Lookup(id)
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
	require.Equal(t, 7*6, deaths, "seven things to do, six writes each")
}
