package onebottest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// echo is the tested bot: it replies to mentions.
func echo(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
	if m, ok := e.(*onebot.GroupMessage); ok && m.Message.Mentions(bot.SelfID()) {
		bot.SendGroupMsg(ctx, m.GroupID, onebot.Message{onebot.Reply(m.MessageID), onebot.Text("我在")})
	}
}

// A test of a bot in a group: a user sends a message, and the test checks the bot's reply.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(100, "炉边夜话")
	g.Member(1, "张三")
	g.Member(2, "李四")

	go s.Client(onebot.Options{}).Run(ctx, echo) // over a pipe; for a bot that needs an address use s.Start()
	s.WaitLink(ctx)

	g.Say(1, onebot.Message{onebot.Text("吃了吗")})
	asked := g.Say(2, onebot.Message{onebot.At(s.SelfID()), onebot.Text(" 在吗")})

	sent, err := s.WaitSent(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, _ := sent[0].Message.ReplyID()
	fmt.Println(sent[0].Chat, sent[0].Message.Text(), reply == fmt.Sprint(asked))
	for _, m := range s.History(g.Chat()) {
		fmt.Println(m.UserID, m.Message.Text())
	}
	// Output:
	// group:100 [回复]我在 true
	// 1 吃了吗
	// 2 @10000 在吗
	// 10000 [回复]我在
}

// A send to a group in which the bot is muted fails as in NapCat.
func ExampleGroup_Ban() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(100, "炉边夜话")
	g.Ban(s.SelfID(), 10*time.Minute)

	c := s.Client(onebot.Options{})
	go c.Run(ctx, func(context.Context, *onebot.Bot, onebot.Event) {})
	s.WaitLink(ctx)

	_, err := c.Bot().SendGroupMsg(ctx, 100, onebot.Message{onebot.Text("我想说话")})
	fmt.Println(err != nil, len(s.Sent()), s.Calls("send_group_msg")[0].Retcode)
	// Output: true 0 1200
}

// A reverse WebSocket bot is an http.Handler. Connect dials it, here without a port.
func ExampleServer_Connect() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bot := onebot.NewServer(onebot.Options{Token: "secret"})
	go bot.Run(ctx, echo)

	s := onebottest.New(onebottest.Options{SelfID: 42, Token: "secret"})
	defer s.Close()
	go s.Connect(ctx, "ws://bot/onebot", onebottest.ConnectOptions{Handler: bot, Reconnect: time.Millisecond})
	s.WaitLink(ctx)

	s.Group(100, "炉边夜话").Say(1, onebot.Message{onebot.At(42)})
	sent, err := s.WaitSent(ctx, 1)
	fmt.Println(sent[0].Message.Text(), err)
	// Output: [回复]我在 <nil>
}

// A user sends a voice message. The test waits for what the bot does with it.
func ExampleServer_Wait() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := onebottest.New(onebottest.Options{Quirks: onebottest.SnowLuma})
	defer s.Close()
	g := s.Group(100, "炉边夜话")
	go s.Client(onebot.Options{}).Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if m, ok := e.(*onebot.GroupMessage); ok && m.Message[0].Type == "record" {
			said, _ := bot.FetchPTTText(ctx, m.MessageID)
			fmt.Println("heard:", said)
			bot.SetMsgEmojiLike(ctx, m.MessageID, "66", true)
		}
	})
	s.WaitLink(ctx)

	id := g.Say(1, s.Voice("a.amr", []byte("#!SILK_V3"), "晚安"))
	err := s.Wait(ctx, func() bool { return len(s.Reactions(id)) > 0 })
	fmt.Println(s.Reactions(id)[0].EmojiID, err)
	// Output:
	// heard: 晚安
	// 66 <nil>
}
