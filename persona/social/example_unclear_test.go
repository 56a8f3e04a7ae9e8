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

// A flakyRoom delivers a message and then loses the connection, so that the sender does not learn its id.
type flakyRoom struct {
	*chatRoom
	delivered chan persona.Message
	lookedUp  chan int
}

// Send wraps ErrUnclear: the message may have been delivered, and the bot must not send it again.
func (f *flakyRoom) Send(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	f.delivered <- persona.Message{ID: "8", Chat: chat, From: "1", Name: "小炉", Own: true, At: time.Now(), Text: out.Text}
	return "", fmt.Errorf("room: connection lost: %w", social.ErrUnclear)
}

// Features returns the history of the room, by which the bot finds out whether the message was delivered.
func (f *flakyRoom) Features() social.LinkFeatures {
	return social.LinkFeatures{RecentMessages: func(context.Context, persona.Chat, func(persona.Message) bool) ([]persona.Message, error) {
		select {
		case m := <-f.delivered:
			defer func() { f.lookedUp <- 1 }()
			return []persona.Message{m}, nil
		default:
			return nil, nil
		}
	}}
}

// A link returns an error that matches ErrUnclear if it cannot know whether a message was delivered. The bot looks it up in the
// history and never sends it twice.
func ExampleLink_unclear() {
	room := &flakyRoom{&chatRoom{lines: []string{"小炉，你在吗"}}, make(chan persona.Message, 1), make(chan int, 1)}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在，炉边可暖和了")),
		Link:    room,
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	<-room.lookedUp
	stop()
	fmt.Println(<-ended)
	fmt.Println(bot.Stats().Sent, bot.Stats().SendFailed)
	// Output:
	// <nil>
	// 0 1
}
