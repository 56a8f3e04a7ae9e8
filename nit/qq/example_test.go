package qq_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/persona"
)

// An actor that can only send. persona/social/onebotlink has a complete one for OneBot.
func Example() {
	tools, err := qq.Tools(qq.Actor{
		Send: func(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
			fmt.Printf("to %v: %s\n", chat, out.Text)
			return "1001", nil
		},
	}, qq.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var registry nit.Registry
	if err := registry.Add(tools...); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	inGroup := registry.View(nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
	fmt.Println(inGroup.Do(ctx, "qq_send_text", `{"content":"晚上好"}`))
	fmt.Println(inGroup.Do(ctx, "qq_send_text", `{"content":"晚上好","target_id":"group_456"}`))
	agent := registry.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3})
	fmt.Println(agent.Do(ctx, "qq_send_text", `{"content":"主人说晚安","target_id":456}`))
	// Output:
	// to qq:group:123: 晚上好
	// {{"message_id":"1001"} false} <nil>
	// { false} nit: unknown tool
	// to qq:group:456: 主人说晚安
	// {{"message_id":"1001"} false} <nil>
}
