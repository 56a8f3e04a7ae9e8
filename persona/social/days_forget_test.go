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

var told = regexp.MustCompile(secret)

// blabs writes down whatever it reads of the secret, wherever it can, and says nothing of it: what it has said itself in
// groups stays there.
func blabs(p modeltest.Prompt) modeltest.Step {
	text := told.FindString(p.Human())
	if text == "" {
		return modeltest.Say("嗯")
	}
	switch part(p) {
	case inward, wide, looked:
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
	if strings.Contains(part(p), "回想") || part(p) == ahead {
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

// TestForgottenInAllItsDays: nothing that it did, felt, wrote down or planned by itself keeps what is forgotten.
func TestForgottenInAllItsDays(t *testing.T) {
	who := persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}
	for name, forget := range map[string]func(l *lively) error{
		"person": func(l *lively) error { _, err := l.being.ErasePerson(l.Context(), who, nil); return err },
		"chats": func(l *lively) error {
			for _, id := range []string{"1", "2"} {
				chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: id}
				if _, err := l.being.EraseChat(l.Context(), chat, nil); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			withDays(t, func(o *social.Options) {
				o.When.Chats = func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Public: c.ID == "2"} }
				o.Reply.Turn.MaxCalls = 20
				o.Background.Digest = &social.Digest{}
			}, func(l *lively) {
				for _, head := range []string{"", timed, planned, overdue, review, ahead, inward, wide, looked} {
					l.mu.Lock()
					l.says[head] = blabs
					l.mu.Unlock()
				}
				open := l.qq.Group(2, "广场")
				l.group.Member(victim, "王五")
				open.Member(victim, "王五")
				for range 6 {
					l.group.Say(victim, onebot.Message{onebot.At(bot), onebot.Text(" 听说 " + secret)})
					open.Say(victim, onebot.Message{onebot.At(bot), onebot.Text(" 听说 " + secret)})
					l.pass(3 * time.Minute)
				}
				l.pass(2 * time.Hour)
				for _, kind := range []schedule.WakeKind{schedule.WakeTask, schedule.WakeReview, schedule.WakeReflect, schedule.WakeArchive} {
					assert.NotEmpty(t, l.did(kind), kind)
				}
				held := everything(l.bubble)
				require.Greater(t, strings.Count(held, secret), 20)
				if name == "person" {
					require.Contains(t, held, "qq:group:1")
				}
				require.NoError(t, forget(l))
				left := everything(l.bubble)
				for _, line := range strings.Split(left, "\n") {
					assert.NotContains(t, line, secret)
				}
				l.pass(3 * time.Hour)
				for _, line := range strings.Split(everything(l.bubble), "\n") {
					assert.NotContains(t, line, secret, "later")
				}
			})
		})
	}
}

// TestForgottenAfterItsDaysWereSwitchedOff: what it had planned before goes, too, and does not come back with them.
func TestForgottenAfterItsDaysWereSwitchedOff(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.group.Member(victim, "王五")
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "2h", "content": secret}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": secret}}), modeltest.Say("好"))
		l.group.Say(victim, at(bot, "两小时后叫我"))
		l.pass(time.Minute)
		off := func(o *social.Options) { l.options(nil)(o); o.Background.Autonomy = nil }
		l.stop()
		l.begin(off)
		l.pass(3 * time.Hour)
		require.Contains(t, everything(l.bubble), secret)
		_, err := l.being.ErasePerson(l.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}, nil)
		require.NoError(t, err)
		assert.NotContains(t, everything(l.bubble), secret)
		l.again(nil)
		l.pass(time.Hour)
		assert.Empty(t, l.did(schedule.WakeTimer))
		assert.Empty(t, l.did(schedule.WakeOutdated))
	})
}

// TestDaysSwitchedOffAndOn: what came due meanwhile is done once, late.
func TestDaysSwitchedOffAndOn(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "cron:0 * * * *", "content": "整点"}), modeltest.Say("好"))
		l.answer(timed, modeltest.Say("整点了"))
		_, err := l.being.OwnerMessage(l.Context(), "整点叫我")
		require.NoError(t, err)
		l.stop()
		l.begin(func(o *social.Options) { l.options(nil)(o); o.Background.Autonomy = nil })
		l.pass(5*time.Hour + 10*time.Minute)
		assert.Empty(t, l.heard())
		l.again(nil)
		l.pass(10 * time.Minute)
		assert.Equal(t, []string{"整点了"}, l.heard())
		require.Len(t, l.did(schedule.WakeTimer), 1)
		assert.True(t, l.did(schedule.WakeTimer)[0].Wake.Reason.Late)
		l.again(func(o *social.Options) { o.Tools.Builtin, o.Background.Digest = nil, nil })
		l.pass(2 * time.Hour)
		assert.Len(t, l.did(schedule.WakeTimer), 3, "also without tools")
	})
}
