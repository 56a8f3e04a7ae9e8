package social_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shutdown ends all autonomous work soon, even if it waits for a slow callback. No goroutine is left: synctest would
// report one.
func TestAutonomy_Shutdown(t *testing.T) {
	for name, hang := range map[string]func(o *social.Options, s *pickyStore, f *autonomyFixture){
		"model": func(_ *social.Options, _ *pickyStore, f *autonomyFixture) { f.answer(headTimer, modeltest.Hang("")) },
		"window": func(o *social.Options, _ *pickyStore, _ *autonomyFixture) {
			o.Background.Autonomy.DeliverToOwner = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
		},
		"activity": func(o *social.Options, _ *pickyStore, _ *autonomyFixture) {
			o.Background.Autonomy.RecentActivity = func(ctx context.Context, _ time.Time) ([]social.OwnerActivity, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		},
		"disk": func(_ *social.Options, s *pickyStore, _ *autonomyFixture) { s.refuse("timer/") },
	} {
		t.Run(name, func(t *testing.T) {
			withPickyStore(t, func(o *social.Options) {
				o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
			}, func(f *autonomyFixture, s *pickyStore) {
				f.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": "喝水"}), modeltest.Say("好"))
				f.answer(headTimer, modeltest.Say("喝水"))
				_, err := f.bot.OwnerMessage(f.Context(), "叫我")
				require.NoError(t, err)
				f.stop()
				f.begin(func(o *social.Options) { f.options(f.change)(o); hang(o, s, f) })
				f.advance(2*time.Minute + 20*time.Second)
				f.stop() // within 5 s
				s.refuse("")
				f.answer(headTimer, modeltest.Say("喝水"))
				f.begin(f.options(f.change))
				f.advance(10 * time.Minute)
				if name != "window" { // the outcome of that delivery is unknown
					assert.Equal(t, []string{"喝水"}, f.delivered())
				}
			})
		})
	}
}

// A sleep ordered by the owner survives a restart.
func TestAutonomy_SleepSurvivesRestart(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("character_ops", map[string]any{"sleep_minutes": 120}), modeltest.Say("好"), modeltest.Say("醒了"))
		_, err := f.bot.OwnerMessage(f.Context(), "睡两个小时")
		require.NoError(t, err)
		f.advance(time.Minute)
		f.restart(nil)
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Empty(t, f.sent(f.group.Chat()))
		f.advance(2 * time.Hour)
		f.group.Say(alice, at(botID, "醒了吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"醒了"}, f.sent(f.group.Chat()))
	})
}

// Erasing waits for a running timer turn, and nothing of that turn is left.
func TestTimer_ErasedWhileRunning(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": secret}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": secret}}), modeltest.Say("好"))
		f.answer(headTimer, modeltest.Call("set_slot", map[string]any{"name": "n", "text": secret}).After(30*time.Second), modeltest.Say(secret).After(30*time.Second))
		f.group.Say(alice, at(botID, "叫我"))
		f.advance(150 * time.Second)
		require.NotEmpty(t, f.prompts(headTimer))
		_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		assert.NotContains(t, everything(f.fixture), secret)
		f.advance(time.Hour)
		assert.NotContains(t, everything(f.fixture), secret)
	})
}

// Focus cycles and timers of one chat alternate, and each sends its own text.
func TestTimer_InFocusedChat(t *testing.T) {
	withAutonomy(t, func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
		o.When.Attention.Caps.Interjections = 3
	}, func(f *autonomyFixture) {
		f.mu.Lock()
		n := 0
		f.answers[""] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n == 1 {
				return modeltest.Call("set_timer", map[string]any{"when": "cron:* * * * *", "content": "报时"})
			}
			return modeltest.Say("聊聊").After(3 * time.Second)
		}
		f.answers[headTimer] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("报时").After(3 * time.Second) }
		f.mu.Unlock()
		for i := range 60 {
			f.group.Say(alice, onebot.Message{onebot.Text(fmt.Sprint("小炉说点什么", i))})
			f.advance(20 * time.Second)
		}
		fired := len(f.resultsOf(schedule.WakeTimer))
		said := strings.Count(strings.Join(f.sent(f.group.Chat()), "\n"), "报时")
		t.Log(fired, said, len(f.sent(f.group.Chat())))
		assert.Greater(t, fired, 10)
		assert.Positive(t, said)
		assert.LessOrEqual(t, said, fired)
		assert.LessOrEqual(t, said, 4*3+2, "timers count towards the caps")
	})
}

// A timer is done even if a shutdown interrupts its send. It does not fire again, even after its job row was removed.
func TestTimer_SentDuringShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, asked := fake(), memory.NewMemStore(), 0
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if part(p) == headTimer {
				return modeltest.Say("喝水啦")
			}
			if part(p) != "" {
				return modeltest.Say(silence)
			}
			switch asked++; asked {
			case 1:
				return modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "喝水"})
			case 2:
				return modeltest.Say("好")
			}
			return modeltest.Hang("")
		})
		said, saying := 0, make(chan struct{})
		f.onSend = func(context.Context) error { // one goroutine at a time: all sends are to one chat
			if said++; said == 2 {
				close(saying)
				time.Sleep(time.Second)
			}
			return nil
		}
		options := func(o *social.Options) {
			o.Tools.Builtin, o.Background.Autonomy = &social.BuiltinTools{}, &social.Autonomy{}
		}
		_, stop := startBot(t, f, model, store, nil, options)
		f.events <- persona.Connected{}
		f.events <- newMessage("1", "a", "小炉 五分钟后提醒我喝水")
		select {
		case <-saying:
		case <-time.After(10 * time.Minute):
			assert.Fail(t, "the timer did not fire")
		}
		stop()
		rows, err := store.Load(t.Context(), "timer/")
		assert.NoError(t, err)
		assert.Empty(t, rows)
		assert.Equal(t, []string{"好", "喝水啦"}, f.sent)
	})
}
