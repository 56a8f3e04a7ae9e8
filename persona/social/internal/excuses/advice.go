package excuses

import (
	"cmp"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
)

// advice tells the owner what to do about a failure; "": nothing. passes means that it may pass by itself.
func advice(f models.Failure) (text string, passes bool) {
	status := ""
	if f.Status != 0 {
		status = fmt.Sprintf("（%d）", f.Status)
	}
	switch f.Kind {
	case models.QuotaExceeded:
		return "模型服务的余额或额度用完了" + status + "，现在谁叫我都答不了。去充值，或者换一个密钥；之后有人叫我，我一分钟内会再试。", false
	case models.Unauthorized:
		return "模型服务不认密钥" + status + "，现在谁叫我都答不了。检查 OPENAI_API_KEY 或 -key-file 里的密钥，改好后重启。", false
	case models.RegionBlocked:
		return "模型服务不给这个地区用" + status + "，现在谁叫我都答不了。换一家服务，改好后重启。", false
	case models.NotFound:
		return "模型服务说没有这个模型或地址" + status + "。检查 -model-name 和 -base-url（地址一般以 /v1 结尾），加上 -check 能看到有哪些模型，改好后重启。", false
	case models.WebPage:
		return "-base-url 那里回的是网页，不是模型" + status + "。地址一般以 /v1 结尾；有代理的话也检查一下代理，改好后重启。", false
	case models.InvalidRequest:
		return "模型服务不接受请求" + status + "，原因在日志里。如果它不支持工具，试试 -text-calls。", false
	case models.PromptTooLong:
		return "提示词比模型能读的长" + status + "，去掉一半还是太长，有一句没回上。换一个上下文更长的模型。", false
	case models.ContentFiltered:
		return "模型服务的内容审查拦下了一句" + status + "，没回上。不用改什么；常常这样的话，换一个模型。", true
	case models.Loading:
		return "本机的模型还没准备好，有一句没回上。它可能还在加载，也可能没启动；好了我会自己接着用。", true
	case models.RateLimit:
		return "模型服务嫌请求太频繁" + status + "，有一句没回上。常常这样的话，提高那边的限额，或者换一个模型。", true
	case models.Network:
		return "连不上模型服务，有一句没回上。检查网络和 -base-url；好了我会自己接着用。", true
	case models.Timeout:
		return "模型太久没有回答，有一句没回上。常常这样的话，换一个快一点的模型。", true
	case models.Overloaded, models.BadResponse, models.EmptyAnswer, models.Panicked, models.Busy, models.BreakerOpen:
		return "模型服务出错了" + status + "，有一句没回上，原因在日志里。一般过会儿就好，好了我会自己接着用。", true
	}
	return "", true
}

const toolLoopAdvice = "模型一直在调用工具，没有回答，有一句没回上。常常这样的话，换一个模型。"

// stateNames name failures for the command that asks for the state.
var stateNames = map[models.FailureKind]string{
	models.Network: "连不上", models.RateLimit: "请求太频繁", models.Overloaded: "服务出错", models.Timeout: "太久没有回答", models.BadResponse: "回答断了",
	models.EmptyAnswer: "什么都没写", models.Panicked: "程序出错", models.QuotaExceeded: "余额或额度用完了", models.Unauthorized: "密钥不对",
	models.RegionBlocked: "不给这个地区用", models.NotFound: "没有这个模型或地址", models.WebPage: "地址那里是网页", models.InvalidRequest: "不接受请求",
	models.PromptTooLong: "提示词太长", models.ContentFiltered: "内容审查拦下了", models.Loading: "还在加载", models.Busy: "同时问得太多",
}

// A state is the last failure of a turn.
type state struct {
	kind     models.FailureKind
	toolLoop bool
	since    time.Time // of failures of this kind
	last     time.Time
}

func (s state) text(english bool, at string) string {
	switch {
	case english && s.toolLoop:
		return " Model: calls tools without end, since " + at + "."
	case english:
		return " Model: " + s.kind.String() + ", since " + at + "."
	case s.toolLoop:
		return "模型：一直在调用工具，从 " + at + " 起。"
	}
	return "模型：" + cmp.Or(stateNames[s.kind], "出错了") + "，从 " + at + " 起。"
}
