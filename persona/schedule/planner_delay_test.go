package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	stranger   = schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Private, ID: "7"}}
	ownersChat = schedule.Origin{Chat: persona.Chat{Platform: "qq", Kind: persona.Private, ID: "1"}}
)

func isOwnersChat(c persona.Chat) bool { return c == ownersChat.Chat }

// Conversations of others delay a task for a limited time, and cannot make it outdated. The owner's delay it until they
// end.
func TestPlanner_ConversationsDelayTasks(t *testing.T) {
	const never = -1
	for name, c := range map[string]struct {
		talks    []schedule.Origin
		outdated time.Duration // after the time of the task
		most     time.Duration // MaxTaskDelay
		want     time.Duration // delay of the task
	}{
		"nobody":                    {},
		"a stranger":                {talks: []schedule.Origin{stranger}, want: 10 * time.Minute},
		"a group":                   {talks: []schedule.Origin{inGroup}, want: 10 * time.Minute},
		"a group and a stranger":    {talks: []schedule.Origin{inGroup, stranger}, want: 10 * time.Minute},
		"another limit":             {talks: []schedule.Origin{stranger}, most: time.Minute, want: time.Minute},
		"no delay":                  {talks: []schedule.Origin{stranger}, most: -1},
		"soon outdated":             {talks: []schedule.Origin{stranger}, outdated: 8 * time.Minute, want: 4 * time.Minute},
		"not soon outdated":         {talks: []schedule.Origin{stranger}, outdated: time.Hour, want: 10 * time.Minute},
		"the owner":                 {talks: []schedule.Origin{byOwner}, want: never},
		"the owner's private chat":  {talks: []schedule.Origin{ownersChat}, want: never},
		"a stranger and the owner":  {talks: []schedule.Origin{stranger, ownersChat}, want: never},
		"the owner, soon outdated":  {talks: []schedule.Origin{byOwner}, outdated: time.Minute, want: never},
		"the owner, without a wait": {talks: []schedule.Origin{byOwner}, most: -1, want: never},
	} {
		t.Run(name, func(t *testing.T) {
			o := noPlans
			o.MaxTaskDelay, o.IsOwner, o.ReflectEvery = c.most, isOwnersChat, -1
			r := statetest.New(nil)
			h := newPlanner(t, r, statetest.T0, o)
			plan(t, h.tasks, statetest.T0, byOwner, "a", time.Minute, c.outdated)
			due := statetest.T0.Add(time.Minute)
			got := time.Duration(never)
			for now := statetest.T0; now.Before(due.Add(2 * time.Hour)); now = now.Add(10 * time.Second) {
				if now.Sub(statetest.T0)%(170*time.Second) == 0 {
					for _, m := range c.talks {
						require.NoError(t, h.Observe(t.Context(), now, m, 1))
					}
				}
				if now.Sub(statetest.T0) == 90*time.Second {
					h = newPlanner(t, r, now, o) // the conversations survive a restart
				}
				wakes, _ := h.due(t, now)
				for _, w := range wakes {
					require.Equal(t, schedule.WakeTask, w.Kind)
					got = now.Sub(due)
				}
				if got != never {
					break
				}
				if list := h.tasks.List(byOwner); !now.Before(due) {
					want := schedule.TaskPending
					if c.outdated != 0 && !now.Before(due.Add(c.outdated)) {
						want = schedule.TaskOutdated
					}
					require.Equal(t, want, list[0].Status, "statuses change during a conversation")
					require.Contains(t, string(r.Rows["task/s1"]), want.String(), "on disk, too")
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// Random conversations of strangers never delay any task for longer than the limit. The interval between tasks and the
// length of the tasks before it come on top.
func TestPlanner_StrangersNeverStarveTasks(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			o := noPlans
			o.IsOwner = isOwnersChat
			h := newPlanner(t, statetest.New(nil), statetest.T0, o)
			now, planned, ran, outdated := statetest.T0, 0, 0, 0
			for now.Before(statetest.T0.Add(12 * time.Hour)) {
				now = now.Add(time.Duration(1+r.IntN(100)) * time.Second)
				require.NoError(t, h.Observe(t.Context(), now, []schedule.Origin{stranger, inGroup}[r.IntN(2)], 1))
				if r.IntN(20) == 0 {
					window := time.Duration(r.IntN(3)) * 15 * time.Minute
					plan(t, h.tasks, now, byOwner, "x", time.Duration(r.IntN(30))*time.Minute, window)
					planned++
				}
				wakes, _ := h.due(t, now)
				for _, w := range wakes {
					if w.Kind == schedule.WakeTask {
						require.Less(t, now.Sub(w.Task.ScheduledAt), 10*time.Minute+8*time.Minute)
						ran++
					}
					if w.Kind == schedule.WakeOutdated {
						outdated++
					}
					h.done(t, now, w.ID, nil)
				}
			}
			require.Positive(t, planned)
			require.GreaterOrEqual(t, ran+len(h.tasks.List(byOwner)), planned)
			require.Zero(t, outdated)
		})
	}
}

// The trace covers a stranger who always talks, tasks of the owner, and the owner's own conversation.
func TestPlanner_TraceOfDelays(t *testing.T) {
	d := newPlannerTrace(t, "2026-04-10 20:00:00")
	task := func(title string, in, lasts time.Duration) {
		made := plan(t, d.tasks, d.now, byOwner, title, in, lasts)
		d.note("%s %s is planned for %s", made.ID, title, d.when(made.ScheduledAt))
	}
	d.statuses = true
	task("提醒喝水", 5*time.Minute, 0)
	task("提醒开会", 6*time.Minute, 6*time.Minute)
	d.talk(stranger, 8, 170*time.Second)
	task("早点睡", time.Minute, 3*time.Minute)
	d.talk(byOwner, 3, 170*time.Second)
	d.until(d.now.Add(30 * time.Minute))
	d.golden("planner-delays.golden")
}

// Planning and reviews have limits of their own. The numbers are turns in 24 hours.
func TestPlanner_PlansBesideConversations(t *testing.T) {
	for _, c := range []struct {
		every         time.Duration // between the exchanges in one group; 0: none
		plans, review int
	}{{0, 96, 0}, {30 * time.Minute, 96, 48}, {15 * time.Minute, 96, 96}, {10 * time.Minute, 96, 96}, {5 * time.Minute, 96, 96}, {2 * time.Minute, 1, 0}} {
		h := newPlanner(t, statetest.New(nil), statetest.T0, schedule.PlannerOptions{ReflectEvery: -1})
		got := map[schedule.WakeKind]int{}
		type running struct {
			id  string
			end time.Time
		}
		var out []running
		for s := range 24 * 60 * 6 {
			now := statetest.T0.Add(time.Duration(s) * 10 * time.Second)
			if c.every > 0 && now.Sub(statetest.T0)%c.every == 0 {
				require.NoError(t, h.Observe(t.Context(), now, inGroup, 2))
			}
			for i := 0; i < len(out); i++ {
				if !out[i].end.After(now) {
					h.done(t, now, out[i].id, nil)
					out = append(out[:i], out[i+1:]...)
					i--
				}
			}
			wakes, _ := h.due(t, now)
			for _, w := range wakes {
				got[w.Kind]++
				out = append(out, running{w.ID, now.Add(lasts[w.Kind])})
			}
		}
		t.Log(c.every, got)
		assert.InDelta(t, c.plans, got[schedule.WakeIdle], 2, c.every)
		assert.InDelta(t, c.review, got[schedule.WakeReview], 2, c.every)
	}
}

// Reviews of the owner's conversations come first.
func TestPlanner_ReviewsOwnerFirst(t *testing.T) {
	o := schedule.PlannerOptions{ReviewsPerHour: 1, BackgroundPerHour: -1, IsOwner: isOwnersChat}
	h := newPlanner(t, statetest.New(nil), statetest.T0, o)
	now := statetest.T0
	for _, m := range []schedule.Origin{inGroup, stranger, ownersChat} {
		require.NoError(t, h.Observe(t.Context(), now, m, 1))
	}
	now = now.Add(3 * time.Minute)
	_, got := h.due(t, now)
	require.Equal(t, "life/archive/1 life/archive/2 life/archive/3", got)
	for i := 1; i <= 3; i++ {
		h.done(t, now, fmt.Sprint("life/archive/", i), nil)
	}
	wakes, _ := h.due(t, now)
	require.Len(t, wakes, 1)
	assert.Equal(t, ownersChat, wakes[0].Origin)
	assert.True(t, wakes[0].Conversation.WithOwner)
	h.done(t, now, wakes[0].ID, nil)
	_, got = h.due(t, now.Add(time.Hour-1))
	assert.Empty(t, got, "one an hour, and no planning")
	wakes, _ = h.due(t, now.Add(time.Hour))
	require.Len(t, wakes, 1)
	assert.Equal(t, inGroup.Chat, wakes[0].Origin.Chat)
}

func TestPlanner_SetTaskInterval(t *testing.T) {
	h := newPlanner(t, statetest.New(nil), statetest.T0, schedule.PlannerOptions{})
	assert.Equal(t, time.Minute, h.TaskInterval())
	for i := range 3 {
		plan(t, h.tasks, statetest.T0, byOwner, fmt.Sprint(i), 0, 0)
	}
	require.NoError(t, h.SetTaskInterval(-1))
	_, got := h.due(t, statetest.T0)
	assert.Empty(t, got, "neither tasks nor planning")
	_, ok := h.Next(statetest.T0)
	assert.False(t, ok)
	require.NoError(t, h.SetTaskInterval(5*time.Second))
	now := statetest.T0
	for i := range 2 {
		_, got = h.due(t, now)
		require.Equal(t, fmt.Sprint("task/s", i+1), got)
		h.done(t, now, got, nil)
		now, _ = h.Next(now)
		assert.Equal(t, statetest.T0.Add(time.Duration(i+1)*5*time.Second), now)
	}
	require.NoError(t, h.SetTaskInterval(0))
	assert.Equal(t, time.Minute, h.TaskInterval(), "that of the options")
	for _, d := range []time.Duration{time.Millisecond, time.Hour + 1} {
		assert.Error(t, h.SetTaskInterval(d))
	}
	assert.Equal(t, time.Minute, h.TaskInterval())
}

// The last 100 archived conversations are kept, and the last one in agent mode.
func TestPlanner_Archived(t *testing.T) {
	r := statetest.New(nil)
	h := newPlanner(t, r, statetest.T0, noPlans)
	now := statetest.T0
	talk := func(m schedule.Origin) {
		require.NoError(t, h.Observe(t.Context(), now, m, 2))
		now = now.Add(3 * time.Minute)
		wakes, _ := h.due(t, now)
		for _, w := range wakes {
			h.done(t, now, w.ID, nil)
		}
	}
	talk(byOwner)
	talk(byOwner)
	owners := h.Archived()
	require.Len(t, owners, 2)
	assert.Equal(t, statetest.T0, owners[0].From)
	for range 120 {
		talk(stranger)
	}
	h = newPlanner(t, r, now, noPlans)
	all := h.Archived()
	require.Len(t, all, 100)
	assert.Equal(t, owners[1].To, all[0].To, "the owner's last one")
	assert.Equal(t, stranger, all[1].Origin)
	assert.Equal(t, now.Add(-3*time.Minute), all[99].To)
	require.NoError(t, h.EraseChat(t.Context(), now, stranger.Chat))
	assert.Len(t, h.Archived(), 1)
	h = newPlanner(t, r, now, noPlans)
	assert.Len(t, h.Archived(), 1)
	talk(inGroup)
	assert.Len(t, h.Archived(), 2)
}
