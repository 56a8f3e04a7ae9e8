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

// A banned message is journaled only. It does not reach attention or a prompt, neither in a quote, by recall, as a
// name, nor after a restart.
func TestBanned_JournaledOnly(t *testing.T) {
	filter, err := heartflow.NewFilter([]string{"赌场"}, []string{`\d{3}-\d{4}`})
	require.NoError(t, err)
	withFilter := func(o *social.Options) { o.When.Banned = filter }
	withFixture(t, modeltest.Echo(), withFilter, func(f *fixture) {
		f.group.Member(7, "赌场小妹")
		bad := f.group.Say(alice, at(botID, "小炉 来赌\u200b场玩"))
		f.group.Say(bob, at(botID, "打 555-1234"))
		f.advance(time.Minute)
		assert.Empty(t, f.sent(f.group.Chat()), "the bot was not addressed")
		assert.EqualValues(t, 2, f.bot.Stats().Banned)
		assert.Empty(t, f.journal("qq:group:1"))
		assert.Equal(t, []string{"@小炉 小炉 来赌\u200b场玩", "@小炉 打 555-1234"}, f.journal("qq:group:1!"))

		f.stop()
		f.start(withFilter)
		f.group.Say(7, append(onebot.Message{onebot.Reply(bad)}, say("赌一把？小炉怎么看")...))
		f.advance(time.Minute)
		said := f.sent(f.group.Chat())
		require.Len(t, said, 1)
		assert.Contains(t, said[0], "赌一把", "the echo of the whole prompt")
		for _, canary := range []string{"赌\u200b场", "赌场", "555-1234"} {
			assert.NotContains(t, said[0], canary)
		}
		assert.Len(t, f.journal("qq:group:1!"), 2, "stored once, although the history returned it again")

		f.qq.Recall(bad)
		f.advance(time.Second)
		assert.Equal(t, []string{"@小炉 打 555-1234"}, f.journal("qq:group:1!"))
	})
}

// Messages of the bot's own account stay in its history, even with banned words.
func TestBanned_OwnMessages(t *testing.T) {
	filter, err := heartflow.NewFilter([]string{"赌场"}, nil)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		bot, stop := startBot(t, f, numbered(), store, nil, func(o *social.Options) { o.When.Banned = filter })
		own := newMessage("1", "bot", "别去赌场")
		own.Own = true
		f.events <- own
		f.events <- newMessage("2", "a", "去赌场吗")
		advance(time.Minute)
		assert.Equal(t, []string{"别去赌场"}, stored(t, store))
		assert.EqualValues(t, 1, bot.Stats().Banned)
		stop()
	})
}

func TestBanned_PerChat(t *testing.T) {
	strict, err := heartflow.NewFilter([]string{"小炉"}, nil)
	require.NoError(t, err)
	withFixture(t, modeltest.Always(modeltest.Say("在")), func(o *social.Options) {
		o.When.Banned = strict
		o.When.Chats = func(c persona.Chat) social.ChatOptions {
			if c.ID == "2" {
				return social.ChatOptions{Banned: new(heartflow.Filter)} // no banned words here
			}
			return social.ChatOptions{}
		}
	}, func(f *fixture) {
		lax := f.qq.Group(2, "宽松群")
		lax.Member(alice, "张三")
		f.group.Say(alice, say("小炉在吗"))
		lax.Say(alice, say("小炉在吗"))
		f.advance(time.Minute)
		assert.Empty(t, f.sent(f.group.Chat()))
		assert.Len(t, f.sent(lax.Chat()), 1)
	})
}
