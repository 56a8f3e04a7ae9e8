package autonomy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// turn returns a turn that has read a message of a person in a chat.
func (f *fixture) turn(c *engine.Chat) *engine.Turn {
	t := &engine.Turn{Job: &engine.Job{Chat: c}, Engine: f.engine}
	t.Shown = []persona.Message{{Key: "heard", Chat: c.ID, From: alice.ID}}
	return t
}

// call lets a turn call a tool and returns the result for the model.
func (f *fixture) call(t *engine.Turn, tool string, args map[string]any) string {
	who := t.Chat.Principal(t.Background)
	who.Platform, who.Turn = t.Chat.ID.Platform, "turn/1"
	if t.Chat.InChat {
		who.Person = alice.ID
	}
	t.Tools = f.engine.Tools.View(who)
	return t.Tools.Call(engine.WithTurn(f.Context(), t), modeltest.ToolCall(tool, args)).Content
}

var noArgs = map[string]any{}

func texts(notes []memory.Note, err error) (all []string) {
	for _, n := range notes {
		all = append(all, n.Name+"："+n.Text)
	}
	return all
}

// slots returns the slots of a space.
func (f *fixture) slots(s memory.Space) []string { return texts(f.notes(s).Slots(f.Context())) }

func TestNotes_WrittenToTurnsSpace(t *testing.T) {
	withFixture(t, withTools, func(f *fixture) {
		for c, of := range map[*engine.Chat]string{f.chat: "chat", f.engine.OwnerChat: "owner", f.engine.SelfChat: "self"} {
			turn := f.turn(c)
			assert.Contains(f, f.call(turn, "set_slot", map[string]any{"name": "要点", "text": of}), "好")
			if c != f.engine.SelfChat {
				assert.Contains(f, f.call(turn, "set_scratch", map[string]any{"name": "草稿", "text": of}), "好")
			}
			assert.Contains(f, f.call(turn, "read_notes", noArgs), of)
		}
		for c, of := range map[*engine.Chat]string{f.chat: "chat", f.engine.OwnerChat: "owner", f.engine.SelfChat: "self"} {
			notes, err := f.notes(c.Space).Slots(f.Context())
			require.NoError(f, err)
			require.Len(f, notes, 1, of)
			assert.Equal(f, of, notes[0].Text)
			assert.Equal(f, []string{"heard"}, notes[0].Sources, "sources of the turn")
		}
		assert.Equal(f, []string{"草稿：chat"}, texts(f.notes(f.chat.Space).Scratch(f.Context(), time.Now(), f.chat.Session)))
		assert.Equal(f, []string{"草稿：owner"}, texts(f.notes(memory.Owner).Scratch(f.Context(), time.Now(), persona.OwnerSession)))

		turn := f.turn(f.engine.SelfChat)
		assert.Contains(f, f.call(turn, "set_inner_state", map[string]any{"text": "平静"}), "好")
		inner, err := f.notes(memory.Self).InnerState(f.Context())
		require.NoError(f, err)
		assert.Equal(f, "平静", inner.Text)
		assert.Contains(f, f.call(turn, "read_notes", noArgs), "平静")
	})
}

