package social_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toOwner is the private chat with the owner's account.
var toOwner = onebottest.PrivateChat(ownerID)

// reporting is a model that reports what it is told in a group, and says 嗯 elsewhere.
func reporting() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		switch {
		case strings.Contains(p.Human(), `type="private"`):
			return modeltest.Say("嗯")
		case len(p.ToolResults()) == 0:
			return modeltest.Call("notify_master", map[string]any{"content": "张三找你"})
		}
		return modeltest.Say("[skip]")
	})
}

// Reports and notices reach the owner's account in a private message, once, and the host's function, too.
func TestNotices_PrivateMessage(t *testing.T) {
	for _, off := range []bool{false, true} {
		withBuiltin(t, reporting(), func(o *social.Options) { o.Access.NoPrivateNotices = off }, func(f *builtinFixture) {
			f.qq.Friend(ownerID, "老王")
			f.group.Say(alice, say("有人看到老王了吗？"))
			f.advance(2 * time.Minute)
			f.group.Ban(botID, time.Hour)
			f.advance(2 * time.Hour)
			require.Len(t, f.notices(), 2)
			assert.Contains(t, f.notices()[0], "【汇报】有人找主人")
			assert.Contains(t, f.notices()[1], "在 qq:group:1 被禁言")
			if off {
				assert.Empty(t, f.qq.Sent())
			} else {
				assert.Equal(t, f.notices(), f.sent(toOwner))
			}
			f.stop()
			f.begin(nil)
			f.advance(time.Hour)
			if !off {
				assert.Len(t, f.sent(toOwner), 2, "nothing is repeated after a restart")
			}
		})
	}
}

// Without Hooks.Notify the owner's account alone gets reports, so the model has notify_master.
func TestNotices_WithoutHook(t *testing.T) {
	withBuiltin(t, reporting(), func(o *social.Options) { o.Hooks.Notify = nil }, func(f *builtinFixture) {
		f.qq.Friend(ownerID, "老王")
		f.group.Say(alice, say("有人看到老王了吗？"))
		f.advance(2 * time.Minute)
		require.Len(t, f.sent(toOwner), 1)
		assert.Contains(t, f.sent(toOwner)[0], "> 张三找你")
	})
}

// A report is also made while an app of the owner is connected. While the owner is talking in the chat, none is made.
func TestNotices_AppIsOpen(t *testing.T) {
	withBuiltin(t, reporting(), nil, func(f *builtinFixture) {
		f.qq.Friend(ownerID, "老王")
		defer f.bot.AppOpened()()
		f.group.Say(ownerID, say("我在"))
		f.group.Say(alice, say("有人看到老王了吗？"))
		f.advance(2 * time.Minute)
		assert.Empty(t, f.sent(toOwner), "the owner is talking there")
		f.advance(time.Hour)
		f.group.Say(alice, say("有人看到老王了吗？"))
		f.advance(2 * time.Minute)
		assert.Len(t, f.sent(toOwner), 1)
	})
}

// A notice that cannot be delivered is kept, also over a restart, and retried when the owner writes. An unclear one is
// not sent again.
func TestNotices_Retried(t *testing.T) {
	withBuiltin(t, reporting(), nil, func(f *builtinFixture) { // the owner is not a friend yet
		f.group.Ban(botID, time.Hour)
		f.advance(5 * time.Minute)
		assert.Empty(t, f.sent(toOwner))
		assert.Len(t, f.notices(), 1, "the host's function is told at once")
		tried := len(f.qq.Calls("send_private_msg"))
		assert.True(t, 1 < tried && tried < 6, "%d attempts", tried)
		f.stop()
		f.begin(nil)
		owner := f.qq.Friend(ownerID, "老王")
		owner.Say(say("在吗"))
		f.advance(time.Minute)
		require.Len(t, f.sent(toOwner), 2)
		assert.Contains(t, strings.Join(f.sent(toOwner), "\n"), "在 qq:group:1 被禁言")

		f.advance(time.Hour)
		f.qq.WithholdResponse("send_private_msg", 1)
		f.group.Ban(botID, time.Hour)
		f.advance(3 * time.Hour)
		f.stop()
		f.begin(nil)
		f.advance(3 * time.Hour)
		n := 0
		for _, text := range f.sent(toOwner) {
			n += strings.Count(text, "被禁言")
		}
		assert.Equal(t, 2, n, "%v", f.sent(toOwner))
	})
}

