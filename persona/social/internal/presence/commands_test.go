package presence

import (
	"context"
	"errors"
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

// a bench is a Presence with its commands over an engine that does not run.
type bench struct {
	*testing.T
	engine   *engine.Engine
	presence *Presence
	commands *Commands
	event    func(context.Context, persona.Event)
	store    *memory.MemStore
	told     []string // to the owner
	said     []string // in chats
	sendErr  error
	forgot   []persona.Account
	failed   error // of ForgetPerson
}

var (
	owner = persona.Account{Platform: "qq", ID: "5001"}
	admin = persona.Account{Platform: "qq", ID: "5003"}
	alone = persona.Chat{Platform: "qq", Kind: persona.Private, ID: owner.ID}
)

type link struct {
	engine.Link
	b *bench
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	if l.b.sendErr == nil {
		l.b.said = append(l.b.said, out.Text)
	}
	return "", l.b.sendErr
}

func inBench(t *testing.T, test func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, store: memory.NewMemStore()}
		var err error
		b.engine, err = engine.New(engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: link{b: b}, Store: b.store, Location: time.UTC,
			Attention: heartflow.Options{Caps: heartflow.Caps{Consecutive: 100}}, Accounts: engine.Accounts{Owners: []persona.Account{owner}, Admins: []persona.Account{admin}},
			Notify: func(_ context.Context, text string) error { b.told = append(b.told, text); return nil },
		})
		require.NoError(t, err)
		b.presence = New(b.engine.Attention, b.store)
		b.event = b.presence.Part(b.engine, true).Event
		b.commands = NewCommands(b.engine, b.presence, CommandOptions{
			ForgetPerson: func(_ context.Context, who persona.Account, _ func(int, int)) (int, error) {
				b.forgot = append(b.forgot, who)
				return 0, b.failed
			},
			Stats: func() engine.Stats { return engine.Stats{Received: 7, RequestsEscalated: 3} },
		})
		test(b)
	})
}

// message is what somebody says to the bot, by its name in a group.
func (b *bench) message(chat persona.Chat, by persona.Account, text string) persona.Message {
	if chat.Kind == persona.Group {
		text = "小炉 " + text
	}
	id := time.Now().String()
	return persona.Message{ID: id, Key: id, Chat: chat, From: by.ID, At: time.Now(), Text: text}
}

// order has a command carried out, and returns the answer to it; "" for none.
func (b *bench) order(chat persona.Chat, by persona.Account, text string) string {
	b.Helper()
	time.Sleep(10 * time.Second) // more than the bot's own limits allow at once
	c, err := b.engine.Chat(b.Context(), chat)
	require.NoError(b, err)
	b.said = nil
	if !b.commands.ordered(c, b.message(chat, by, text)) {
		return "none"
	}
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- b.commands.Part().Run(ctx) }()
	synctest.Wait()
	cancel()
	require.NoError(b, <-over)
	if len(b.said) == 0 {
		return ""
	}
	return b.said[0]
}

// open reports whether the bot may speak in a chat, a minute from now.
func (b *bench) open(chat persona.Chat) bool {
	time.Sleep(time.Minute)
	now := time.Now()
	return b.engine.Attention.Speak(now, chat, now.String(), "test") == nil
}

func TestEvents_CloseAndOpen(t *testing.T) {
	inBench(t, func(b *bench) {
		ctx := b.Context()
		require.True(t, b.open(group))
		b.event(ctx, persona.BotMuted{Chat: group, Until: time.Now().Add(time.Hour)})
		assert.False(t, b.open(group))
		assert.Equal(t, []string{"在 qq:group:1 被禁言，直到 2000-01-01 01:01:00"}, b.told)
		b.event(ctx, persona.BotMuted{Chat: group})
		assert.True(t, b.open(group))
		assert.Len(t, b.told, 1, "the end of a mute is not told")

		for range 2 {
			b.event(ctx, persona.BotLeft{Chat: group, By: "1001"})
		}
		assert.False(t, b.open(group))
		assert.False(t, b.presence.IsMember(group))
		assert.Equal(t, "已不在 qq:group:1 里，是 1001 移出的", b.told[1])
		assert.Len(t, b.told, 2, "told once")
		for _, back := range []persona.Event{persona.Message{Chat: group}, persona.BotJoined{Chat: group}} {
			b.event(ctx, back)
			assert.True(t, b.open(group))
			b.event(ctx, persona.BotLeft{Chat: group})
		}
		assert.Equal(t, []string{"已不在 qq:group:1 里", "已不在 qq:group:1 里"}, b.told[2:])
	})
}

func TestPart_Erase(t *testing.T) {
	inBench(t, func(b *bench) {
		ctx := b.Context()
		other := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
		for _, chat := range []persona.Chat{group, other} {
			b.event(ctx, persona.BotMuted{Chat: chat, Until: time.Now().Add(time.Hour)})
			b.event(ctx, persona.BotLeft{Chat: chat, By: "1001"})
		}
		rows := map[string][]byte{}
		require.NoError(t, b.presence.erase(ctx, memory.Erasure{Spaces: []memory.Space{"qq:group:1", memory.Owner}}, rows))
		assert.Equal(t, map[string][]byte{"left/qq:group:1": nil, "mute/qq:group:1": nil, "quiet/qq:group:1": nil}, rows)
		assert.True(t, b.presence.IsMember(group))
		assert.False(t, b.presence.IsMember(other))
		clear(rows)
		require.NoError(t, b.presence.erase(ctx, memory.Erasure{Person: "1001"}, rows))
		assert.Equal(t, map[string][]byte{"left/qq:group:1": {}, "left/qq:group:2": {}}, rows, "both name who removed the account")
	})
}

