package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
)

// A plannerModel is a planner under random operations and crashes. Every wake is compared with the promises of the
// documentation.
type plannerModel struct {
	*statetest.Crasher
	timers  *schedule.Timers
	tasks   *schedule.Tasks
	planner *schedule.Planner
	jumps   bool // the clock jumps; then the limits per time are not checked

	out      []schedule.Wake // yielded in this run
	heard    int
	last     map[string]time.Time // time of the last message by session
	given    map[string]schedule.Wake
	archived map[string]int // number of messages by id
	done     map[string]bool
	tried    map[string]bool                   // Done was called and the program did not crash
	began    map[schedule.WakeKind][]time.Time // starts of background turns
	ticks    []time.Time
	beats    []time.Time
	kinds    map[schedule.WakeKind]int
	delayed  int  // tasks that began during a conversation
	failing  bool // the last Due that did something failed
}

func (w *plannerModel) restart() {
	w.CrashIn = -1
	w.timers = schedule.NewTimers(w.Store, schedule.TimerOptions{Location: time.UTC})
	w.tasks = schedule.NewTasks(w.Store, schedule.TaskOptions{Location: time.UTC, MaxPerPrincipal: 1000, MaxTotal: 1000, MaxHistory: 1000})
	var err error
	w.planner, err = schedule.NewPlanner(w.Store, w.timers, w.tasks, schedule.PlannerOptions{IdleOrigin: byOwner})
	require.NoError(w.T, err)
	broken, err := w.planner.Restore(w.T.Context(), w.Now)
	require.NoError(w.T, err)
	require.Empty(w.T, broken)
	w.out = nil
}

func (w *plannerModel) step() {
	ctx := w.T.Context()
	w.Now = w.Now.Add(time.Duration(w.R.IntN(90)) * time.Second)
	switch {
	case w.R.IntN(12) == 0:
		w.Now = w.Now.Add(time.Duration(w.R.IntN(40)) * time.Minute)
	case w.jumps && w.R.IntN(12) == 0:
		w.Now = w.Now.Add(time.Duration(w.R.IntN(200)-100) * time.Hour)
	}
	switch k := w.R.IntN(12); {
	case k < 3:
		w.observe(w.R.IntN(3), 1+w.R.IntN(4))
	case k == 3:
		_, _ = w.timers.Set(ctx, w.Now, inGroup, []string{"30s", "5min", "cron:*/7 * * * *"}[w.R.IntN(3)], "")
	case k == 4 && w.R.IntN(2) == 0:
		at := w.Now.Add(time.Duration(w.R.IntN(20)) * time.Minute)
		_, _ = w.tasks.Add(ctx, w.Now, schedule.Task{Title: "x", ScheduledAt: at, OutdatedAt: at.Add(10 * time.Minute)})
	case k < 8 && len(w.out) > 0:
		w.end(w.R.IntN(len(w.out)), w.R.IntN(4) == 0)
	default:
		w.due()
	}
}

func (w *plannerModel) observe(session, n int) {
	m := schedule.Origin{Mode: persona.Agent}
	if session > 0 {
		m = schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(session)}}
	}
	key := "life/talk/agent"
	if session > 0 {
		key = "life/talk/" + m.Chat.String()
	}
	before := string(w.Store.Rows[key])
	if err := w.planner.Observe(w.T.Context(), w.Now, m, n); err != nil {
		require.ErrorIs(w.T, err, statetest.ErrCrash)
		if string(w.Store.Rows[key]) == before {
			return
		}
	}
	w.heard += n
	w.last[m.Session()] = w.Now
}

// talking reports whether the owner, or anybody, is in a conversation.
func (w *plannerModel) talking() (owner, anybody bool) {
	for session, at := range w.last {
		if w.Now.Before(at.Add(3 * time.Minute)) {
			owner, anybody = owner || session == persona.OwnerSession, true
		}
	}
	return owner, anybody
}

