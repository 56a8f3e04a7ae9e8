package schedule_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// A plainTask is a task of the reference model.
type plainTask struct {
	id           string
	n            int // order of creation
	at, outdated time.Time
	priority     int
	status       schedule.TaskStatus
	told         int
	over         bool
	ran          int // how often it was given out to run
}

// tasksModel compares Tasks with a plain list.
type tasksModel struct {
	*statetest.Crasher
	s    *schedule.Tasks
	list []*plainTask
	out  *plainTask
	busy bool
}

func (p *tasksModel) restart() {
	p.s = newTasks(p.T, p.Store, schedule.TaskOptions{MaxPerPrincipal: 1000, MaxTotal: 1000, MaxHistory: 1000})
	p.out, p.busy = nil, false
	for _, v := range p.list {
		if v.status == schedule.TaskRunning {
			v.status = schedule.TaskOutdated
		}
	}
}

func (p *tasksModel) minutes(n int) time.Duration {
	return time.Duration(p.R.IntN(n)) * time.Minute
}

func (p *tasksModel) step() {
	ctx := p.T.Context()
	p.Now = p.Now.Add(p.minutes(12))
	if p.R.IntN(10) == 0 {
		p.Now = p.Now.Add(p.minutes(600) - 3*time.Hour) // the clock jumps ahead or back
	}
	switch k := p.R.IntN(10); {
	case k < 3:
		v := &plainTask{n: len(p.list), at: p.Now.Add(p.minutes(40)), priority: p.R.IntN(3) - 1}
		if p.R.IntN(2) == 0 {
			v.outdated = v.at.Add(time.Minute + p.minutes(30))
		}
		made, err := p.s.Add(ctx, p.Now, schedule.Task{Title: "x", ScheduledAt: v.at, OutdatedAt: v.outdated, Priority: v.priority})
		if p.Wrote(err) {
			v.id = fmt.Sprint("s", len(p.list)+1)
			p.list = append(p.list, v)
			require.True(p.T, err != nil || made.ID == v.id)
		}
	case k == 3 && len(p.list) > 0:
		v := p.list[p.R.IntN(len(p.list))]
		err := p.s.Cancel(ctx, p.Now, byself, v.id)
		if v.over || v == p.out || !v.status.CanBecome(schedule.TaskCanceled) {
			require.Error(p.T, err)
		} else if p.Wrote(err) {
			v.status, v.over = schedule.TaskCanceled, true
		}
	case k == 4:
		p.busy = !p.busy
		p.s.SetBusy(p.busy)
	case k < 8:
		p.due()
	case p.out != nil:
		v := p.out
		err := p.s.Done(ctx, p.Now, v.id, nil)
		if p.Wrote(err) {
			p.end(v)
		}
		if err == nil {
			p.out = nil
		}
	}
}

func (p *tasksModel) end(v *plainTask) {
	if v.status == schedule.TaskRunning {
		v.status = schedule.TaskAccomplished
	}
	v.over = true
}

func (p *tasksModel) due() {
	got, ok, err := p.s.Due(p.T.Context(), p.Now)
	if !p.Wrote(err) {
		return
	}
	var waits []*plainTask
	for _, v := range p.list {
		if v.over {
			continue
		}
		if v.status == schedule.TaskScheduled && !v.at.After(p.Now) {
			v.status = schedule.TaskPending
		}
		if v.status <= schedule.TaskPending && !v.outdated.IsZero() && !v.outdated.After(p.Now) {
			v.status = schedule.TaskOutdated
		}
		if v.status != schedule.TaskScheduled {
			waits = append(waits, v)
		}
	}
	if p.busy || p.out != nil {
		require.False(p.T, ok)
		next, ok := p.s.Next()
		require.True(p.T, err != nil || !ok || next.After(p.Now), "only statuses change, and they have changed")
		return
	}
	require.True(p.T, err != nil || ok == (len(waits) > 0), "a task is due")
	if len(waits) == 0 {
		return
	}
	v := slices.MinFunc(waits, func(a, b *plainTask) int {
		class := func(v *plainTask) int { return slices.Index([]schedule.TaskStatus{2, 3, 1}, v.status) }
		if c := cmp.Compare(class(a), class(b)); c != 0 {
			return c
		}
		since := func(v *plainTask) time.Time {
			if v.status == schedule.TaskOutdated && !v.outdated.IsZero() {
				return v.outdated
			}
			return v.at
		}
		if a.status == schedule.TaskPending && a.priority != b.priority {
			return b.priority - a.priority
		}
		return cmp.Or(since(a).Compare(since(b)), a.at.Compare(b.at), a.n-b.n)
	})
	switch v.status {
	case schedule.TaskPending:
		v.status = schedule.TaskRunning
	case schedule.TaskOutdated:
		v.told++
		v.over = v.told == 3
	}
	if err != nil {
		return // written, but not given out
	}
	require.Equal(p.T, []any{v.id, v.status, v.told}, []any{got.ID, got.Status, got.TimesReported})
	if p.out = v; v.status == schedule.TaskRunning {
		v.ran++
		require.Equal(p.T, 1, v.ran, "%s ran twice", v.id)
	}
}

// check restores a copy from the rows and compares it with the list.
func (p *tasksModel) check() {
	fresh := newTasks(p.T, &statetest.Store{Rows: maps.Clone(p.Store.Rows)}, schedule.TaskOptions{MaxHistory: 1000})
	var first time.Time
	for _, v := range p.list {
		got, ok := fresh.Lookup(v.id)
		require.True(p.T, ok, "%s was lost", v.id)
		want := v.status
		if want == schedule.TaskRunning {
			want = schedule.TaskOutdated
		}
		require.Equal(p.T, []any{want, v.over, v.told}, []any{got.Status, got.Ended(), got.TimesReported}, v.id)
		if !v.over && (first.IsZero() || v.at.Before(first)) {
			first = v.at
		}
	}
	next, ok := fresh.Next()
	require.Equal(p.T, !first.IsZero(), ok)
	require.True(p.T, next.Equal(first))
}

// Random operations and crashes give out tasks exactly as the list predicts. No task runs twice, and in the end each
// task is accomplished, outdated or canceled.
func TestTasks_MatchModel(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 9
	}
	ends := map[schedule.TaskStatus]int{}
	for seed := range seeds {
		p := &tasksModel{Crasher: statetest.NewCrasher(t, seed, 4)}
		p.restart()
		for range 100 {
			if died := p.CrashIn == 0; seed%3 == 0 || died && p.R.IntN(2) == 0 {
				p.CrashIn = -1
				p.restart()
			}
			p.CrashIn = -1
			if p.R.IntN(4) == 0 {
				p.CrashIn = 1 + p.R.IntN(2)
			}
			p.step()
			p.check()
		}
		p.CrashIn, p.Now = -1, p.Now.AddDate(0, 0, 1)
		p.restart()
		for range len(p.list) {
			if task, ok, err := p.s.Due(t.Context(), p.Now); ok {
				require.NoError(t, err)
				require.NoError(t, p.s.Done(t.Context(), p.Now, task.ID, nil))
			}
		}
		history := p.s.History()
		require.Len(t, history, len(p.list))
		for _, task := range history {
			ends[task.Status]++
		}
	}
	require.Len(t, ends, 3)
	for status, n := range ends {
		require.Greater(t, n, int(seeds), status)
	}
}
