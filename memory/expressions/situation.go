package expressions

import (
	"strings"
	"time"
)

// A Situation is what a way of saying answers. It is found by rules.
type Situation string

// The situations.
const (
	Joke      Situation = "joke"      // somebody laughs or jokes
	BadNews   Situation = "bad_news"  // somebody has bad luck, lost or is sad
	GoodNews  Situation = "good_news" // somebody won, passed or got something
	Greeting  Situation = "greeting"  // somebody greets
	GoodNight Situation = "night"     // somebody leaves or goes to bed
	Thanks    Situation = "thanks"    // somebody thanks
	Food      Situation = "food"      // somebody talks of a meal
	Invite    Situation = "invite"    // somebody proposes to do something together
	Question  Situation = "question"  // somebody asks
	Opening   Situation = "opening"   // nobody has spoken for a long time
)

// situations has the Chinese and English texts of situations, and the words by which they are found. The first match counts.
var situations = [...]struct {
	situation        Situation
	chinese, english string
	words            []string
}{
	{GoodNight, "有人要睡了或要走时", "when somebody leaves or goes to bed", []string{"晚安", "睡了", "睡觉", "去睡", "困了", "下线", "下班了", "先走", "先撤", "撤了", "明天见", "good night", "goodnight", "gn", "off to bed", "going to bed", "heading out", "bye", "logging off"}},
	{BadNews, "有人倒霉、输了或难过时", "at bad news", []string{"输了", "挂科", "没过", "挂了", "被骂", "丢了", "坏了", "加班", "迟到", "难受", "难过", "失败", "倒霉", "完蛋", "生病", "感冒", "发烧", "没抢到", "没中", "歪了", "翻车", "崩了", "裂开", "分手", "被扣", "心态", "lost", "failed", "broke", "sick", "missed", "ruined", "crashed", "late again", "bad luck"}},
	{GoodNews, "有人赢了或报喜时", "at good news", []string{"赢了", "过了", "中了", "抢到", "拿到", "考上", "录取", "升职", "涨工资", "发工资", "成功", "搞定", "满分", "第一名", "通关", "出货", "上岸", "脱单", "won", "passed", "got the", "promoted", "finally done", "it works", "nailed", "first place"}},
	{Thanks, "有人道谢时", "when somebody gives thanks", []string{"谢谢", "感谢", "多谢", "谢啦", "谢了", "thanks", "thank you", "thx", "ty "}},
	{Greeting, "有人打招呼时", "at a greeting", []string{"早上好", "早安", "早啊", "大家早", "大家好", "下午好", "晚上好", "中午好", "在吗", "有人吗", "我来了", "回来了", "good morning", "morning all", "hello", "hi all", "hey all", "i'm back"}},
	{Joke, "有人开玩笑或大家在笑时", "at a joke", []string{"哈哈", "笑死", "233", "hhh", "xswl", "好笑", "笑话", "绷不住", "乐死", "haha", "lol", "lmao", "hilarious", "joke"}},
	{Invite, "有人约人一起时", "when somebody proposes to do something together", []string{"一起吗", "有人来", "来不来", "开黑", "组队", "三缺一", "缺一个", "约吗", "去不去", "一起玩", "anyone up for", "who's in", "wanna join", "anyone wants"}},
	{Food, "说到吃饭时", "at talk of a meal", []string{"吃饭", "吃什么", "吃啥", "午饭", "晚饭", "外卖", "夜宵", "火锅", "烧烤", "奶茶", "lunch", "dinner", "hungry", "pizza"}},
	{Question, "有人提问时", "at a question", []string{"?", "？", "吗", "怎么", "为什么", "什么时候", "谁知道", "哪里", "多少"}},
}

// Text describes a situation in Chinese, or in English. It is "" for an unknown one.
func (s Situation) Text(english bool) string {
	for i := range situations {
		if one := &situations[i]; one.situation == s {
			if english {
				return one.english
			}
			return one.chinese
		}
	}
	switch {
	case s == Opening && english:
		return "after a long silence"
	case s == Opening:
		return "冷场之后"
	}
	return ""
}

// SituationOf returns the situation that a text makes for the messages after it, or "".
func SituationOf(text string) Situation { return situationOfFolded(foldText(text)) }

func situationOfFolded(text string) Situation {
	for i := range situations {
		for _, w := range situations[i].words {
			if strings.Contains(text, w) {
				return situations[i].situation
			}
		}
	}
	return ""
}

const (
	answerWithin = 5 * time.Minute // of what is answered
	silence      = 3 * time.Hour   // after which a message opens a talk
)
