package qqbotlink_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
)

// A bot in a group of the official platform.
func Example() {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	ann := s.Group("G1").Member("M1", "Ann")

	client := s.Client(qqbot.Options{}) // for the real platform: qqbot.New(appID, secret, qqbot.Options{})
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在呢")), // any llms.Model
		Link:    qqbotlink.New(client, qqbotlink.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()

	_ = s.WaitLink(ctx)
	said := ann.At("在吗")
	sent, _ := s.WaitSent(ctx, 1)
	fmt.Println(sent[0].Text, sent[0].MsgID == said.ID, sent[0].Seq)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在呢 true 1
	// <nil>
}

// One bot in two homes: OneBot's QQ and the official platform. Accounts on both are different people, unless SamePerson says
// otherwise.
func Example_twoHomes() {
	qq := onebottest.New(onebottest.Options{SelfID: 10000})
	defer qq.Close()
	group := qq.Group(1, "群")
	group.Member(1001, "小满")
	official := qqbottest.New(qqbottest.Options{})
	defer official.Close()

	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.Always(modeltest.Say("在呢")),
		Link: social.Links(
			onebotlink.New(qq.Client(onebot.Options{}), onebotlink.Options{}),    // onebot.NewClient("ws://…", …)
			qqbotlink.New(official.Client(qqbot.Options{}), qqbotlink.Options{}), // qqbot.New(appID, secret, …)
		),
		Access: social.Access{
			Owners:     []persona.Account{{Platform: "qq", ID: "1001"}},
			SamePerson: [][]persona.Account{{{Platform: "qq", ID: "1001"}, {Platform: "qqbot", ID: "OPENID"}}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()

	_, _ = qq.WaitLink(ctx), official.WaitLink(ctx)
	group.Say(1001, onebot.Message{onebot.At(10000), onebot.Text(" 在吗")})
	official.Group("G1").Member("M1", "小满").At("在吗")
	here, _ := qq.WaitSent(ctx, 1)
	there, _ := official.WaitSent(ctx, 1)
	fmt.Println(here[0].Message.Text(), there[0].Text)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在呢 在呢
	// <nil>
}

// The owner proves who they are by a code that only they can see.
func ExamplePairing() {
	code := qqbotlink.NewPairingCode()
	fmt.Println("发给机器人的私聊：", code)
	_ = qqbotlink.Options{Pairing: &qqbotlink.Pairing{
		Code: code, Until: time.Now().Add(10 * time.Minute),
		Found: func(owner persona.Account) { fmt.Println("Access.Owners:", owner) }, // save it for the next start
	}}
}
