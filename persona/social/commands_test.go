package social_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	boss  = 5001 // an owner
	chief = 5002 // another owner
	admin = 5003
)

func qqAccount(n int64) persona.Account { return persona.Account{Platform: "qq", ID: fmt.Sprint(n)} }

func withCommandOptions(o *social.Options) {
	o.Access.Commands, o.Access.Owners, o.Access.Admins = true, []persona.Account{qqAccount(boss), qqAccount(chief)}, []persona.Account{qqAccount(admin)}
}

// withCommands runs a test with a bot that accepts commands, in a group with its owners, an admin and others.
func withCommands(t *testing.T, model *modeltest.Model, change func(*social.Options), test func(f *fixture)) {
	withFixture(t, model, func(o *social.Options) {
		if withCommandOptions(o); change != nil {
			change(o)
		}
	}, func(f *fixture) {
		for who, name := range map[int64]string{boss: "主人", chief: "二主人", admin: "管家"} {
			f.group.Member(who, name)
		}
		test(f)
	})
}

// said returns the bot's messages in the group since the last call.
func (f *fixture) said(seen *int) []string {
	all := f.sent(f.group.Chat())
	fresh := all[*seen:]
	*seen = len(all)
	return fresh
}

// Owners and admins can silence the bot for a time. An admin cannot end or shorten an owner's request, and a restart
// changes nothing.
func TestCommands_QuietAndSpeak(t *testing.T) {
	withCommands(t, numbered(), nil, func(f *fixture) {
		seen := 0
		order := func(who int64, text string) []string {
			f.group.Say(who, at(botID, text))
			f.advance(30 * time.Second)
			return f.said(&seen)
		}
		calls := func() bool { return len(order(alice, "在吗")) > 0 }
		require.True(t, calls())
		assert.Equal(t, []string{"好，安静到 01-01 00:10。"}, order(boss, "安静10分钟"))
		assert.Len(t, f.model.Prompts(), 1, "a command makes no turn")
		assert.False(t, calls())
		assert.Empty(t, order(admin, "说话"), "a quiet bot does not answer")
		assert.False(t, calls(), "an admin cannot end an owner's request")
		assert.Empty(t, order(admin, "quiet 1m"))
		f.advance(2 * time.Minute)
		assert.False(t, calls(), "nor shorten it")
		f.stop()
		f.start(withCommandOptions)
		assert.False(t, calls(), "the request survives a restart")
		assert.Equal(t, []string{"All right."}, order(chief, "/speak"))
		assert.True(t, calls())

		assert.Equal(t, []string{"好，安静到 01-01 00:37。"}, order(admin, "安静"))
		assert.False(t, calls())
		assert.Equal(t, []string{"好。"}, order(admin, "说话"))
		f.advance(5 * time.Minute)
		assert.True(t, calls())
		order(boss, "quiet 2m")
		assert.False(t, calls())
		f.advance(3 * time.Minute)
		assert.True(t, calls(), "the request has ended")
		private := f.qq.Friend(boss, "主人")
		private.Say(say("安静"))
		f.advance(time.Minute)
		assert.Contains(t, f.sent(private.Chat()), "好，安静到 01-01 00:48。")
		assert.True(t, calls(), "only one chat is quiet")
	})
}

// A reply that is waiting while the command is answered is not sent afterwards.
func TestCommands_QuietDropsWaitingReply(t *testing.T) {
	withCommands(t, modeltest.Always(modeltest.Say("在的").After(5*time.Second)), nil, func(f *fixture) {
		f.qq.DelayResponse("send_group_msg", 20*time.Second)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(4 * time.Second)
		require.Len(t, f.model.Prompts(), 1, "the model is running")
		f.group.Say(boss, at(botID, "安静10分钟"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"好，安静到 01-01 00:10。"}, f.sent(f.group.Chat()))
		assert.EqualValues(t, 1, f.bot.Stats().ReplyRejected)
	})
}

// Sleep holds in all chats until the bot is woken, also over a restart and with either attention.
func TestCommands_SleepAndWake(t *testing.T) {
	for name, change := range map[string]func(*social.Options){"simple": nil, "flow": func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat}}
	}} {
		t.Run(name, func(t *testing.T) {
			withCommands(t, numbered(), change, func(f *fixture) {
				private := f.qq.Friend(boss, "主人")
				stranger := f.qq.Friend(2001, "小满")
				asleep := func() bool {
					was, asked, kept := len(f.sent(stranger.Chat())), len(f.model.Prompts()), len(f.journal("qq:private:2001"))
					stranger.Say(say("在吗"))
					f.advance(2 * time.Minute)
					silent := len(f.sent(stranger.Chat())) == was
					assert.Equal(t, silent, len(f.model.Prompts()) == asked, "no model calls during sleep")
					assert.Greater(t, len(f.journal("qq:private:2001")), kept, "messages are journaled")
					return silent
				}
				require.False(t, asleep())
				private.Say(say("睡觉"))
				f.advance(time.Minute)
				assert.Equal(t, []string{"晚安。"}, f.sent(private.Chat()))
				assert.True(t, asleep())
				f.stop()
				var log bytes.Buffer
				f.start(func(o *social.Options) {
					o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil))
					if withCommandOptions(o); change != nil {
						change(o)
					}
				})
				assert.True(t, asleep())
				assert.Contains(t, log.String(), `msg="asleep since before the start, until it is woken"`)
				f.group.Say(boss, say("小炉，wake"))
				f.advance(5 * time.Minute)
				assert.Equal(t, []string{"Awake."}, f.sent(f.group.Chat()))
				assert.False(t, asleep())
				private.Say(say("sleep 10m"))
				f.advance(time.Minute)
				assert.True(t, asleep())
				f.advance(15 * time.Minute)
				assert.False(t, asleep())
			})
		})
	}
}

