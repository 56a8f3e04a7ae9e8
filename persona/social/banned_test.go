package social_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is banned is journaled, and reaches neither attention nor any prompt: not by itself, not by a quote, not by
// recall, not as a name, not after a restart.
func TestBannedIsJournaledOnly(t *testing.T) {
	filter, err := heartflow.NewFilter([]string{"赌场"}, []string{`\d{3}-\d{4}`})
	require.NoError(t, err)
	withFilter := func(o *social.Options) { o.When.Banned = filter }
	inBubble(t, modeltest.Echo(), withFilter, func(b *bubble) {
		b.group.Member(7, "赌场小妹")
		bad := b.group.Say(alice, at(bot, "小炉 来赌\u200b场玩"))
		b.group.Say(bob, at(bot, "打 555-1234"))
		b.pass(time.Minute)
		assert.Empty(t, b.sent(b.group.Chat()), "nobody called")
		assert.EqualValues(t, 2, b.being.Stats().Banned)
		assert.Empty(t, b.journal("qq:group:1"))
		assert.Equal(t, []string{"@小炉 小炉 来赌\u200b场玩", "@小炉 打 555-1234"}, b.journal("qq:group:1!"))

		b.stop()
		b.start(withFilter)
		b.group.Say(7, append(onebot.Message{onebot.Reply(bad)}, say("赌一把？小炉怎么看")...))
		b.pass(time.Minute)
		said := b.sent(b.group.Chat())
		require.Len(t, said, 1)
		assert.Contains(t, said[0], "赌一把", "the echo of the whole prompt")
		for _, canary := range []string{"赌\u200b场", "赌场", "555-1234"} {
			assert.NotContains(t, said[0], canary)
		}
		assert.Len(t, b.journal("qq:group:1!"), 2, "once, though the history brought it again")

		b.qq.Recall(bad)
		b.pass(time.Second)
		assert.Equal(t, []string{"@小炉 打 555-1234"}, b.journal("qq:group:1!"))
	})
}

// TestBanned_OwnWordsAreNot: what is said by the account itself is its history, whatever is in it.
func TestBanned_OwnWordsAreNot(t *testing.T) {
	filter, err := heartflow.NewFilter([]string{"赌场"}, nil)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		being, stop := liveOn(t, f, counted(), store, nil, func(o *social.Options) { o.When.Banned = filter })
		own := heard("1", "bot", "别去赌场")
		own.Own = true
		f.in <- own
		f.in <- heard("2", "a", "去赌场吗")
		after(time.Minute)
		assert.Equal(t, []string{"别去赌场"}, kept(t, store))
		assert.EqualValues(t, 1, being.Stats().Banned)
		stop()
	})
}

func TestBannedPerChat(t *testing.T) {
	strict, err := heartflow.NewFilter([]string{"小炉"}, nil)
	require.NoError(t, err)
	inBubble(t, modeltest.Always(modeltest.Say("在")), func(o *social.Options) {
		o.When.Banned = strict
		o.When.Chats = func(c persona.Chat) social.ChatOptions {
			if c.ID == "2" {
				return social.ChatOptions{Banned: new(heartflow.Filter)} // nothing is banned here
			}
			return social.ChatOptions{}
		}
	}, func(b *bubble) {
		lax := b.qq.Group(2, "宽松群")
		lax.Member(alice, "张三")
		b.group.Say(alice, say("小炉在吗"))
		lax.Say(alice, say("小炉在吗"))
		b.pass(time.Minute)
		assert.Empty(t, b.sent(b.group.Chat()))
		assert.Len(t, b.sent(lax.Chat()), 1)
	})
}
