package feedback

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// maxAnalyzed is the maximum length of an analyzed text, in bytes. Laughs, thanks and complaints are short.
const maxAnalyzed = 200

// Words are compared in the form of package fold: lower case, narrow letters.
var (
	laughs = []string{
		"哈哈", "嘿嘿", "嘻嘻", "呵呵哈", "hhh", "233", "笑死", "笑了", "笑哭", "笑喷", "笑出", "笑不活", "xswl", "绷不住", "蚌埠住", "乐死", "太好笑", "好好笑",
		"太逗", "好逗", "搞笑", "haha", "hehe", "lol", "lmao", "rofl", "hilarious", "wwww", "😂", "🤣", "😆", "😹",
	}
	laughsAlone = []string{"草", "艹", "乐", "笑", "噗", "哈", "hh", "[呲牙]", "[偷笑]", "[憨笑]", "[大笑]", "[坏笑]", "xd"}
	praises     = []string{
		"谢谢", "多谢", "感谢", "谢啦", "谢了", "谢咯", "蟹蟹", "3q", "厉害", "666", "牛逼", "牛批", "nb", "真牛", "太牛", "好牛", "有道理", "说得对", "说的对", "没错", "确实", "同意",
		"赞同", "点赞", "有用", "学到了", "懂了", "明白了", "好主意", "好办法", "好可爱", "真可爱", "太可爱", "好贴心", "真贴心", "真聪明", "好聪明", "可以啊", "靠谱", "爱了", "爱你", "真棒", "好棒", "太棒", "太强", "真强", "解决了", "搞定了",
		"thank", "thx", "tysm", "well said", "good point", "good idea", "great", "awesome", "nice", "helpful", "agree", "exactly", "that works", "works now", "good bot", "👍", "❤", "🙏", "[强]", "[爱心]", "[点赞]", "[抱拳]",
	}
	praisesAlone = []string{"牛", "赞", "对", "对的", "对啊", "是的", "强", "棒", "6", "好的", "收到", "ok", "cool", "true", "right", "yes", "ty", "+1"}
	complaints   = []string{
		"闭嘴", "住口", "住嘴", "吵死", "好吵", "太吵", "真吵", "吵人", "别吵", "烦死", "好烦", "真烦", "太烦", "烦人", "很烦", "别烦", "别说话", "别说了", "不要说话", "不要说了", "不要插嘴", "别插嘴", "别插话", "插什么嘴", "插什么话",
		"话真多", "话好多", "话太多", "废话", "少说", "少废话", "安静点", "安静一下", "安静会", "消停", "滚", "谁问你", "谁叫你", "没问你", "没人问", "没叫你", "没跟你说", "没和你说", "不是问你", "不是跟你", "不是叫你", "关你什么事", "关你啥事", "不关你", "与你无关",
		"刷屏", "复读机", "人工智障", "智障", "能不能别", "可不可以别", "能别", "哪都有你", "怎么又是你", "又来了", "禁言它", "禁言他", "把它禁", "把他禁", "踢了它", "踢了吧", "把它踢", "把机器人", "这机器人", "尴尬", "无语", "答非所问", "听不懂人话", "胡说", "瞎说", "乱说",
		"shut up", "be quiet", "stop talking", "stop it", "stop spamming", "spam", "annoying", "nobody asked", "no one asked", "didn't ask", "not talking to you", "wasn't talking to you", "go away", "none of your", "too chatty", "mute this", "mute the bot", "kick the bot", "stupid bot", "dumb bot", "bad bot", "useless",
	}
	// negations right before a word of praise or complaint turn it: "不是废话".
	negations = []string{"不", "不是", "没", "没有", "别", "无", "not ", "n't ", "no "}
)

// A sentiment is what the words of a message say.
type sentiment struct {
	laugh, praise, complaint bool
	empty                    bool // it has no letter: a face, a sticker or a sign
}

// sentimentOf reads a message.
func sentimentOf(text string) sentiment {
	var scratch [2 * maxAnalyzed]byte
	folded := string(fold.Append(scratch[:0], clip.Bytes(text, maxAnalyzed)))
	alone := strings.TrimFunc(folded, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '[' && r != ']' || r == '~' || r == '～'
	})
	alone = strings.TrimRight(alone, "啊呀哦嘛吧了呢哈")
	s := sentiment{
		laugh:     contains(folded, laughs, false) || equals(alone, laughsAlone),
		praise:    contains(folded, praises, true) || equals(alone, praisesAlone),
		complaint: contains(folded, complaints, true),
		empty:     strings.IndexFunc(folded, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0,
	}
	s.praise = s.praise && !s.complaint
	s.laugh = s.laugh && !s.complaint
	return s
}

// contains reports whether text has one of the words. With negated, words behind a negation do not count.
func contains(text string, words []string, negated bool) bool {
	for _, w := range words {
		for rest, at := text, 0; ; {
			i := strings.Index(rest, w)
			if i < 0 {
				break
			}
			at += i
			if startsWord(text, at) && !(negated && isNegated(text[:at])) {
				return true
			}
			at += len(w)
			rest = text[at:]
		}
	}
	return false
}

// startsWord reports whether a word begins at a position: Latin letters and digits have none before them.
func startsWord(text string, at int) bool {
	c := text[at]
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return c >= utf8.RuneSelf || c == '[' || before >= utf8.RuneSelf || !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// isNegated reports whether a negation stands right before a word.
func isNegated(before string) bool {
	for _, t := range negations {
		if strings.HasSuffix(before, t) {
			return true
		}
	}
	return false
}

func equals(text string, words []string) bool {
	for _, w := range words {
		if text == w {
			return true
		}
	}
	return false
}
