package social_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

// A chat over its own budget is silent, also after a restart; other chats are not affected.
func TestBudget_OfChatSurvivesRestart(t *testing.T) {
	limited := func(o *social.Options) {
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{PerChat: heartflow.Limits{HourCalls: 2}})
	}
	withFixture(t, numbered(), limited, func(f *fixture) {
		for range 4 {
			f.group.Say(alice, at(botID, "?"))
			f.advance(time.Minute)
			f.stop()
			f.start(limited)
		}
		assert.Len(t, f.sent(f.group.Chat()), 2)
		friend := f.qq.Friend(2001, "小满")
		friend.Say(say("晚上好"))
		f.advance(time.Minute)
		assert.Len(t, f.sent(friend.Chat()), 1)
		f.advance(time.Hour)
		f.group.Say(alice, at(botID, "?"))
		f.advance(time.Minute)
		assert.Len(t, f.sent(f.group.Chat()), 3, "an hour later")
	})
}

// newBudget is heartflow.NewBudget for valid options.
func newBudget(o heartflow.BudgetOptions) *heartflow.Budget {
	b, err := heartflow.NewBudget(o)
	if err != nil {
		panic(err)
	}
	return b
}
