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

// A watched is a Life whose every wake is compared with what was promised, on rows that let the program die at any Apply.
type watched struct {
	*statetest.Dying
	timers   *schedule.Timers
	schedule *schedule.Tasks
	life     *schedule.Planner
	jumps    bool // the clock does; then caps, which go by the clock, are not looked at

	out      []schedule.Wake // given in this life
	heard    int
	last     map[string]time.Time // by session: when it was last heard
	given    map[string]schedule.Wake
	archived map[string]int // by id: messages
	done     map[string]bool
	tried    map[string]bool // to end it, when the program did not die of it
	began    []time.Time     // talks of the background
	ticks    []time.Time
	beats    []time.Time
	kinds    map[schedule.WakeKind]int
}

func (w *watched) restart() {
	w.Dies = -1
	w.timers = schedule.NewTimers(w.Store, schedule.TimerOptions{Location: time.UTC})
	w.schedule = schedule.NewTasks(w.Store, schedule.TaskOptions{Location: time.UTC, MaxPerPrincipal: 1000, MaxTotal: 1000, MaxHistory: 1000})
	var err error
	w.life, err = schedule.NewPlanner(w.Store, w.timers, w.schedule, schedule.PlannerOptions{IdleOrigin: byOwner})
	require.NoError(w.T, err)
	broken, err := w.life.Restore(w.T.Context(), w.Now)
	require.NoError(w.T, err)
	require.Empty(w.T, broken)
	w.out = nil
}

func (w *watched) step() {
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
		w.hear(w.R.IntN(3), 1+w.R.IntN(4))
	case k == 3:
		_, _ = w.timers.Set(ctx, w.Now, inGroup, []string{"30s", "5min", "cron:*/7 * * * *"}[w.R.IntN(3)], "")
	case k == 4 && w.R.IntN(2) == 0:
		at := w.Now.Add(time.Duration(w.R.IntN(20)) * time.Minute)
		_, _ = w.schedule.Add(ctx, w.Now, schedule.Task{Title: "x", ScheduledAt: at, OutdatedAt: at.Add(10 * time.Minute)})
	case k < 8 && len(w.out) > 0:
		w.end(w.R.IntN(len(w.out)), w.R.IntN(4) == 0)
	default:
		w.look()
	}
}

func (w *watched) hear(session, n int) {
	m := schedule.Origin{Mode: persona.Agent}
	if session > 0 {
		m = schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(session)}}
	}
	key := "life/talk/agent"
	if session > 0 {
		key = "life/talk/" + m.Chat.String()
	}
	before := string(w.Store.Kept[key])
	if err := w.life.Observe(w.T.Context(), w.Now, m, n); err != nil {
		require.ErrorIs(w.T, err, statetest.ErrCrash)
		if string(w.Store.Kept[key]) == before {
			return
		}
	}
	w.heard += n
	w.last[m.Session()] = w.Now
}

func (w *watched) talking() bool {
	for _, at := range w.last {
		if w.Now.Before(at.Add(3 * time.Minute)) {
			return true
		}
	}
	return false
}

func (w *watched) end(i int, fails bool) {
	wake := w.out[i]
	var failure error
	if fails {
		failure = statetest.ErrCrash
	}
	err := w.life.Done(w.T.Context(), w.Now, wake.ID, failure)
	switch {
	case errors.Is(err, schedule.ErrNotFound):
		require.True(w.T, w.tried[wake.ID], "%s is unknown", wake.ID) // it was written, after all
	case err != nil:
		require.ErrorIs(w.T, err, statetest.ErrCrash)
		w.tried[wake.ID] = true
		return // it may be over; it is asked again, or the program dies
	}
	w.out = slices.Delete(w.out, i, i+1)
	w.done[wake.ID] = true
}

func (w *watched) look() {
	next, ok := w.life.Next(w.Now)
	quiet := !ok || next.After(w.Now)
	var failed error
	for wake, err := range w.life.Due(w.T.Context(), w.Now) {
		if err != nil {
			require.ErrorIs(w.T, err, statetest.ErrCrash)
			failed = err
			continue
		}
		require.False(w.T, quiet, "%s at %s, but next is %s", wake.ID, w.Now, next)
		w.wake(wake)
	}
	if next, ok := w.life.Next(w.Now); failed == nil && ok {
		require.True(w.T, next.After(w.Now), "it does not go on")
	}
}

