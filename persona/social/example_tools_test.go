package social_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// The bot gets two tools: everybody may have it roll a die, and only the owner may have it read the diary. A turn in a chat
// does not list the diary, and a call of it is refused like a call of an unknown tool.
func ExampleTools() {
	dice, err := nit.Define("roll_dice", nit.L1, "掷一个骰子", func(_ context.Context, in struct {
		Sides int `json:"sides" jsonschema:"骰子的面数"`
	}) (int, error) {
		return in.Sides, nil // a loaded die
	})
	if err != nil {
		log.Fatal(err)
	}
	diary, err := nit.Define("read_diary", nit.L3, "读主人的日记", func(context.Context, struct{}) (string, error) {
		return "今天也没写代码。", nil
	})
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	if err := tools.Add(dice, diary); err != nil {
		log.Fatal(err)
	}

	room := &chatRoom{lines: []string{"小炉，掷个骰子"}, said: make(chan string, 1)}
	model := modeltest.New(
		modeltest.Call("roll_dice", map[string]any{"sides": 6}), modeltest.Say("6 点！"), // in the chat
		modeltest.Call("read_diary", map[string]any{}), modeltest.Say("你今天没写代码。"), // for the owner
	)
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   model,
		Link:    room,
		Tools:   social.Tools{Registry: &tools},
		When:    social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	fmt.Println(<-room.said)
	reply, err := bot.OwnerMessage(ctx, "我今天写了什么日记？")
	fmt.Println(reply, err)
	stop()
	fmt.Println(<-ended)

	fmt.Println(model.Prompts()[0].ToolNames())
	fmt.Println(model.Prompts()[2].ToolNames())
	// Output:
	// 6 点！
	// 你今天没写代码。 <nil>
	// <nil>
	// [roll_dice]
	// [read_diary roll_dice]
}
