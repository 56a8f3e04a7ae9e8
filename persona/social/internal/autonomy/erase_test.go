package autonomy

import (
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// origins maps names to origins.
var origins = map[string]schedule.Origin{
	"alice": aliceOrigin, "alice elsewhere": {Chat: other, Person: alice}, "bob": {Chat: group, Person: persona.Account{Platform: "qq", ID: "1002"}},
	"group": groupOrigin, "elsewhere": {Chat: other}, "owner": ownerOrigin, "self": selfOrigin,
}

// addPlans adds a timer, a planned task and a completed task for each origin.
func (f *fixture) addPlans() {
	for _, m := range origins {
		f.setTimer(m, "12h")
		f.addDoneTask(m, "写信")
	}
	for _, m := range origins {
		_, err := f.autonomy.tasks.Add(f.Context(), time.Now(), schedule.Task{Title: "种花", Origin: m, ScheduledAt: time.Now().Add(time.Hour)})
		require.NoError(f, err)
	}
}

// planners returns the names of the origins in the store: those of timers, of planned tasks and of completed tasks.
func (f *fixture) planners() (names [3][]string) {
	ctx := f.Context()
	timers, tasks := schedule.NewTimers(f.options.Store, schedule.TimerOptions{}), schedule.NewTasks(f.options.Store, schedule.TaskOptions{})
	_, err := timers.Restore(ctx)
	require.NoError(f, err)
	_, err = tasks.Restore(ctx)
	require.NoError(f, err)
	add := func(i int, of schedule.Origin) {
		for name, m := range origins {
			if m == of {
				names[i] = append(names[i], name)
			}
		}
		slices.Sort(names[i])
	}
	for _, t := range timers.List(allOrigins) {
		add(0, t.Origin)
	}
	for _, t := range tasks.List(allOrigins) {
		add(1, t.Origin)
	}
	for _, t := range tasks.History() {
		add(2, t.Origin)
	}
	return names
}

func three(names ...string) [3][]string { return [3][]string{names, names, names} }

func TestErase_ChatsAndPeople(t *testing.T) {
	for name, off := range map[string]bool{"on": false, "off": true} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, nil, func(f *fixture) {
				f.addPlans()
				require.Equal(f, three("alice", "alice elsewhere", "bob", "elsewhere", "group", "owner", "self"), f.planners())
				part := Erasure(f.engine, f.autonomy)
				if off {
					part = Erasure(f.engine, nil)
				}
				require.NoError(f, part.Erase(f.Context(), memory.Erasure{Spaces: []memory.Space{memory.Owner}}, nil))
				require.NoError(f, part.Erase(f.Context(), memory.Erasure{Person: alice.ID}, nil))
				assert.Equal(f, three("bob", "elsewhere", "group", "owner", "self"), f.planners())
				require.NoError(f, part.Erase(f.Context(), memory.Erasure{Spaces: []memory.Space{memory.Space(group.String())}}, nil))
				assert.Equal(f, three("elsewhere", "owner", "self"), f.planners())
			})
		})
	}
}

func TestEraseOwn_KeepsPlansForPeople(t *testing.T) {
	for name, off := range map[string]bool{"on": false, "off": true} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, nil, func(f *fixture) {
				ctx := f.Context()
				f.addPlans()
				elsewhere, err := f.engine.Chat(ctx, other)
				require.NoError(f, err)
				for _, c := range []*engine.Chat{f.chat, elsewhere} {
					for _, kind := range []string{archiveKind, memory.KindFact} {
						require.NoError(f, f.engine.Memory.Put(ctx, memory.Record{ID: kind, Space: c.Space.Secret(), Kind: kind, Text: "想过", Own: true, At: time.Now()}))
					}
				}
				a := f.autonomy
				if off {
					a = nil
				}
				require.NoError(f, ForgetOwn(ctx, f.engine, a, f.chat.Scope))
				assert.Equal(f, three("alice", "alice elsewhere", "bob", "elsewhere", "owner", "self"), f.planners())
				assert.Empty(f, f.records(f.chat.Space.Secret(), archiveKind))
				assert.Len(f, f.records(f.chat.Space.Secret(), memory.KindFact), 1)
				assert.Len(f, f.records(elsewhere.Space.Secret(), archiveKind), 1)
				require.NoError(f, ForgetOwn(ctx, f.engine, a, f.engine.SelfChat.Scope))
				assert.Equal(f, three("alice", "alice elsewhere", "bob", "elsewhere", "owner"), f.planners())
			})
		})
	}
}
