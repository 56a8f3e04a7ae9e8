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
)

// A chatRoom is a platform of your own: a Link needs two methods.
type chatRoom struct {
	lines []string
	said  chan string
}

// Run receives the messages of the room.
func (c *chatRoom) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	for i, line := range c.lines {
		hear(ctx, persona.Message{
			ID: fmt.Sprint(i), Chat: persona.Chat{Platform: "room", Kind: persona.Group, ID: "1"},
			From: "7", Name: "小明", At: time.Now(), Text: line,
		})
	}
	<-ctx.Done()
	return nil
}

// Send sends a message to the room.
func (c *chatRoom) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	c.said <- out.Text
	return "a", nil
}

// A bot on a platform of your own, with a scripted model.
func Example() {
	room := &chatRoom{lines: []string{"今天好冷", "小炉，你在吗"}, said: make(chan string, 1)}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在，炉边可暖和了")),
		Link:    room,
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}}, // answer at once
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	fmt.Println(<-room.said)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在，炉边可暖和了
	// <nil>
}

// A person asks to be erased: their messages and all data derived from them.
func ExampleBot_ErasePerson() {
	room := &chatRoom{lines: []string{"我家的猫叫年糕", "小炉，记住了吗"}, said: make(chan string, 1)}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("记住了")),
		Link:    room,
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	<-room.said
	records, err := bot.ErasePerson(ctx, persona.Account{Platform: "room", ID: "7"}, nil)
	fmt.Println(records, err)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 2 <nil>
	// <nil>
}
