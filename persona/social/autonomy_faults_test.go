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

// A pickyStore fails to write some rows and counts calls.
type pickyStore struct {
	*memory.MemStore
	mu     sync.Mutex
	fails  string // prefix of the failing rows; "": none
	reads  atomic.Int64
	writes atomic.Int64
}

func (s *pickyStore) refuse(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = prefix
}

func (s *pickyStore) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	s.reads.Add(1)
	return s.MemStore.Load(ctx, prefix)
}

func (s *pickyStore) Apply(ctx context.Context, rows map[string][]byte) error {
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

func withPickyStore(t *testing.T, change func(*social.Options), test func(f *autonomyFixture, s *pickyStore)) {
	s := new(pickyStore)
	withAutonomy(t, func(o *social.Options) {
		s.MemStore = o.Storage.Store.(*memory.MemStore)
		o.Storage.Store = s
		if change != nil {
			change(o)
		}
	}, func(f *autonomyFixture) { test(f, s) })
}

// Work that finishes while the disk is full does not block later work.
func TestAutonomy_DiskFullForAWhile(t *testing.T) {
	for _, rows := range []string{"task/", "life/"} {
		t.Run(rows, func(t *testing.T) {
			withPickyStore(t, nil, func(f *autonomyFixture, s *pickyStore) {
				said := 0
				f.mu.Lock()
				f.answers[headTask] = func(modeltest.Prompt) modeltest.Step {
					if said++; said == 1 {
						s.refuse(rows)
					}
					return modeltest.Say(fmt.Sprint("做了", said))
				}
				f.mu.Unlock()
				f.answer("", modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": "一"}}),
					modeltest.Call("add_schedule", map[string]any{"delay_seconds": 1800, "content": map[string]any{"title": "二"}}), modeltest.Say("好"))
				_, err := f.bot.OwnerMessage(f.Context(), "做两件事")
				require.NoError(t, err)
				f.advance(8 * time.Minute)
				s.refuse("")
				f.advance(time.Hour)
				assert.Equal(t, []string{"做了1", "做了2"}, f.delivered())
				assert.Len(t, f.resultsOf(schedule.WakeTask), 2)
				day, err := f.bot.Agenda(f.Context())
				require.NoError(t, err)
				assert.Len(t, day.Past, 2)
			})
		})
	}
}

// The timers of one chat do not block those of others, however many it has and however slow the model is.
func TestTimer_ChatsDoNotBlockEachOther(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Reply.Turn.Timeout = 10 * time.Minute }, func(f *autonomyFixture) {
		friend := f.qq.Friend(2001, "小满")
		at10 := time.Now().Add(time.Hour).Format("2006-01-02 15:04")
		f.mu.Lock()
		f.answers[""] = func(p modeltest.Prompt) modeltest.Step {
			most := 19
			if strings.Contains(p.Human(), `<session type="private"`) {
				most = 1
			}
			if len(p.ToolResults()) < most && len(p.ToolResults()) < 3 { // calls of one turn are limited
				return modeltest.Call("set_timer", map[string]any{"when": "once:" + at10, "content": "到点了"})
			}
			return modeltest.Say("好")
		}
		f.answers[headTimer] = func(p modeltest.Prompt) modeltest.Step {
			if strings.Contains(p.Human(), `<session type="private"`) {
				return modeltest.Say("小满，到点了")
			}
			return modeltest.Say(silence).After(5 * time.Minute)
		}
		f.mu.Unlock()
		for range 6 {
			f.group.Say(alice, at(botID, "到点叫我"))
			f.advance(2 * time.Minute)
		}
		friend.Say(onebot.Message{onebot.Text("到点叫我")})
		f.advance(2 * time.Minute)
		day, err := f.bot.Agenda(f.Context())
		require.NoError(t, err)
		require.Greater(t, len(day.Timers), 17)
		f.advance(50 * time.Minute)
		assert.Contains(t, f.sent(friend.Chat()), "小满，到点了")
	})
}

