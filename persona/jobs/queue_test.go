package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func batch(id string, at time.Time) jobs.Job {
	return jobs.Job{ID: id, Kind: "batch", Chat: statetest.GroupChat, At: at, ExpiresAt: at.Add(2 * time.Minute), LastRecord: "m-" + id, Payload: json.RawMessage(`["m"]`)}
}

// restart simulates a restart of the program with the same rows.
func restart(t *testing.T, r *statetest.Store, now time.Time) (q *jobs.Queue, again, unclear []jobs.Job) {
	t.Helper()
	q = jobs.NewQueue(r)
	again, unclear, err := q.Recover(t.Context(), now)
	require.NoError(t, err)
	return q, again, unclear
}

func TestQueue_SendsMessages(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)))
	assert.Equal(t, 1, r.Applies, "a new job is added and claimed in one write")
	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)), jobs.ErrClaimed)
	assert.ErrorIs(t, q.Add(ctx, statetest.T0, batch("a", statetest.T0)), jobs.ErrClaimed)
	_, ok := q.Cursor(statetest.GroupChat)
	assert.False(t, ok)

	first, err := q.Commit(ctx, statetest.T0, "a", jobs.Entry{Text: "一", ReplyTo: "9", Status: jobs.Sent, MessageID: "made up"}, jobs.Entry{Text: "二"})
	require.NoError(t, err)
	assert.Equal(t, 0, first)
	assert.Equal(t, 2, r.Applies, "status, outbox and cursor are written in one transaction")
	c, ok := q.Cursor(statetest.GroupChat)
	assert.True(t, ok)
	assert.Equal(t, jobs.Cursor{RecordID: "m-a", At: statetest.T0}, c)
	assert.Contains(t, string(r.Rows["cursor/qq:group:123"]), "m-a")

	require.NoError(t, q.Result(ctx, statetest.T0, "a", 0, "77", nil, false))
	require.NoError(t, q.Result(ctx, statetest.T0, "a", 1, "", errors.New("refused"), false))
	first, err = q.Commit(ctx, statetest.T0, "a", jobs.Entry{Text: "三"})
	require.NoError(t, err)
	assert.Equal(t, 2, first)
	require.NoError(t, q.Result(ctx, statetest.T0, "a", 2, "", errors.New("timeout"), true))
	require.NoError(t, q.Done(ctx, statetest.T0, "a", "spoke"))
	require.NoError(t, q.Done(ctx, statetest.T0, "a", "again"))
	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)), jobs.ErrDone)

	got, ok := q.Lookup("a")
	require.True(t, ok)
	assert.Equal(t, []jobs.Entry{
		{Text: "一", ReplyTo: "9", MessageID: "77", Status: jobs.Sent, At: statetest.T0},
		{Text: "二", Status: jobs.Failed, Error: "refused", At: statetest.T0},
		{Text: "三", Status: jobs.Unclear, Error: "timeout", At: statetest.T0},
	}, got.Outbox)
	assert.Equal(t, "spoke", got.Outcome)
	assert.Nil(t, got.Payload)

	q, again, unclear := restart(t, r, statetest.T0)
	assert.Empty(t, again)
	assert.Empty(t, unclear)
	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)), jobs.ErrDone)
	after, _ := q.Lookup("a")
	assert.Equal(t, got, after)
}

func TestQueue_SilentJobMovesCursor(t *testing.T) {
	q := jobs.NewQueue(statetest.New(nil))
	require.NoError(t, q.Claim(t.Context(), statetest.T0, batch("a", statetest.T0)))
	require.NoError(t, q.Done(t.Context(), statetest.T0, "a", "silent"))
	c, _ := q.Cursor(statetest.GroupChat)
	assert.Equal(t, "m-a", c.RecordID)
}

