package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

// With default options the bot goes on with a talk: after a reply it answers some of its partner's messages about the
// topic. With MentionOnly it does not.
func TestActive_JoinsByDefault(t *testing.T) {
	for _, c := range []struct {
		policy   heartflow.Policy
		min, max int
	}{{nil, 3, 8}, {heartflow.MentionOnly{}, 1, 1}} {
		withFixture(t, numbered(), func(o *social.Options) {
			o.When.Attention.Policy, o.When.Attention.Staleness.RepeatWindow = c.policy, -1
		}, func(f *fixture) {
			f.group.Say(alice, at(botID, "手冲咖啡用几度的水？"))
			f.advance(10 * time.Second)
			for i := range 20 {
				f.group.Say(alice, say(fmt.Sprintf("那第 %d 句，水温再高一点呢", i)))
				f.advance(25 * time.Second)
			}
			said := len(f.sent(f.group.Chat()))
			assert.GreaterOrEqual(t, said, c.min, "%v", c.policy)
			assert.LessOrEqual(t, said, c.max, "%v", c.policy)
		})
	}
}
