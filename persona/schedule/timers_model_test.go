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

// A plainTimer is a timer of the reference model.
type plainTimer struct {
	id     string
	n      int // order of creation
	spec   string
	next   time.Time // zero means never
	firing time.Time // yielded and not done; zero means none
	fired  int
	starts int
	given  bool // the firing was yielded in this run
}

func (p *plainTimer) at() time.Time {
	if !p.firing.IsZero() && !p.given {
		return p.firing
	}
	return p.next
}

func (p *plainTimer) gone() bool { return p.next.IsZero() && p.firing.IsZero() }

// timersModel compares Timers with a plain list.
type timersModel struct {
	*statetest.Crasher
	timers *schedule.Timers
	list   []*plainTimer
	set    int
	done   map[string]bool // firings that are done
	fires  int
}

func (p *timersModel) restart() {
	p.timers = newTimers(p.T, p.Store, schedule.TimerOptions{})
	for _, v := range p.list {
		v.given = false
	}
}

func (p *timersModel) drop() {
	p.list = slices.DeleteFunc(p.list, func(v *plainTimer) bool { return v.gone() })
}

var paperSpecs = []string{"30s", "5min", "2h", "1d", "cron:*/7 * * * *", "cron:0 8 * * *", "cron:0 9 * * 1-5", "cron:30 0 1 * *"}

func (p *timersModel) step() {
	ctx := p.T.Context()
	p.Now = p.Now.Add(time.Duration(p.R.IntN(20)) * time.Minute)
	if p.R.IntN(8) == 0 {
		p.Now = p.Now.Add(time.Duration(p.R.IntN(80)-20) * time.Hour / 24) // up to two days ahead, or fifty minutes back
	}
	switch k := p.R.IntN(10); {
	case k < 3:
		spec := paperSpecs[p.R.IntN(len(paperSpecs))]
		parsed, err := schedule.ParseTimer(spec)
		require.NoError(p.T, err)
		next, _ := parsed.Next(p.Now, time.UTC)
		_, err = p.timers.Set(ctx, p.Now, inGroup, spec, "")
		if len(p.list) >= 20 && err != nil {
			require.ErrorIs(p.T, err, schedule.ErrTooMany)
			return
		}
		if p.Wrote(err) {
			p.set++
			p.list = append(p.list, &plainTimer{id: fmt.Sprint("t", p.set), n: p.set, spec: spec, next: next})
		}
	case k == 3 && len(p.list) > 0:
		i := p.R.IntN(len(p.list))
		if p.Wrote(p.timers.Cancel(ctx, inGroup, p.list[i].id)) {
			p.list = slices.Delete(p.list, i, i+1)
		}
	default:
		p.due()
	}
}

// due compares the firings with the list.
func (p *timersModel) due() {
	ctx := p.T.Context()
	var waits []*plainTimer
	for _, v := range p.list {
		if at := v.at(); !at.IsZero() && !at.After(p.Now) {
			waits = append(waits, v)
		}
	}
	slices.SortFunc(waits, func(a, b *plainTimer) int { return cmp.Or(a.at().Compare(b.at()), cmp.Compare(a.n, b.n)) })
	i := 0
	for f, err := range p.timers.Due(ctx, p.Now) {
		if err != nil {
			if p.Wrote(err) && i < len(waits) {
				p.fire(waits[i]) // written, but not yielded
				waits[i].given = false
				p.drop()
			}
			return
		}
		p.fires++
		require.Less(p.T, i, len(waits), "%s fires too early", f.Timer.ID)
		v := waits[i]
		i++
		at := v.at()
		late := p.fire(v) || p.Now.Sub(at) >= time.Minute
		require.Equal(p.T, schedule.Firing{ID: fmt.Sprintf("timer/%s/%d", v.id, v.fired), Timer: f.Timer, At: at, Late: late}, f)
		require.Equal(p.T, []any{v.id, v.spec, inGroup, v.fired}, []any{f.Timer.ID, f.Timer.Spec, f.Timer.Origin, f.Timer.Fired})
		require.True(p.T, f.Timer.Next.Equal(v.next))
		require.False(p.T, p.done[f.ID], "%s was done and is yielded again", f.ID)
		p.drop()
		if p.R.IntN(3) > 0 && p.Wrote(p.timers.Done(ctx, f.ID)) {
			v.firing, v.starts, p.done[f.ID] = time.Time{}, 0, true
			p.drop()
		}
		if p.R.IntN(10) == 0 {
			return
		}
	}
	require.Equal(p.T, len(waits), i, "a timer did not fire")
}

// fire updates a timer of the model and reports whether it will be yielded again.
func (p *timersModel) fire(v *plainTimer) (again bool) {
	again = !v.firing.IsZero() && !v.given
	if again && (v.next.IsZero() || v.next.After(p.Now)) {
		v.starts++
	} else {
		v.firing, v.starts, v.next = v.at(), 1, time.Time{}
		v.fired++
		if parsed, _ := schedule.ParseTimer(v.spec); parsed.Repeats() {
			v.next, _ = parsed.Next(p.Now, time.UTC)
		}
	}
	v.given = true
	if v.starts == 3 {
		v.firing, v.starts = time.Time{}, 0
	}
	return again
}

// check compares List, here and after a restart from these rows.
func (p *timersModel) check() {
	want := map[string]time.Time{}
	for _, v := range p.list {
		if !v.at().IsZero() {
			want[v.id] = v.next
		}
	}
	got := map[string]time.Time{}
	for _, v := range p.timers.List(inGroup) {
		got[v.ID] = v.Next
	}
	if p.CrashIn != 0 { // after a failure, memory is older than the rows until the next call
		require.Equal(p.T, want, got)
	}
	fresh := newTimers(p.T, &statetest.Store{Rows: maps.Clone(p.Store.Rows)}, schedule.TimerOptions{})
	next, ok := fresh.Next()
	var first time.Time
	for _, v := range p.list {
		at := v.next
		if !v.firing.IsZero() {
			at = v.firing
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	require.Equal(p.T, len(p.list) > 0, ok)
	require.True(p.T, first.Equal(next), "%s, not %s", next, first)
}

// Random operations and crashes fire timers exactly as the list predicts. No timer is lost, and no firing repeats after
// Done.
func TestTimers_MatchModel(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 9
	}
	fires := 0
	for seed := range seeds {
		p := &timersModel{Crasher: statetest.NewCrasher(t, seed, 3), done: map[string]bool{}}
		p.restart()
		for range 120 {
			if seed%3 == 0 || p.CrashIn == 0 && p.R.IntN(2) == 0 { // before every step, or only after failures
				p.restart()
			}
			p.CrashIn = -1
			if p.R.IntN(4) == 0 {
				p.CrashIn = 1 + p.R.IntN(4)
			}
			p.step()
			p.check()
		}
		fires += p.fires
	}
	require.Greater(t, fires, int(seeds)*50, "too few firings for a useful comparison")
}