func TestCommands_QuietAndSpeak(t *testing.T) {
	inBench(t, func(b *bench) {
		require.True(t, b.open(group))
		assert.Equal(t, "好，安静到 01-01 00:11。", b.order(group, owner, "安静10分钟"))
		assert.False(t, b.open(group))
		rows, err := b.store.Load(b.Context(), quietRow)
		require.NoError(t, err)
		assert.Len(t, rows, 1)
		assert.Empty(t, b.order(group, admin, "说话"), "its answer is not sent in a closed chat")
		assert.False(t, b.open(group), "an admin does not end what the owner said")
		assert.Equal(t, []string{"在 qq:group:1 回不了话：是主人让我安静的。"}, b.told)
		assert.Equal(t, "All right.", b.order(group, owner, "/speak"))
		assert.True(t, b.open(group))
	})
}

func TestCommands_AnsweredAfterMessagesInARow(t *testing.T) {
	inBench(t, func(b *bench) {
		require.NoError(t, b.engine.Plain.Configure(group, heartflow.Settings{Caps: heartflow.Caps{Consecutive: 1}}))
		require.True(t, b.open(group))
		require.False(t, b.open(group), "nobody said anything since")
		assert.NotEmpty(t, b.order(group, owner, "状态"))
		assert.NotEmpty(t, b.order(group, admin, "状态"))
		assert.False(t, b.open(group))
	})
}

func TestCommands_SleepAndWake(t *testing.T) {
	inBench(t, func(b *bench) {
		assert.Equal(t, "晚安。", b.order(alone, owner, "睡觉"))
		assert.False(t, b.open(group))
		rows, err := b.store.Load(b.Context(), asleepRow)
		require.NoError(t, err)
		assert.Len(t, rows, 1)
		assert.Equal(t, "醒了。", b.order(alone, owner, "起床"))
		assert.True(t, b.open(group))
	})
}

func TestCommands_StatusTellsCountersToTheOwnerAlone(t *testing.T) {
	inBench(t, func(b *bench) {
		assert.Equal(t, "在这里：潜水，精力 100%。", b.order(group, admin, "状态"))
		time.Sleep(time.Hour)
		assert.Equal(t, "在这里：潜水，精力 100%。", b.order(group, owner, "状态"))
		assert.Equal(t, "在这里：潜水，精力 100%。启动以来听到 7 条，说了 0 句，调用模型 0 次，约 0 token，预算 full，申请 0 个，留给主人 3 个。",
			b.order(alone, owner, "状态"))
	})
}

func TestCommands_Forget(t *testing.T) {
	inBench(t, func(b *bench) {
		assert.Contains(t, b.order(alone, owner, "忘记我"), "确认忘记我")
		assert.Empty(t, b.forgot)
		assert.Equal(t, "都忘了。", b.order(alone, owner, "确认忘记我"))
		assert.Equal(t, []persona.Account{owner}, b.forgot)
		b.failed = errors.New("disk full")
		assert.Equal(t, "没做成。", b.order(alone, owner, "确认忘记我"))
	})
}

func TestCommands_Who(t *testing.T) {
	inBench(t, func(b *bench) {
		other := persona.Account{Platform: "qq", ID: "1001"}
		assert.Equal(t, "none", b.order(group, other, "安静"))
		assert.Equal(t, "none", b.order(group, admin, "睡觉"))
		assert.Equal(t, "none", b.order(group, persona.Account{Platform: "qq", ID: ""}, "安静"))
		c, err := b.engine.Chat(b.Context(), group)
		require.NoError(t, err)
		for name, change := range map[string]func(*persona.Message){
			"its own":      func(m *persona.Message) { m.Own = true },
			"a bot's":      func(m *persona.Message) { m.Bot = true },
			"not to it":    func(m *persona.Message) { m.Text = "安静" },
			"about it":     func(m *persona.Message) { m.Text = "小炉的状态" },
			"its name":     func(m *persona.Message) { m.Text = "小炉安静" },
			"two mentions": func(m *persona.Message) { m.AtMe, m.Mentions, m.Text = true, []string{"1", "2"}, "@小炉 安静" },
		} {
			m := b.message(group, owner, "安静")
			change(&m)
			assert.False(t, b.commands.ordered(c, m), name)
		}
		assert.True(t, b.commands.ordered(c, b.message(group, owner, "安静")), "a command")
	})
}

func TestCommands_UnansweredIsTold(t *testing.T) {
	for _, c := range []struct {
		err  error
		told int
	}{{errors.New("retcode 1404"), 1}, {engine.ErrUnclear, 0}} {
		inBench(t, func(b *bench) {
			b.sendErr = c.err
			assert.Empty(t, b.order(group, owner, "安静"))
			assert.Len(t, b.told, c.told)
			assert.False(t, b.open(group), "it took effect all the same")
		})
	}
}
