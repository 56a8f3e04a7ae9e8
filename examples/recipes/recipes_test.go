// Package recipes_test has the short programs of the README. A test of the module compares the two.
package recipes_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecipes_OwnBot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var sent []string
		answer := func(items []string) string { return strings.Join(items, "+") }
		send := func(_ int64, text string) error { sent = append(sent, text); return nil }
		check := func(err error) { require.NoError(t, err) }

		// recipe
		attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
		check(err)
		runner := buffer.NewRunner(func(ctx context.Context, b buffer.Batch[int64, string]) error {
			if attention.Judge(time.Now(), b.Key).Do == heartflow.Silent {
				return nil // nobody addressed the bot: fmt.Println(attention.Traces(b.Key)) says why
			}
			reply := answer(b.Items)
			if reply == "" {
				attention.SkipTurn(time.Now(), b.Key, heartflow.WhyModelSilent)
				return nil
			}
			if err := attention.Speak(time.Now(), b.Key, reply); err != nil {
				return nil // stale, muted or over a limit: do not send
			}
			return send(b.Key, reply)
		}, buffer.Options{Debounce: 20 * time.Second, UrgentDelay: 2 * time.Second}) // the defaults
		go runner.Run(ctx)

		onMessage := func(group int64, user, id, text string) { // call it for every message
			m := heartflow.Message{ID: id, From: user, Text: text}
			if attention.Observe(time.Now(), group, m).Addressed {
				runner.AddUrgent(group, text)
			} else {
				runner.Add(group, text)
			}
		}
		// end

		onMessage(1, "7", "1", "今天好冷")
		time.Sleep(time.Minute)
		onMessage(1, "7", "2", "在聊什么")
		onMessage(1, "7", "3", "小炉你说呢")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"在聊什么+小炉你说呢"}, sent)
	})
}

func TestRecipes_Memory(t *testing.T) {
	ctx, file, embedder := t.Context(), filepath.Join(t.TempDir(), "xiaolu.db"), memorytest.Embedder{}
	check := func(err error) { require.NoError(t, err) }

	// recipe
	db, err := sqlite.Open(file, sqlite.Options{})
	check(err)
	defer db.Close()
	mem, err := memory.New(db, memory.Options{
		Embedder:   embedder, // langchaingo's embeddings.Embedder; without one, recall is by words
		EmbedderID: "bge-m3", // change it with the model
		Indexes:    []memory.Index{flat.New()},
	})
	check(err)
	const group = memory.Space("qq:group:123")
	check(mem.Put(ctx, memory.Record{ID: "1", Space: group, Person: "10001", Name: "小明", Text: "周五去爬山", At: time.Now()}))
	check(mem.EmbedMissing(ctx, nil)) // a bot embeds in the background: go mem.Run(ctx)
	hits, err := mem.Reader(group).Recall(ctx, time.Now(), memory.Query{Text: "爬山是哪天", Limit: 3})
	check(err)
	for _, h := range hits {
		fmt.Println(h.Text, h.Explain())
	}
	// end
	require.Len(t, hits, 1)
}

// recipe
// A lineLink is a link to a platform of your own: two methods.
type lineLink struct {
	lines []string
	sent  chan string
}

// Run handles incoming messages until ctx ends. If it returns earlier, Bot.Run fails.
func (l lineLink) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	chat := persona.Chat{Platform: "my", Kind: persona.Group, ID: "1"}
	for i, line := range l.lines {
		handle(ctx, persona.Message{ID: fmt.Sprint(i), Chat: chat, From: "7", Name: "小明", At: time.Now(), Text: line})
	}
	<-ctx.Done()
	return nil
}

// Send sends one message and returns its id.
func (l lineLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	l.sent <- out.Text
	return fmt.Sprint("sent-", time.Now().UnixNano()), nil
}

// end

func TestRecipes_LinkAndTools(t *testing.T) {
	check := func(err error) { require.NoError(t, err) }
	link := lineLink{[]string{"今天好冷", "小炉，掷个骰子"}, make(chan string, 1)}

	// recipe
	dice, err := nit.Define("roll_dice", nit.L1, "掷骰子", func(ctx context.Context, in struct {
		Sides int `json:"sides"`
	}) (int, error) {
		return in.Sides, nil
	})
	check(err)
	diary, err := nit.Define("read_diary", nit.L3, "读主人的日记", func(context.Context, struct{}) (string, error) {
		return "今天没写代码。", nil
	})
	check(err)
	var tools nit.Registry
	check(tools.Add(dice, diary))
	model := modeltest.New( // a scripted model; any llms.Model will do
		modeltest.Call("roll_dice", map[string]any{"sides": 6}), modeltest.Say("6 点！"),
		modeltest.Say("你今天没写代码。"),
	)
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: model, Link: link,
		Tools: social.Tools{Registry: &tools},
	})
	check(err)
	// end

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	assert.Equal(t, "6 点！", <-link.sent)

	// recipe
	reply, err := bot.OwnerMessage(ctx, "我今天写了什么日记？") // the owner in your app: sees L3, too
	check(err)
	fmt.Println(reply, model.Prompts()[0].ToolNames(), model.Prompts()[2].ToolNames()) // [roll_dice] [read_diary roll_dice]
	// end
	stop()
	require.NoError(t, <-ended)
	assert.Equal(t, "你今天没写代码。", reply)
	assert.Equal(t, []string{"roll_dice"}, model.Prompts()[0].ToolNames())
	assert.Equal(t, []string{"read_diary", "roll_dice"}, model.Prompts()[2].ToolNames())
}

func TestRecipes_Chats(t *testing.T) {
	o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: lineLink{}}
	// recipe
	o.When = social.When{
		Buffer: buffer.Options{Debounce: 10 * time.Second, UrgentDelay: time.Second}, // answer sooner
		Attention: heartflow.Options{QuietHours: heartflow.QuietHours{
			Spans:           []heartflow.Span{{From: 23 * time.Hour, To: 7 * time.Hour}}, // of each day, in local time
			IgnoreAddressed: true,                                                        // without it, the bot still answers when it is called
		}},
		Chats: func(c persona.Chat) social.ChatOptions {
			switch c.ID {
			case "200": // in place of the names in Profile
				return social.ChatOptions{Attention: heartflow.Settings{Names: []string{"阿炭"}, WakeWords: []string{"开饭"}}}
			case "300":
				return social.ChatOptions{Off: true} // messages are dropped
			}
			return social.ChatOptions{} // as in all other chats
		},
	}
	// end
	_, err := social.New(o)
	require.NoError(t, err)
	assert.True(t, o.When.Chats(persona.Chat{ID: "300"}).Off)
}

func TestRecipes_FakeServer(t *testing.T) {
	// recipe
	server := onebottest.New(onebottest.Options{Quirks: onebottest.NapCat})
	defer server.Close()
	group := server.Group(100, "炉边夜话")
	group.Member(1, "小明")
	client, err := onebot.NewClient(server.Start(), onebot.Options{})
	require.NoError(t, err)
	go client.Run(t.Context(), func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if m, ok := e.(*onebot.GroupMessage); ok && !m.Own() && m.Message.Text() == "ping" {
			bot.SendGroupMsg(ctx, m.GroupID, onebot.Message{onebot.Text("pong")})
		}
	})
	require.NoError(t, server.WaitLink(t.Context()))
	group.Say(1, onebot.Message{onebot.Text("ping")})
	sent, err := server.WaitSent(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "pong", sent[0].Message.Text())
	// end
}
