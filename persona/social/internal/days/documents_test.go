package days

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// adds is a patch that appends lines.
func adds(lines ...string) string {
	return "*** Begin Patch\n@@\n+" + strings.Join(lines, "\n+") + "\n*** End Patch"
}

func TestPapers_KeepVersions(t *testing.T) {
	inBench(t, func(b *bench) {
		withTools(b)
		b.o.Character = "# 小炉\n"
	}, func(b *bench) {
		text, err := b.days.papers.text(b.Context(), self.CharacterState)
		require.NoError(b, err)
		assert.Equal(b, "# 小炉\n", text)
		turn := b.turn(b.engine.Owners)
		turn.Background = true
		assert.Contains(b, b.call(turn, "apply_patch_to_character_state", map[string]any{"patch": adds("爱喝茶")}), "改好了")
		assert.Contains(b, b.call(turn, "apply_patch_to_history_tasks", map[string]any{"patch": adds("写过信")}), "改好了")
		assert.Contains(b, b.call(turn, "apply_patch_to_character_state", map[string]any{"patch": "*** Begin Patch\n@@\n-没有的\n*** End Patch"}), "什么也没有改")
		all, err := b.days.papers.all(b.Context())
		require.NoError(b, err)
		assert.Equal(b, []prompt.Document{{Name: self.CharacterState, Text: "# 小炉\n爱喝茶\n"}, {Name: self.HistoryTasks, Text: "写过信\n"}}, all)

		rows, err := b.options.Store.Load(b.Context(), "paper/"+self.CharacterState)
		require.NoError(b, err)
		var h patch.History
		require.NoError(b, json.Unmarshal(rows["paper/"+self.CharacterState], &h))
		var notes []string
		for v := range h.Versions() {
			notes = append(notes, v.Note)
		}
		assert.Equal(b, []string{"turn/1", "as it was given", ""}, notes)
	})
}

// A slow store reads documents slowly.
type slow struct{ *memory.MemStore }

func (s slow) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := s.MemStore.Load(ctx, prefix)
	if strings.HasPrefix(prefix, paperRow) {
		time.Sleep(time.Second)
	}
	return rows, err
}

func TestPapers_PatchedAtOnceLoseNothing(t *testing.T) {
	inBench(t, func(b *bench) { b.options.Store = slow{memory.NewMemStore()} }, func(b *bench) {
		var wg sync.WaitGroup
		for _, line := range []string{"一", "二", "三"} {
			wg.Go(func() { assert.NoError(b, b.days.papers.Patch(b.Context(), self.HistoryTasks, adds(line))) })
		}
		wg.Wait()
		text, err := b.days.papers.text(b.Context(), self.HistoryTasks)
		require.NoError(b, err)
		assert.ElementsMatch(b, []string{"一", "二", "三"}, strings.Fields(text))
	})
}

func TestPapers_UnreadableIsAnError(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		require.NoError(b, b.options.Store.Apply(b.Context(), map[string][]byte{"paper/" + self.HistoryTasks: []byte("{")}))
		_, err := b.days.papers.all(b.Context())
		assert.ErrorContains(b, err, "document history_tasks")
		assert.Error(b, b.days.papers.Patch(b.Context(), self.HistoryTasks, adds("一")), "it is not written over")
	})
}

func TestDays_ActivityMarkMovesOnSuccess(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		var since []time.Duration // before each look
		var fails error
		b.days.o.RecentActivity = func(_ context.Context, from time.Time) ([]OwnerActivity, error) {
			since = append(since, time.Since(from))
			return []OwnerActivity{{App: "写了代码"}}, fails
		}
		look := func(pause time.Duration) error {
			time.Sleep(pause - time.Minute)
			return b.wake(idle(ofOwner)).Err
		}
		require.NoError(b, look(time.Hour))
		assert.Contains(b, b.asked(plansNext)[0].Human(), "写了代码")
		b.says(plansNext, modeltest.HTTPError(400, "no"))
		require.Error(b, look(2*time.Hour))
		b.says(plansNext, modeltest.Say("想好了"))
		fails = errors.New("no such file")
		require.NoError(b, look(2*time.Hour), "it thinks without it")
		fails = nil
		require.NoError(b, look(2*time.Hour))
		require.NoError(b, look(2*time.Hour))
		require.NoError(b, b.wake(idle(ofSelf)).Err)
		require.NoError(b, b.wake(timer(ofOwner)).Err)
		assert.Equal(b, []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 2 * time.Hour}, since, "only the owner's side looks")

		require.NoError(b, b.options.Store.Apply(b.Context(), map[string][]byte{lookedKey: []byte("yesterday")}))
		require.NoError(b, look(2*time.Hour))
		assert.Equal(b, time.Hour, since[5], "the mark is unreadable")
	})
}

