package nit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/tmc/langchaingo/llms"
)

type weatherIn struct {
	City string `json:"city" jsonschema:"城市名"`
	Days int    `json:"days,omitempty" jsonschema:"几天，默认 1"`
}

type weatherOut struct {
	Sky     string `json:"sky"`
	Celsius int    `json:"celsius"`
}

func weather(_ context.Context, in weatherIn) (weatherOut, error) {
	if in.City == "亚特兰蒂斯" {
		return weatherOut{}, nit.ModelError("没有这个城市")
	}
	return weatherOut{Sky: "晴", Celsius: 21}, nil
}

func Example() {
	tool, err := nit.Define("weather", nit.L1, "查天气", weather, nit.ReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	shell, err := nit.Define("shell_exec", nit.L3, "运行命令", func(context.Context, struct {
		Command string `json:"command"`
	}) (string, error) {
		return "", errors.New("not in an example")
	}) // L3: invisible in chats
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	if err := tools.Add(tool, shell); err != nil {
		log.Fatal(err)
	}

	// Make one view for each turn. This one is for a person in a group.
	view := tools.View(nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
	for _, t := range view.Tools() { // pass to the model with llms.WithTools
		fmt.Println("shown:", t.Function.Name, t.Function.Description)
	}
	for _, c := range []llms.FunctionCall{ // possible answers of the model
		{Name: "weather", Arguments: `{"city":"杭州"}`},
		{Name: "weather", Arguments: `{"city":"亚特兰蒂斯"}`},
		{Name: "weather", Arguments: `{"days":"three"}`},
		{Name: "shell_exec", Arguments: `{"command":"id"}`},
		{Name: "no_such_tool"},
	} {
		answer := view.Call(context.Background(), llms.ToolCall{ID: "1", Type: "function", FunctionCall: &c})
		fmt.Printf("%s: %s\n", answer.Name, answer.Content)
	}
	// Output:
	// shown: weather 查天气
	// weather: {"sky":"晴","celsius":21}
	// weather: error: the tool failed: 没有这个城市
	// weather: error: bad arguments: city is missing; days is not of type integer
	// unknown: error: unknown tool
	// unknown: error: unknown tool
}

// The same tool has different descriptions for the owner's assistant and for the persona in chats.
func ExampleIn() {
	tool, err := nit.Define("read_owner_memory", nit.L2, "用于检索主人的详细数据以完成具体任务。",
		func(context.Context, struct {
			Query string `json:"query"`
		}) (string, error) {
			return "", nil
		}, nit.ReadOnly(),
		nit.DescribeIn(nit.ModePersona, "当你被问及关于主人的事情时，可以用它来寻找灵感，但请注意保护隐私。"))
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	_ = tools.Add(tool)
	for _, mode := range []string{nit.ModeAgent, nit.ModePersona} {
		view := tools.View(nit.Principal{Mode: mode, Tiers: nit.L1 | nit.L2})
		fmt.Println(view.Tools()[0].Function.Description)
	}
	// Output:
	// 用于检索主人的详细数据以完成具体任务。
	// 当你被问及关于主人的事情时，可以用它来寻找灵感，但请注意保护隐私。
}

// EditSchema adds rules that Go types cannot express.
func ExampleSchema() {
	type in struct {
		Level string `json:"level,omitempty"`
	}
	tool, err := nit.Define("volume", nit.L1, "调音量", func(_ context.Context, in in) (string, error) { return "好", nil },
		nit.EditSchema(func(s *jsonschema.Schema) { s.Properties["level"].Enum = []any{"low", "high"} }))
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	_ = tools.Add(tool)
	view := tools.View(nit.Principal{Tiers: nit.L1})
	_, err = view.Do(context.Background(), "volume", `{"level":"deafening"}`)
	fmt.Println(err)
	// Output: nit: bad arguments: level is none of ["low" "high"]
}

// A guard journals an effect before it happens.
func ExampleView_WithGuard() {
	buy, err := nit.Define("buy", nit.L1, "下单", func(context.Context, struct{}) (string, error) { return "已下单", nil })
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	_ = tools.Add(buy)
	view := tools.View(nit.Principal{Tiers: nit.L1, Turn: "t42"}).WithGuard(func(ctx context.Context, tool nit.ToolInfo) error {
		p, _ := nit.PrincipalFrom(ctx)
		fmt.Println("journal:", p.Turn, tool.Name)
		return nil
	})
	res, err := view.Do(context.Background(), "buy", "")
	fmt.Println(res.Text, err)
	// Output:
	// journal: t42 buy
	// 已下单 <nil>
}

// A tool with a given schema.
func ExampleDefineRaw() {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	tool, err := nit.DefineRaw("remote_count", nit.L1, "数数", schema, func(_ context.Context, args json.RawMessage) (string, error) {
		return "sent " + string(args), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	_ = tools.Add(tool)
	res, err := tools.View(nit.Principal{Tiers: nit.L1}).Do(context.Background(), "remote_count", `{"n":9007199254740993}`)
	fmt.Println(res.Text, err)
	// Output: sent {"n":9007199254740993} <nil>
}
