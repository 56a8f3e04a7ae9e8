package days

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

// turn is one that has read a message of somebody in a chat.
func (b *bench) turn(c *engine.Chat) *engine.Turn {
	t := &engine.Turn{Job: &engine.Job{Chat: c}, Engine: b.engine}
	t.Shown = []persona.Message{{Key: "heard", Chat: c.ID, From: alice.ID}}
	return t
}

// call has a turn call a tool, and returns what the model is told.
func (b *bench) call(t *engine.Turn, tool string, args map[string]any) string {
	who := t.Chat.Principal(t.Background)
	who.Platform, who.Turn = t.Chat.ID.Platform, "turn/1"
	if t.Chat.InChat {
		who.Person = alice.ID
	}
	t.Tools = b.engine.Tools.View(who)
	return t.Tools.Call(engine.WithTurn(b.Context(), t), modeltest.ToolCall(tool, args)).Content
}

// none are the arguments of a tool that has none.
var none = map[string]any{}

func texts(notes []memory.Note, err error) (all []string) {
	for _, n := range notes {
		all = append(all, n.Name+"："+n.Text)
	}
	return all
}

// slots are those of a space.
func (b *bench) slots(s memory.Space) []string { return texts(b.notes(s).Slots(b.Context())) }

func TestNotes_AreWrittenWhereTheTurnIs(t *testing.T) {
	inBench(t, withTools, func(b *bench) {
		for c, of := range map[*engine.Chat]string{b.chat: "chat", b.engine.Owners: "owner", b.engine.Self: "self"} {
			turn := b.turn(c)
			assert.Contains(b, b.call(turn, "set_slot", map[string]any{"name": "要点", "text": of}), "好")
			if c != b.engine.Self {
				assert.Contains(b, b.call(turn, "set_scratch", map[string]any{"name": "草稿", "text": of}), "好")
			}
			assert.Contains(b, b.call(turn, "read_notes", none), of)
		}
		for c, of := range map[*engine.Chat]string{b.chat: "chat", b.engine.Owners: "owner", b.engine.Self: "self"} {
			notes, err := b.notes(c.Space).Slots(b.Context())
			require.NoError(b, err)
			require.Len(b, notes, 1, of)
			assert.Equal(b, of, notes[0].Text)
			assert.Equal(b, []string{"heard"}, notes[0].Sources, "what the turn could read")
		}
		assert.Equal(b, []string{"草稿：chat"}, texts(b.notes(b.chat.Space).Scratch(b.Context(), time.Now(), b.chat.Session)))
		assert.Equal(b, []string{"草稿：owner"}, texts(b.notes(memory.Owner).Scratch(b.Context(), time.Now(), persona.OwnerSession)))

		turn := b.turn(b.engine.Self)
		assert.Contains(b, b.call(turn, "set_inner_state", map[string]any{"text": "平静"}), "好")
		inner, err := b.notes(memory.Self).InnerState(b.Context())
		require.NoError(b, err)
		assert.Equal(b, "平静", inner.Text)
		assert.Contains(b, b.call(turn, "read_notes", none), "平静")
	})
}

