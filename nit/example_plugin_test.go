package nit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/nit"
)

const diceManifest = `{
	"name": "dice", "displayName": "骰子", "version": "1.0.0", "description": "掷骰子", "pluginType": "go", "entryPoint": "example.com/dice", "category": "plugins",
	"capabilities": {"invocationCommands": [{
		"commandIdentifier": "dice_roll", "description": "掷一次骰子",
		"parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}}}]}}`

// A plugin is loaded, switched off in persona mode, and unloaded. While it is absent, its tool is unknown.
func ExamplePlugins() {
	manifest, err := nit.ParseManifest([]byte(diceManifest))
	if err != nil {
		log.Fatal(err)
	}
	var host *nit.Host
	roll, err := nit.Define("dice_roll", nit.L1, "掷一次骰子", func(_ context.Context, in struct {
		Sides int `json:"sides,omitempty"`
	}) (string, error) {
		var luck int
		if err := host.Setting("luck", &luck); err != nil {
			return "", err
		}
		return fmt.Sprintf("掷出了 %d", luck), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	tools := nit.Registry{Limits: nit.Limits{Calls: -1}}
	plugins, err := nit.NewPlugins(ctx, &tools, nit.PluginOptions{}) // with a State, settings survive a restart
	if err != nil {
		log.Fatal(err)
	}
	try := func(when string) {
		res, err := tools.View(nit.Principal{Tiers: nit.L1}).Do(ctx, "dice_roll", "")
		fmt.Println(when+":", res.Text, err)
	}
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	try("absent")
	check(plugins.Load(ctx, nit.Plugin{
		Manifest: *manifest, Tools: []nit.Tool{roll}, Settings: map[string]any{"luck": 4},
		Start: func(_ context.Context, h *nit.Host) error { host = h; return nil },
	}))
	try("loaded")
	check(plugins.SetSetting(ctx, "dice", "luck", 6))
	try("set")
	check(plugins.SwitchPlugin(ctx, "dice", nit.Switch{OffModes: []string{nit.ModePersona}}))
	try("switched off")
	check(plugins.SwitchPlugin(ctx, "dice", nit.Switch{}))
	try("switched on")
	check(plugins.Unload(ctx, "dice"))
	try("unloaded")
	// Output:
	// absent:  nit: unknown tool
	// loaded: 掷出了 4 <nil>
	// set: 掷出了 6 <nil>
	// switched off:  nit: unknown tool
	// switched on: 掷出了 6 <nil>
	// unloaded:  nit: unknown tool
}

// A policy decides each call. If it returns Ask, Confirm asks a human.
func ExamplePolicy() {
	transfer, err := nit.Define("transfer", nit.L1, "转账", func(_ context.Context, in struct {
		Yuan int `json:"yuan"`
	}) (string, error) {
		return fmt.Sprintf("转了 %d 元", in.Yuan), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	tools := nit.Registry{
		Policy: func(_ context.Context, r nit.Request) (nit.Decision, error) {
			var args struct{ Yuan int }
			if err := json.Unmarshal(r.Args, &args); err != nil {
				return nit.Deny, err
			}
			switch {
			case args.Yuan > 1000:
				return nit.Deny, nil
			case args.Yuan > 10:
				return nit.Ask, nil
			}
			return nit.Allow, nil
		},
		Confirm: func(_ context.Context, r nit.Request) (bool, error) { // send a message to the owner and wait for the answer
			fmt.Printf("asked: %s %s\n", r.Tool.Name, r.Args)
			return true, nil
		},
	}
	if err := tools.Add(transfer); err != nil {
		log.Fatal(err)
	}
	view := tools.View(nit.Principal{Tiers: nit.L1})
	for _, yuan := range []int{5, 200, 5000} {
		res, err := view.Do(context.Background(), "transfer", fmt.Sprintf(`{"yuan":%d}`, yuan))
		fmt.Println(res.Text, err)
	}
	// Output:
	// 转了 5 元 <nil>
	// asked: transfer {"yuan":200}
	// 转了 200 元 <nil>
	//  nit: not allowed now
}

// A quota of two calls per hour and person, over any number of turns. Over the quota, all names get the same answer.
func ExampleQuota() {
	quota, err := nit.NewQuota(nit.QuotaOptions{PerPerson: nit.Rate{Calls: 2, Per: time.Hour}})
	if err != nil {
		log.Fatal(err)
	}
	coin, err := nit.Define("coin", nit.L1, "抛硬币", func(context.Context, struct{}) (string, error) { return "正面", nil })
	if err != nil {
		log.Fatal(err)
	}
	tools := nit.Registry{Quota: quota}
	_ = tools.Add(coin)
	for _, name := range []string{"coin", "no_such_tool", "coin", "no_such_tool"} {
		turn := tools.View(nit.Principal{Tiers: nit.L1, Platform: "qq", Person: "987"})
		res, err := turn.Do(context.Background(), name, "")
		fmt.Println(res.Text, err)
	}
	// Output:
	// 正面 <nil>
	//  nit: unknown tool
	//  nit: no tool calls left for now
	//  nit: no tool calls left for now
}

// A schema in the subset that Google's models support.
func ExampleView_WithDialect() {
	schema := json.RawMessage(`{"type":"object","$defs":{"place":{"type":["string","null"],"const":"here"}},"properties":{"at":{"$ref":"#/$defs/place"}},"additionalProperties":false}`)
	tool, err := nit.DefineRaw("look", nit.L1, "看看", schema, func(context.Context, json.RawMessage) (string, error) { return "", nil })
	if err != nil {
		log.Fatal(err)
	}
	var tools nit.Registry
	_ = tools.Add(tool)
	view := tools.View(nit.Principal{Tiers: nit.L1}).WithDialect(nit.Gemini)
	shown, _ := json.Marshal(view.Tools()[0].Function.Parameters)
	fmt.Println(string(shown))
	// Output: {"properties":{"at":{"enum":["here"],"nullable":true,"type":"string"}},"type":"object"}
}
