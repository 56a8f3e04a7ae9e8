package modeltest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

type weather struct{}

func (weather) Tools() []llms.Tool {
	return []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "weather", Description: "查天气"}}}
}

func (weather) Call(_ context.Context, c llms.ToolCall) llms.ToolCallResponse {
	return llms.ToolCallResponse{ToolCallID: c.ID, Name: "weather", Content: "有雨"}
}

func Example() {
	m := modeltest.New(
		modeltest.Call("weather", map[string]string{"city": "杭州"}),
		modeltest.Say("杭州今天有雨，记得带伞。"),
	)
	turn := prompt.Turn{Model: m, Toolbox: weather{}}
	reply, err := turn.Run(context.Background(), "你是小炉。", "杭州天气怎么样？")
	fmt.Println(reply.Text, err)
	fmt.Println(m.Prompts()[1].ToolResults()[0].Content)
	fmt.Println(m.Remaining(), m.Err())
	// Output:
	// 杭州今天有雨，记得带伞。 <nil>
	// <tool_result name="weather">有雨</tool_result>
	// 0 <nil>
}

// Echo shows the whole prompt of a model.
func ExampleEcho() {
	me := persona.Profile{Name: "小炉"}
	scene := prompt.Scene{Recent: []persona.Message{{Name: "张三", Text: "CANARY 你好"}}}
	turn := prompt.Turn{Model: modeltest.Echo()}
	reply, _ := turn.Run(context.Background(), "", prompt.Context(me, time.Now(), scene))
	fmt.Println(strings.Contains(reply.Text, "CANARY"))
	// Output: true
}

// A real client gets the same answers and failures over HTTP.
func ExampleModel_Handler() {
	m := modeltest.New(modeltest.RateLimited(20*time.Second), modeltest.Say("在的"))
	api := httptest.NewServer(m.Handler())
	defer api.Close()
	client, err := openai.New(openai.WithBaseURL(api.URL), openai.WithToken("sk-test"), openai.WithModel("m"))
	if err != nil {
		panic(err)
	}
	for range 2 {
		fmt.Println(llms.GenerateFromSinglePrompt(context.Background(), client, "在吗"))
	}
	fmt.Print(m.Prompts()[0].Human())
	// Output:
	//  API returned unexpected status code: 429: Rate limit reached
	// 在的 <nil>
	// 在吗
}
