package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJobs_LostCommits commits jobs while connections break around every second COMMIT. Each job is committed and sent once. After
// an unclear commit the queue reads the rows again, and finds the job committed or still claimed.
func TestJobs_LostCommits(t *testing.T) {
	for name, at := range map[string]cut{"after it": afterCommit, "before it": onCommit} {
		for _, unclear := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unclear %v", name, unclear), func(t *testing.T) {
				ctx := t.Context()
				o := options(t)
				p := startProxy(t)
				o.DSN, o.Timeout = p.dsn(), limit
				if !unclear {
					o.Timeout = time.Minute
				}
				queue := jobs.NewQueue(open(t, o))
				_, _, err := queue.Recover(ctx, time.Now())
				require.NoError(t, err)
				chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
				now := time.Unix(1.7e9, 0)
				sent := map[string]int{}
				for i := range 4 {
					id := fmt.Sprint("batch/", i)
					require.NoError(t, queue.Claim(ctx, now, jobs.Job{ID: id, Chat: chat}))
					p.set(at, unclear)
					first, err := queue.Commit(ctx, now, id, jobs.Entry{Text: "好"})
					p.set(never, false)
					if !unclear {
						require.NoError(t, err)
					}
					if err != nil {
						require.ErrorIs(t, err, postgres.ErrUnclear)
						require.NoError(t, queue.Add(ctx, now, jobs.Job{ID: "look/" + id}), "any call reads the rows again")
						j, ok := queue.Lookup(id)
						require.True(t, ok)
						assert.Equal(t, at == afterCommit, j.Status == jobs.Committed)
						continue // do not send
					}
					sent[id]++
					require.NoError(t, queue.Result(ctx, now, id, first, "m", nil, false))
					require.NoError(t, queue.Done(ctx, now, id, "replied"))
				}
				for id, n := range sent {
					assert.Equal(t, 1, n, id)
				}
				assert.Equal(t, unclear, len(sent) == 0)

				next := jobs.NewQueue(open(t, o)) // after a restart
				again, lost, err := next.Recover(ctx, now)
				require.NoError(t, err)
				committed, open := 0, 0
				for _, j := range lost {
					assert.NotContains(t, sent, j.ID)
					committed++
				}
				for _, j := range again {
					if _, ok := sent[j.ID]; assert.False(t, ok, j.ID) && len(j.Outbox) == 0 {
						open++
					}
				}
				switch {
				case !unclear:
					assert.Zero(t, committed+open)
				case at == afterCommit:
					assert.Equal(t, 4, committed, "unclear, never run again")
				default:
					assert.Zero(t, committed)
					assert.Equal(t, 8, open, "the jobs and those that looked")
				}
			})
		}
	}
}
