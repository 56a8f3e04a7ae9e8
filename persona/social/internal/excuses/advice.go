package excuses

import (
	"fmt"

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
	case models.NotFound:
		return "模型服务说没有这个模型或地址" + status + "。检查 -model-name 和 -base-url（地址一般以 /v1 结尾），改好后重启。", false
	case models.InvalidRequest:
		return "模型服务不接受请求" + status + "，原因在日志里。如果它不支持工具，试试 -text-calls。", false
	case models.PromptTooLong:
		return "提示词比模型能读的长" + status + "。换一个上下文更长的模型。", false
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