func TestNotes_ShowsWhatTheScopeMayRead(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		ctx, now := b.Context(), time.Now()
		heard := memory.Untrusted(b.chat.Space)
		for _, n := range []memory.Note{
			{Name: "一", Text: "主人说的", Label: memory.Trusted()}, {Name: "二", Text: "听来的", Sources: []string{"k1"}, Label: heard},
			{Name: "别", Text: "别处听来的", Sources: []string{"k3"}, Label: memory.Untrusted("qq:private:9")}, {Name: noteTone, Text: "温柔", Label: memory.Trusted()},
		} {
			require.NoError(b, b.notes(memory.Self).WithLabel(n.Label).SetSlot(ctx, now, n.Name, n.Text, n.Sources...))
		}
		require.NoError(b, b.notes(b.chat.Space).SetSlot(ctx, now, noteMood, "高兴", "k2"))
		require.NoError(b, b.notes(b.chat.Space).SetSlot(ctx, now, "三", "群里的"))
		require.NoError(b, b.notes(b.chat.Space).SetScratch(ctx, now, b.chat.Session, "四", "草稿"))
		require.NoError(b, b.notes(b.chat.Space).SetScratch(ctx, now, "别处", "五", "草稿"))
		require.NoError(b, b.notes(memory.Owner).WithLabel(memory.Trusted(memory.Owner)).SetSlot(ctx, now, "六", "主人的"))
		shown := func(c *engine.Chat, tiers nit.Tier) (names string, s engine.Scene, derived []string, label memory.Label) {
			turn, who := b.turn(c), c.Principal(false)
			who.Tiers &= tiers
			turn.Tools = b.engine.Tools.View(who)
			require.NoError(b, Notes(b.engine, false).Scene(ctx, now, turn, &s))
			for _, n := range s.Notes {
				names += n.ID
			}
			return names, s, turn.Derived, turn.Label()
		}
		names, s, derived, label := shown(b.chat, nit.L1|nit.L2|nit.L3)
		assert.Equal(b, heard, label)
		assert.Equal(b, "一二三四", names)
		assert.Equal(b, &prompt.MoodSummary{Energy: -1, Text: "高兴", Tone: "温柔"}, s.Mood)
		assert.ElementsMatch(b, []string{"k1", "k2"}, derived)
		names, _, derived, label = shown(b.engine.Owners, nit.L1|nit.L2)
		assert.Equal(b, "一二别六", names, "no tool acts")
		assert.ElementsMatch(b, []string{"k1", "k3"}, derived)
		assert.Equal(b, memory.Untrusted(memory.Owner, b.chat.Space, "qq:private:9"), label)
		names, s, derived, label = shown(b.engine.Owners, nit.L1|nit.L2|nit.L3)
		assert.Equal(b, "一六", names, "nothing that others had a hand in")
		assert.Equal(b, memory.Trusted(memory.Owner), label)
		assert.Equal(b, &prompt.MoodSummary{Energy: -1, Tone: "温柔"}, s.Mood)
		assert.Empty(b, derived)
	})
}

func TestNotes_WithoutToolsIsOnlyShown(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		assert.Nil(b, Notes(b.engine, false).Tools)
		assert.NotNil(b, Notes(b.engine, true).Tools)
	})
}

func TestNotes_RefusesATurnOfNoChat(t *testing.T) {
	inBench(t, withTools, func(b *bench) {
		for session, want := range map[string]string{"": "现在不在任何会话里", "group_1": "好"} {
			v := b.engine.Tools.View(nit.Principal{Tiers: nit.L1, Platform: "qq", Session: session})
			answer := v.Call(b.Context(), modeltest.ToolCall("set_slot", map[string]any{"name": "要点", "text": "x"}))
			assert.Contains(b, answer.Content, want)
		}
	})
}

func TestCharacter_OfAChatIsBounded(t *testing.T) {
	inBench(t, withTools, func(b *bench) {
		b.call(b.turn(b.chat), "character_ops", map[string]any{"mood": "高兴", "tone": "温柔", "sleep_minutes": 720})
		b.call(b.turn(b.chat), "character_ops", map[string]any{"sleep_minutes": 20})
		b.call(b.turn(b.chat), "character_ops", map[string]any{"sleep_minutes": 0})
		assert.Equal(b, []string{"心情：高兴", "语气：温柔"}, b.slots(b.chat.Space))
		assert.Empty(b, b.slots(memory.Self))
		assert.Equal(b, []string{"qq:group:1 1h0m0s", "qq:group:1 20m0s"}, b.naps.all())
		assert.Empty(b, b.sleeps.all())
		assert.False(b, b.asleep())
		notes, err := b.notes(b.chat.Space).Slots(b.Context())
		require.NoError(b, err)
		require.NotEmpty(b, notes)
		assert.Equal(b, []string{"heard"}, notes[0].Sources)
	})
}

func (b *bench) asleep() bool {
	return b.engine.Attention.State(time.Now(), b.engine.Self.ID) == heartflow.Offline
}

