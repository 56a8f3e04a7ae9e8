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

// A simulation runs random operations on a queue and simulates a crash before or after any Apply. It records all sent
// messages.
type simulation struct {
	t           *testing.T
	r           *rand.Rand
	rows        *statetest.Store
	q           *jobs.Queue
	now         time.Time
	appliesLeft int // Applies until the crash

	running   []string
	sent      map[string]int // how often each text was sent
	made      int
	committed map[string]bool        // jobs that are committed in the rows
	cursors   map[string]jobs.Cursor // last state in the rows
	seen      map[string]bool        // jobs that were ever in the rows
	ended     map[string]bool        // released or finished jobs
	entries   map[string][]int       // entries of running jobs without a result
}

// Random operations with a crash at a random Apply keep four properties. A committed job never runs again. No job is
// lost. No cursor moves back. No message is sent twice.
func TestQueue_RandomCrashes(t *testing.T) {
	seeds := uint64(80)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		l := &simulation{
			t: t, r: rand.New(rand.NewPCG(seed, 1)), rows: statetest.New(nil), now: statetest.T0, sent: map[string]int{}, committed: map[string]bool{},
			cursors: map[string]jobs.Cursor{}, seen: map[string]bool{}, ended: map[string]bool{},
		}
		l.rows.After = func(int) (bool, error) {
			if l.appliesLeft--; l.appliesLeft > 0 {
				return true, nil
			}
			return l.appliesLeft == 0 && l.r.IntN(2) == 0, statetest.ErrCrash // the last Apply may be written or not
		}
		for range 12 {
			l.run()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		for text, n := range l.sent {
			require.Equal(t, 1, n, "seed %d: %q was sent %d times", seed, text, n)
		}
	}
}

// run simulates one run of the program from its start to its crash.
func (l *simulation) run() {
	l.appliesLeft = 1 << 30 // check tests a crash during the start
	l.check()
	var again, unclear []jobs.Job
	l.q, again, unclear = l.resume()
	l.running, l.entries = nil, map[string][]int{}
	for _, j := range unclear {
		if l.r.IntN(2) == 0 {
			for i, o := range j.Outbox {
				if o.Status == jobs.Unclear {
					require.NoError(l.t, l.q.Result(l.t.Context(), l.now, j.ID, i, "found", nil, l.r.IntN(4) == 0))
				}
			}
			require.NoError(l.t, l.q.Done(l.t.Context(), l.now, j.ID, "settled"))
		}
	}
	l.appliesLeft = 1 + l.r.IntN(12)
	for _, j := range again {
		if l.r.IntN(3) > 0 && l.step(l.q.Claim(l.t.Context(), l.now, j)) {
			l.running = append(l.running, j.ID)
		}
	}
	for l.appliesLeft > 0 {
		l.now = l.now.Add(time.Duration(l.r.IntN(40)) * time.Second)
		l.act()
		l.check()
	}
}

// step reports whether an operation succeeded. The only accepted failure is the simulated crash.
func (l *simulation) step(err error) bool {
	if err != nil {
		require.ErrorIs(l.t, err, statetest.ErrCrash)
	}
	return err == nil
}

func (l *simulation) act() {
	ctx := l.t.Context()
	if len(l.running) == 0 || l.r.IntN(4) == 0 {
		l.made++
		chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(l.r.IntN(3))}
		j := jobs.Job{ID: fmt.Sprint("e", l.made), Chat: chat, At: l.now.Add(-time.Duration(l.r.IntN(20)) * time.Second), LastRecord: fmt.Sprint("m", l.made)}
		if l.r.IntN(3) > 0 {
			j.ExpiresAt = j.At.Add(2 * time.Minute)
		}
		if l.r.IntN(4) == 0 {
			l.step(l.q.Add(ctx, l.now, j))
		} else if l.step(l.q.Claim(ctx, l.now, j)) {
			l.running = append(l.running, j.ID)
		}
		return
	}
	i := l.r.IntN(len(l.running))
	id := l.running[i]
	switch waiting := l.entries[id]; {
	case len(waiting) > 0 && l.r.IntN(2) == 0:
		if l.step(l.q.Result(ctx, l.now, id, waiting[0], "sent", nil, l.r.IntN(5) == 0)) {
			l.entries[id] = waiting[1:]
		}
	case l.r.IntN(8) == 0: // a side effect without a message
		_, err := l.q.Commit(ctx, l.now, id)
		l.step(err)
	case l.r.IntN(3) > 0:
		text := fmt.Sprintf("%s says %d", id, len(l.outbox(id)))
		first, err := l.q.Commit(ctx, l.now, id, jobs.Entry{Text: text})
		if l.step(err) {
			l.sent[text]++
			l.entries[id] = append(waiting, first)
		}
	case l.r.IntN(2) == 0 && l.committed[id]:
		require.ErrorIs(l.t, l.q.Release(ctx, id), jobs.ErrCommitted)
	case l.r.IntN(2) == 0 && !l.committed[id]:
		if l.step(l.q.Release(ctx, id)) {
			l.ended[id] = true
			l.running = slices.Delete(l.running, i, i+1)
		}
	default:
		if l.step(l.q.Done(ctx, l.now, id, "over")) {
			l.running = slices.Delete(l.running, i, i+1)
		}
	}
}

func (l *simulation) outbox(id string) []jobs.Entry {
	j, _ := l.q.Lookup(id)
	return j.Outbox
}

// check verifies the rows as a crash at this moment would leave them.
func (l *simulation) check() {
	status := map[string]jobs.Status{}
	for key, row := range l.rows.Rows {
		if id, ok := strings.CutPrefix(key, "errand/"); ok {
			var j jobs.Job
			require.NoError(l.t, json.Unmarshal(row, &j))
			status[id] = j.Status
			l.seen[id] = true
			l.committed[id] = l.committed[id] || j.Status == jobs.Committed
			l.ended[id] = l.ended[id] || j.Status == jobs.Done
		} else {
			var c jobs.Cursor
			require.NoError(l.t, json.Unmarshal(row, &c))
			require.False(l.t, c.At.Before(l.cursors[key].At), "a cursor moved back")
			l.cursors[key] = c
		}
	}
	for key := range l.cursors {
		require.Contains(l.t, l.rows.Rows, key)
	}
	for id := range l.seen {
		_, there := status[id]
		require.True(l.t, there || l.ended[id] || !l.committed[id], "%s is committed and was lost", id)
	}
	copied := &statetest.Store{Rows: maps.Clone(l.rows.Rows)}
	q := jobs.NewQueue(copied)
	again, unclear, err := q.Recover(l.t.Context(), l.now)
	require.NoError(l.t, err)
	returned := map[string]bool{}
	for _, j := range again {
		require.False(l.t, l.committed[j.ID], "%s is committed and would run again", j.ID)
		returned[j.ID] = true
	}
	for _, j := range unclear {
		require.True(l.t, l.committed[j.ID])
		returned[j.ID] = true
	}
	for id := range status {
		j, ok := q.Lookup(id)
		require.True(l.t, ok && (returned[id] || j.Status == jobs.Done), "%s was lost", id)
		if l.committed[id] {
			require.ErrorIs(l.t, q.Claim(l.t.Context(), l.now, j), jobs.ErrDone)
		}
	}
}

func (l *simulation) resume() (q *jobs.Queue, again, unclear []jobs.Job) {
	q = jobs.NewQueue(l.rows)
	again, unclear, err := q.Recover(l.t.Context(), l.now)
	assert.NoError(l.t, err)
	return q, again, unclear
}