func TestDays_CondensesThePastOnSuccess(t *testing.T) {
	inBench(t, func(b *bench) {
		withTools(b)
		b.o.Tasks.CondenseAt = 1
	}, func(b *bench) {
		for _, m := range []schedule.Origin{ofOwner, ofAlice} {
			b.done(m, "写信")
		}
		left := func() int { return len(b.days.schedule.History()) }
		b.says(plansNext, modeltest.HTTPError(400, "no"))
		require.Error(b, b.wake(idle(ofOwner)).Err)
		b.says(plansNext, modeltest.Say("想好了"))
		require.NoError(b, b.wake(idle(ofOwner)).Err)
		assert.Equal(b, 2, left(), "nothing was written down")
		b.script(plansNext, modeltest.Call("apply_patch_to_history_tasks", map[string]any{"patch": adds("写过信")}))
		require.NoError(b, b.wake(idle(ofOwner)).Err)
		assert.Equal(b, 1, left(), "the latest stays")
	})
}

// done has a task planned and done.
func (b *bench) done(m schedule.Origin, title string) {
	ctx := b.Context()
	_, err := b.days.schedule.Add(ctx, time.Now(), schedule.Task{Title: title, Origin: m, ScheduledAt: time.Now()})
	require.NoError(b, err)
	time.Sleep(time.Minute)
	t, ok, err := b.days.schedule.Due(ctx, time.Now())
	require.NoError(b, err)
	require.True(b, ok)
	require.NoError(b, b.days.schedule.Done(ctx, time.Now(), t.ID, nil))
}

func TestDays_Agenda(t *testing.T) {
	inBench(t, func(b *bench) { b.o.Character = "# 小炉" }, func(b *bench) {
		ctx, now := b.Context(), time.Now()
		b.done(ofOwner, "写信")
		b.setTimer(ofAlice, "12h")
		_, err := b.days.schedule.Add(ctx, now, schedule.Task{Title: "种花", Origin: ofSelf, ScheduledAt: now.Add(time.Hour)})
		require.NoError(b, err)
		require.NoError(b, b.notes(memory.Owner).SetInnerState(ctx, now, "想主人"))
		require.NoError(b, b.notes(memory.Self).SetInnerState(ctx, now, "平静"))
		a, err := b.days.Agenda(ctx)
		require.NoError(b, err)
		require.Len(b, a.Timers, 1)
		require.Len(b, a.Planned, 1)
		require.Len(b, a.Past, 1)
		assert.Equal(b, []string{"浇花", "种花", "写信"}, []string{a.Timers[0].Payload, a.Planned[0].Title, a.Past[0].Title})
		assert.Equal(b, []prompt.Document{{Name: self.CharacterState, Text: "# 小炉"}}, a.Documents)
		assert.Equal(b, []string{"想主人", "平静"}, []string{a.InnerState, a.GlobalReflection})
		b.stop()
		_, err = b.days.Agenda(ctx)
		assert.Error(b, err, "it does not run")
	})
}

func TestDays_SceneShowsWhatTheScopeMayKnow(t *testing.T) {
	inBench(t, func(b *bench) { b.o.Character = "# 小炉" }, func(b *bench) {
		ctx, now := b.Context(), time.Now()
		require.NoError(b, b.notes(b.chat.Space).SetInnerState(ctx, now, "喜欢这个群", "k1"))
		require.NoError(b, b.notes(memory.Owner).SetInnerState(ctx, now, "想主人", "k2"))
		require.NoError(b, b.notes(memory.Self).WithLabel(memory.Untrusted()).SetInnerState(ctx, now, "平静", "k3"))
		for _, m := range []schedule.Origin{ofAlice, ofOwner, ofSelf} {
			_, err := b.days.schedule.Add(ctx, now, schedule.Task{Title: "写信", Origin: m, ScheduledAt: now.Add(time.Hour)})
			require.NoError(b, err)
		}
		shown := func(c *engine.Chat) (s engine.Scene, makers []schedule.Origin, derived []string) {
			turn := b.turn(c)
			require.NoError(b, b.days.scene(ctx, now, turn, &s))
			for _, t := range s.Planned {
				makers = append(makers, t.Origin)
			}
			return s, makers, turn.Derived
		}
		s, makers, derived := shown(b.chat)
		assert.Equal(b, []string{"喜欢这个群", "平静"}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(b, []schedule.Origin{ofAlice}, makers)
		assert.Equal(b, []string{"k1", "k3"}, derived)
		assert.Equal(b, &prompt.MoodSummary{Energy: 1}, s.Mood)
		assert.Empty(b, s.Documents)

		s, makers, derived = shown(b.engine.Owners)
		assert.Equal(b, []string{"想主人", ""}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(b, []schedule.Origin{ofOwner}, makers)
		assert.Equal(b, []string{"k2"}, derived)
		assert.Nil(b, s.Mood)
		assert.Len(b, s.Documents, 1)

		s, _, derived = shown(b.engine.Self)
		assert.Equal(b, []string{"", "平静"}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(b, []string{"k3"}, derived)
		assert.Empty(b, s.Documents)
		b.days.o.NoInnerState, b.days.o.NoGlobalReflection = true, true
		s, _, _ = shown(b.chat)
		assert.Equal(b, []string{"", ""}, []string{s.InnerState, s.GlobalReflection})
	})
}

func TestOptions_RefusesWhatCannotBe(t *testing.T) {
	assert.NoError(t, Options{}.Check())
	assert.ErrorContains(t, Options{Timeout: -1}.Check(), "Autonomy.Timeout")
	assert.ErrorContains(t, Options{Planner: schedule.PlannerOptions{TimerInterval: -1}}.Check(), "Autonomy.Planner")
}