// checkTask checks that a task waits for conversations, for those of others than the owner not too long.
func (w *plannerModel) checkTask(task schedule.Task) {
	owner, anybody := w.talking()
	require.False(w.T, owner && !w.jumps, "a task during a conversation with the owner")
	if !anybody || w.jumps {
		return
	}
	most := 10 * time.Minute
	if !task.OutdatedAt.IsZero() {
		most = min(most, task.OutdatedAt.Sub(task.ScheduledAt)/2)
	}
	require.GreaterOrEqual(w.T, w.Now.Sub(task.ScheduledAt), most, "a task during a conversation")
	w.delayed++
}

// checkStatuses checks that the statuses of tasks on disk belong to this time.
func (w *plannerModel) checkStatuses() {
	for _, task := range w.tasks.List(byOwner) {
		outdated := !task.OutdatedAt.IsZero() && !task.OutdatedAt.After(w.Now)
		switch task.Status {
		case schedule.TaskScheduled:
			require.True(w.T, task.ScheduledAt.After(w.Now), "%s is due", task.ID)
		case schedule.TaskPending:
			require.False(w.T, outdated, "%s is outdated", task.ID)
		}
		require.Contains(w.T, string(w.Store.Rows["task/"+task.ID]), `"status":"`+task.Status.String()+`"`)
	}
}

func (w *plannerModel) end(i int, fails bool) {
	wake := w.out[i]
	var failure error
	if fails {
		failure = statetest.ErrCrash
	}
	err := w.planner.Done(w.T.Context(), w.Now, wake.ID, failure)
	switch {
	case errors.Is(err, schedule.ErrNotFound):
		require.True(w.T, w.tried[wake.ID], "%s is unknown", wake.ID) // the write had succeeded
	case err != nil:
		require.ErrorIs(w.T, err, statetest.ErrCrash)
		w.tried[wake.ID] = true
		return // it may be done; it is checked again later, or the program crashes
	}
	w.out = slices.Delete(w.out, i, i+1)
	w.done[wake.ID] = true
}

func (w *plannerModel) due() {
	next, ok := w.planner.Next(w.Now)
	quiet := !ok || next.After(w.Now)
	var failed error
	for wake, err := range w.planner.Due(w.T.Context(), w.Now) {
		if err != nil {
			require.ErrorIs(w.T, err, statetest.ErrCrash)
			failed = err
			continue
		}
		require.False(w.T, quiet, "%s at %s, but next is %s", wake.ID, w.Now, next)
		w.wake(wake)
	}
	if next, ok := w.planner.Next(w.Now); failed == nil && ok {
		require.True(w.T, next.After(w.Now), "Next does not advance")
	}
	if failed == nil && !w.failing {
		w.checkStatuses()
	}
	w.failing = failed != nil || w.failing && quiet
}

