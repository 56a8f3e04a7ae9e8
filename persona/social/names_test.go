package social_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Two chats mention the bot before it has learned its own name: one asks, and both read well.
func TestOwnNameIsAskedOnceForAll(t *testing.T) {
	inBubble(t, counted(), nil, func(b *bubble) {
		b.qq.DelayResponse("get_login_info", time.Second)
		other := b.qq.Group(2, "隔壁群")
		other.Member(alice, "张三")
		b.group.Say(alice, at(bot, "在吗"))
		other.Say(alice, at(bot, "在吗"))
		b.pass(10 * time.Second)
		assert.Equal(t, "@小炉 在吗", b.journal("qq:group:1")[0])
		assert.Equal(t, "@小炉 在吗", b.journal("qq:group:2")[0])
		assert.Len(t, b.qq.Calls("get_login_info"), 1)
	})
}