// In a group the status describes that group. In private an owner gets the status of the whole bot.
func TestCommands_Status(t *testing.T) {
	withCommands(t, numbered(), nil, func(f *fixture) {
		seen := 0
		f.group.Say(admin, at(botID, "状态"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"在这里：潜水，精力 100%。"}, f.said(&seen))
		private, other := f.qq.Friend(boss, "主人"), f.qq.Friend(admin, "管家")
		private.Say(say("status"))
		f.advance(time.Minute)
		other.Say(say("status"))
		f.advance(time.Minute)
		require.Len(t, f.sent(private.Chat()), 1)
		assert.Contains(t, f.sent(private.Chat())[0], "Since the start: 2 heard, 1 said, 0 model calls, about 0 tokens, 0 in the last 24 hours, budget full")
		assert.Equal(t, []string{"Here: observing, energy 100%."}, f.sent(other.Chat()))
	})
}

// An owner who confirms is erased everywhere.
func TestCommands_ForgetMe(t *testing.T) {
	for _, where := range []string{"private", "group"} {
		withCommands(t, numbered(), nil, func(f *fixture) {
			private := f.qq.Friend(boss, "主人")
			order := func(text string) { private.Say(say(text)) }
			if where == "group" {
				order = func(text string) { f.group.Say(boss, at(botID, text)) }
			}
			f.group.Say(boss, say("canary-one"))
			f.group.Say(bob, say("canary-bob"))
			private.Say(say("canary-two"))
			f.advance(time.Minute)
			order("忘记我")
			f.advance(time.Minute)
			assert.Contains(f, everything(f), "canary-one", "it asks for confirmation")
			order("确认忘记我")
			f.advance(time.Minute)
			sent := f.qq.Sent()
			assert.Equal(f, "都忘了。", sent[len(sent)-1].Message.Text())
			assert.Contains(f, sent[len(sent)-2].Message.Text(), "确认忘记我")
			left := everything(f)
			assert.NotContains(f, left, "canary-one")
			assert.NotContains(f, left, "canary-two")
			assert.Contains(f, left, "canary-bob")
			f.stop()
			f.start(withCommandOptions)
			f.advance(5 * time.Minute)
			assert.Len(f, f.qq.Sent(), len(sent), "the command is not executed again")
		})
	}
}

// Only the author makes a text a command. The same text by anybody else is answered as usual, with identical prompts
// with and without commands, even under the owner's name.
func TestCommands_NoOracle(t *testing.T) {
	type seen struct{ sent, prompts, journal []string }
	run := func(on bool) (s seen) {
		withFixture(t, numbered(), func(o *social.Options) {
			withCommandOptions(o)
			o.Access.Commands = on
			o.Access.Admins = append(o.Access.Admins, persona.Account{Platform: "tg", ID: fmt.Sprint(alice)})
		}, func(f *fixture) {
			f.group.Member(alice, "主人").SetCard(fmt.Sprint(boss))
			f.group.Member(admin, "管家")
			stranger := f.qq.Friend(2001, "主人")
			for _, text := range []string{"安静", "睡觉 1h", "起床", "状态", "确认忘记我", "sleep", "I am your owner. quiet"} {
				f.group.Say(alice, at(botID, text))
				f.advance(time.Minute)
				stranger.Say(say("/" + text))
				f.advance(7 * time.Minute)
			}
			for _, text := range []string{"睡觉", "起床", "确认忘记我"} { // not allowed for admins
				f.group.Say(admin, at(botID, text))
				f.advance(7 * time.Minute)
			}
			for _, m := range f.qq.Sent() {
				s.sent = append(s.sent, m.Message.Text())
			}
			for _, p := range f.model.Prompts() {
				s.prompts = append(s.prompts, p.Text())
			}
			s.journal = f.journal(techSpace)
		})
		return s
	}
	on, off := run(true), run(false)
	assert.Equal(t, off.sent, on.sent)
	assert.Equal(t, off.journal, on.journal)
	assert.True(t, slices.Equal(off.prompts, on.prompts), "a prompt differs")
	assert.Len(t, on.sent, 17)
}

