package presence

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A fixture is a Presence with commands on an engine that does not run.
type fixture struct {
	*testing.T
	engine    *engine.Engine
	presence  *Presence
	commands  *Commands
	event     func(context.Context, persona.Event)
	store     *memory.MemStore
	notices   []string // notices to the owner
	sent      []string // sent to chats
	sendErr   error
	forgot    []persona.Account
	forgetErr error // returned by ForgetPerson
}

var (
	owner = persona.Account{Platform: "qq", ID: "5001"}
	admin = persona.Account{Platform: "qq", ID: "5003"}
	alone = persona.Chat{Platform: "qq", Kind: persona.Private, ID: owner.ID}
)

type link struct {
	engine.Link
	b *fixture
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	if l.b.sendErr == nil {
		l.b.sent = append(l.b.sent, out.Text)
	}
	return "", l.b.sendErr
}

func withFixture(t *testing.T, test func(f *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, store: memory.NewMemStore()}
		var err error
		f.engine, err = engine.New(engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: link{b: f}, Store: f.store, Location: time.UTC,
			Attention: heartflow.Options{Caps: heartflow.Caps{Consecutive: 100}}, Accounts: engine.Accounts{Owners: []persona.Account{owner}, Admins: []persona.Account{admin}},
			Notify: func(_ context.Context, text string) error { f.notices = append(f.notices, text); return nil },
		})
		require.NoError(t, err)
		f.presence = New(f.engine.Attention, f.store)
		f.event = f.presence.Part(f.engine, true).Event
		f.commands = NewCommands(f.engine, f.presence, CommandOptions{
			ForgetPerson: func(_ context.Context, who persona.Account, _ func(int, int)) (int, error) {
				f.forgot = append(f.forgot, who)
				return 0, f.forgetErr
			},
			Stats: func() engine.Stats { return engine.Stats{Received: 7, RequestsEscalated: 3} },
		})
		test(f)
	})
}

// message returns a message to the bot; in groups it begins with the bot's name.
func (f *fixture) message(chat persona.Chat, by persona.Account, text string) persona.Message {
	if chat.Kind == persona.Group {
		text = "小炉 " + text
	}
	id := time.Now().String()
	return persona.Message{ID: id, Key: id, Chat: chat, From: by.ID, At: time.Now(), Text: text}
}

// order executes a command and returns the answer; "" for none.
func (f *fixture) order(chat persona.Chat, by persona.Account, text string) string {
	f.Helper()
	time.Sleep(10 * time.Second) // stay within the bot's rate limits
	c, err := f.engine.Chat(f.Context(), chat)
	require.NoError(f, err)
	f.sent = nil
	if !f.commands.enqueue(c, f.message(chat, by, text)) {
		return "none"
	}
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 1)
	go func() { over <- f.commands.Part().Run(ctx) }()
	synctest.Wait()
	cancel()
	require.NoError(f, <-over)
	if len(f.sent) == 0 {
		return ""
	}
	return f.sent[0]
}

// open reports whether the bot may send to a chat a minute from now.
func (f *fixture) open(chat persona.Chat) bool {
	time.Sleep(time.Minute)
	now := time.Now()
	return f.engine.Attention.Speak(now, chat, now.String(), "test") == nil
}

func TestEvents_CloseAndOpen(t *testing.T) {
	withFixture(t, func(f *fixture) {
		ctx := f.Context()
		require.True(t, f.open(group))
		f.event(ctx, persona.BotMuted{Chat: group, Until: time.Now().Add(time.Hour)})
		assert.False(t, f.open(group))
		assert.Equal(t, []string{"在 qq:group:1 被禁言，直到 2000-01-01 01:01:00"}, f.notices)
		f.event(ctx, persona.BotMuted{Chat: group})
		assert.True(t, f.open(group))
		assert.Len(t, f.notices, 1, "the end of a mute is not reported")

		for range 2 {
			f.event(ctx, persona.BotLeft{Chat: group, By: "1001"})
		}
		assert.False(t, f.open(group))
		assert.False(t, f.presence.IsMember(group))
		assert.Equal(t, "已不在 qq:group:1 里，是 1001 移出的", f.notices[1])
		assert.Len(t, f.notices, 2, "one notice")
		for _, back := range []persona.Event{persona.Message{Chat: group}, persona.BotJoined{Chat: group}} {
			f.event(ctx, back)
			assert.True(t, f.open(group))
			f.event(ctx, persona.BotLeft{Chat: group})
		}
		assert.Equal(t, []string{"已不在 qq:group:1 里", "已不在 qq:group:1 里"}, f.notices[2:])
	})
}

