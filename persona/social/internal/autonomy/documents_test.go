package autonomy

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

// patchAdding returns a patch that appends lines.
func patchAdding(lines ...string) string {
	return "*** Begin Patch\n@@\n+" + strings.Join(lines, "\n+") + "\n*** End Patch"
}

func TestDocuments_KeepVersions(t *testing.T) {
	withFixture(t, func(f *fixture) {
		withTools(f)
		f.o.Character = "# 小炉\n"
	}, func(f *fixture) {
		text, err := f.autonomy.documents.text(f.Context(), self.CharacterState)
		require.NoError(f, err)
		assert.Equal(f, "# 小炉\n", text)
		turn := f.turn(f.engine.OwnerChat)
		turn.Background = true
		assert.Contains(f, f.call(turn, "apply_patch_to_character_state", map[string]any{"patch": patchAdding("爱喝茶")}), "改好了")
		assert.Contains(f, f.call(turn, "apply_patch_to_history_tasks", map[string]any{"patch": patchAdding("写过信")}), "改好了")
		assert.Contains(f, f.call(turn, "apply_patch_to_character_state", map[string]any{"patch": "*** Begin Patch\n@@\n-没有的\n*** End Patch"}), "什么也没有改")
		all, err := f.autonomy.documents.all(f.Context())
		require.NoError(f, err)
		assert.Equal(f, []prompt.Document{{Name: self.CharacterState, Text: "# 小炉\n爱喝茶\n"}, {Name: self.HistoryTasks, Text: "写过信\n"}}, all)

		rows, err := f.options.Store.Load(f.Context(), "paper/"+self.CharacterState)
		require.NoError(f, err)
		var h patch.History
		require.NoError(f, json.Unmarshal(rows["paper/"+self.CharacterState], &h))
		var notes []string
		for v := range h.Versions() {
			notes = append(notes, v.Note)
		}
		assert.Equal(f, []string{"turn/1", "as it was given", ""}, notes)
	})
}

// An older version becomes the text again, as a new version, so nothing is lost. The owner can undo that, too.
func TestRestoreDocument(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o.Character = "# 小炉\n" }, func(f *fixture) {
		a, d := f.autonomy, &f.autonomy.documents
		require.NoError(f, d.Patch(f.Context(), self.CharacterState, patchAdding("爱喝茶")))
		require.NoError(f, d.Patch(f.Context(), self.CharacterState, patchAdding("爱吵架")))
		require.NoError(f, RestoreDocument(f.Context(), a, self.CharacterState, 2))
		all, err := Histories(f.Context(), a)
		require.NoError(f, err)
		require.Len(f, all, 1, "the other document never had a text")
		var texts []string
		for _, v := range all[0].Versions {
			texts = append(texts, v.Text)
		}
		assert.Equal(f, []string{"# 小炉\n爱喝茶\n", "# 小炉\n爱喝茶\n爱吵架\n", "# 小炉\n爱喝茶\n", "# 小炉\n", ""}, texts)
		assert.Equal(f, "back to version 2", all[0].Versions[0].Note)
		assert.Equal(f, 4, all[0].Versions[0].Number)
		text, err := d.text(f.Context(), self.CharacterState)
		require.NoError(f, err)
		assert.Equal(f, texts[0], text)
		require.NoError(f, RestoreDocument(f.Context(), a, self.CharacterState, 3))
		require.NoError(f, RestoreDocument(f.Context(), a, self.CharacterState, 0))
		for name, version := range map[string]int{self.CharacterState: 9, self.HistoryTasks: 1, "../character_state": 1, "": 0} {
			assert.ErrorIs(f, RestoreDocument(f.Context(), a, name, version), patch.ErrNoVersion)
		}
		text, err = d.text(f.Context(), self.CharacterState)
		require.NoError(f, err)
		assert.Empty(f, text)
	})
}

// A slowStore loads documents slowly.
type slowStore struct{ *memory.MemStore }

func (s slowStore) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := s.MemStore.Load(ctx, prefix)
	if strings.HasPrefix(prefix, documentRow) {
		time.Sleep(time.Second)
	}
	return rows, err
}

