package main

// text is a word of the page in its language.
func (p *page) text(key string) string {
	t, ok := texts[key]
	switch {
	case !ok:
		return key
	case p.Lang == "zh":
		return t.zh
	}
	return t.en
}

var texts = map[string]struct{ zh, en string }{
	"title":     {"回放", "replay"},
	"as":        {"机器人扮演", "the bot plays"},
	"listening": {"机器人旁听", "the bot listens"},
	"messages":  {"条消息", "messages"},
	"show":      {"显示", "Show"},
	"all":       {"全部", "all"},
	"decided":   {"有决定的", "decisions"},
	"speaks":    {"会开口的", "speaks"},
	"differs":   {"两者不同的", "the two differ"},
	"wrong":     {"与本人不同的", "unlike the speaker"},
	"hint":      {"把鼠标移到一条消息上，或用 Tab 选中，或点一下，就能看到每个决定的理由。", "Point at a message, tab to it or tap it, and the reasons of each decision stand here."},
	"chats":     {"会话", "Chats"},
	"lanes":     {"每条消息处的分数；竖线是会开口的地方", "score at each message; a line where it speaks"},

	"speak":   {"开口", "speaks"},
	"silent":  {"沉默", "silent"},
	"refused": {"被拦下", "refused"},
	"missed":  {"漏了", "missed"},
	"extra":   {"多说", "extra"},

	"answered": {"本人回答了", "answered"},
	"why":      {"理由", "Why"},
	"gates":    {"关卡", "Gates"},
	"score":    {"分数", "score"},
	"state":    {"状态", "state"},
	"batch":    {"这批消息", "messages together"},
	"decided@": {"决定于", "decided at"},
	"spoke@":   {"说出于", "said at"},
	"next":     {"下次变化", "changes next at"},

	"observing": {"旁观", "observing"},
	"summoned":  {"被叫到", "summoned"},
	"active":    {"跟着聊", "active"},
	"offline":   {"离线", "offline"},
	"absent":    {"没在看", "absent"},
	"chat":      {"随便水水", "chat"},
	"focused":   {"认真聊天", "focused"},
	"interest":  {"兴趣", "interest"},

	"points":    {"决定", "decisions"},
	"precision": {"准确率", "precision"},
	"recall":    {"召回率", "recall"},
	"F1":        {"F1", "F1"},
	"rate":      {"开口率", "speak rate"},
	"turns":     {"批次", "batches"},
	"spoke":     {"开口", "spoke"},
	"stopped":   {"被拦下", "refused"},
}
