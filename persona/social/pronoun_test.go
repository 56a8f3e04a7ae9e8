package social_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

// A pronoun in a message means whom the messages before it name: what that person said is the first memory.
func TestRecall_PronounInMessage(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), func(o *social.Options) { o.Reply.History = 2 }, func(f *fixture) {
		carol := int64(1003)
		first := func(talk ...string) string {
			for _, text := range talk {
				f.group.Say(carol, say(text))
				f.advance(5 * time.Minute)
			}
			f.group.Say(carol, at(botID, "他住在山下吗"))
			f.advance(time.Minute)
			for memory := range strings.SplitSeq(p.last("说"), "<memory ") {
				if who, _, ok := strings.Cut(memory, ">住在山下<"); ok {
					return who
				}
			}
			return ""
		}
		f.group.Say(alice, say("住在山下"))
		f.advance(time.Hour)
		f.group.Say(bob, say("住在山下"))
		f.advance(time.Hour)
		for range 8 {
			f.group.Say(carol, say("早上好呀"))
			f.advance(time.Hour)
		}
		assert.Contains(t, first("李四走了", "张三好久没来了", "哈哈"), `who="张三"`)
		assert.Contains(t, first("张三走了", "李四好久没来了", "哈哈"), `who="李四"`)
	})
}
