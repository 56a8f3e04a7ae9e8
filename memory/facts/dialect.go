package facts

import (
	"strings"
	"sync"
)

// dialect words occur in Cantonese and in the dialects of Sichuan and the coast. A text with one is rewritten before it is read.
var dialect = setOf(" 唔 冇 喺 咗 嘅 佢 谂 嚟 㗎 揾 搵 哋 嗰 钟意 屋企 屋头 耍朋友 晓得 没得 莫得 啷个 婆娘 堂客 娃儿 甭 拍紧 我系 系我 一齐 返工 讲笑 而家 依家 喜歡 討厭 -没得说 -没得商量 -没得选 -我系统 -我系里 -我系的 -我系列")

// standard is the replacement of words of dialects, the longer ones first.
var standard = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"唔好意思", "不好意思", "唔该", "谢谢", "唔好", "不要", "唔系", "不是", "唔使", "不用", "唔", "不", "有冇", "有没有", "冇", "没有",
		"喺度", "在这里", "喺", "在", "咗", "了", "嘅", "的", "佢哋", "他们", "佢", "他", "哋", "们", "谂住", "打算", "谂紧", "考虑", "谂", "想",
		"嚟紧", "接下来", "嚟", "来", "㗎", "的", "揾", "找", "搵", "找", "钟意", "喜欢", "喜歡", "喜欢", "討厭", "讨厌", "屋企人", "家里人", "屋企", "家", "屋头", "家里",
		"返工", "上班", "收工", "下班", "转工", "换工作", "做嘢", "做事", "而家", "现在", "依家", "现在", "琴日", "昨天", "寻日", "昨天", "听日", "明天",
		"拍紧拖", "拍拖", "住紧", "住着", "养紧", "养着", "做紧", "做着", "学紧", "学着", "一齐", "一起", "讲笑", "开玩笑",
		"返去", "回去", "返到", "回到", "我系", "我是", "他系", "他是", "就系", "就是", "系我", "是我", "系咪", "是不是", "边度", "哪里", "呢度", "这里", "呢边", "这边", "嗰", "那",
		"耍朋友", "谈恋爱", "晓得", "知道", "莫得", "没有", "没得", "没有", "啷个", "怎么", "哪个说", "谁说", "婆娘", "老婆", "堂客", "老婆", "娃儿", "孩子", "噻", "嘛",
		"甭", "别")
})

// withoutDialect replaces words of dialects by the standard ones.
func withoutDialect(text string) string {
	if !dialect.in(text) {
		return text
	}
	return standard().Replace(text)
}
