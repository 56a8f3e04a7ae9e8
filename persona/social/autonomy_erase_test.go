package social_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var secretPattern = regexp.MustCompile(secret)

// leakSecret writes the secret down wherever it can, but does not send it: the bot's own messages stay in groups.
func leakSecret(p modeltest.Prompt) modeltest.Step {
	text := secretPattern.FindString(p.Human())
	if text == "" {
		return modeltest.Say("嗯")
	}
	switch part(p) {
	case headReflect, headGlobal, headOutcome:
		return modeltest.Say("想着 " + text)
	}
	i := len(p.ToolResults())
	content := map[string]any{"title": text, "motivation": text}
	calls := []struct {
		tool string
		in   map[string]any
	}{
		{"set_inner_state", map[string]any{"text": text}},
		{"add_schedule", map[string]any{"delay_seconds": 60, "content": content}},
		{"add_schedule", map[string]any{"delay_seconds": 7200, "content": content}},
		{"set_slot", map[string]any{"name": "名字", "text": text}},
		{"character_ops", map[string]any{"mood": text, "tone": text}},
		{"set_timer", map[string]any{"when": "2d", "content": text}},
		{"set_scratch", map[string]any{"name": "草稿", "text": text}},
	}
	for ; i < len(calls); i++ {
		if hasTool(p, calls[i].tool) {
			return modeltest.Call(calls[i].tool, calls[i].in)
		}
	}
	if strings.Contains(part(p), "回想") || part(p) == headPlan {
		return modeltest.Say("想过 " + text)
	}
	return modeltest.Say("嗯")
}

func hasTool(p modeltest.Prompt, name string) bool {
	for _, t := range p.ToolNames() {
		if t == name {
			return true
		}
	}
	return false
}

// Autonomous turns leave nothing of an erased person: no message, inner state, note, timer or task.
func TestAutonomy_EraseReachesAll(t *testing.T) {
	who := persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}
	for name, forget := range map[string]func(f *autonomyFixture) error{
		"person": func(f *autonomyFixture) error { _, err := f.bot.ErasePerson(f.Context(), who, nil); return err },
		"chats": func(f *autonomyFixture) error {
			for _, id := range []string{"1", "2"} {
				chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: id}
				if _, err := f.bot.EraseChat(f.Context(), chat, nil); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			withAutonomy(t, func(o *social.Options) {
				o.When.Chats = func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Public: c.ID == "2"} }
				o.Reply.Turn.MaxCalls = 20
				o.Background.Digest = &social.Digest{}
			}, func(f *autonomyFixture) {
				for _, head := range []string{"", headTimer, headTask, headMissed, headReview, headPlan, headReflect, headGlobal, headOutcome} {
					f.mu.Lock()
					f.answers[head] = leakSecret
					f.mu.Unlock()
				}
				open := f.qq.Group(2, "广场")
				f.group.Member(victim, "王五")
				open.Member(victim, "王五")
				for range 6 {
					f.group.Say(victim, onebot.Message{onebot.At(botID), onebot.Text(" 听说 " + secret)})
					open.Say(victim, onebot.Message{onebot.At(botID), onebot.Text(" 听说 " + secret)})
					f.advance(3 * time.Minute)
				}
				f.advance(2 * time.Hour)
				for _, kind := range []schedule.WakeKind{schedule.WakeTask, schedule.WakeReview, schedule.WakeReflect, schedule.WakeArchive} {
					assert.NotEmpty(t, f.resultsOf(kind), kind)
				}
				held := everything(f.fixture)
				require.Greater(t, strings.Count(held, secret), 20)
				if name == "person" {
					require.Contains(t, held, "qq:group:1")
				}
				require.NoError(t, forget(f))
				left := everything(f.fixture)
				for _, line := range strings.Split(left, "\n") {
					assert.NotContains(t, line, secret)
				}
				f.advance(3 * time.Hour)
				for _, line := range strings.Split(everything(f.fixture), "\n") {
					assert.NotContains(t, line, secret, "later")
				}
			})
		})
	}
}

// Erasing covers rows of an autonomy that is off now; they do not come back when it is on again.
func TestAutonomy_EraseWhileOff(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.group.Member(victim, "王五")
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "2h", "content": secret}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": secret}}), modeltest.Say("好"))
		f.group.Say(victim, at(botID, "两小时后叫我"))
		f.advance(time.Minute)
		off := func(o *social.Options) { f.options(nil)(o); o.Background.Autonomy = nil }
		f.stop()
		f.begin(off)
		f.advance(3 * time.Hour)
		require.Contains(t, everything(f.fixture), secret)
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}, nil)
		require.NoError(t, err)
		assert.NotContains(t, everything(f.fixture), secret)
		f.restart(nil)
		f.advance(time.Hour)
		assert.Empty(t, f.resultsOf(schedule.WakeTimer))
		assert.Empty(t, f.resultsOf(schedule.WakeOutdated))
	})
}

// Work that came due while autonomy was off is done once, late.
func TestAutonomy_SwitchedOffAndOn(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "cron:0 * * * *", "content": "整点"}), modeltest.Say("好"))
		f.answer(headTimer, modeltest.Say("整点了"))
		_, err := f.bot.OwnerMessage(f.Context(), "整点叫我")
		require.NoError(t, err)
		f.stop()
		f.begin(func(o *social.Options) { f.options(nil)(o); o.Background.Autonomy = nil })
		f.advance(5*time.Hour + 10*time.Minute)
		assert.Empty(t, f.delivered())
		f.restart(nil)
		f.advance(10 * time.Minute)
		assert.Equal(t, []string{"整点了"}, f.delivered())
		require.Len(t, f.resultsOf(schedule.WakeTimer), 1)
		assert.True(t, f.resultsOf(schedule.WakeTimer)[0].Wake.Reason.Late)
		f.restart(func(o *social.Options) { o.Tools.Builtin, o.Background.Digest = nil, nil })
		f.advance(2 * time.Hour)
		assert.Len(t, f.resultsOf(schedule.WakeTimer), 3, "also without tools")
	})
}
