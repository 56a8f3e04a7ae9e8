package social_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAStopEndsAllThatItDoesByItself soon, whatever that waits for, and leaves no goroutine: the bubble would tell.
func TestAStopEndsAllThatItDoesByItself(t *testing.T) {
	for name, hang := range map[string]func(o *social.Options, s *picky, l *lively){
		"model": func(_ *social.Options, _ *picky, l *lively) { l.answer(timed, modeltest.Hang("")) },
		"window": func(o *social.Options, _ *picky, _ *lively) {
			o.Background.Autonomy.DeliverToOwner = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
		},
		"activity": func(o *social.Options, _ *picky, _ *lively) {
			o.Background.Autonomy.RecentActivity = func(ctx context.Context, _ time.Time) ([]social.OwnerActivity, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		},
		"disk": func(_ *social.Options, s *picky, _ *lively) { s.refuse("timer/") },
	} {
		t.Run(name, func(t *testing.T) {
			withPicky(t, func(o *social.Options) {
				o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
			}, func(l *lively, s *picky) {
				l.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": "喝水"}), modeltest.Say("好"))
				l.answer(timed, modeltest.Say("喝水"))
				_, err := l.being.OwnerMessage(l.Context(), "叫我")
				require.NoError(t, err)
				l.stop()
				l.begin(func(o *social.Options) { l.options(l.change)(o); hang(o, s, l) })
				l.pass(2*time.Minute + 20*time.Second)
				l.stop() // within 5 s
				s.refuse("")
				l.answer(timed, modeltest.Say("喝水"))
				l.begin(l.options(l.change))
				l.pass(10 * time.Minute)
				if name != "window" { // that it was said is not known there
					assert.Equal(t, []string{"喝水"}, l.heard())
				}
			})
		})
	}
}

// TestSleepOutlivesARestart, where the owner wanted it.
func TestSleepOutlivesARestart(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Call("character_ops", map[string]any{"sleep_minutes": 120}), modeltest.Say("好"), modeltest.Say("醒了"))
		_, err := l.being.OwnerMessage(l.Context(), "睡两个小时")
		require.NoError(t, err)
		l.pass(time.Minute)
		l.again(nil)
		l.pass(time.Minute)
		l.group.Say(alice, at(bot, "在吗"))
		l.pass(time.Minute)
		assert.Empty(t, l.sent(l.group.Chat()))
		l.pass(2 * time.Hour)
		l.group.Say(alice, at(bot, "醒了吗"))
		l.pass(time.Minute)
		assert.Equal(t, []string{"醒了"}, l.sent(l.group.Chat()))
	})
}

// TestForgottenWhileItsTimerIsThoughtOf: who forgets waits for what is under way, and nothing of it is left.
func TestForgottenWhileItsTimerIsThoughtOf(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": secret}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": secret}}), modeltest.Say("好"))
		l.answer(timed, modeltest.Call("set_slot", map[string]any{"name": "n", "text": secret}).After(30*time.Second), modeltest.Say(secret).After(30*time.Second))
		l.group.Say(alice, at(bot, "叫我"))
		l.pass(150 * time.Second)
		require.NotEmpty(t, l.prompts(timed))
		_, err := l.being.EraseChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		assert.NotContains(t, everything(l.bubble), secret)
		l.pass(time.Hour)
		assert.NotContains(t, everything(l.bubble), secret)
	})
}

// TestTimersInAFocusedChat: cycles of focus and timers of the same chat take turns, and each says its own.
func TestTimersInAFocusedChat(t *testing.T) {
	withDays(t, func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
	}, func(l *lively) {
		l.mu.Lock()
		n := 0
		l.says[""] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n == 1 {
				return modeltest.Call("set_timer", map[string]any{"when": "cron:* * * * *", "content": "报时"})
			}
			return modeltest.Say("聊聊").After(3 * time.Second)
		}
		l.says[timed] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("报时").After(3 * time.Second) }
		l.mu.Unlock()
		for i := range 60 {
			l.group.Say(alice, onebot.Message{onebot.Text(fmt.Sprint("小炉说点什么", i))})
			l.pass(20 * time.Second)
		}
		fired := len(l.did(schedule.WakeTimer))
		said := strings.Count(strings.Join(l.sent(l.group.Chat()), "\n"), "报时")
		t.Log(fired, said, len(l.sent(l.group.Chat())))
		assert.Greater(t, fired, 10)
		assert.Positive(t, said)
		assert.LessOrEqual(t, said, fired)
		assert.Less(t, len(l.sent(l.group.Chat())), 40, "timers are within the caps, too")
	})
}
