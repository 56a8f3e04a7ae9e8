package script_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/tmc/langchaingo/llms"
)

func ExampleRun() {
	src := `$m = memory_ops(query="约饭", limit=2)
qq_send_text(content=$m, at=[987, "all"])`
	last, err := script.Run(src, script.Options{}, func(name string, args map[string]any) (any, error) {
		fmt.Println(name, args)
		return name + " 的结果", nil
	})
	fmt.Println(last, err)
	// Output:
	// memory_ops map[limit:2 query:约饭]
	// qq_send_text map[at:[987 all] content:memory_ops 的结果]
	// qq_send_text 的结果 <nil>
}

func ExampleError_Render() {
	_, err := script.Parse("$m = memory_ops(query=\"约饭\")\nqq_send_text(content=$n)", script.Options{})
	var e *script.Error
	if errors.As(err, &e) {
		fmt.Println(e.Stage)
		fmt.Println(e.Render())
	}
	// Output:
	// resolve
	// NIT error at line 2, col 22: no call before assigns $n
	//   2 | qq_send_text(content=$n)
	//     |                      ^
}

func ExampleScript_Run() {
	s, err := script.Parse(`
$m = read_owner_memory(query="地址")
qq_send_text(content=["我知道：", $m])`, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Run(context.Background(), func(_ context.Context, c script.Call) (script.Value, error) {
		fmt.Println(c.Name, c.ArgProvenance)
		return script.Value{Data: "……"}, nil
	})
	fmt.Println(err)
	// Output:
	// read_owner_memory map[]
	// qq_send_text map[content:[read_owner_memory]]
	// <nil>
}

// A policy keeps data from the owner's memory out of a group, however it gets into the call.
func ExampleCallFrom() {
	type in struct {
		Text any `json:"text,omitempty"`
	}
	echo := func(_ context.Context, in in) (string, error) { return fmt.Sprint(in.Text), nil }
	recall, err1 := nit.Define("read_owner_memory", nit.L1, "查主人的记忆", echo)
	send, err2 := nit.Define("qq_send_text", nit.L1, "发送文本消息", echo)
	tools := nit.Registry{Policy: func(ctx context.Context, r nit.Request) (nit.Decision, error) {
		call, ok := script.CallFrom(ctx)
		if ok && r.Tool.Name == "qq_send_text" && call.Provenance().Has("read_owner_memory") {
			return nit.Deny, nil
		}
		return nit.Allow, nil
	}}
	scripts, err3 := script.NewScripts(script.ToolOptions{})
	if err := errors.Join(err1, err2, err3, tools.Add(recall, send)); err != nil {
		fmt.Println(err)
		return
	}
	toolbox := scripts.Toolbox(tools.View(nit.Principal{Tiers: nit.L1}))
	fmt.Println(toolbox.Call(context.Background(), llms.ToolCall{ID: "call_1", FunctionCall: &llms.FunctionCall{
		Name: script.ToolName, Arguments: `{"script": "$m = read_owner_memory(text='地址')\nqq_send_text(text=['我知道：', $m])"}`,
	}}).Content)
	// Output:
	// error: the tool failed: NIT error at line 2, col 1: not allowed now
	//   2 | qq_send_text(text=['我知道：', $m])
	//     | ^
	// made before it ended:
	// {"tool":"read_owner_memory","into":"$m","length":2}
}

func ExampleSplitter() {
	s := script.NewSplitter(script.SplitOptions{BareCalls: true})
	for _, chunk := range []string{"好的 <to", "ol_call>{\"name\": ", "\"qq_poke\"}</tool_call>", "戳好了 >_<"} {
		fmt.Printf("%q ", s.Write(chunk))
	}
	fmt.Printf("%q\n", s.Close())
	fmt.Println(s.Blocks()[0].Body)
	// Output:
	// "好的 " "" "" "戳好了 >_" "<"
	// {"name": "qq_poke"}
}

// A text-only model with a turn that uses native calls.
func ExampleModel() {
	type in struct {
		Content string `json:"content"`
	}
	send, err := nit.Define("qq_send_text", nit.L1, "发送文本消息", func(_ context.Context, in in) (string, error) {
		return "已发送：" + in.Content, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var tools nit.Registry
	scripts, err := script.NewScripts(script.ToolOptions{})
	if err = errors.Join(err, tools.Add(send)); err != nil {
		fmt.Println(err)
		return
	}
	toolbox := scripts.Toolbox(tools.View(nit.Principal{Tiers: nit.L1}))
	model := script.Model(says("好\n<nit-TOKEN>\nqq_send_text(content=\"在的\")\n</nit-TOKEN>"), script.ModelOptions{})

	resp, err := model.GenerateContent(context.Background(),
		[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "在吗")}, llms.WithTools(toolbox.Tools()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range resp.Choices[0].ToolCalls {
		fmt.Println(call.FunctionCall.Name, call.FunctionCall.Arguments)
		fmt.Println(toolbox.Call(context.Background(), call).Content)
	}
	// Output:
	// nit_script {"script":"qq_send_text(content=\"在的\")\n"}
	// {"tool":"qq_send_text","result":"已发送：在的"}
}
