package social_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// A panel of the host changes a chat while the bot runs, announces something there, and closes it for an hour.
func ExampleBot_Configure() {
	room := &chatRoom{said: make(chan string, 1)}
	bot, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: room})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()

	chat := persona.Chat{Platform: "room", Kind: persona.Group, ID: "1"}
	fmt.Println(bot.Configure(ctx, chat, social.ChatSettings{Policy: "intreject"}))
	fmt.Println(bot.Configure(ctx, chat, social.ChatSettings{Policy: "interject", Keywords: []string{"爬山"}}))
	if _, err := bot.Say(ctx, chat, "今晚停机维护。"); err == nil {
		fmt.Println(<-room.said)
	}
	if err := bot.Mute(ctx, chat, time.Now().Add(time.Hour)); err != nil {
		log.Fatal(err)
	}
	_, err = bot.Say(ctx, chat, "还在吗？")
	fmt.Println(errors.Is(err, heartflow.ErrMuted))
	stop()
	<-ended
	// Output:
	// social: settings of room:group:1: "intreject" is no policy: interject, mention
	// <nil>
	// 今晚停机维护。
	// true
}
