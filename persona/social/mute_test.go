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

func TestMute_SilentAndReported(t *testing.T) {
	var notices []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
	}
	withFixture(t, numbered(), notify, func(f *fixture) {
		f.group.Ban(botID, 10*time.Minute)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Sent())
		assert.Empty(t, f.model.Prompts(), "no model call without permission to send")
		assert.Len(t, notices, 1)
		f.advance(10 * time.Minute)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
	})
}

// A mute of the whole group has no known end. The bot sends again when it is lifted, or after an hour without mute
// events.
func TestMute_WholeGroup(t *testing.T) {
	for name, lifted := range map[string]bool{"lifted": true, "forgotten": false} {
		t.Run(name, func(t *testing.T) {
			var notices []string
			notify := func(o *social.Options) {
				o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
			}
			withFixture(t, numbered(), notify, func(f *fixture) {
				f.group.Ban(0, time.Second)
				f.group.Say(alice, at(botID, "在吗")) // an admin
				f.advance(50 * time.Minute)
				f.group.Say(alice, at(botID, "还在吗"))
				f.advance(5 * time.Minute)
				assert.Empty(t, f.qq.Calls("send_group_msg"))
				assert.Empty(t, f.model.Prompts(), "no model call without permission to send")
				assert.Len(t, notices, 1)
				if lifted {
					f.group.Ban(0, 0)
				} else {
					f.advance(6 * time.Minute)
				}
				f.group.Say(alice, at(botID, "现在呢"))
				f.advance(time.Minute)
				assert.Len(t, f.qq.Calls("send_group_msg"), 1)
			})
		})
	}
}

// A mute without an end that was lifted while the bot was away does not close the chat for ever.
func TestMute_LiftedWhileAway(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		f.group.Say(alice, say("一"))
		f.group.Ban(0, time.Hour)
		f.advance(time.Minute)
		f.stop()
		f.group.Ban(0, 0)
		f.start(nil)
		f.advance(time.Hour)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
	})
}

// If the account is removed from a chat, the chat is closed until it is back, also over restarts, and the owner gets
// one notice.
func TestRemoved_ClosesChat(t *testing.T) {
	var notices []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
	}
	withFixture(t, numbered(), notify, func(f *fixture) {
		f.group.Say(alice, say("一"))
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "在吗")) // the answer is on its way at that moment
		f.group.Kick(botID, alice)
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Calls("send_group_msg"))
		assert.Empty(t, f.model.Prompts())
		assert.Equal(t, []string{"已不在 qq:group:1 里，是 1001 移出的"}, notices)

		f.stop()
		f.start(notify)
		f.advance(time.Minute)
		f.group.Join(botID, "小炉")
		f.group.Say(alice, at(botID, "回来啦"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
		assert.Len(t, notices, 1)
		rows, err := f.store.Load(t.Context(), "left/")
		assert.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// A duplicate event about a removal gives no second notice. A new removal after a rejoin does.
func TestRemoved_ReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, notices := fake(), []string{}
		_, stop := startBot(t, f, numbered(), memory.NewMemStore(), &notices)
		defer stop()
		for i := range 2 {
			for range 2 {
				f.events <- persona.BotLeft{Chat: group1, At: time.Now(), By: "a"}
				advance(time.Minute)
			}
			assert.Len(t, notices, i+1, "%v", notices)
			f.events <- persona.BotJoined{Chat: group1}
			advance(time.Minute)
		}
	})
}

// While the account is logged out, nothing is sent.
func TestLoggedOut_SendsNothing(t *testing.T) {
	var notices []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
	}
	withFixture(t, numbered(), notify, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Second)
		f.qq.SetOnline(false)
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Calls("send_group_msg"))
		assert.Len(t, notices, 1)
		f.qq.SetOnline(true)
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "回来啦"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
		assert.Len(t, notices, 1)
	})
}
