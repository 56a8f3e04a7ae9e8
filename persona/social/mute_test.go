package social_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
)

func TestMutedIsSilentAndTold(t *testing.T) {
	var told []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { told = append(told, text); return nil }
	}
	inBubble(t, counted(), notify, func(b *bubble) {
		b.group.Ban(bot, 10*time.Minute)
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Empty(t, b.qq.Sent())
		assert.Empty(t, b.model.Prompts(), "no model is asked for what can't be said")
		assert.Len(t, told, 1)
		b.pass(10 * time.Minute)
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Len(t, b.qq.Sent(), 1)
	})
}

// TestWholeGroupMuted: a mute of everybody has no end of its own; the being speaks once it is lifted, or when an hour has gone by
// without a word of that.
func TestWholeGroupMuted(t *testing.T) {
	for name, lifted := range map[string]bool{"lifted": true, "forgotten": false} {
		t.Run(name, func(t *testing.T) {
			var told []string
			notify := func(o *social.Options) {
				o.Hooks.Notify = func(_ context.Context, text string) error { told = append(told, text); return nil }
			}
			inBubble(t, counted(), notify, func(b *bubble) {
				b.group.Ban(0, time.Second)
				b.group.Say(alice, at(bot, "在吗")) // an admin
				b.pass(50 * time.Minute)
				b.group.Say(alice, at(bot, "还在吗"))
				b.pass(5 * time.Minute)
				assert.Empty(t, b.qq.Calls("send_group_msg"))
				assert.Empty(t, b.model.Prompts(), "no model is asked for what can't be said")
				assert.Len(t, told, 1)
				if lifted {
					b.group.Ban(0, 0)
				} else {
					b.pass(6 * time.Minute)
				}
				b.group.Say(alice, at(bot, "现在呢"))
				b.pass(time.Minute)
				assert.Len(t, b.qq.Calls("send_group_msg"), 1)
			})
		})
	}
}

// A mute without an end, lifted while nobody listened, does not close a chat for ever.
func TestMuteThatWasLiftedUnheard(t *testing.T) {
	inBubble(t, counted(), nil, func(b *bubble) {
		b.group.Say(alice, say("一"))
		b.group.Ban(0, time.Hour)
		b.pass(time.Minute)
		b.stop()
		b.group.Ban(0, 0)
		b.start(nil)
		b.pass(time.Hour)
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Len(t, b.qq.Sent(), 1)
	})
}

// Sent away, the chat is closed until the account is back, over restarts too, and the owner is told once.
func TestSentAway(t *testing.T) {
	var told []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { told = append(told, text); return nil }
	}
	inBubble(t, counted(), notify, func(b *bubble) {
		b.group.Say(alice, say("一"))
		b.pass(time.Minute)
		b.group.Say(alice, at(bot, "在吗")) // the answer is on its way when it happens
		b.group.Kick(bot, alice)
		b.pass(time.Minute)
		assert.Empty(t, b.qq.Calls("send_group_msg"))
		assert.Empty(t, b.model.Prompts())
		assert.Equal(t, []string{"已不在 qq:group:1 里，是 1001 移出的"}, told)

		b.stop()
		b.start(notify)
		b.pass(time.Minute)
		b.group.Join(bot, "小炉")
		b.group.Say(alice, at(bot, "回来啦"))
		b.pass(time.Minute)
		assert.Len(t, b.qq.Sent(), 1)
		assert.Len(t, told, 1)
		rows, err := b.store.Load(t.Context(), "left/")
		assert.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// TestSentAway_IsToldOnce: a platform that tells twice that the account was sent away is heard once, and anew once it has been back.
func TestSentAway_IsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, told := fake(), []string{}
		_, stop := liveOn(t, f, counted(), memory.NewMemStore(), &told)
		defer stop()
		for i := range 2 {
			for range 2 {
				f.in <- persona.BotLeft{Chat: room1, At: time.Now(), By: "a"}
				after(time.Minute)
			}
			assert.Len(t, told, i+1, "%v", told)
			f.in <- persona.BotJoined{Chat: room1}
			after(time.Minute)
		}
	})
}

// Logged out, nothing is tried until the account is back.
func TestLoggedOut(t *testing.T) {
	var told []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { told = append(told, text); return nil }
	}
	inBubble(t, counted(), notify, func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Second)
		b.qq.SetOnline(false)
		b.pass(time.Minute)
		assert.Empty(t, b.qq.Calls("send_group_msg"))
		assert.Len(t, told, 1)
		b.qq.SetOnline(true)
		b.pass(time.Minute)
		b.group.Say(alice, at(bot, "回来啦"))
		b.pass(time.Minute)
		assert.Len(t, b.qq.Sent(), 1)
		assert.Len(t, told, 1)
	})
}
