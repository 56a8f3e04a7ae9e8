package onebot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// Events by HTTP POST, and a quick reply in the response. Real programs pass the webhook to http.ListenAndServe, on
// loopback or with a secret.
func ExampleWebhook() {
	qq := onebottest.New(onebottest.Options{Token: "secret"})
	defer qq.Close()
	group := qq.Group(1, "炉边")
	group.Member(5, "小满")

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := onebot.NewHTTPClient("http"+strings.TrimPrefix(qq.Start(), "ws"), onebot.Options{Token: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	hook := onebot.NewWebhook(onebot.Options{Token: "secret"})
	hook.SetCaller(0, client) // for calls
	web := httptest.NewServer(hook)
	defer web.Close()
	done := make(chan error)
	go func() {
		done <- hook.RunQuick(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) onebot.QuickOperation {
			switch e := e.(type) {
			case *onebot.GroupMessage:
				if e.Message.Text() == "/ping" {
					return onebot.QuickReply{Reply: onebot.Message{onebot.Text("pong")}}
				}
			case *onebot.FriendRequest:
				return onebot.QuickFriendDecision{Approve: strings.Contains(e.Comment, "炉边")}
			}
			return nil
		})
	}()

	go qq.Post(ctx, web.URL, onebottest.PostOptions{})
	for len(qq.Sent()) == 0 && ctx.Err() == nil { // until both are up
		group.Say(5, onebot.Message{onebot.Text("/ping")})
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Println(qq.Sent()[0].Message.Text())
	cancel()
	fmt.Println(<-done)
	// Output:
	// [回复]pong
	// <nil>
}

// Actions over HTTP, without events.
func ExampleHTTPClient() {
	qq := onebottest.New(onebottest.Options{SelfID: 10000})
	defer qq.Close()
	qq.Group(1, "炉边")
	ctx := context.Background()

	client, err := onebot.NewHTTPClient("http"+strings.TrimPrefix(qq.Start(), "ws"), onebot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	bot := client.Bot()
	info, err := bot.GetLoginInfo(ctx)
	fmt.Println(info.Nickname, bot.SelfID(), err)
	_, err = bot.SendGroupMsg(ctx, 1, onebot.Message{onebot.Text("大家好")})
	fmt.Println(err)
	err = bot.Call(ctx, "no_such_action", nil, nil)
	fmt.Println(errors.Is(err, onebot.ErrUnknownAction))
	// Output:
	// 炉边 10000 <nil>
	// <nil>
	// true
}

// Handlers are composed of small ones, as in net/http.
func ExampleChain() {
	answer := func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		fmt.Println("weather in", e.(*onebot.GroupMessage).Message.Text())
	}
	shut := func(ctx context.Context, bot *onebot.Bot, e onebot.Event) { fmt.Println("good night") }
	handler := onebot.MultiHandler(
		onebot.Chain(answer, onebot.GroupOnly, onebot.NotOwn, onebot.AtMe, onebot.Command("/天气")),
		onebot.Chain(shut, onebot.FromUser(5), onebot.Command("/关机")),
	)

	for _, cq := range []string{"[CQ:at,qq=10000] /天气 杭州", "/天气 上海", "/关机"} {
		for _, user := range []int64{5, 6} {
			m := &onebot.GroupMessage{GroupID: 1, UserID: user, Message: onebot.ParseCQ(cq)}
			m.SelfID = 10000
			handler(context.Background(), nil, m)
		}
	}
	// Output:
	// weather in 杭州
	// weather in 杭州
	// good night
}
