package onebot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// An echo bot that replies when it is mentioned. The implementation is simulated here; for a real one use a URL such
// as ws://127.0.0.1:3001.
func ExampleClient() {
	qq := onebottest.New(onebottest.Options{SelfID: 10000})
	defer qq.Close()
	group := qq.Group(1, "炉边")
	group.Member(5, "小满")

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := onebot.NewClient(qq.Start(), onebot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		qq.WaitLink(ctx)
		group.Say(5, onebot.Message{onebot.Text("大家好")})
		group.Say(5, onebot.Message{onebot.At(10000), onebot.Text(" 在吗")})
	}()
	err = client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		m, ok := e.(*onebot.GroupMessage)
		if !ok || m.Own() || !m.Message.Mentions(m.SelfID) {
			return
		}
		answer := onebot.Message{onebot.Reply(m.MessageID), onebot.Text(m.Sender.Name() + " 说:" + m.Message.Text())}
		if _, err := bot.SendGroupMsg(ctx, m.GroupID, answer); errors.Is(err, onebot.ErrUnclear) {
			fmt.Println("perhaps it was said:", err)
		}
		cancel() // enough
	})
	fmt.Println(err)
	for _, s := range qq.Sent() {
		fmt.Println(s.Message.Text())
	}
	// Output:
	// <nil>
	// [回复]小满 说:@10000 在吗
}

// A reverse WebSocket server with two accounts. Real programs pass the server to http.ListenAndServe.
func ExampleServer() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	greeted := make(chan string, 2)
	server := onebot.NewServer(onebot.Options{Token: "secret"})
	mux := http.NewServeMux()
	mux.Handle("/onebot/v11/ws", server)
	web := httptest.NewServer(mux)
	defer web.Close()
	done := make(chan error)
	go func() {
		done <- server.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
			if m, ok := e.(*onebot.PrivateMessage); ok && !m.Own() {
				bot.SendPrivateMsg(ctx, m.PeerID(), onebot.Message{onebot.Text("我是 " + fmt.Sprint(bot.SelfID()))})
				greeted <- m.Message.Text()
			}
		})
	}()

	url := "ws" + strings.TrimPrefix(web.URL, "http") + "/onebot/v11/ws"
	for _, self := range []int64{10000, 20000} {
		qq := onebottest.New(onebottest.Options{SelfID: self, Token: "secret"})
		defer qq.Close()
		friend := qq.Friend(5, "小满")
		go qq.Connect(ctx, url, onebottest.ConnectOptions{Reconnect: 10 * time.Millisecond})
		qq.WaitLink(ctx)
		friend.Say(onebot.Message{onebot.Text("你是谁")})
		fmt.Println(<-greeted)
		for _, s := range qq.Sent() {
			fmt.Println(s.Message.Text())
		}
	}
	cancel()
	fmt.Println(<-done)
	// Output:
	// 你是谁
	// 我是 10000
	// 你是谁
	// 我是 20000
	// <nil>
}

// ParseCQ parses messages that implementations send as strings. Text from users is never parsed.
func ExampleParseCQ() {
	m := onebot.ParseCQ("[CQ:at,qq=10000] 看这个 &#91;图&#93; [CQ:image,file=a.jpg]")
	fmt.Println(len(m), m.Mentions(10000))
	fmt.Println(m.Text())
	fmt.Println(onebot.Message{onebot.Text("[CQ:at,qq=all]")}.CQ())
	// Output:
	// 3 true
	// @10000 看这个 [图] [图片]
	// &#91;CQ:at,qq=all&#93;
}

func ExampleParseEvent() {
	e, err := onebot.ParseEvent([]byte(`{"post_type":"notice","notice_type":"group_ban","sub_type":"ban","time":1735689600,
		"self_id":"10000","group_id":1,"user_id":5,"operator_id":6,"duration":600}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	switch e := e.(type) {
	case *onebot.GroupBan:
		fmt.Println(e.UserID, "may not speak for", e.Duration)
	case *onebot.Unknown:
		fmt.Println("new to me:", string(e.Raw()))
	}
	// Output: 5 may not speak for 10m0s
}

// Call calls actions without a method, with any types that encoding/json supports.
func ExampleBot_Call() {
	qq := onebottest.New(onebottest.Options{})
	defer qq.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client, err := onebot.NewClient(qq.Start(), onebot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if _, ok := e.(*onebot.Lifecycle); !ok {
			return
		}
		defer cancel()
		var who struct{ Nickname string }
		err := bot.Call(ctx, "get_login_info", nil, &who)
		fmt.Println(who.Nickname, err)

		err = bot.Call(ctx, "no_such_action", map[string]any{"group_id": 1}, nil)
		var refused *onebot.APIError
		fmt.Println(errors.Is(err, onebot.ErrUnknownAction), errors.As(err, &refused) && refused.Code == 1404)
	})
	// Output:
	// 炉边 <nil>
	// true true
}

// A Limiter alone: wait, check whether the message is still wanted, then send.
func ExampleLimiter() {
	limiter := onebot.NewLimiter(onebot.LimiterOptions{})
	now := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	fmt.Println(limiter.Try(now, "group_1"))
	fmt.Println(limiter.Try(now, "group_2"))
	fmt.Println(limiter.Try(now.Add(time.Second), "group_1"))
	// Output:
	// 0s true
	// 1s false
	// 2s false
}