// A fired timer that waits for its turn does not run after its chat was erased.
func TestTimer_ErasedWhileWaiting(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "2min", "content": "提醒金丝雀"}), modeltest.Say("好"),
			modeltest.Say("想好了").After(80*time.Second))
		f.answer(headTimer, modeltest.Say("金丝雀"))
		f.group.Say(alice, at(botID, "两分钟后叫我"))
		f.advance(90 * time.Second)
		day, err := f.bot.Agenda(f.Context())
		require.NoError(t, err)
		require.Len(t, day.Timers, 1)
		f.group.Say(alice, at(botID, "想一想"))
		f.advance(time.Minute) // fired and waiting
		require.Empty(t, f.prompts(headTimer))
		_, err = f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		f.advance(10 * time.Minute)
		assert.Empty(t, f.prompts(headTimer))
		assert.NotContains(t, f.sent(f.group.Chat()), "金丝雀")
	})
}

// An idle bot reads and writes almost nothing in a day.
func TestAutonomy_IdleDay(t *testing.T) {
	withPickyStore(t, func(o *social.Options) { o.Background.Autonomy.Planner.BackgroundPerHour = -1 }, func(f *autonomyFixture, s *pickyStore) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "3d", "content": "看看"}), modeltest.Say("好"))
		_, err := f.bot.OwnerMessage(f.Context(), "三天后看看")
		require.NoError(t, err)
		f.advance(time.Hour)
		reads, writes := s.reads.Load(), s.writes.Load()
		f.advance(24 * time.Hour)
		assert.LessOrEqual(t, s.reads.Load()-reads, int64(24))
		assert.LessOrEqual(t, s.writes.Load()-writes, int64(24))
		t.Log(s.reads.Load()-reads, s.writes.Load()-writes)
		f.answer(headTimer, modeltest.Say("看过了"))
		f.advance(48 * time.Hour)
		assert.Equal(t, []string{"看过了"}, f.delivered())
	})
}

// Nothing runs unprompted over the budget; afterwards due work runs once, late.
func TestAutonomy_OverBudget(t *testing.T) {
	budget := newBudget(heartflow.BudgetOptions{HourTokens: 1000, DayTokens: -1})
	withAutonomy(t, func(o *social.Options) { o.When.Attention.Budget = budget }, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "10min", "content": "喝水"}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "content": map[string]any{"title": "散步"}}), modeltest.Say("好"))
		f.answer(headTimer, modeltest.Say("喝水"))
		f.answer(headTask, modeltest.Say("散步"))
		_, err := f.bot.OwnerMessage(f.Context(), "记着")
		require.NoError(t, err)
		budget.AddCall(time.Now(), "", 800)
		f.advance(50 * time.Minute)
		assert.Empty(t, f.delivered())
		f.advance(20 * time.Minute)
		require.ElementsMatch(t, []string{"喝水", "散步"}, f.delivered())
		assert.True(t, f.resultsOf(schedule.WakeTimer)[0].Wake.Reason.Late)
		assert.True(t, f.resultsOf(schedule.WakeTask)[0].Wake.Reason.Late)
	})
}

// A delivery to the owner that never returns does not block the owner's own turns.
func TestAutonomy_HangingDelivery(t *testing.T) {
	withAutonomy(t, func(o *social.Options) {
		o.Background.Autonomy.DeliverToOwner = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
	}, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "喝水"}), modeltest.Say("好"), modeltest.Say("在"))
		f.answer(headTimer, modeltest.Say("喝水"))
		_, err := f.bot.OwnerMessage(f.Context(), "五分钟后叫我")
		require.NoError(t, err)
		f.advance(6 * time.Minute)
		ctx, stop := context.WithTimeout(f.Context(), 10*time.Minute)
		defer stop()
		reply, err := f.bot.OwnerMessage(ctx, "在吗")
		require.NoError(t, err)
		assert.Equal(t, "在", reply)
	})
}