// Notices wait while the bot sleeps, in quiet hours, and while the owner has asked for quiet.
func TestNotices_Held(t *testing.T) {
	quiet := func(o *social.Options) {
		o.Access.Commands = true
		o.When.Attention.QuietHours = heartflow.QuietHours{Spans: []heartflow.Span{{From: 0, To: 8 * time.Hour}}}
	}
	withBuiltin(t, reporting(), quiet, func(f *builtinFixture) {
		owner := f.qq.Friend(ownerID, "老王")
		f.group.Ban(botID, time.Minute)
		f.advance(2 * time.Hour)
		assert.Empty(t, f.sent(toOwner), "it is night")
		f.advance(6 * time.Hour)
		assert.Len(t, f.sent(toOwner), 1)
		owner.Say(say("睡觉 1小时"))
		f.advance(time.Minute)
		f.group.Ban(botID, time.Minute)
		f.advance(30 * time.Minute)
		assert.Equal(t, "晚安。", f.sent(toOwner)[len(f.sent(toOwner))-1])
		f.advance(time.Hour)
		assert.Contains(t, f.sent(toOwner)[len(f.sent(toOwner))-1], "被禁言")
		owner.Say(say("安静 1小时"))
		f.advance(time.Minute)
		f.group.Ban(botID, time.Minute)
		f.advance(30 * time.Minute)
		assert.Contains(t, f.sent(toOwner)[len(f.sent(toOwner))-1], "安静到")
		f.advance(time.Hour)
		assert.Contains(t, f.sent(toOwner)[len(f.sent(toOwner))-1], "被禁言")
	})
}

// A notice in the owner's private chat bears the labels of the chat that it quotes, and so does what later turns there
// write. Erasing that chat erases it.
func TestNotices_Label(t *testing.T) {
	for _, echo := range []bool{false, true} {
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			switch human := p.Human(); {
			case len(p.ToolResults()) > 0:
				return modeltest.Say("[skip]")
			case strings.Contains(human, `type="private"`):
				return modeltest.Call("set_slot", map[string]any{"name": "n", "text": "记下了"})
			}
			return modeltest.Call("notify_master", map[string]any{"content": "张三说暗号是金丝雀"})
		})
		options := func(o *social.Options) { o.Tools.Builtin.Notes = true }
		withFixture(t, model, nil, func(b *fixture) {
			b.stop()
			if echo {
				b.qq.Close()
				b.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Quirks: onebottest.Quirks{PushOwnMessages: true}})
				b.group = b.qq.Group(1, "技术群")
				b.group.Member(alice, "张三")
			}
			f := &builtinFixture{fixture: b}
			f.begin(options)
			owner := f.qq.Friend(ownerID, "老王")
			slot := func() memory.Label {
				notes, err := memorytest.New(f, f.store, memory.Options{}).Notes("qq:private:900").Slots(f.Context())
				require.NoError(f, err)
				require.Len(f, notes, 1)
				return notes[0].Label
			}
			owner.Say(say("记一下"))
			f.advance(time.Minute)
			assert.Equal(t, memory.Untrusted("qq:private:900"), slot(), "before it has seen a notice")

			f.group.Say(alice, say("有人看到老王了吗？"))
			f.advance(2 * time.Minute)
			require.Len(t, f.sent(toOwner), 1)
			owner.Say(say("再记一下"))
			f.advance(time.Minute)
			prompts := model.Prompts()
			assert.Contains(t, prompts[len(prompts)-1].Text(), "金丝雀", "the turn reads the notice")
			assert.Equal(t, memory.Untrusted("qq:private:900", "qq:group:1"), slot(), "echo: %v", echo)

			f.advance(time.Hour)
			var id int64
			for _, s := range f.qq.Sent() {
				if s.Chat == toOwner {
					id = s.MessageID
				}
			}
			owner.Say(onebot.Message{onebot.Reply(id), onebot.Text("记这条")})
			f.advance(time.Minute)
			assert.Equal(t, memory.Untrusted("qq:private:900", "qq:group:1"), slot(), "quoted")

			_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
			require.NoError(t, err)
			assert.NotContains(t, strings.Join(f.journal("qq:private:900"), "\n"), "金丝雀")
			assert.Contains(t, f.journal("qq:private:900"), "再记一下")
		})
	}
}

// If the process dies at any write, a notice is sent at most once, and at least once unless that is unclear.
func TestNotices_Crashes(t *testing.T) {
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withFixture(t, modeltest.Always(modeltest.Say("嗯")), nil, func(f *fixture) {
				f.stop()
				f.qq.Friend(ownerID, "老王")
				options := func(o *social.Options) { o.Access.Owners = []persona.Account{{Platform: "qq", ID: "900"}} }
				store := &crashingStore{MemStore: f.store}
				_, end := f.startOn(store, options)
				store.crashAt(doom, how)
				f.group.Ban(botID, time.Hour)
				f.advance(time.Minute)
				died = store.hasCrashed() || died
				end()
				f.qq.DropLinks()
				_, end = f.startOn(f.store, options)
				f.advance(3 * time.Hour)
				end()
				n := 0
				for _, text := range f.sent(toOwner) {
					n += strings.Count(text, "被禁言")
				}
				assert.LessOrEqual(t, n, 1, "write %d, how %d: %v", doom, how, f.sent(toOwner))
			})
		}
		if !died {
			assert.Greater(t, doom, 4, "too few writes")
			return
		}
	}
}