func TestQueue_Ack(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	require.NoError(t, q.Ack(ctx, statetest.T0, batch("a", statetest.T0)))
	assert.Equal(t, 1, r.Applies)
	assert.Len(t, r.Rows, 1, "only the cursor")
	c, _ := q.Cursor(statetest.GroupChat)
	assert.Equal(t, "m-a", c.RecordID)
	require.NoError(t, q.Ack(ctx, statetest.T0, batch("b", statetest.T0.Add(-time.Second))))
	require.NoError(t, q.Ack(ctx, statetest.T0, jobs.Job{ID: "c"}))
	c, _ = q.Cursor(statetest.GroupChat)
	assert.Equal(t, "m-a", c.RecordID)

	require.NoError(t, q.Add(ctx, statetest.T0, batch("open", statetest.T0)))
	require.NoError(t, q.Ack(ctx, statetest.T0, batch("open", statetest.T0)))
	assert.Len(t, r.Rows, 1)
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("taken", statetest.T0)))
	assert.ErrorIs(t, q.Ack(ctx, statetest.T0, batch("taken", statetest.T0)), jobs.ErrClaimed)
	require.NoError(t, q.Done(ctx, statetest.T0, "taken", ""))
	assert.ErrorIs(t, q.Ack(ctx, statetest.T0, batch("taken", statetest.T0)), jobs.ErrDone)
	assert.Error(t, q.Ack(ctx, statetest.T0, jobs.Job{}))
}

func TestQueue_Release(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)))
	require.NoError(t, q.Release(ctx, "a"))
	require.NoError(t, q.Release(ctx, "a"))
	assert.Empty(t, r.Rows)
	_, err := q.Commit(ctx, statetest.T0, "a")
	require.ErrorIs(t, err, jobs.ErrNotClaimed)
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)), "the same id may be used again")
	_, err = q.Commit(ctx, statetest.T0, "a")
	require.NoError(t, err)
	assert.ErrorIs(t, q.Release(ctx, "a"), jobs.ErrCommitted)
}

func TestQueue_InvalidCalls(t *testing.T) {
	q := jobs.NewQueue(statetest.New(nil))
	ctx := t.Context()
	assert.Error(t, q.Claim(ctx, statetest.T0, jobs.Job{}))
	assert.ErrorIs(t, q.Done(ctx, statetest.T0, "x", ""), jobs.ErrNotClaimed)
	assert.Error(t, q.Result(ctx, statetest.T0, "x", 0, "", nil, false))
	require.NoError(t, q.Add(ctx, statetest.T0, batch("a", statetest.T0)))
	require.NoError(t, q.Add(ctx, statetest.T0, batch("a", statetest.T0.Add(time.Hour))), "an open job is not changed")
	_, err := q.Commit(ctx, statetest.T0, "a")
	require.ErrorIs(t, err, jobs.ErrNotClaimed)
	require.NoError(t, q.Claim(ctx, statetest.T0, jobs.Job{ID: "a"}))
	got, _ := q.Lookup("a")
	assert.Equal(t, statetest.T0, got.At, "the stored job takes precedence")
	_, err = q.Commit(ctx, statetest.T0, "a", jobs.Entry{})
	require.NoError(t, err)
	assert.Error(t, q.Result(ctx, statetest.T0, "a", 1, "", nil, false))
	assert.Error(t, q.Result(ctx, statetest.T0, "a", -1, "", nil, false))
	assert.Error(t, q.Claim(ctx, statetest.T0, jobs.Job{ID: "b", Chat: persona.Chat{Platform: "a:b", Kind: "x", ID: "1"}}), "invalid chat")
	_, ok := q.Lookup("b")
	assert.False(t, ok)
}

func TestQueue_ConcurrentClaims(t *testing.T) {
	q := jobs.NewQueue(statetest.New(nil))
	var got atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if q.Claim(context.Background(), statetest.T0, batch("a", statetest.T0)) == nil {
				got.Add(1)
			}
			id := fmt.Sprint("own ", i)
			assert.NoError(t, q.Claim(context.Background(), statetest.T0, batch(id, statetest.T0.Add(time.Duration(i)))))
			_, err := q.Commit(context.Background(), statetest.T0, id, jobs.Entry{Text: id})
			assert.NoError(t, err)
			q.Cursor(statetest.GroupChat)
			q.Lookup("a")
		})
	}
	wg.Wait()
	assert.Equal(t, int32(1), got.Load())
	c, _ := q.Cursor(statetest.GroupChat)
	assert.Equal(t, "m-own 15", c.RecordID, "the cursor is at the latest message in any order")
}

