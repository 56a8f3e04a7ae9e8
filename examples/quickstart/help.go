package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// init prints the help for -h. It is not in main.go, which is the text of the README.
func init() {
	if slices.ContainsFunc(os.Args[1:], func(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, arg) }) {
		fmt.Fprint(os.Stderr, help())
		os.Exit(0)
	}
}

func help() string {
	return lang.Of(os.Args[1:]).Sprintf(`quickstart 是 QQ 群里的机器人，也就是 README 里的那个例子；它没有参数。

它连接 ws://127.0.0.1:3001 上的 NapCat，用 DeepSeek 的模型，记忆存在 xiaolu.db。
密钥、模型的名字和 token 放在环境变量里：

  OPENAI_API_KEY=sk-… MODEL_NAME=… ONEBOT_TOKEN=… quickstart

别的地址和名字就改 main.go；不想写代码就用 groupbot。
`, `quickstart is a bot for QQ groups: the example of the README. It has no flags.

It connects to the NapCat at ws://127.0.0.1:3001, uses a model of DeepSeek, and
keeps its memory in xiaolu.db. The key, the name of the model and the token are
in the environment:

  OPENAI_API_KEY=sk-… MODEL_NAME=… ONEBOT_TOKEN=… quickstart

For other addresses and names change main.go, or start groupbot, which has
flags.
`)
}
