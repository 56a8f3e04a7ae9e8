package persona_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/require"
)

// A watched is a Life whose every wake is compared with what was promised, on rows that let the program die at any Apply.
type watched struct {
	*paper
	timers   *persona.Timers
	schedule *persona.Schedule
	life     *persona.Life
	jumps    bool // the clock does; then caps, which go by the clock, are not looked at

	out      []persona.Wake // given in this life
	heard    int
	last     map[string]time.Time // by session: when it was last heard
	given    map[string]persona.Wake
	archived map[string]int // by id: messages
	done     map[string]bool
	tried    map[string]bool // to end it, when the program did not die of it
	began    []time.Time     // talks of the background
	ticks    []time.Time
	beats    []time.Time
	kinds    map[persona.WakeKind]int
}

func (w *watched) restart() {
	w.dies = -1
	w.timers = persona.NewTimers(w.rows, persona.TimerOptions{Location: time.UTC})
	w.schedule = persona.NewSchedule(w.rows, persona.ScheduleOptions{Location: time.UTC, PerPrincipal: 1000, All: 1000, History: 1000})
	var err error
	w.life, err = persona.NewLife(w.rows, w.timers, w.schedule, persona.LifeOptions{Self: byOwner})
	require.NoError(w.t, err)
	broken, err := w.life.Resume(w.t.Context(), w.now)
	require.NoError(w.t, err)
	require.Empty(w.t, broken)
	w.out = nil
}

func (w *watched) step() {
	ctx := w.t.Context()
	w.now = w.now.Add(time.Duration(w.r.IntN(90)) * time.Second)
	switch {
	case w.r.IntN(12) == 0:
		w.now = w.now.Add(time.Duration(w.r.IntN(40)) * time.Minute)
	case w.jumps && w.r.IntN(12) == 0:
		w.now = w.now.Add(time.Duration(w.r.IntN(200)-100) * time.Hour)
	}
	switch k := w.r.IntN(12); {
	case k < 3:
		w.hear(w.r.IntN(3), 1+w.r.IntN(4))
	case k == 3:
		_, _ = w.timers.Set(ctx, w.now, inGroup, []string{"30s", "5min", "cron:*/7 * * * *"}[w.r.IntN(3)], "")
	case k == 4 && w.r.IntN(2) == 0:
		at := w.now.Add(time.Duration(w.r.IntN(20)) * time.Minute)
		_, _ = w.schedule.Add(ctx, w.now, persona.Task{Title: "x", ScheduledAt: at, OutdatedAt: at.Add(10 * time.Minute)})
	case k < 8 && len(w.out) > 0:
		w.end(w.r.IntN(len(w.out)), w.r.IntN(4) == 0)
	default:
		w.look()
	}
}

func (w *watched) hear(session, n int) {
	m := persona.Maker{Mode: persona.Agent}
	if session > 0 {
		m = persona.Maker{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(session)}}
	}
	key := "life/talk/agent"
	if session > 0 {
		key = "life/talk/" + m.Chat.String()
	}
	before := string(w.rows.kept[key])
	if err := w.life.Heard(w.t.Context(), w.now, m, n); err != nil {
		require.ErrorIs(w.t, err, errCrash)
		if string(w.rows.kept[key]) == before {
			return
		}
	}
	w.heard += n
	w.last[m.Session()] = w.now
}

func (w *watched) talking() bool {
	for _, at := range w.last {
		if w.now.Before(at.Add(3 * time.Minute)) {
			return true
		}
	}
	return false
}

func (w *watched) end(i int, fails bool) {
	wake := w.out[i]
	var failure error
	if fails {
		failure = errCrash
	}
	err := w.life.Done(w.t.Context(), w.now, wake.ID, failure)
	switch {
	case errors.Is(err, persona.ErrUnknown):
		require.True(w.t, w.tried[wake.ID], "%s is unknown", wake.ID) // it was written, after all
	case err != nil:
		require.ErrorIs(w.t, err, errCrash)
		w.tried[wake.ID] = true
		return // it may be over; it is asked again, or the program dies
	}
	w.out = slices.Delete(w.out, i, i+1)
	w.done[wake.ID] = true
}

func (w *watched) look() {
	next, ok := w.life.Next(w.now)
	quiet := !ok || next.After(w.now)
	var failed error
	for wake, err := range w.life.Due(w.t.Context(), w.now) {
		if err != nil {
			require.ErrorIs(w.t, err, errCrash)
			failed = err
			continue
		}
		require.False(w.t, quiet, "%s at %s, but next is %s", wake.ID, w.now, next)
		w.wake(wake)
	}
	if next, ok := w.life.Next(w.now); failed == nil && ok {
		require.True(w.t, next.After(w.now), "it does not go on")
	}
}