func TestQueue_Recover(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	take := func(id string, at time.Time) { require.NoError(t, q.Claim(ctx, statetest.T0, batch(id, at))) }
	commit := func(id string, entries ...jobs.Entry) {
		_, err := q.Commit(ctx, statetest.T0, id, entries...)
		require.NoError(t, err)
	}
	require.NoError(t, q.Add(ctx, statetest.T0, batch("open", statetest.T0.Add(2))))
	take("taken", statetest.T0.Add(1))
	take("stale", statetest.T0.Add(-3*time.Minute))
	timeless := batch("timeless", statetest.T0.Add(-time.Hour))
	timeless.ExpiresAt = time.Time{}
	require.NoError(t, q.Claim(ctx, statetest.T0, timeless))
	take("pending", statetest.T0.Add(4))
	commit("pending", jobs.Entry{Text: "一"}, jobs.Entry{Text: "二"})
	require.NoError(t, q.Result(ctx, statetest.T0, "pending", 0, "1", nil, false))
	take("poke", statetest.T0.Add(3))
	commit("poke") // a side effect without a message
	take("doubtful", statetest.T0.Add(5))
	commit("doubtful", jobs.Entry{Text: "三"})
	require.NoError(t, q.Result(ctx, statetest.T0, "doubtful", 0, "", errors.New("timeout"), true))
	take("settled", statetest.T0.Add(6))
	commit("settled", jobs.Entry{Text: "四"})
	require.NoError(t, q.Result(ctx, statetest.T0, "settled", 0, "4", nil, false))
	take("done", statetest.T0.Add(7))
	require.NoError(t, q.Done(ctx, statetest.T0, "done", "silent"))

	ids := func(list []jobs.Job) (ids []string) {
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	again, unclear, err := q.Recover(ctx, statetest.T0)
	require.NoError(t, err)
	assert.Empty(t, again, "jobs of this run are not returned")
	assert.Empty(t, unclear)

	q, again, unclear = restart(t, r, statetest.T0)
	assert.Equal(t, []string{"timeless", "taken", "open"}, ids(again))
	assert.Equal(t, []string{"poke", "pending", "doubtful"}, ids(unclear))
	assert.Equal(t, jobs.Sent, unclear[1].Outbox[0].Status)
	assert.Equal(t, jobs.Unclear, unclear[1].Outbox[1].Status)
	assert.JSONEq(t, `["m"]`, string(again[1].Payload))
	for id, outcome := range map[string]string{"stale": jobs.OutcomeStale, "settled": jobs.OutcomeInterrupted} {
		j, _ := q.Lookup(id)
		assert.Equal(t, outcome, j.Outcome)
	}

	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("pending", statetest.T0)), jobs.ErrDone)
	_, err = q.Commit(ctx, statetest.T0, "pending", jobs.Entry{Text: "again"})
	require.ErrorIs(t, err, jobs.ErrNotClaimed)
	require.NoError(t, q.Claim(ctx, statetest.T0, again[1]))
	require.NoError(t, q.Done(ctx, statetest.T0, "open", "no longer of interest"))
	require.NoError(t, q.Result(ctx, statetest.T0, "doubtful", 0, "55", nil, false)) // found in the chat's history
	require.NoError(t, q.Done(ctx, statetest.T0, "poke", "told"))

	_, again, unclear = restart(t, r, statetest.T0)
	assert.Equal(t, []string{"timeless", "taken"}, ids(again))
	assert.Equal(t, []string{"pending"}, ids(unclear), "doubtful was settled and poke was finished")
}

