package social_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Two chats mention the bot before it knows its own name: one request is made, and both messages show the name.
func TestOwnName_RequestedOnce(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		f.qq.DelayResponse("get_login_info", time.Second)
		other := f.qq.Group(2, "隔壁群")
		other.Member(alice, "张三")
		f.group.Say(alice, at(botID, "在吗"))
		other.Say(alice, at(botID, "在吗"))
		f.advance(10 * time.Second)
		assert.Equal(t, "@小炉 在吗", f.journal("qq:group:1")[0])
		assert.Equal(t, "@小炉 在吗", f.journal("qq:group:2")[0])
		assert.Len(t, f.qq.Calls("get_login_info"), 1)
	})
}
