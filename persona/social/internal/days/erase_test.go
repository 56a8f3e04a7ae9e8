package days

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

// makers by the name of what they plan.
var makers = map[string]schedule.Origin{
	"alice": ofAlice, "alice elsewhere": {Chat: other, Person: alice}, "bob": {Chat: group, Person: persona.Account{Platform: "qq", ID: "1002"}},
	"group": ofGroup, "elsewhere": {Chat: other}, "owner": ofOwner, "self": ofSelf,
}

// plan has each of them set a timer and plan two tasks, one of which is done.
func (b *bench) plan() {
	for _, m := range makers {
		b.setTimer(m, "12h")
		b.done(m, "写信")
	}
	for _, m := range makers {
		_, err := b.days.schedule.Add(b.Context(), time.Now(), schedule.Task{Title: "种花", Origin: m, ScheduledAt: time.Now().Add(time.Hour)})
		require.NoError(b, err)
	}
}

// planned are the names of those of whom there is something in the store: once for a timer, a plan and what is over.
func (b *bench) planned() (names [3][]string) {
	ctx := b.Context()
	timers, tasks := schedule.NewTimers(b.options.Store, schedule.TimerOptions{}), schedule.NewTasks(b.options.Store, schedule.TaskOptions{})
	_, err := timers.Restore(ctx)
	require.NoError(b, err)
	_, err = tasks.Restore(ctx)
	require.NoError(b, err)
	add := func(i int, of schedule.Origin) {
		for name, m := range makers {
			if m == of {
				names[i] = append(names[i], name)
			}
		}
		slices.Sort(names[i])
	}
	for _, t := range timers.List(everyone) {
		add(0, t.Origin)
	}
	for _, t := range tasks.List(everyone) {
		add(1, t.Origin)
	}
	for _, t := range tasks.History() {
		add(2, t.Origin)
	}
	return names
}

func three(names ...string) [3][]string { return [3][]string{names, names, names} }

func TestErasure_TakesOutChatsAndPeople(t *testing.T) {
	for name, off := range map[string]bool{"with Days": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			inBench(t, nil, func(b *bench) {
				b.plan()
				require.Equal(b, three("alice", "alice elsewhere", "bob", "elsewhere", "group", "owner", "self"), b.planned())
				part := Erasure(b.engine, b.days)
				if off {
					part = Erasure(b.engine, nil)
				}
				require.NoError(b, part.Erase(b.Context(), memory.Erasure{Spaces: []memory.Space{memory.Owner}}, nil))
				require.NoError(b, part.Erase(b.Context(), memory.Erasure{Person: alice.ID}, nil))
				assert.Equal(b, three("bob", "elsewhere", "group", "owner", "self"), b.planned())
				require.NoError(b, part.Erase(b.Context(), memory.Erasure{Spaces: []memory.Space{memory.Space(group.String())}}, nil))
				assert.Equal(b, three("elsewhere", "owner", "self"), b.planned())
			})
		})
	}
}

func TestForgetOwn_KeepsWhatOthersWanted(t *testing.T) {
	for name, off := range map[string]bool{"with Days": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			inBench(t, nil, func(b *bench) {
				ctx := b.Context()
				b.plan()
				elsewhere, err := b.engine.Chat(ctx, other)
				require.NoError(b, err)
				for _, c := range []*engine.Chat{b.chat, elsewhere} {
					for _, kind := range []string{archiveKind, memory.KindFact} {
						require.NoError(b, b.engine.Memory.Put(ctx, memory.Record{ID: kind, Space: c.Space.Secret(), Kind: kind, Text: "想过", Own: true, At: time.Now()}))
					}
				}
				d := b.days
				if off {
					d = nil
				}
				require.NoError(b, ForgetOwn(ctx, b.engine, d, b.chat.Scope))
				assert.Equal(b, three("alice", "alice elsewhere", "bob", "elsewhere", "owner", "self"), b.planned())
				assert.Empty(b, b.records(b.chat.Space.Secret(), archiveKind))
				assert.Len(b, b.records(b.chat.Space.Secret(), memory.KindFact), 1)
				assert.Len(b, b.records(elsewhere.Space.Secret(), archiveKind), 1)
				require.NoError(b, ForgetOwn(ctx, b.engine, d, b.engine.Self.Scope))
				assert.Equal(b, three("alice", "alice elsewhere", "bob", "elsewhere", "owner"), b.planned())
			})
		})
	}
}