func TestCharacter_OfTheOwnerHoldsEverywhere(t *testing.T) {
	for redacts, want := range map[bool][2][]string{false: {{"心情：想念王五"}, nil}, true: {nil, {"心情：想念某人"}}} {
		inBench(t, func(b *bench) {
			withTools(b)
			if redacts {
				b.options.Redact = func(_ context.Context, text string) (string, error) {
					return strings.ReplaceAll(text, "王五", "某人"), nil
				}
			}
		}, func(b *bench) {
			turn := b.turn(b.engine.Owners)
			b.call(turn, "character_ops", map[string]any{"mood": "想念王五", "sleep_minutes": 720})
			assert.Equal(b, want[0], b.slots(memory.Owner))
			assert.Equal(b, want[1], b.slots(memory.Self))
			for _, s := range []memory.Space{memory.Owner, memory.Self} {
				notes, err := b.notes(s).Slots(b.Context())
				require.NoError(b, err)
				for _, n := range notes {
					assert.Empty(b, n.Sources, "they lie in another space")
				}
			}
			time.Sleep(11 * time.Hour)
			assert.True(b, b.asleep())
			b.call(turn, "character_ops", map[string]any{"sleep_minutes": 0})
			assert.False(b, b.asleep())
			assert.Equal(b, []string{"12h0m0s", "awake"}, b.sleeps.all())
			assert.Empty(b, b.naps.all())
		})
	}
}

func TestCharacter_BySelfSleepsAnHour(t *testing.T) {
	inBench(t, withTools, func(b *bench) {
		b.call(b.turn(b.engine.Self), "character_ops", map[string]any{"tone": "温柔", "sleep_minutes": 720})
		assert.Equal(b, []string{"语气：温柔"}, b.slots(memory.Self))
		time.Sleep(59 * time.Minute)
		assert.True(b, b.asleep())
		b.call(b.turn(b.engine.Self), "character_ops", map[string]any{"sleep_minutes": 0})
		assert.True(b, b.asleep(), "it wakes nobody whom the owner put to sleep")
		time.Sleep(2 * time.Minute)
		assert.False(b, b.asleep())
		assert.Empty(b, b.sleeps.all())
	})
}

func TestDays_ToolsCarryTheRightsOfTheirTurn(t *testing.T) {
	inBench(t, withTools, func(b *bench) {
		set := map[string]any{"when": "12h", "content": "浇花"}
		plan := map[string]any{"delay_seconds": 43200, "content": map[string]any{"title": "写信"}}
		background := b.turn(b.engine.Owners)
		background.Background = true
		shed := b.turn(b.engine.Owners)
		shed.Wake = &schedule.Wake{Origin: schedule.Origin{Mode: persona.Agent, Restricted: true}}
		turns := []*engine.Turn{b.turn(b.chat), b.turn(b.engine.Owners), shed, background, b.turn(b.engine.Self)}
		for _, turn := range turns {
			b.call(turn, "add_schedule", plan)
		}
		inAgent := func(shed bool, label string) schedule.Origin {
			return schedule.Origin{Mode: persona.Agent, Restricted: shed, Label: label}
		}
		var makers []schedule.Origin
		for _, task := range b.days.schedule.List(everyone) {
			makers = append(makers, task.Origin)
		}
		assert.ElementsMatch(b, []schedule.Origin{ofAlice, inAgent(false, ""), inAgent(true, ""), inAgent(true, "T owner"), {Restricted: true}}, makers)

		b.call(turns[0], "set_timer", set)
		b.call(turns[1], "set_timer", map[string]any{"when": "12h", "content": "吃药"})
		b.call(turns[4], "set_timer", map[string]any{"when": "12h", "content": "散步"})
		assert.NotContains(b, b.call(turns[0], "list_timers", none), "吃药")
		assert.Contains(b, b.call(turns[0], "list_timers", none), "浇花")
		for _, text := range []string{"浇花", "散步"} {
			assert.NotContains(b, b.call(turns[1], "list_timers", none), text, "a stranger's words, perhaps")
		}
		assert.Contains(b, b.call(turns[4], "list_timers", none), "散步")
		assert.Contains(b, b.call(turns[1], "list_timers", none), "吃药")
		all := b.days.timers.List(everyone)
		require.Len(b, all, 3)
		for _, timer := range all {
			b.call(turns[0], "cancel_timer", map[string]any{"id": timer.ID})
		}
		all = b.days.timers.List(everyone)
		require.Len(b, all, 2)
		assert.ElementsMatch(b, []string{"吃药", "散步"}, []string{all[0].Payload, all[1].Payload})
	})
}

func TestTold_HasWordsForTheModel(t *testing.T) {
	for err, words := range map[error]string{schedule.ErrTooLong: "写得太长了", schedule.ErrNotFound: "没有这个 id"} {
		assert.ErrorIs(t, told(err), err)
		assert.ErrorContains(t, told(err), words)
	}
	assert.Equal(t, schedule.ErrPast, told(schedule.ErrPast))
	assert.NoError(t, told(nil))
}
