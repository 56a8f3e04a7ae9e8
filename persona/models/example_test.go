package models_test

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/tmc/langchaingo/llms"
)

func ExampleMeter() {
	spent := models.Usage{}
	model := models.Meter(modeltest.New(modeltest.Say("在的，怎么了？")), func(_ context.Context, u models.Usage) { spent = spent.Add(u) })

	reply, _ := llms.GenerateFromSinglePrompt(context.Background(), model, "在吗")
	fmt.Println(reply)
	fmt.Printf("%d call, %d tokens, estimated: %t\n", spent.Calls, spent.Total(), spent.Estimated)
	// Output:
	// 在的，怎么了？
	// 1 call, 13 tokens, estimated: true
}