func TestQueue_RemovesOldJobs(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	run := func(id string, now time.Time) {
		require.NoError(t, q.Claim(ctx, now, batch(id, now)))
		require.NoError(t, q.Done(ctx, now, id, "silent"))
	}
	for i := range 100 {
		run(fmt.Sprint("old ", i), statetest.T0)
	}
	q, _, _ = restart(t, r, statetest.T0)
	run("a day later", statetest.T0.Add(23*time.Hour))
	assert.Len(t, r.Rows, 102)
	run("b", statetest.T0.Add(24*time.Hour))
	run("c", statetest.T0.Add(24*time.Hour))
	assert.Len(t, r.Rows, 4, "three jobs and a cursor")

	for i := range 5000 {
		run(fmt.Sprint("many ", i), statetest.T0.Add(24*time.Hour))
	}
	assert.LessOrEqual(t, len(r.Rows), 4096+1)
	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("many 4999", statetest.T0)), jobs.ErrDone)
}

func TestQueue_ReloadsAfterFailedWrite(t *testing.T) {
	broken := errors.New("disk")
	for _, written := range []bool{false, true} {
		r := statetest.New(nil)
		q := jobs.NewQueue(r)
		ctx := t.Context()
		require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)))
		r.After = func(int) (bool, error) { return written, broken }
		_, err := q.Commit(ctx, statetest.T0, "a", jobs.Entry{Text: "一"})
		require.ErrorIs(t, err, broken)
		r.After = nil
		if err = q.Release(ctx, "a"); written {
			require.ErrorIs(t, err, jobs.ErrCommitted, "the cursor has moved, so the messages would be lost")
			require.NoError(t, q.Done(ctx, statetest.T0, "a", "failed"))
		} else {
			require.NoError(t, err)
			_, ok := q.Cursor(statetest.GroupChat)
			assert.False(t, ok)
		}
	}
}

func TestQueue_InvalidRows(t *testing.T) {
	for _, kept := range []map[string][]byte{
		{"errand/a": []byte("{")}, {"errand/a": []byte(`{"status":"flying"}`)}, {"cursor/qq:group:1": []byte("x")}, {"cursor/qq": []byte("{}")},
	} {
		_, _, err := jobs.NewQueue(statetest.New(kept)).Recover(t.Context(), statetest.T0)
		assert.Error(t, err)
	}
}

func TestQueue_CanceledContext(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx, cancel := context.WithCancel(t.Context())
	r.After = func(int) (bool, error) {
		cancel()
		assert.ErrorIs(t, q.Claim(ctx, statetest.T0, batch("b", statetest.T0)), context.Canceled, "Claim does not wait for the running write")
		return true, nil
	}
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)))
}

// ForgetChat removes the data of one chat and keeps the data of other chats.
func TestQueue_ForgetChat(t *testing.T) {
	ctx := t.Context()
	state := statetest.New(nil)
	q := jobs.NewQueue(state)
	here, there := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
	run := func(id string, chat persona.Chat, done bool, entries ...jobs.Entry) {
		require.NoError(t, q.Claim(ctx, statetest.T0, jobs.Job{ID: id, Chat: chat, LastRecord: id + "@1", At: statetest.T0}))
		first, err := q.Commit(ctx, statetest.T0, id, entries...)
		require.NoError(t, err)
		require.NoError(t, q.Result(ctx, statetest.T0, id, first, "77", errors.New("密语"), false))
		if done {
			require.NoError(t, q.Done(ctx, statetest.T0, id, "spoke"))
		}
	}
	run("a", here, true, jobs.Entry{Chat: here, Text: "密语"})
	run("b", here, false, jobs.Entry{Chat: here, Text: "密语"})
	run("c", there, true, jobs.Entry{Chat: there, Text: "别的"}, jobs.Entry{Chat: here, Text: "密语"})
	run("d", there, false, jobs.Entry{Chat: here, Text: "密语"}, jobs.Entry{Chat: there, Text: "还要用"})
	require.NoError(t, q.Add(ctx, statetest.T0, jobs.Job{ID: "e", Chat: here, Payload: json.RawMessage(`"密语"`)}))

	require.NoError(t, q.EraseChat(ctx, here))
	for _, id := range []string{"a", "b", "e"} {
		_, ok := q.Lookup(id)
		assert.False(t, ok, id)
	}
	_, ok := q.Cursor(here)
	assert.False(t, ok)
	_, ok = q.Cursor(there)
	assert.True(t, ok)
	c, _ := q.Lookup("c")
	assert.Len(t, c.Outbox, 1)
	j, _ := q.Lookup("d")
	require.Len(t, j.Outbox, 2)
	assert.Equal(t, "还要用", j.Outbox[1].Text, "the entry keeps its index")
	require.NoError(t, q.Result(ctx, statetest.T0, "d", 1, "78", nil, false))
	_, err := q.Commit(ctx, statetest.T0, "b")
	assert.ErrorIs(t, err, jobs.ErrNotClaimed)

	require.NoError(t, q.Done(ctx, statetest.T0, "d", ""))
	require.NoError(t, q.EraseChat(ctx, here), "d is finished now")
	require.NoError(t, q.EraseTexts(ctx))
	assert.ErrorIs(t, q.Claim(ctx, statetest.T0, jobs.Job{ID: "d", Chat: there}), jobs.ErrDone, "the job is still known")
	var left strings.Builder
	for key, row := range state.Rows {
		left.WriteString(key + string(row) + "\n")
	}
	for _, gone := range []string{"密语", "别的", "还要用", "errand/a", "errand/b", "errand/e", "cursor/qq:group:1"} {
		assert.NotContains(t, left.String(), gone)
	}
	applied := state.Applies
	require.NoError(t, q.EraseTexts(ctx))
	require.NoError(t, q.EraseChat(ctx, here))
	assert.Equal(t, applied, state.Applies, "no further write")
}

