package social_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

// A chat that has used up its calls is silent, also after a restart, and no other chat is.
func TestTheBudgetOfAChatOutlivesARestart(t *testing.T) {
	limited := func(o *social.Options) {
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{PerChat: heartflow.Limits{HourCalls: 2}})
	}
	inBubble(t, counted(), limited, func(b *bubble) {
		for range 4 {
			b.group.Say(alice, at(bot, "?"))
			b.pass(time.Minute)
			b.stop()
			b.start(limited)
		}
		assert.Len(t, b.sent(b.group.Chat()), 2)
		friend := b.qq.Friend(2001, "小满")
		friend.Say(say("晚上好"))
		b.pass(time.Minute)
		assert.Len(t, b.sent(friend.Chat()), 1)
		b.pass(time.Hour)
		b.group.Say(alice, at(bot, "?"))
		b.pass(time.Minute)
		assert.Len(t, b.sent(b.group.Chat()), 3, "an hour later")
	})
}
