package lookback

import (
	"strings"
	"unicode/utf8"
)

var (
	latin = cues(map[uint32]string{
		thanks:    "thanks thank thx ty cheers tnx thankyou thanx",
		greeting:  "hi hello hey morning evening hola greetings howdy bye goodbye",
		short:     "ok okay k kk lol heh haha hehe ah oh hmm hm cool right sure nice great good wow np yw aha ahh ohh ic yes yeah yep yup ya yea no nope nah",
		you:       "you your u ur you're youre yours youll you'll you've",
		self:      "i my i'm im me i've ive i'll id i'd",
		anybody:   "anyone anybody someone somebody everyone everybody guys folks",
		trouble:   "error errors problem problems help issue fail fails failed broken crash crashes stuck wrong trouble",
		directive: "try use run type install check see add edit read look click open select remove make",
		asking:    "how what why where who when which can does is do are could would should will did has have whats what's hows anyone anybody any was am",
	})
	// The training corpus has no Chinese, so these count like their English counterparts.
	chinese = cues(map[uint32]string{
		question:  "吗 呢 么 嘛 什么 啥 怎么 为什么 谁 哪 多少 几个 几点 几号 咋 请问 想问 有没有 是不是 能不能 会不会 要不要 可不可 求",
		thanks:    "谢谢 多谢 感谢 谢啦 谢了 辛苦了",
		greeting:  "你好 您好 大家好 早上好 晚上好 早安 晚安 再见 拜拜",
		short:     "好的 好嘞 好呀 嗯 哦 哈哈 呵呵 嘿嘿 收到 对 对的 是的 是啊 没错 可以 好吧 行吧 确实 牛 草 笑死 明白 懂了 不是 没有",
		you:       "你 您",
		self:      "我 咱 俺",
		anybody:   "大家 有人 各位 谁 哪位 群友 有没有人",
		trouble:   "报错 错误 问题 失败 崩溃 卡住 坏了 帮忙 救命",
		asking:    "怎么 请问 想问 求 谁知 有没 为什么 咋",
		directive: "试试 看看 安装 打开 检查 重启 点击 运行",
	})
	// Words without a topic.
	common = set("that this with what have they your from just like will would there about when then than them were been could should " +
		"some know want need does dont using also here only into more very which thanks please " +
		"什么 怎么 这个 那个 一个 可以 我们 你们 他们 不是 没有 就是 还是 但是 因为 所以 如果 现在 今天 知道 觉得 这样 那样 已经 一下 时候")
	// Words that are no name inside a text.
	notNames = set("ubuntu linux the and for you not are was can has yes what how all any now new one out get try use run help root user windows gnome kde test me it is in on to do so no ok hi a i")

	endsCue    = [maxCue + 1]runeSet{1: lastRunes(chinese, 1), 2: lastRunes(chinese, 2), 3: lastRunes(chinese, 3)} // by characters
	endsCommon = lastRunes(common, 2)
)

// maxCue is the maximum number of characters of a Chinese cue that is searched for.
const maxCue = 3

// A runeSet holds runes by their last ten bits, so it may have others, too. Most characters are skipped at once with it.
type runeSet [16]uint64

func (s *runeSet) has(r rune) bool { return s[r>>6&15]&(1<<(r&63)) != 0 }

// lastRunes returns the last rune of each word of that many runes.
func lastRunes[T any](words map[string]T, length int) (s runeSet) {
	for w := range words {
		if r, _ := utf8.DecodeLastRuneInString(w); utf8.RuneCountInString(w) == length {
			s[r>>6&15] |= 1 << (r & 63)
		}
	}
	return s
}

func cues(of map[uint32]string) map[string]uint32 {
	all := map[string]uint32{}
	for cue, list := range of {
		for _, w := range strings.Fields(list) {
			all[w] |= cue
		}
	}
	return all
}

func set(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}