func TestDocuments_ConcurrentPatches(t *testing.T) {
	withFixture(t, func(f *fixture) { f.options.Store = slowStore{memory.NewMemStore()} }, func(f *fixture) {
		var wg sync.WaitGroup
		for _, line := range []string{"一", "二", "三"} {
			wg.Go(func() {
				assert.NoError(f, f.autonomy.documents.Patch(f.Context(), self.HistoryTasks, patchAdding(line)))
			})
		}
		wg.Wait()
		text, err := f.autonomy.documents.text(f.Context(), self.HistoryTasks)
		require.NoError(f, err)
		assert.ElementsMatch(f, []string{"一", "二", "三"}, strings.Fields(text))
	})
}

func TestDocuments_UnreadableRow(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		require.NoError(f, f.options.Store.Apply(f.Context(), map[string][]byte{"paper/" + self.HistoryTasks: []byte("{")}))
		_, err := f.autonomy.documents.all(f.Context())
		assert.ErrorContains(f, err, "document history_tasks")
		assert.Error(f, f.autonomy.documents.Patch(f.Context(), self.HistoryTasks, patchAdding("一")), "the row is not overwritten")
	})
}

func TestAutonomy_ActivityCursorMovesOnSuccess(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		var since []time.Duration // of each call
		var fails error
		f.autonomy.o.RecentActivity = func(_ context.Context, from time.Time) ([]OwnerActivity, error) {
			since = append(since, time.Since(from))
			return []OwnerActivity{{App: "写了代码"}}, fails
		}
		look := func(pause time.Duration) error {
			time.Sleep(pause - time.Minute)
			return f.wake(idle(ownerOrigin)).Err
		}
		require.NoError(f, look(time.Hour))
		assert.Contains(f, f.promptsFor(planTask)[0].Human(), "写了代码")
		f.setAnswer(planTask, modeltest.HTTPError(400, "no"))
		require.Error(f, look(2*time.Hour))
		f.setAnswer(planTask, modeltest.Say("想好了"))
		fails = errors.New("no such file")
		require.NoError(f, look(2*time.Hour), "the turn runs without activity")
		fails = nil
		require.NoError(f, look(2*time.Hour))
		require.NoError(f, look(2*time.Hour))
		require.NoError(f, f.wake(idle(selfOrigin)).Err)
		require.NoError(f, f.wake(timer(ownerOrigin)).Err)
		assert.Equal(f, []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 2 * time.Hour}, since, "only the owner's side reads activity")

		require.NoError(f, f.options.Store.Apply(f.Context(), map[string][]byte{activityCursorKey: []byte("yesterday")}))
		require.NoError(f, look(2*time.Hour))
		assert.Equal(f, time.Hour, since[5], "the cursor is unreadable")
	})
}

func TestAutonomy_CondensesHistoryOnSuccess(t *testing.T) {
	withFixture(t, func(f *fixture) {
		withTools(f)
		f.o.Tasks.CondenseAt = 1
	}, func(f *fixture) {
		for _, m := range []schedule.Origin{ownerOrigin, aliceOrigin} {
			f.addDoneTask(m, "写信")
		}
		left := func() int { return len(f.autonomy.tasks.History()) }
		f.setAnswer(planTask, modeltest.HTTPError(400, "no"))
		require.Error(f, f.wake(idle(ownerOrigin)).Err)
		f.setAnswer(planTask, modeltest.Say("想好了"))
		require.NoError(f, f.wake(idle(ownerOrigin)).Err)
		assert.Equal(f, 2, left(), "nothing was condensed yet")
		f.script(planTask, modeltest.Call("apply_patch_to_history_tasks", map[string]any{"patch": patchAdding("写过信")}))
		require.NoError(f, f.wake(idle(ownerOrigin)).Err)
		assert.Equal(f, 1, left(), "the latest task stays")
	})
}

// addDoneTask adds a task and completes it.
func (f *fixture) addDoneTask(m schedule.Origin, title string) {
	ctx := f.Context()
	_, err := f.autonomy.tasks.Add(ctx, time.Now(), schedule.Task{Title: title, Origin: m, ScheduledAt: time.Now()})
	require.NoError(f, err)
	time.Sleep(time.Minute)
	t, ok, err := f.autonomy.tasks.Due(ctx, time.Now())
	require.NoError(f, err)
	require.True(f, ok)
	require.NoError(f, f.autonomy.tasks.Done(ctx, time.Now(), t.ID, nil))
}

