package social_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot/onebottest"
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

// A repeated notice of the same mute gives no second notice, also after a restart. A longer mute, and a new one after
// the end of the last, do.
func TestMute_ReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, notices := fake(), memory.NewMemStore(), []string{}
		_, stop := startBot(t, f, numbered(), store, &notices)
		defer func() { stop() }()
		muted := func(until time.Time, want int) {
			t.Helper()
			f.events <- persona.BotMuted{Chat: group1, At: time.Now(), Until: until}
			advance(time.Second)
			assert.Len(t, notices, want, "%v", notices)
		}
		end := time.Now().Add(time.Hour)
		muted(end, 1)
		muted(end, 1)
		muted(end.Add(time.Second), 1)
		stop()
		f = fake()
		_, stop = startBot(t, f, numbered(), store, &notices)
		muted(end, 1)
		muted(end.Add(time.Hour), 2)
		muted(time.Time{}, 2)
		muted(end, 3)
		advance(2 * time.Hour)
		muted(time.Now().Add(time.Hour), 4)
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

// A heartbeat that reports the account as logged out counts as a logout, once. One that reports it as logged in ends it.
func TestLoggedOut_ByHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told notices
		f := &fixture{T: t, model: numbered(), store: memory.NewMemStore()}
		f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Heartbeat: 15 * time.Second, Quirks: onebottest.Quirks{Events: onebottest.LikeGoCQHTTP}})
		f.group = f.qq.Group(1, "技术群")
		f.group.Member(alice, "张三")
		f.start(func(o *social.Options) { o.Hooks.Notify = told.add })
		f.advance(time.Minute)
		assert.Empty(t, told.all())
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Second)
		f.qq.SetOnline(false)
		f.advance(time.Second / 2) // no event says so
		assert.Empty(t, told.all())
		f.qq.Emit(heartbeat(map[string]any{"online": false, "good": true}))
		f.advance(3 * time.Minute)
		assert.Len(t, told.all(), 1)
		assert.Empty(t, f.qq.Calls("send_group_msg"))
		f.qq.SetOnline(true)
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "回来啦"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
		assert.Len(t, told.all(), 1)

		for _, unknown := range []any{nil, map[string]any{}, map[string]any{"online": nil}, "ok"} {
			f.qq.Emit(heartbeat(unknown))
			f.advance(time.Second)
		}
		assert.Len(t, told.all(), 1, "an unknown state is no logout")
		f.stop()
		f.qq.Close()
	})
}

// A message after an offline heartbeat proves that the heartbeats are wrong: the bot answers, and the owner is told once.
func TestLoggedOut_WrongHeartbeats(t *testing.T) {
	var told notices
	withFixture(t, numbered(), func(o *social.Options) { o.Hooks.Notify = told.add }, func(f *fixture) {
		for range 5 {
			f.qq.Emit(heartbeat(map[string]any{"online": false}))
			f.advance(time.Minute)
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
		}
		assert.Len(t, f.sent(f.group.Chat()), 5)
		assert.Len(t, told.all(), 1)
		f.qq.Emit(heartbeat(map[string]any{"online": true}))
		f.qq.Emit(heartbeat(map[string]any{"online": false}))
		f.advance(time.Minute)
		assert.Len(t, told.all(), 2, "the heartbeats are right again")
	})
}

func heartbeat(status any) map[string]any {
	return map[string]any{"post_type": "meta_event", "meta_event_type": "heartbeat", "interval": 0, "status": status}
}