func TestNotes_SceneObeysScope(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		ctx, now := f.Context(), time.Now()
		heard := memory.Untrusted(f.chat.Space)
		for _, n := range []memory.Note{
			{Name: "一", Text: "主人说的", Label: memory.Trusted()}, {Name: "二", Text: "听来的", Sources: []string{"k1"}, Label: heard},
			{Name: "别", Text: "别处听来的", Sources: []string{"k3"}, Label: memory.Untrusted("qq:private:9")}, {Name: noteTone, Text: "温柔", Label: memory.Trusted()},
		} {
			require.NoError(f, f.notes(memory.Self).WithLabel(n.Label).SetSlot(ctx, now, n.Name, n.Text, n.Sources...))
		}
		require.NoError(f, f.notes(f.chat.Space).SetSlot(ctx, now, noteMood, "高兴", "k2"))
		require.NoError(f, f.notes(f.chat.Space).SetSlot(ctx, now, "三", "群里的"))
		require.NoError(f, f.notes(f.chat.Space).SetScratch(ctx, now, f.chat.Session, "四", "草稿"))
		require.NoError(f, f.notes(f.chat.Space).SetScratch(ctx, now, "别处", "五", "草稿"))
		require.NoError(f, f.notes(memory.Owner).WithLabel(memory.Trusted(memory.Owner)).SetSlot(ctx, now, "六", "主人的"))
		shown := func(c *engine.Chat, tiers nit.Tier) (names string, s engine.Scene, derived []string, label memory.Label) {
			turn, who := f.turn(c), c.Principal(false)
			who.Tiers &= tiers
			turn.Tools = f.engine.Tools.View(who)
			require.NoError(f, Notes(f.engine, false).Scene(ctx, now, turn, &s))
			for _, n := range s.Notes {
				names += n.ID
			}
			return names, s, turn.Derived, turn.Label()
		}
		names, s, derived, label := shown(f.chat, nit.L1|nit.L2|nit.L3)
		assert.Equal(f, heard, label)
		assert.Equal(f, "一二三四", names)
		assert.Equal(f, &prompt.MoodSummary{Energy: -1, Text: "高兴", Tone: "温柔"}, s.Mood)
		assert.ElementsMatch(f, []string{"k1", "k2"}, derived)
		names, _, derived, label = shown(f.engine.OwnerChat, nit.L1|nit.L2)
		assert.Equal(f, "一二别六", names, "no tool has side effects")
		assert.ElementsMatch(f, []string{"k1", "k3"}, derived)
		assert.Equal(f, memory.Untrusted(memory.Owner, f.chat.Space, "qq:private:9"), label)
		names, s, derived, label = shown(f.engine.OwnerChat, nit.L1|nit.L2|nit.L3)
		assert.Equal(f, "一六", names, "trusted notes only")
		assert.Equal(f, memory.Trusted(memory.Owner), label)
		assert.Equal(f, &prompt.MoodSummary{Energy: -1, Tone: "温柔"}, s.Mood)
		assert.Empty(f, derived)
	})
}

func TestNotes_WithoutTools(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		assert.Nil(f, Notes(f.engine, false).Tools)
		assert.NotNil(f, Notes(f.engine, true).Tools)
	})
}

func TestNotes_TurnWithoutChat(t *testing.T) {
	withFixture(t, withTools, func(f *fixture) {
		for session, want := range map[string]string{"": "现在不在任何会话里", "group_1": "好"} {
			v := f.engine.Tools.View(nit.Principal{Tiers: nit.L1, Platform: "qq", Session: session})
			answer := v.Call(f.Context(), modeltest.ToolCall("set_slot", map[string]any{"name": "要点", "text": "x"}))
			assert.Contains(f, answer.Content, want)
		}
	})
}

func TestCharacter_ChangeByChat(t *testing.T) {
	withFixture(t, withTools, func(f *fixture) {
		f.call(f.turn(f.chat), "character_ops", map[string]any{"mood": "高兴", "tone": "温柔", "sleep_minutes": 720})
		f.call(f.turn(f.chat), "character_ops", map[string]any{"sleep_minutes": 20})
		f.call(f.turn(f.chat), "character_ops", map[string]any{"sleep_minutes": 0})
		assert.Equal(f, []string{"心情：高兴", "语气：温柔"}, f.slots(f.chat.Space))
		assert.Empty(f, f.slots(memory.Self))
		assert.Equal(f, []string{"qq:group:1 1h0m0s", "qq:group:1 20m0s"}, f.naps.all())
		assert.Empty(f, f.sleeps.all())
		assert.False(f, f.asleep())
		notes, err := f.notes(f.chat.Space).Slots(f.Context())
		require.NoError(f, err)
		require.NotEmpty(f, notes)
		assert.Equal(f, []string{"heard"}, notes[0].Sources)
	})
}

func (f *fixture) asleep() bool {
	return f.engine.Attention.State(time.Now(), f.engine.SelfChat.ID) == heartflow.Offline
}

func TestCharacter_ChangeByOwner(t *testing.T) {
	for redacts, want := range map[bool][2][]string{false: {{"心情：想念王五"}, nil}, true: {nil, {"心情：想念某人"}}} {
		withFixture(t, func(f *fixture) {
			withTools(f)
			if redacts {
				f.options.Redact = func(_ context.Context, text string) (string, error) {
					return strings.ReplaceAll(text, "王五", "某人"), nil
				}
			}
		}, func(f *fixture) {
			turn := f.turn(f.engine.OwnerChat)
			f.call(turn, "character_ops", map[string]any{"mood": "想念王五", "sleep_minutes": 720})
			assert.Equal(f, want[0], f.slots(memory.Owner))
			assert.Equal(f, want[1], f.slots(memory.Self))
			for _, s := range []memory.Space{memory.Owner, memory.Self} {
				notes, err := f.notes(s).Slots(f.Context())
				require.NoError(f, err)
				for _, n := range notes {
					assert.Empty(f, n.Sources, "the sources are in another space")
				}
			}
			time.Sleep(11 * time.Hour)
			assert.True(f, f.asleep())
			f.call(turn, "character_ops", map[string]any{"sleep_minutes": 0})
			assert.False(f, f.asleep())
			assert.Equal(f, []string{"12h0m0s", "awake"}, f.sleeps.all())
			assert.Empty(f, f.naps.all())
		})
	}
}