func TestAutonomy_Agenda(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o.Character = "# 小炉" }, func(f *fixture) {
		ctx, now := f.Context(), time.Now()
		f.addDoneTask(ownerOrigin, "写信")
		f.setTimer(aliceOrigin, "12h")
		_, err := f.autonomy.tasks.Add(ctx, now, schedule.Task{Title: "种花", Origin: selfOrigin, ScheduledAt: now.Add(time.Hour)})
		require.NoError(f, err)
		require.NoError(f, f.notes(memory.Owner).SetInnerState(ctx, now, "想主人"))
		require.NoError(f, f.notes(memory.Self).SetInnerState(ctx, now, "平静"))
		a, err := f.autonomy.Agenda(ctx)
		require.NoError(f, err)
		require.Len(f, a.Timers, 1)
		require.Len(f, a.Planned, 1)
		require.Len(f, a.Past, 1)
		assert.Equal(f, []string{"浇花", "种花", "写信"}, []string{a.Timers[0].Payload, a.Planned[0].Title, a.Past[0].Title})
		assert.Equal(f, []prompt.Document{{Name: self.CharacterState, Text: "# 小炉"}}, a.Documents)
		assert.Equal(f, []string{"想主人", "平静"}, []string{a.InnerState, a.GlobalReflection})
		f.stop()
		_, err = f.autonomy.Agenda(ctx)
		assert.Error(f, err, "the engine has stopped")
	})
}

func TestAutonomy_SceneObeysScope(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o.Character = "# 小炉" }, func(f *fixture) {
		ctx, now := f.Context(), time.Now()
		require.NoError(f, f.notes(f.chat.Space).SetInnerState(ctx, now, "喜欢这个群", "k1"))
		require.NoError(f, f.notes(memory.Owner).SetInnerState(ctx, now, "想主人", "k2"))
		require.NoError(f, f.notes(memory.Self).WithLabel(memory.Untrusted()).SetInnerState(ctx, now, "平静", "k3"))
		for _, m := range []schedule.Origin{aliceOrigin, ownerOrigin, selfOrigin} {
			_, err := f.autonomy.tasks.Add(ctx, now, schedule.Task{Title: "写信", Origin: m, ScheduledAt: now.Add(time.Hour)})
			require.NoError(f, err)
		}
		shown := func(c *engine.Chat) (s engine.Scene, makers []schedule.Origin, derived []string) {
			turn := f.turn(c)
			require.NoError(f, f.autonomy.scene(ctx, now, turn, &s))
			for _, t := range s.Planned {
				makers = append(makers, t.Origin)
			}
			return s, makers, turn.Derived
		}
		s, makers, derived := shown(f.chat)
		assert.Equal(f, []string{"喜欢这个群", "平静"}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(f, []schedule.Origin{aliceOrigin}, makers)
		assert.Equal(f, []string{"k1", "k3"}, derived)
		assert.Equal(f, &prompt.MoodSummary{Energy: 1}, s.Mood)
		assert.Empty(f, s.Documents)

		s, makers, derived = shown(f.engine.OwnerChat)
		assert.Equal(f, []string{"想主人", ""}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(f, []schedule.Origin{ownerOrigin}, makers)
		assert.Equal(f, []string{"k2"}, derived)
		assert.Nil(f, s.Mood)
		assert.Len(f, s.Documents, 1)

		s, _, derived = shown(f.engine.SelfChat)
		assert.Equal(f, []string{"", "平静"}, []string{s.InnerState, s.GlobalReflection})
		assert.Equal(f, []string{"k3"}, derived)
		assert.Empty(f, s.Documents)
		f.autonomy.o.NoInnerState, f.autonomy.o.NoGlobalReflection = true, true
		s, _, _ = shown(f.chat)
		assert.Equal(f, []string{"", ""}, []string{s.InnerState, s.GlobalReflection})
	})
}

func TestOptions_Invalid(t *testing.T) {
	assert.NoError(t, Options{}.Check())
	assert.ErrorContains(t, Options{Timeout: -1}.Check(), "Autonomy.Timeout")
	assert.ErrorContains(t, Options{Planner: schedule.PlannerOptions{TimerInterval: -1}}.Check(), "Autonomy.Planner")
}
