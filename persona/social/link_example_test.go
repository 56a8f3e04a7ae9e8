package social_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// A loggedLink prints all messages sent through the link that it wraps, and keeps its features.
type loggedLink struct{ social.Link }

// Send prints the message and sends it.
func (l loggedLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	id, err := l.Link.Send(ctx, chat, out)
	fmt.Printf("%v %q %q %v\n", chat, out.Text, id, err)
	return id, err
}

// Features returns the features of the wrapped link.
func (l loggedLink) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }

// A link that wraps another one: this one logs every send, including those of tools.
func ExampleLinkFeatures() {
	room := &chatRoom{lines: []string{"小炉，你在吗"}, said: make(chan string, 1)}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在，炉边可暖和了")),
		Link:    loggedLink{Link: room},
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	<-room.said
	stop()
	fmt.Println(<-ended)
	// Output:
	// room:group:1 "在，炉边可暖和了" "a" <nil>
	// <nil>
}