func (w *plannerModel) wake(wake schedule.Wake) {
	t, out := w.T, func(kinds ...schedule.WakeKind) bool {
		return slices.ContainsFunc(w.out, func(o schedule.Wake) bool { return slices.Contains(kinds, o.Kind) && !w.tried[o.ID] })
	}
	require.False(t, w.done[wake.ID], "%s was yielded again", wake.ID)
	require.False(t, slices.ContainsFunc(w.out, func(o schedule.Wake) bool { return o.ID == wake.ID }), "%s was yielded twice", wake.ID)
	if old, ok := w.given[wake.ID]; ok {
		require.Equal(t, old.Origin, wake.Origin)
		require.NotContains(t, []schedule.WakeKind{schedule.WakeIdle, schedule.WakeTask}, wake.Kind, "%s was yielded again", wake.ID)
	}
	switch wake.Kind {
	case schedule.WakeTimer:
		require.Equal(t, inGroup, wake.Origin)
		if n := len(w.ticks); n > 0 && !w.ticks[n-1].Equal(w.Now) && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(w.ticks[n-1]), 30*time.Second)
		}
		w.ticks = append(w.ticks, w.Now)
	case schedule.WakeTask, schedule.WakeOutdated:
		w.checkTask(wake.Task)
		require.False(t, out(schedule.WakeTask, schedule.WakeOutdated), "two tasks at a time")
		if n := len(w.beats); n > 0 && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(w.beats[n-1]), time.Minute)
		}
		w.beats = append(w.beats, w.Now)
	case schedule.WakeArchive:
		w.archived[fmt.Sprint(wake.Conversation.Origin.Session(), wake.Conversation.From.UnixNano())] = wake.Conversation.Messages
	case schedule.WakeReflect:
		require.False(t, out(schedule.WakeReflect), "two reflections at a time")
		require.GreaterOrEqual(t, wake.Reason.Messages, 10)
	default:
		require.False(t, out(schedule.WakeIdle, schedule.WakeReview), "two background turns at a time")
		began := w.began[wake.Kind]
		if n := len(began); n >= 4 && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(began[n-4]), time.Hour, "five background turns of a kind in an hour")
		}
		if wake.Kind == schedule.WakeIdle {
			require.Empty(t, w.tasks.List(byOwner), "planning with an open task")
			_, talking := w.talking()
			require.False(t, talking && !w.jumps, "planning during a conversation")
			if n := len(began); n > 0 && !w.jumps {
				require.GreaterOrEqual(t, w.Now.Sub(began[n-1]), 15*time.Minute)
			}
		}
		w.began[wake.Kind] = append(began, w.Now)
	}
	w.kinds[wake.Kind]++
	w.given[wake.ID] = wake
	w.out = append(w.out, wake)
}

// Random operations and crashes never exceed a limit, never yield a wake before Next or twice, and in the end every
// conversation was archived once.
func TestPlanner_RandomCrashes(t *testing.T) {
	seeds := uint64(45)
	if testing.Short() {
		seeds = 9
	}
	all, delayed := map[schedule.WakeKind]int{}, 0
	for seed := range seeds {
		w := &plannerModel{
			Crasher: statetest.NewCrasher(t, seed, 8), jumps: seed%5 == 4, kinds: all,
			last: map[string]time.Time{}, given: map[string]schedule.Wake{}, archived: map[string]int{}, done: map[string]bool{}, tried: map[string]bool{},
			began: map[schedule.WakeKind][]time.Time{},
		}
		w.restart()
		for range 300 {
			if seed%3 == 0 || w.CrashIn == 0 && w.R.IntN(2) == 0 {
				w.restart()
			}
			w.CrashIn = -1
			if seed%2 == 0 && w.R.IntN(4) == 0 {
				w.CrashIn = 1 + w.R.IntN(3)
			}
			w.step()
		}
		w.drain()
		delayed += w.delayed
	}
	require.Greater(t, delayed, int(seeds)/4, "too few tasks waited for a conversation")
	for k := schedule.WakeTimer; k <= schedule.WakeIdle; k++ {
		require.Greater(t, all[k], int(seeds)/2, "too few wakes of kind %s", k)
	}
}

// drain ends all pending wakes.
func (w *plannerModel) drain() {
	w.restart()
	for _, timer := range w.timers.List(byOwner) {
		require.NoError(w.T, w.timers.Cancel(w.T.Context(), byOwner, timer.ID))
	}
	w.due()
	for range 200 {
		for len(w.out) > 0 {
			w.end(0, false)
		}
		if next, ok := w.planner.Next(w.Now); ok && next.After(w.Now) {
			w.Now = next
		}
		w.due()
	}
	sum := 0
	for _, n := range w.archived {
		sum += n
	}
	if !w.jumps { // otherwise two conversations may start at the same time
		require.Equal(w.T, w.heard, sum, "archived messages")
	}
	for key, row := range w.Store.Rows {
		require.NotContains(w.T, key, "life/talk/")
		require.NotContains(w.T, string(row), `"archive"`, key)
		require.NotContains(w.T, string(row), `"review"`, key)
	}
}