func (w *watched) wake(wake schedule.Wake) {
	t, out := w.T, func(kinds ...schedule.WakeKind) bool {
		return slices.ContainsFunc(w.out, func(o schedule.Wake) bool { return slices.Contains(kinds, o.Kind) })
	}
	require.False(t, w.done[wake.ID], "%s again", wake.ID)
	require.False(t, slices.ContainsFunc(w.out, func(o schedule.Wake) bool { return o.ID == wake.ID }), "%s twice", wake.ID)
	if old, ok := w.given[wake.ID]; ok {
		require.Equal(t, old.Origin, wake.Origin)
		require.NotContains(t, []schedule.WakeKind{schedule.WakeIdle, schedule.WakeTask}, wake.Kind, "%s again", wake.ID)
	}
	switch wake.Kind {
	case schedule.WakeTimer:
		require.Equal(t, inGroup, wake.Origin)
		if n := len(w.ticks); n > 0 && !w.ticks[n-1].Equal(w.Now) && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(w.ticks[n-1]), 30*time.Second)
		}
		w.ticks = append(w.ticks, w.Now)
	case schedule.WakeTask, schedule.WakeOutdated:
		require.False(t, w.talking() && !w.jumps, "a task, and a talk is going")
		require.False(t, out(schedule.WakeTask, schedule.WakeOutdated), "two tasks")
		if n := len(w.beats); n > 0 && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(w.beats[n-1]), time.Minute)
		}
		w.beats = append(w.beats, w.Now)
	case schedule.WakeArchive:
		w.archived[fmt.Sprint(wake.Conversation.Origin.Session(), wake.Conversation.From.UnixNano())] = wake.Conversation.Messages
	case schedule.WakeReflect:
		require.False(t, out(schedule.WakeReflect), "two reflections")
		require.GreaterOrEqual(t, wake.Reason.Messages, 10)
	default:
		require.False(t, out(schedule.WakeIdle, schedule.WakeReview), "two talks of the background")
		if n := len(w.began); n >= 4 && !w.jumps {
			require.GreaterOrEqual(t, w.Now.Sub(w.began[n-4]), time.Hour, "five in an hour")
		}
		if wake.Kind == schedule.WakeIdle {
			require.Empty(t, w.schedule.List(byOwner), "there is something planned")
			require.False(t, w.talking() && !w.jumps, "somebody talks")
			require.False(t, out(schedule.WakeArchive))
		}
		w.began = append(w.began, w.Now)
	}
	w.kinds[wake.Kind]++
	w.given[wake.ID] = wake
	w.out = append(w.out, wake)
}

// TestLifeKeepsItsWord: whatever is done, whenever the program dies and however often it starts anew, nothing comes
// more often than it may, nothing before Next says so, nothing twice, and in the end each talk was archived once.
func TestLifeKeepsItsWord(t *testing.T) {
	seeds := uint64(45)
	if testing.Short() {
		seeds = 9
	}
	all := map[schedule.WakeKind]int{}
	for seed := range seeds {
		w := &watched{
			Dying: statetest.NewDying(t, seed, 8), jumps: seed%5 == 4, kinds: all,
			last: map[string]time.Time{}, given: map[string]schedule.Wake{}, archived: map[string]int{}, done: map[string]bool{}, tried: map[string]bool{},
		}
		w.restart()
		for range 300 {
			if seed%3 == 0 || w.Dies == 0 && w.R.IntN(2) == 0 {
				w.restart()
			}
			w.Dies = -1
			if seed%2 == 0 && w.R.IntN(4) == 0 {
				w.Dies = 1 + w.R.IntN(3)
			}
			w.step()
		}
		w.drain()
	}
	for k := schedule.WakeTimer; k <= schedule.WakeIdle; k++ {
		require.Greater(t, all[k], int(seeds)/2, "too few of %s to tell", k)
	}
}

// drain lets all come to its end.
func (w *watched) drain() {
	w.restart()
	for _, timer := range w.timers.List(byOwner) {
		require.NoError(w.T, w.timers.Cancel(w.T.Context(), byOwner, timer.ID))
	}
	w.look()
	for range 200 {
		for len(w.out) > 0 {
			w.end(0, false)
		}
		if next, ok := w.life.Next(w.Now); ok && next.After(w.Now) {
			w.Now = next
		}
		w.look()
	}
	sum := 0
	for _, n := range w.archived {
		sum += n
	}
	if !w.jumps { // else two talks may begin at one time
		require.Equal(w.T, w.heard, sum, "messages that were archived")
	}
	for key, row := range w.Store.Kept {
		require.NotContains(w.T, key, "life/talk/")
		require.NotContains(w.T, string(row), `"archive"`, key)
		require.NotContains(w.T, string(row), `"review"`, key)
	}
}
