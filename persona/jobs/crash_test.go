package jobs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// life runs errands at random on rows that let the program die after any Apply, or before it, and says what was said.
type life struct {
	t    *testing.T
	r    *rand.Rand
	rows *statetest.Store
	e    *jobs.Queue
	now  time.Time
	left int // Applies until it dies

	running []string
	said    map[string]int // each text, how often it went out
	made    int
	acted   map[string]bool        // errands that are committed in the rows
	cursors map[string]jobs.Cursor // as they were last seen in the rows
	begun   map[string]bool        // errands that were ever in the rows
	ended   map[string]bool        // dropped, or over
	entries map[string][]int       // of running errands: what awaits a result
}

// TestErrandsSurviveDyingAnywhere: whatever the sequence of operations, and whichever Apply is the last, an errand that
// has acted never runs again, none is forgotten, no cursor moves back, and nothing is said twice.
func TestErrandsSurviveDyingAnywhere(t *testing.T) {
	seeds := uint64(80)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		l := &life{
			t: t, r: rand.New(rand.NewPCG(seed, 1)), rows: statetest.New(nil), now: statetest.T0, said: map[string]int{}, acted: map[string]bool{},
			cursors: map[string]jobs.Cursor{}, begun: map[string]bool{}, ended: map[string]bool{},
		}
		l.rows.After = func(int) (bool, error) {
			if l.left--; l.left > 0 {
				return true, nil
			}
			return l.left == 0 && l.r.IntN(2) == 0, statetest.ErrCrash // the last one may be written or not
		}
		for range 12 {
			l.live()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		for text, n := range l.said {
			require.Equal(t, 1, n, "seed %d: %q was said %d times", seed, text, n)
		}
	}
}

// live is one life of the program, from its start to its sudden end.
func (l *life) live() {
	l.left = 1 << 30 // a start that dies is tried by check, at every point
	l.check()
	var again, unclear []jobs.Job
	l.e, again, unclear = l.resume()
	l.running, l.entries = nil, map[string][]int{}
	for _, d := range unclear {
		if l.r.IntN(2) == 0 {
			for i, o := range d.Outbox {
				if o.Status == jobs.Unclear {
					require.NoError(l.t, l.e.Result(l.t.Context(), l.now, d.ID, i, "found", nil, l.r.IntN(4) == 0))
				}
			}
			require.NoError(l.t, l.e.Done(l.t.Context(), l.now, d.ID, "settled"))
		}
	}
	l.left = 1 + l.r.IntN(12)
	for _, d := range again {
		if l.r.IntN(3) > 0 && l.step(l.e.Claim(l.t.Context(), l.now, d)) {
			l.running = append(l.running, d.ID)
		}
	}
	for l.left > 0 {
		l.now = l.now.Add(time.Duration(l.r.IntN(40)) * time.Second)
		l.act()
		l.check()
	}
}

// step reports whether an operation went through. It may fail by dying, and by nothing else.
func (l *life) step(err error) bool {
	if err != nil {
		require.ErrorIs(l.t, err, statetest.ErrCrash)
	}
	return err == nil
}

func (l *life) act() {
	ctx := l.t.Context()
	if len(l.running) == 0 || l.r.IntN(4) == 0 {
		l.made++
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(l.r.IntN(3))}
		d := jobs.Job{ID: fmt.Sprint("e", l.made), Chat: chat, At: l.now.Add(-time.Duration(l.r.IntN(20)) * time.Second), LastRecord: fmt.Sprint("m", l.made)}
		if l.r.IntN(3) > 0 {
			d.ExpiresAt = d.At.Add(2 * time.Minute)
		}
		if l.r.IntN(4) == 0 {
			l.step(l.e.Add(ctx, l.now, d))
		} else if l.step(l.e.Claim(ctx, l.now, d)) {
			l.running = append(l.running, d.ID)
		}
		return
	}
	i := l.r.IntN(len(l.running))
	id := l.running[i]
	switch waiting := l.entries[id]; {
	case len(waiting) > 0 && l.r.IntN(2) == 0:
		if l.step(l.e.Result(ctx, l.now, id, waiting[0], "sent", nil, l.r.IntN(5) == 0)) {
			l.entries[id] = waiting[1:]
		}
	case l.r.IntN(8) == 0: // an effect without words
		_, err := l.e.Commit(ctx, l.now, id)
		l.step(err)
	case l.r.IntN(3) > 0:
		text := fmt.Sprintf("%s says %d", id, len(l.outbox(id)))
		first, err := l.e.Commit(ctx, l.now, id, jobs.Entry{Text: text})
		if l.step(err) {
			l.said[text]++
			l.entries[id] = append(waiting, first)
		}
	case l.r.IntN(2) == 0 && l.acted[id]:
		require.ErrorIs(l.t, l.e.Release(ctx, id), jobs.ErrCommitted)
	case l.r.IntN(2) == 0 && !l.acted[id]:
		if l.step(l.e.Release(ctx, id)) {
			l.ended[id] = true
			l.running = slices.Delete(l.running, i, i+1)
		}
	default:
		if l.step(l.e.Done(ctx, l.now, id, "over")) {
			l.running = slices.Delete(l.running, i, i+1)
		}
	}
}

func (l *life) outbox(id string) []jobs.Entry {
	d, _ := l.e.Lookup(id)
	return d.Outbox
}

// check looks at the rows as they are now: that is where the program may have died.
func (l *life) check() {
	status := map[string]jobs.Status{}
	for key, row := range l.rows.Kept {
		if id, ok := strings.CutPrefix(key, "errand/"); ok {
			var d jobs.Job
			require.NoError(l.t, json.Unmarshal(row, &d))
			status[id] = d.Status
			l.begun[id] = true
			l.acted[id] = l.acted[id] || d.Status == jobs.Committed
			l.ended[id] = l.ended[id] || d.Status == jobs.Done
		} else {
			var c jobs.Cursor
			require.NoError(l.t, json.Unmarshal(row, &c))
			require.False(l.t, c.At.Before(l.cursors[key].At), "a cursor moved back")
			l.cursors[key] = c
		}
	}
	for key := range l.cursors {
		require.Contains(l.t, l.rows.Kept, key)
	}
	for id := range l.begun {
		_, there := status[id]
		require.True(l.t, there || l.ended[id] || !l.acted[id], "%s has acted and is gone", id)
	}
	copied := &statetest.Store{Kept: maps.Clone(l.rows.Kept)}
	e := jobs.NewQueue(copied)
	again, unclear, err := e.Recover(l.t.Context(), l.now)
	require.NoError(l.t, err)
	told := map[string]bool{}
	for _, d := range again {
		require.False(l.t, l.acted[d.ID], "%s has acted and would run again", d.ID)
		told[d.ID] = true
	}
	for _, d := range unclear {
		require.True(l.t, l.acted[d.ID])
		told[d.ID] = true
	}
	for id := range status {
		d, ok := e.Lookup(id)
		require.True(l.t, ok && (told[id] || d.Status == jobs.Done), "%s was forgotten", id)
		if l.acted[id] {
			require.ErrorIs(l.t, e.Claim(l.t.Context(), l.now, d), jobs.ErrDone)
		}
	}
}

func (l *life) resume() (e *jobs.Queue, again, unclear []jobs.Job) {
	e = jobs.NewQueue(l.rows)
	again, unclear, err := e.Recover(l.t.Context(), l.now)
	assert.NoError(l.t, err)
	return e, again, unclear
}