func TestCharacter_ChangeBySelf(t *testing.T) {
	withFixture(t, withTools, func(f *fixture) {
		f.call(f.turn(f.engine.SelfChat), "character_ops", map[string]any{"tone": "温柔", "sleep_minutes": 720})
		assert.Equal(f, []string{"语气：温柔"}, f.slots(memory.Self))
		time.Sleep(59 * time.Minute)
		assert.True(f, f.asleep())
		f.call(f.turn(f.engine.SelfChat), "character_ops", map[string]any{"sleep_minutes": 0})
		assert.True(f, f.asleep(), "it cannot end a sleep that the owner ordered")
		time.Sleep(2 * time.Minute)
		assert.False(f, f.asleep())
		assert.Empty(f, f.sleeps.all())
	})
}

func TestAutonomy_ToolsKeepOrigin(t *testing.T) {
	withFixture(t, withTools, func(f *fixture) {
		set := map[string]any{"when": "12h", "content": "浇花"}
		plan := map[string]any{"delay_seconds": 43200, "content": map[string]any{"title": "写信"}}
		background := f.turn(f.engine.OwnerChat)
		background.Background = true
		restricted := f.turn(f.engine.OwnerChat)
		restricted.Wake = &schedule.Wake{Origin: schedule.Origin{Mode: persona.Agent, Restricted: true}}
		turns := []*engine.Turn{f.turn(f.chat), f.turn(f.engine.OwnerChat), restricted, background, f.turn(f.engine.SelfChat)}
		for _, turn := range turns {
			f.call(turn, "add_schedule", plan)
		}
		inAgent := func(restricted bool, label string) schedule.Origin {
			return schedule.Origin{Mode: persona.Agent, Restricted: restricted, Label: label}
		}
		var makers []schedule.Origin
		for _, task := range f.autonomy.tasks.List(allOrigins) {
			makers = append(makers, task.Origin)
		}
		assert.ElementsMatch(f, []schedule.Origin{aliceOrigin, inAgent(false, ""), inAgent(true, ""), inAgent(true, "T owner"), {Restricted: true}}, makers)

		f.call(turns[0], "set_timer", set)
		f.call(turns[1], "set_timer", map[string]any{"when": "12h", "content": "吃药"})
		f.call(turns[4], "set_timer", map[string]any{"when": "12h", "content": "散步"})
		assert.NotContains(f, f.call(turns[0], "list_timers", noArgs), "吃药")
		assert.Contains(f, f.call(turns[0], "list_timers", noArgs), "浇花")
		for _, text := range []string{"浇花", "散步"} {
			assert.NotContains(f, f.call(turns[1], "list_timers", noArgs), text, "possibly text of a stranger")
		}
		assert.Contains(f, f.call(turns[4], "list_timers", noArgs), "散步")
		assert.Contains(f, f.call(turns[1], "list_timers", noArgs), "吃药")
		all := f.autonomy.timers.List(allOrigins)
		require.Len(f, all, 3)
		for _, timer := range all {
			f.call(turns[0], "cancel_timer", map[string]any{"id": timer.ID})
		}
		all = f.autonomy.timers.List(allOrigins)
		require.Len(f, all, 2)
		assert.ElementsMatch(f, []string{"吃药", "散步"}, []string{all[0].Payload, all[1].Payload})
	})
}

func TestModelError_Texts(t *testing.T) {
	for err, words := range map[error]string{schedule.ErrTooLong: "写得太长了", schedule.ErrNotFound: "没有这个 id"} {
		assert.ErrorIs(t, modelError(err), err)
		assert.ErrorContains(t, modelError(err), words)
	}
	assert.Equal(t, schedule.ErrPast, modelError(schedule.ErrPast))
	assert.NoError(t, modelError(nil))
}