func (w *watched) wake(wake persona.Wake) {
	t, out := w.t, func(kinds ...persona.WakeKind) bool {
		return slices.ContainsFunc(w.out, func(o persona.Wake) bool { return slices.Contains(kinds, o.Kind) })
	}
	require.False(t, w.done[wake.ID], "%s again", wake.ID)
	require.False(t, slices.ContainsFunc(w.out, func(o persona.Wake) bool { return o.ID == wake.ID }), "%s twice", wake.ID)
	if old, ok := w.given[wake.ID]; ok {
		require.Equal(t, old.Maker, wake.Maker)
		require.NotContains(t, []persona.WakeKind{persona.WakeIdle, persona.WakeTask}, wake.Kind, "%s again", wake.ID)
	}
	switch wake.Kind {
	case persona.WakeTimer:
		require.Equal(t, inGroup, wake.Maker)
		if n := len(w.ticks); n > 0 && !w.ticks[n-1].Equal(w.now) && !w.jumps {
			require.GreaterOrEqual(t, w.now.Sub(w.ticks[n-1]), 30*time.Second)
		}
		w.ticks = append(w.ticks, w.now)
	case persona.WakeTask, persona.WakeOutdated:
		require.False(t, w.talking() && !w.jumps, "a task, and a talk is going")
		require.False(t, out(persona.WakeTask, persona.WakeOutdated), "two tasks")
		if n := len(w.beats); n > 0 && !w.jumps {
			require.GreaterOrEqual(t, w.now.Sub(w.beats[n-1]), time.Minute)
		}
		w.beats = append(w.beats, w.now)
	case persona.WakeArchive:
		w.archived[fmt.Sprint(wake.Talk.Maker.Session(), wake.Talk.From.UnixNano())] = wake.Talk.Messages
	case persona.WakeReflect:
		require.False(t, out(persona.WakeReflect), "two reflections")
		require.GreaterOrEqual(t, wake.Why.Messages, 10)
	default:
		require.False(t, out(persona.WakeIdle, persona.WakeReview), "two talks of the background")
		if n := len(w.began); n >= 4 && !w.jumps {
			require.GreaterOrEqual(t, w.now.Sub(w.began[n-4]), time.Hour, "five in an hour")
		}
		if wake.Kind == persona.WakeIdle {
			require.Empty(t, w.schedule.List(byOwner), "there is something planned")
			require.False(t, w.talking() && !w.jumps, "somebody talks")
			require.False(t, out(persona.WakeArchive))
		}
		w.began = append(w.began, w.now)
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
	all := map[persona.WakeKind]int{}
	for seed := range seeds {
		w := &watched{
			paper: newPaper(t, seed, 8), jumps: seed%5 == 4, kinds: all,
			last: map[string]time.Time{}, given: map[string]persona.Wake{}, archived: map[string]int{}, done: map[string]bool{}, tried: map[string]bool{},
		}
		w.restart()
		for range 300 {
			if seed%3 == 0 || w.dies == 0 && w.r.IntN(2) == 0 {
				w.restart()
			}
			w.dies = -1
			if seed%2 == 0 && w.r.IntN(4) == 0 {
				w.dies = 1 + w.r.IntN(3)
			}
			w.step()
		}
		w.drain()
	}
	for k := persona.WakeTimer; k <= persona.WakeIdle; k++ {
		require.Greater(t, all[k], int(seeds)/2, "too few of %s to tell", k)
	}
}

// drain lets all come to its end.
func (w *watched) drain() {
	w.restart()
	for _, timer := range w.timers.List(byOwner) {
		require.NoError(w.t, w.timers.Cancel(w.t.Context(), byOwner, timer.ID))
	}
	w.look()
	for range 200 {
		for len(w.out) > 0 {
			w.end(0, false)
		}
		if next, ok := w.life.Next(w.now); ok && next.After(w.now) {
			w.now = next
		}
		w.look()
	}
	sum := 0
	for _, n := range w.archived {
		sum += n
	}
	if !w.jumps { // else two talks may begin at one time
		require.Equal(w.t, w.heard, sum, "messages that were archived")
	}
	for key, row := range w.rows.kept {
		require.NotContains(w.t, key, "life/talk/")
		require.NotContains(w.t, string(row), `"archive"`, key)
		require.NotContains(w.t, string(row), `"review"`, key)
	}
}
