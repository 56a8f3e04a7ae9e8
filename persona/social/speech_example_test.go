package social_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
)

// A reply is sent in parts, each after the time that a person would need to type it.
func ExampleSpeech() {
	room := &chatRoom{lines: []string{"小炉，你在吗"}, said: make(chan string, 3)}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在呀！刚才去添柴了。怎么了？")),
		Link:    room,
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}},
		Reply: social.Reply{
			Speech: &social.Speech{
				Split: speech.SplitOptions{SplitChance: 1, DropPeriod: 1}, // at every sentence
				Pace:  speech.Pace{Max: 10 * time.Millisecond},            // fast, for the example
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	for range 3 {
		fmt.Println(<-room.said)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在呀！
	// 刚才去添柴了
	// 怎么了？
	// <nil>
}

// The owner receives an answer while it is written.
func ExampleBot_StreamOwnerMessage() {
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("<item>主人早！</item><item>今天有雨，记得带伞。</item>")),
		Link:    &chatRoom{},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	err = bot.StreamOwnerMessage(ctx, "早", func(_ context.Context, item string) error {
		fmt.Println(item)
		return nil
	})
	fmt.Println(err)
	stop()
	<-ended
	// Output:
	// 主人早！
	// 今天有雨，记得带伞。
	// <nil>
}
