package onebotlink_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// A bot in QQ groups, over the forward WebSocket of NapCat or any other OneBot implementation.
func Example() {
	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{Token: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(), // any llms.Model
		Link:    onebotlink.New(client, onebotlink.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := bot.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A printer prints the calls of actions instead of sending them.
type printer struct{}

func (printer) Call(_ context.Context, action string, params, _ any) error {
	b, err := json.Marshal(params)
	fmt.Println(action, string(b))
	return err
}

// The tools of nit/qq without a bot of package social. Text of the model is never CQ code, and mentions are arguments.
func ExampleActor() {
	tools, err := qq.Tools(onebotlink.Actor(onebot.NewBot(printer{}, 10000)), qq.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var registry nit.Registry
	if err := registry.Add(tools...); err != nil {
		log.Fatal(err)
	}
	owner := registry.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1})
	for _, call := range [][2]string{
		{"qq_send_text", `{"target_id":"group_1","content":"[CQ:face,id=1] 开会","at":[1001]}`},
		{"qq_group_ban", `{"group_id":"group_1","user_id":1001,"duration":600}`},
	} {
		if _, err := owner.Do(context.Background(), call[0], call[1]); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// send_group_msg {"group_id":1,"message":[{"type":"at","data":{"qq":"1001"}},{"type":"text","data":{"text":" "}},{"type":"text","data":{"text":"[CQ:face,id=1] 开会"}}]}
	// set_group_ban {"group_id":1,"user_id":1001,"duration":600}
}
