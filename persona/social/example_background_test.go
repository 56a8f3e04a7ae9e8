package social_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// The bot summarizes its chats, keeps timers and plans, and recalls by your own embedder. Each background job costs model calls.
func ExampleBackground() {
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model: modeltest.New(
			modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "开会"}),
			modeltest.Say("好，五分钟后叫你。"),
		),
		Link: &chatRoom{},
		Storage: social.Storage{
			Store:      memory.NewMemStore(),       // sqlite.Open keeps it in a file
			Embedder:   memorytest.Embedder{},      // any embeddings.Embedder of langchaingo
			EmbedderID: "test-1",                   // change it with the model
			Indexes:    []memory.Index{flat.New()}, // searches the vectors
		},
		Tools: social.Tools{Builtin: &social.BuiltinTools{}}, // tools to set timers and to search its memory
		Background: social.Background{
			Digest:   &social.Digest{NoDream: true}, // summaries and people, but no nightly consolidation
			Autonomy: &social.Autonomy{},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()

	reply, err := bot.OwnerMessage(ctx, "五分钟后提醒我开会")
	fmt.Println(reply, err)
	agenda, err := bot.Agenda(ctx)
	fmt.Println(agenda.Timers[0].Spec, agenda.Timers[0].Payload, err)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 好，五分钟后叫你。 <nil>
	// 5min 开会 <nil>
	// <nil>
}