// A forgotten job can be claimed again, for example if the platform still holds the request.
func TestQueue_ForgottenJobIsClaimedAgain(t *testing.T) {
	q, ctx := jobs.NewQueue(statetest.New(nil)), t.Context()
	other := func(id string, at time.Time) {
		require.NoError(t, q.Claim(ctx, at, jobs.Job{ID: id, At: at}))
		require.NoError(t, q.Done(ctx, at, id, "silent"))
	}
	a := batch("a", statetest.T0)
	other("b", statetest.T0)
	require.NoError(t, q.Claim(ctx, statetest.T0, a))
	require.NoError(t, q.Done(ctx, statetest.T0, "a", "left to the owner"))
	require.NoError(t, q.EraseChat(ctx, a.Chat))
	later := statetest.T0.Add(25 * time.Hour)
	require.NoError(t, q.Claim(ctx, later, a))
	other("c", later)
	_, err := q.Commit(ctx, later, "a")
	assert.NoError(t, err)
}

// Unclear lists what may have been sent until it is settled, also after a crash and after the job has ended, and never what is
// being sent now.
func TestQueue_Unclear(t *testing.T) {
	r := statetest.New(nil)
	q := jobs.NewQueue(r)
	ctx := t.Context()
	require.NoError(t, q.Claim(ctx, statetest.T0, batch("a", statetest.T0)))
	_, err := q.Commit(ctx, statetest.T0, "a", jobs.Entry{Text: "一"}, jobs.Entry{Text: "二"})
	require.NoError(t, err)
	assert.Empty(t, q.Unclear(), "they are being sent")
	require.NoError(t, q.Result(ctx, statetest.T0, "a", 0, "", errors.New("timeout"), true))
	got := q.Unclear()
	require.Len(t, got, 1)
	assert.Equal(t, []jobs.SendStatus{jobs.Unclear, jobs.Pending}, []jobs.SendStatus{got[0].Outbox[0].Status, got[0].Outbox[1].Status})

	q, _, _ = restart(t, r, statetest.T0)
	got = q.Unclear()
	require.Len(t, got, 1)
	assert.Equal(t, jobs.Unclear, got[0].Outbox[1].Status, "nothing sends it any more")
	require.NoError(t, q.Done(ctx, statetest.T0, "a", "settled"))
	require.Len(t, q.Unclear(), 1)
	require.NoError(t, q.Result(ctx, statetest.T0, "a", 0, "7", nil, false))
	require.NoError(t, q.Result(ctx, statetest.T0, "a", 1, "", errors.New("was not sent"), false))
	assert.Empty(t, q.Unclear())
	q, _, _ = restart(t, r, statetest.T0)
	assert.Empty(t, q.Unclear())
}
