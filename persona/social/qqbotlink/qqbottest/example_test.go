package qqbottest_test

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
)

// A test lets Ann say something and reads the bot's reply.
func Example() {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	said := s.Group("G1").Member("M1", "Ann").At("在吗")

	client := s.Client(qqbot.Options{})
	_, err := client.Send(context.Background(), qqbot.GroupChat("G1"), qqbot.Out{Text: "在", MsgID: said.ID})
	fmt.Println(err, s.Sent()[0].Text)

	_, err = client.Send(context.Background(), qqbot.GroupChat("G1"), qqbot.Out{Text: "早"})
	kind, _ := qqbot.KindOf(err)
	fmt.Println(kind)
	// Output:
	// <nil> 在
	// may not speak first
}
