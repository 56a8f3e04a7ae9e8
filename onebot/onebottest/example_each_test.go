package onebottest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// One test runs against every implementation.
func ExamplePresets() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, habits := range onebottest.Presets() {
		s := onebottest.New(onebottest.Options{Quirks: habits})
		go s.Client(onebot.Options{}).Run(ctx, echo)
		s.WaitLink(ctx)

		s.Group(100, "炉边夜话").Say(1, onebot.Message{onebot.At(s.SelfID()), onebot.Text(" 在吗")})
		sent, err := s.WaitSent(ctx, 1)
		fmt.Println(name, sent[0].Message.Text(), err)
		s.Close()
	}
	// Output:
	// NapCat [回复]我在 <nil>
	// LLBot [回复]我在 <nil>
	// SnowLuma [回复]我在 <nil>
	// Lagrange [回复]我在 <nil>
	// GoCQHTTP [回复]我在 <nil>
}

// A bot that is a webhook, in any language or framework, responds to an event with a quick operation.
func ExampleServer_Post() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bot := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e struct {
			RawMessage string `json:"raw_message"`
		}
		json.NewDecoder(r.Body).Decode(&e)
		fmt.Println(e.RawMessage, r.Header.Get("X-Self-ID"), len(r.Header.Get("X-Signature")))
		io.WriteString(w, `{"reply":"我在","at_sender":true}`)
	})
	s := onebottest.New(onebottest.Options{Token: "secret", Quirks: onebottest.GoCQHTTP})
	defer s.Close()
	go s.Post(ctx, "http://bot/", onebottest.PostOptions{Handler: bot})
	s.WaitLink(ctx)

	s.Group(100, "炉边夜话").Say(1, onebot.Message{onebot.Text("在吗")})
	sent, err := s.WaitSent(ctx, 1)
	fmt.Println(sent[0].Message.Text(), err)
	// Output:
	// 在吗 10000 45
	// @1我在 <nil>
}

// The HTTP API has the same address as the WebSocket. Over HTTP NapCat uses status 200 for failures.
func ExampleServer_HTTPClient() {
	ctx := context.Background()
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	client, err := onebot.NewHTTPClient("http://onebottest", onebot.Options{HTTPClient: s.HTTPClient()})
	if err != nil {
		fmt.Println(err)
		return
	}
	bot := client.Bot()

	_, err = bot.SendGroupMsg(ctx, 100, onebot.Message{onebot.Text("有人吗")})
	var refusal *onebot.APIError
	fmt.Println(errors.As(err, &refusal), refusal.Code, errors.Is(err, onebot.ErrFailed))

	s.Group(100, "炉边夜话")
	_, err = bot.SendGroupMsg(ctx, 100, onebot.Message{onebot.Text("有人吗")})
	fmt.Println(s.Sent()[0].Message.Text(), err)
	// Output:
	// true 200 true
	// 有人吗 <nil>
}

// The test itself handles an action that this package lacks.
func ExampleServer_Handle() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	s.Handle("ocr_image", func(params json.RawMessage) (any, error) {
		fmt.Println(string(params))
		return map[string]any{"texts": []string{"炉边"}}, nil
	})

	c := s.Client(onebot.Options{})
	go c.Run(ctx, nil)
	s.WaitLink(ctx)
	var found struct{ Texts []string }
	err := c.Bot().Call(ctx, "ocr_image", map[string]string{"image": "a.png"}, &found)
	fmt.Println(found.Texts, err)
	// Output:
	// {"image":"a.png"}
	// [炉边] <nil>
}

// The implementation is killed while it writes its response. The message was sent, and the bot cannot know.
func ExampleServer_TruncateResponse() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := onebottest.New(onebottest.Options{Quirks: onebottest.LLBot})
	defer s.Close()
	s.Group(100, "炉边夜话")
	c := s.Client(onebot.Options{})
	go c.Run(ctx, nil)
	s.WaitLink(ctx)

	s.TruncateResponse("send_group_msg", 1)
	_, err := c.Bot().SendGroupMsg(ctx, 100, onebot.Message{onebot.Text("晚安")})
	fmt.Println(len(s.Sent()), errors.Is(err, onebot.ErrDisconnected), errors.Is(err, onebot.ErrUnclear))
	// Output: 1 true true
}
