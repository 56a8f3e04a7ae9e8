package social_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A picky store fails to write some rows, and counts what it is asked.
type picky struct {
	*memory.MemStore
	mu     sync.Mutex
	fails  string // the prefix of these rows; "": none
	reads  atomic.Int64
	writes atomic.Int64
}

func (s *picky) refuse(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = prefix
}

func (s *picky) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	s.reads.Add(1)
	return s.MemStore.Load(ctx, prefix)
}

func (s *picky) Apply(ctx context.Context, rows map[string][]byte) error {
	s.writes.Add(1)
	s.mu.Lock()
	fails := s.fails
	s.mu.Unlock()
	for key := range rows {
		if fails != "" && strings.HasPrefix(key, fails) {
			return errFull
		}
	}
	return s.MemStore.Apply(ctx, rows)
}

func withPicky(t *testing.T, change func(*social.Options), test func(l *lively, s *picky)) {
	s := new(picky)
	withDays(t, func(o *social.Options) {
		s.MemStore = o.Storage.Store.(*memory.MemStore)
		o.Storage.Store = s
		if change != nil {
			change(o)
		}
	}, func(l *lively) { test(l, s) })
}

// TestADiskThatWasFullForAWhileEndsNothing: what was done while that could not be written down stands in nobody's way.
func TestADiskThatWasFullForAWhileEndsNothing(t *testing.T) {
	for _, rows := range []string{"task/", "life/"} {
		t.Run(rows, func(t *testing.T) {
			withPicky(t, nil, func(l *lively, s *picky) {
				said := 0
				l.mu.Lock()
				l.says[planned] = func(modeltest.Prompt) modeltest.Step {
					if said++; said == 1 {
						s.refuse(rows)
					}
					return modeltest.Say(fmt.Sprint("做了", said))
				}
				l.mu.Unlock()
				l.answer("", modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": "一"}}),
					modeltest.Call("add_schedule", map[string]any{"delay_seconds": 1800, "content": map[string]any{"title": "二"}}), modeltest.Say("好"))
				_, err := l.being.OwnerMessage(l.Context(), "做两件事")
				require.NoError(t, err)
				l.pass(8 * time.Minute)
				s.refuse("")
				l.pass(time.Hour)
				assert.Equal(t, []string{"做了1", "做了2"}, l.heard())
				assert.Len(t, l.did(schedule.WakeTask), 2)
				day, err := l.being.Agenda(l.Context())
				require.NoError(t, err)
				assert.Len(t, day.Past, 2)
			})
		})
	}
}

// TestOneChatDoesNotHoldUpTheTimersOfOthers, however many it has and however slow the model is.
func TestOneChatDoesNotHoldUpTheTimersOfOthers(t *testing.T) {
	withDays(t, func(o *social.Options) { o.Reply.Turn.Timeout = 10 * time.Minute }, func(l *lively) {
		friend := l.qq.Friend(2001, "小满")
		at10 := time.Now().Add(time.Hour).Format("2006-01-02 15:04")
		l.mu.Lock()
		l.says[""] = func(p modeltest.Prompt) modeltest.Step {
			most := 19
			if strings.Contains(p.Human(), `<session type="private"`) {
				most = 1
			}
			if len(p.ToolResults()) < most && len(p.ToolResults()) < 3 { // calls of one turn are bounded
				return modeltest.Call("set_timer", map[string]any{"when": "once:" + at10, "content": "到点了"})
			}
			return modeltest.Say("好")
		}
		l.says[timed] = func(p modeltest.Prompt) modeltest.Step {
			if strings.Contains(p.Human(), `<session type="private"`) {
				return modeltest.Say("小满，到点了")
			}
			return modeltest.Say(noAnswer).After(5 * time.Minute)
		}
		l.mu.Unlock()
		for range 6 {
			l.group.Say(alice, at(bot, "到点叫我"))
			l.pass(2 * time.Minute)
		}
		friend.Say(onebot.Message{onebot.Text("到点叫我")})
		l.pass(2 * time.Minute)
		day, err := l.being.Agenda(l.Context())
		require.NoError(t, err)
		require.Greater(t, len(day.Timers), 17)
		l.pass(50 * time.Minute)
		assert.Contains(t, l.sent(friend.Chat()), "小满，到点了")
	})
}