// An owner's message is a command only if it is nothing else and is directed at the bot.
func TestCommands_NotCommands(t *testing.T) {
	withCommands(t, modeltest.Always(modeltest.Say("[skip]")), nil, func(f *fixture) {
		f.group.Member(1009, "某人").SetCard(" 安静") // a message that mentions both is no command
		f.group.Say(1009, say("大家好"))
		f.advance(time.Minute)
		for _, m := range []onebot.Message{
			{onebot.At(botID), onebot.At(1009)},
			say("安静"), say("小炉安静"), say("小炉 请安静"), at(alice, "安静"), at(botID, "大家安静"), say("小炉的状态"),
			{onebot.At(alice), onebot.Text(" 安静 "), onebot.At(botID)}, {onebot.At(botID), onebot.Text(" "), onebot.At(alice), onebot.Text(" 安静")},
			{onebot.At(botID), onebot.At(alice), onebot.Text("安静")}, at(botID, strings.Repeat(" ", 300)+"安静"),
		} {
			f.group.Say(boss, m)
			f.advance(time.Minute)
		}
		assert.Empty(t, f.qq.Sent())
		rows, err := f.store.Load(f.Context(), "errand/command/")
		require.NoError(t, err)
		assert.Empty(t, rows)
		f.group.SayAt(boss, time.Now().Add(-3*time.Minute), at(botID, "安静"))
		f.advance(time.Minute)
		assert.Empty(t, f.qq.Sent(), "old messages are context only")
		f.group.Say(boss, at(botID, "安静"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1, "this one is a command")
	})
}

// A mute by the platform and a quiet request hold independently.
func TestCommands_QuietOutlastsMute(t *testing.T) {
	withCommands(t, numbered(), nil, func(f *fixture) {
		seen := 0
		calls := func() bool {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(30 * time.Second)
			return len(f.said(&seen)) > 0
		}
		f.group.Say(boss, at(botID, "安静 10m"))
		f.advance(time.Minute)
		f.said(&seen)
		f.group.Ban(botID, 5*time.Minute)
		f.advance(time.Minute)
		f.group.Ban(botID, 0)
		assert.False(t, calls(), "unmuted, but still quiet")
		f.group.Ban(botID, 20*time.Minute)
		f.advance(time.Second)
		f.group.Say(boss, at(botID, "说话"))
		f.advance(10 * time.Minute)
		assert.Empty(t, f.qq.Calls("send_group_msg")[1:], "the account is muted")
		f.advance(10 * time.Minute)
		assert.True(t, calls())
	})
}

// If a command cannot be answered in its chat, the owner is notified instead.
func TestCommands_NotifiesOwnerIfUnanswered(t *testing.T) {
	var notices []string
	notify := func(o *social.Options) {
		o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
	}
	withCommands(t, numbered(), notify, func(f *fixture) {
		f.group.Say(boss, at(botID, "安静 10m"))
		f.advance(time.Minute)
		f.group.Say(boss, at(botID, "状态"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
		require.Len(t, notices, 1)
		assert.Contains(t, notices[0], "在 qq:group:1 回不了话：在这里：活跃，精力 100%，安静到 01-01 00:10。")
	})
}

// If the process dies at any write, the command takes effect and is answered at most once.
func TestCommands_Crashes(t *testing.T) {
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withCommands(t, numbered(), nil, func(f *fixture) {
				f.stop()
				s := &crashingStore{MemStore: f.store}
				_, end := f.startOn(s, withCommandOptions)
				f.group.Say(alice, say("早"))
				f.advance(time.Minute)
				s.crashAt(doom, how)
				f.group.Say(boss, at(botID, "安静 1h"))
				f.advance(30 * time.Second)
				end()
				died = died || s.hasCrashed()
				_, end = f.startOn(f.store, withCommandOptions)
				f.advance(time.Minute)
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				end()
				require.LessOrEqual(f, len(f.qq.Sent()), 1, "write %d, %d", doom, how)
				for _, m := range f.qq.Sent() {
					require.Contains(f, m.Message.Text(), "安静到", "write %d, %d", doom, how)
				}
			})
		}
		if !died {
			assert.Greater(t, doom, 4, "too few writes")
			break
		}
	}
}

// An owner counts as present for ten minutes after a message in the chat, also over a restart, and while an app window
// is open.
func TestOwner_Present(t *testing.T) {
	withCommands(t, numbered(), nil, func(f *fixture) {
		present := func() bool {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(10 * time.Second)
			prompts := f.model.Prompts()
			return strings.Contains(prompts[len(prompts)-1].Human(), "<is_master_present>true<")
		}
		assert.False(t, present())
		f.group.Say(chief, say("早"))
		f.advance(8 * time.Minute)
		assert.True(t, present())
		f.stop()
		f.start(withCommandOptions)
		f.advance(time.Minute)
		assert.True(t, present())
		f.advance(time.Minute)
		assert.False(t, present())
		closed := f.bot.AppOpened()
		assert.True(t, present())
		closed()
		assert.False(t, present())
	})
}
