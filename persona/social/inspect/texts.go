package inspect

import (
	"net/http"
	"strings"
)

// A language is that of a page.
type language string

const (
	chinese language = "zh-CN"
	english language = "en"
)

// languageCookie is the name of the cookie with the language that somebody chose.
const languageCookie = "hearth_lang"

// languageOf returns the language that a request asks for by lang, by a cookie or by its browser.
func languageOf(r *http.Request) language {
	asked := r.URL.Query().Get("lang")
	if c, err := r.Cookie(languageCookie); asked == "" && err == nil {
		asked = c.Value
	}
	if asked == "" {
		asked = r.Header.Get("Accept-Language")
	}
	if asked == "" || strings.HasPrefix(asked, "zh") {
		return chinese
	}
	return english
}

// text returns the text of a key. A key without a text is returned as it is.
func (l language) text(key string) string {
	for _, texts := range allTexts {
		if both, ok := texts[key]; ok {
			if l == chinese {
				return both[0]
			}
			return both[1]
		}
	}
	return key
}

// allTexts lists the texts by page.
var allTexts = []map[string][2]string{texts, healthTexts, whatIfTexts, memoryTexts, lifeTexts, settingTexts, liveTexts, dayTexts, expressionTexts}

// texts are the texts of the pages in Chinese and English.
var texts = map[string][2]string{
	"account":       {"整个账号", "the whole account"},
	"addressed":     {"被叫到", "addressed"},
	"again":         {"再问一次", "Ask again"},
	"againHelp":     {"改一改再问：不会发出去，不调用工具，不存任何东西；token 算在主人的预算里。", "Edit it and ask again: nothing is sent or stored, and no tool runs. The tokens count in the owner's budget."},
	"answer":        {"回答", "answer"},
	"answered":      {"回答了", "answered"},
	"ask":           {"问", "Ask"},
	"attempts":      {"尝试", "attempts"},
	"back":          {"返回", "back"},
	"bots":          {"机器人", "Bots"},
	"cache":         {"缓存", "cached"},
	"call":          {"模型调用", "model call"},
	"calls":         {"模型调用", "model calls"},
	"chats":         {"会话", "Chats"},
	"cut":           {"放不下，没给模型看", "no room: the model did not see it"},
	"decision":      {"决定", "Decision"},
	"decisions":     {"消息和决定", "Messages and decisions"},
	"derived":       {"由它得来的", "derived from it"},
	"documents":     {"文档", "documents"},
	"drawn":         {"抽到", "drawn"},
	"endorse":       {"背书：当成主人的话", "endorse: treat it as the owner's"},
	"energy":        {"精力", "energy"},
	"failed":        {"没成", "failed"},
	"find":          {"找", "Find"},
	"forbidden":     {"这个 token 只能看，看不了这一页", "this token may only look, and not at this page"},
	"forget":        {"忘掉", "forget"},
	"forgetHelp":    {"忘掉会连同下面由它得来的一起删除，不能恢复。", "To forget it also deletes what was derived from it, below. It cannot be undone."},
	"gates":         {"逐项检查", "gates"},
	"gone":          {"已经不在了：只留最近的，有人要求忘记时全部丢掉。", "It is gone: only the latest are kept, and all are dropped when somebody is forgotten."},
	"hide":          {"藏起来", "hide"},
	"inner":         {"心境", "inner state"},
	"interest":      {"兴趣", "interest"},
	"kind":          {"种类", "kind"},
	"label":         {"标签", "label"},
	"last":          {"最后一句", "last message"},
	"link":          {"连接", "link"},
	"live":          {"现在", "Live"},
	"lost":          {"和页面的连接断了，正在重连……", "The connection is lost. Reconnecting …"},
	"memory":        {"记忆", "Memory"},
	"messages":      {"要回的消息", "messages to answer"},
	"model":         {"模型", "model"},
	"mood":          {"心情", "mood"},
	"mute":          {"安静一小时", "quiet for an hour"},
	"nothing":       {"没有", "none"},
	"noTurn":        {"没有调用模型。", "No model was asked."},
	"offline":       {"断开", "offline"},
	"online":        {"在线", "online"},
	"outcome":       {"结果", "outcome"},
	"owner":         {"主人", "owner"},
	"past":          {"做过的", "past tasks"},
	"plans":         {"打算", "Plans"},
	"private":       {"（私聊）", "(private)"},
	"prompt":        {"提示词", "prompt"},
	"query":         {"问题或者词", "question or words"},
	"rank":          {"第几个丢", "dropped as number"},
	"reasons":       {"理由", "reasons"},
	"record":        {"一条记忆", "Record"},
	"reveal":        {"不藏了", "show again"},
	"sent":          {"发出的", "sent"},
	"sessions":      {"存档的对话", "archived conversations"},
	"score":         {"得分", "score"},
	"settings":      {"运行时改过的设置", "settings changed at run time"},
	"signin":        {"进来", "Sign in"},
	"signout":       {"退出", "sign out"},
	"sources":       {"来源", "sources"},
	"space":         {"哪里", "space"},
	"speak":         {"可以说话", "may speak again"},
	"state":         {"状态", "state"},
	"steps":         {"之后的对话", "what followed"},
	"system":        {"系统提示词", "system prompt"},
	"tasks":         {"计划的事", "planned tasks"},
	"text":          {"内容", "text"},
	"threshold":     {"门槛", "threshold"},
	"time":          {"时间", "time"},
	"timers":        {"定时", "timers"},
	"token":         {"token：启动机器人时给的，或者显示的", "token: the one that the bot was started with, or that it printed"},
	"tokens":        {"token", "tokens"},
	"tools":         {"给了哪些工具", "tools offered"},
	"turn":          {"这一轮", "the turn"},
	"unclear":       {"不知道送到没有", "may have been sent"},
	"value":         {"值", "value"},
	"who":           {"谁", "who"},
	"wrongToken":    {"token 不对", "the token is wrong"},
	"received":      {"收到", "received"},
	"said":          {"说了", "said"},
	"silent":        {"判断不说", "silent"},
	"modelCalls":    {"调用模型", "model calls"},
	"notices":       {"没发成", "sends failed"},
	"queueOverflow": {"丢了", "dropped"},
}