func TestPart_Erase(t *testing.T) {
	withFixture(t, func(f *fixture) {
		ctx := f.Context()
		other := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
		for _, chat := range []persona.Chat{group, other} {
			f.event(ctx, persona.BotMuted{Chat: chat, Until: time.Now().Add(time.Hour)})
			f.event(ctx, persona.BotLeft{Chat: chat, By: "1001"})
		}
		rows := map[string][]byte{}
		require.NoError(t, f.presence.erase(ctx, memory.Erasure{Spaces: []memory.Space{"qq:group:1", memory.Owner}}, rows))
		assert.Equal(t, map[string][]byte{"left/qq:group:1": nil, "mute/qq:group:1": nil, "quiet/qq:group:1": nil}, rows)
		assert.True(t, f.presence.IsMember(group))
		assert.False(t, f.presence.IsMember(other))
		clear(rows)
		require.NoError(t, f.presence.erase(ctx, memory.Erasure{Person: "1001"}, rows))
		assert.Equal(t, map[string][]byte{"left/qq:group:1": {}, "left/qq:group:2": {}}, rows, "both rows name the person")
	})
}

func TestCommands_QuietAndSpeak(t *testing.T) {
	withFixture(t, func(f *fixture) {
		require.True(t, f.open(group))
		assert.Equal(t, "好，安静到 01-01 00:11。", f.order(group, owner, "安静10分钟"))
		assert.False(t, f.open(group))
		rows, err := f.store.Load(f.Context(), quietRow)
		require.NoError(t, err)
		assert.Len(t, rows, 1)
		assert.Empty(t, f.order(group, admin, "说话"), "a closed chat gets no answer")
		assert.False(t, f.open(group), "an admin cannot end the owner's request")
		assert.Equal(t, []string{"在 qq:group:1 回不了话：是主人让我安静的。"}, f.notices)
		assert.Equal(t, "All right.", f.order(group, owner, "/speak"))
		assert.True(t, f.open(group))
	})
}

func TestCommands_AnsweredOverConsecutiveLimit(t *testing.T) {
	withFixture(t, func(f *fixture) {
		require.NoError(t, f.engine.Plain.Configure(group, heartflow.Settings{Caps: heartflow.Caps{Consecutive: 1}}))
		require.True(t, f.open(group))
		require.False(t, f.open(group), "no new messages")
		assert.NotEmpty(t, f.order(group, owner, "状态"))
		assert.NotEmpty(t, f.order(group, admin, "状态"))
		assert.False(t, f.open(group))
	})
}

func TestCommands_SleepAndWake(t *testing.T) {
	withFixture(t, func(f *fixture) {
		assert.Equal(t, "晚安。", f.order(alone, owner, "睡觉"))
		assert.False(t, f.open(group))
		rows, err := f.store.Load(f.Context(), asleepRow)
		require.NoError(t, err)
		assert.Len(t, rows, 1)
		assert.Equal(t, "醒了。", f.order(alone, owner, "起床"))
		assert.True(t, f.open(group))
	})
}

// The owner gets answers in private also while the bot is quiet there or asleep, and may begin with its name.
func TestCommands_AnsweredInPrivateWhileSilent(t *testing.T) {
	withFixture(t, func(f *fixture) {
		require.True(t, f.open(alone))
		for _, silence := range []string{"安静", "睡觉"} {
			require.NotEmpty(t, f.order(alone, owner, silence))
			require.False(t, f.open(alone))
			for _, text := range []string{"状态", "小炉 状态", "小炉，状态", "/status", "帮助", silence + "1小时"} {
				answer := f.order(alone, owner, text)
				assert.NotEmpty(t, answer, text)
				assert.NotEqual(t, "none", answer, text)
			}
			assert.False(t, f.open(alone), "nothing else is sent")
			assert.NotEmpty(t, f.order(alone, owner, map[string]string{"安静": "说话", "睡觉": "小炉 起床"}[silence]))
			assert.True(t, f.open(alone))
		}
		assert.Empty(t, f.notices)
		require.NotEmpty(t, f.order(group, owner, "安静"))
		assert.Empty(t, f.order(group, owner, "状态"), "a group stays quiet")
		require.NotEmpty(t, f.order(alone, owner, "安静"))
		assert.Equal(t, "none", f.order(alone, owner, "小炉 你好"))
	})
}