// TestForgottenWhileItsTimerWaits: what fired, and waits for a turn, is not done after its chat was forgotten.
func TestForgottenWhileItsTimerWaits(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": "提醒金丝雀"}), modeltest.Say("好"),
			modeltest.Say("想好了").After(80*time.Second))
		l.answer(timed, modeltest.Say("金丝雀"))
		l.group.Say(alice, at(bot, "两分钟后叫我"))
		l.pass(90 * time.Second)
		day, err := l.being.Agenda(l.Context())
		require.NoError(t, err)
		require.Len(t, day.Timers, 1)
		l.group.Say(alice, at(bot, "想一想"))
		l.pass(time.Minute) // fired, and waits
		require.Empty(t, l.prompts(timed))
		_, err = l.being.EraseChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		l.pass(10 * time.Minute)
		assert.Empty(t, l.prompts(timed))
		assert.NotContains(t, l.sent(l.group.Chat()), "金丝雀")
	})
}

// TestAnIdleDayCostsNothing: who has nothing to do reads and writes next to nothing, and looks at the clock.
func TestAnIdleDayCostsNothing(t *testing.T) {
	withPicky(t, func(o *social.Options) { o.Background.Autonomy.Planner.BackgroundPerHour = -1 }, func(l *lively, s *picky) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "3d", "content": "看看"}), modeltest.Say("好"))
		_, err := l.being.OwnerMessage(l.Context(), "三天后看看")
		require.NoError(t, err)
		l.pass(time.Hour)
		reads, writes := s.reads.Load(), s.writes.Load()
		l.pass(24 * time.Hour)
		assert.LessOrEqual(t, s.reads.Load()-reads, int64(24))
		assert.LessOrEqual(t, s.writes.Load()-writes, int64(24))
		t.Log(s.reads.Load()-reads, s.writes.Load()-writes)
		l.answer(timed, modeltest.Say("看过了"))
		l.pass(48 * time.Hour)
		assert.Equal(t, []string{"看过了"}, l.heard())
	})
}

// TestWhileTheBudgetIsSpentNothingIsDone, and afterwards once, late.
func TestWhileTheBudgetIsSpentNothingIsDone(t *testing.T) {
	budget := newBudget(heartflow.BudgetOptions{HourTokens: 1000, DayTokens: -1})
	withDays(t, func(o *social.Options) { o.When.Attention.Budget = budget }, func(l *lively) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "10min", "content": "喝水"}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "content": map[string]any{"title": "散步"}}), modeltest.Say("好"))
		l.answer(timed, modeltest.Say("喝水"))
		l.answer(planned, modeltest.Say("散步"))
		_, err := l.being.OwnerMessage(l.Context(), "记着")
		require.NoError(t, err)
		budget.AddCall(time.Now(), "", 800)
		l.pass(50 * time.Minute)
		assert.Empty(t, l.heard())
		l.pass(20 * time.Minute)
		require.ElementsMatch(t, []string{"喝水", "散步"}, l.heard())
		assert.True(t, l.did(schedule.WakeTimer)[0].Wake.Reason.Late)
		assert.True(t, l.did(schedule.WakeTask)[0].Wake.Reason.Late)
	})
}

// TestAWindowThatHangsHoldsUpNobody: the owner can talk to it again, though what brings them its words does not return.
func TestAWindowThatHangsHoldsUpNobody(t *testing.T) {
	withDays(t, func(o *social.Options) {
		o.Background.Autonomy.DeliverToOwner = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
	}, func(l *lively) {
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "喝水"}), modeltest.Say("好"), modeltest.Say("在"))
		l.answer(timed, modeltest.Say("喝水"))
		_, err := l.being.OwnerMessage(l.Context(), "五分钟后叫我")
		require.NoError(t, err)
		l.pass(6 * time.Minute)
		ctx, stop := context.WithTimeout(l.Context(), 10*time.Minute)
		defer stop()
		reply, err := l.being.OwnerMessage(ctx, "在吗")
		require.NoError(t, err)
		assert.Equal(t, "在", reply)
	})
}
