package qq_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
)

// printer is a mouth that prints what it is given to say.
type printer struct{}

func (printer) Say(_ context.Context, target string, m onebot.Message) (string, error) {
	fmt.Printf("to %q: %s\n", target, m.Text())
	return "1001", nil
}

func Example() {
	client := onebot.NewClient("ws://127.0.0.1:3001", nil)
	tools, err := qq.Tools(client.Bot(), printer{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var registry nit.Registry
	if err := registry.Add(tools...); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	persona := registry.View(nit.Principal{Sees: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
	fmt.Println(persona.Do(ctx, "qq_send_text", `{"content":"晚上好"}`))
	fmt.Println(persona.Do(ctx, "qq_send_text", `{"content":"晚上好","target_id":"group_456"}`))
	agent := registry.View(nit.Principal{Mode: nit.ModeAgent, Sees: nit.L1 | nit.L2 | nit.L3})
	fmt.Println(agent.Do(ctx, "qq_send_text", `{"content":"主人说晚安","target_id":456}`))
	// Output:
	// to "": 晚上好
	// {{"message_id":"1001"} false} <nil>
	// { false} nit: unknown tool
	// to "group_456": 主人说晚安
	// {{"message_id":"1001"} false} <nil>
}