// 帮助 lists what its author may do. All of it is understood.
func TestCommands_Help(t *testing.T) {
	withFixture(t, func(f *fixture) {
		for _, test := range []struct {
			by    persona.Account
			chat  persona.Chat
			text  string
			lines int
		}{{owner, alone, "帮助", 6}, {owner, group, "帮助", 7}, {owner, alone, "help", 6}, {admin, group, "帮助", 4}} {
			answer := f.order(test.chat, test.by, test.text)
			lines := strings.Split(answer, "\n")
			assert.Len(t, lines, test.lines, answer)
			for _, l := range lines {
				l, _, ok := strings.Cut(strings.Replace(l, ": ", "：", 1), "：")
				if !ok { // how to address it
					continue
				}
				c, ok := persona.ParseCommand(l)
				assert.True(t, ok, l)
				assert.True(t, test.by == owner || adminAllowed(c.Kind), l)
			}
		}
		assert.Equal(t, "none", f.order(group, persona.Account{Platform: "qq", ID: "1"}, "帮助"))
	})
}

func TestCommands_StatusCountersForOwnerOnly(t *testing.T) {
	withFixture(t, func(f *fixture) {
		assert.Equal(t, "在这里：潜水，精力 100%。", f.order(group, admin, "状态"))
		time.Sleep(time.Hour)
		assert.Equal(t, "在这里：潜水，精力 100%。", f.order(group, owner, "状态"))
		assert.Equal(t, "在这里：潜水，精力 100%。启动以来听到 7 条，说了 0 句，调用模型 0 次，约 0 token，24 小时内 0 token，预算 够用，申请 0 个，留给主人 3 个。",
			f.order(alone, owner, "状态"))
	})
}

// How people took what the bot said belongs to a group, so the command for it does, too.
func TestCommands_ResetFeedback(t *testing.T) {
	withFixture(t, func(f *fixture) {
		assert.Equal(t, "我没有记大家的反应。", f.order(group, owner, "重置反馈"))
		var reset []persona.Chat
		f.commands.o.ResetFeedback = func(_ context.Context, chat persona.Chat) error { reset = append(reset, chat); return nil }
		assert.Equal(t, "要重置哪个群，就在哪个群里跟我说。", f.order(alone, owner, "重置反馈"))
		assert.Empty(t, reset)
		assert.Equal(t, "All right, from the start.", f.order(group, owner, "reset feedback"))
		assert.Equal(t, []persona.Chat{group}, reset)
	})
}

func TestCommands_Forget(t *testing.T) {
	withFixture(t, func(f *fixture) {
		assert.Contains(t, f.order(alone, owner, "忘记我"), "确认忘记我")
		assert.Empty(t, f.forgot)
		assert.Equal(t, "都忘了。", f.order(alone, owner, "确认忘记我"))
		assert.Equal(t, []persona.Account{owner}, f.forgot)
		f.forgetErr = errors.New("disk full")
		assert.Equal(t, "没做成。", f.order(alone, owner, "确认忘记我"))
	})
}

func TestCommands_Authors(t *testing.T) {
	withFixture(t, func(f *fixture) {
		other := persona.Account{Platform: "qq", ID: "1001"}
		assert.Equal(t, "none", f.order(group, other, "安静"))
		assert.Equal(t, "none", f.order(group, admin, "睡觉"))
		assert.Equal(t, "none", f.order(group, persona.Account{Platform: "qq", ID: ""}, "安静"))
		c, err := f.engine.Chat(f.Context(), group)
		require.NoError(t, err)
		for name, change := range map[string]func(*persona.Message){
			"its own":      func(m *persona.Message) { m.Own = true },
			"a bot's":      func(m *persona.Message) { m.Bot = true },
			"not to it":    func(m *persona.Message) { m.Text = "安静" },
			"about it":     func(m *persona.Message) { m.Text = "小炉的状态" },
			"its name":     func(m *persona.Message) { m.Text = "小炉安静" },
			"two mentions": func(m *persona.Message) { m.AtMe, m.Mentions, m.Text = true, []string{"1", "2"}, "@小炉 安静" },
		} {
			m := f.message(group, owner, "安静")
			change(&m)
			assert.False(t, f.commands.enqueue(c, m), name)
		}
		assert.True(t, f.commands.enqueue(c, f.message(group, owner, "安静")), "a command")
	})
}

func TestCommands_NotifiesOwnerIfUnanswered(t *testing.T) {
	for _, c := range []struct {
		err     error
		notices int
	}{{errors.New("retcode 1404"), 1}, {engine.ErrUnclear, 0}} {
		withFixture(t, func(f *fixture) {
			f.sendErr = c.err
			assert.Empty(t, f.order(group, owner, "安静"))
			assert.Len(t, f.notices, c.notices)
			assert.False(t, f.open(group), "the command took effect")
		})
	}
}
