package social_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

// TestATimerIsOverAtAStop that came while it was said: it is not given again, by when its errand may be forgotten.
func TestATimerIsOverAtAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, asked := fake(), memory.NewMemStore(), 0
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if part(p) == timed {
				return modeltest.Say("喝水啦")
			}
			if part(p) != "" {
				return modeltest.Say(noAnswer)
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
		f.say = func(context.Context) error { // by one goroutine at a time: of one chat
			if said++; said == 2 {
				close(saying)
				time.Sleep(time.Second)
			}
			return nil
		}
		lives := func(o *social.Options) {
			o.Tools.Builtin, o.Background.Autonomy = &social.BuiltinTools{}, &social.Autonomy{}
		}
		_, stop := liveOn(t, f, model, store, nil, lives)
		f.in <- persona.Connected{}
		f.in <- heard("1", "a", "小炉 五分钟后提醒我喝水")
		select {
		case <-saying:
		case <-time.After(10 * time.Minute):
			assert.Fail(t, "the timer did not fire")
		}
		stop()
		rows, err := store.Load(t.Context(), "timer/")
		assert.NoError(t, err)
		assert.Empty(t, rows)
		assert.Equal(t, []string{"好", "喝水啦"}, f.said)
	})
}
