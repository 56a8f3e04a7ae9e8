package facts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertExtract compares the claims of messages.
func assertExtract(t *testing.T, want map[string]string) {
	t.Helper()
	for text, claims := range want {
		assert.Equal(t, claims, strings.Join(extract(text), "|"), text)
	}
}

func TestExtract_Dialects(t *testing.T) {
	assertExtract(t, map[string]string{
		"我好钟意奶茶啊":    "1001 likes 奶茶",
		"我唔钟意香菜":     "1001 dislikes 香菜",
		"我屋企喺广州":     "1001 place 广州",
		"我同小王拍紧拖":    "1001 partner 小王 @1002",
		"我屋头养了一只橘猫":  "1001 pet 橘猫",
		"我跟小王耍朋友了":   "1001 partner 小王 @1002",
		"俺就膈应香菜":     "1001 dislikes 香菜",
		"我养了一只阿拉斯加":  "1001 pet 阿拉斯加",
		"小王搁成都住呢":    "1002 place 成都",
		"我入职迪卡侬了":    "1001 job 迪卡侬",
		"没得说，这家真好":   "",
		"我系统重装了，又蓝屏": "",
	})
}

// Some questions state something, and some take a statement back.
func TestExtract_Rhetoric(t *testing.T) {
	assertExtract(t, map[string]string{
		"谁不知道小王爱奶茶啊":        "1002 likes 奶茶",
		"小王不是最爱奶茶嘛":         "1002 likes 奶茶",
		"只有我一个人讨厌香菜吗":       "1001 dislikes 香菜",
		"李四是小王女朋友啊你不知道？":    "1002 partner 李四 @1003",
		"我一个程序员哪懂这些啊":       "1001 job 程序员",
		"谁再跟我提香菜我跟谁急":       "1001 dislikes 香菜",
		"有没有跟我同一天生日的 我3月5号": "1001 birthday 3月5日",
		"听说小王去腾讯了，真的假的？":    "",
		"小王不是在腾讯上班吧？":       "",
		"小王搬成都没搬":           "",
		"群里有没有3月5号生日的":      "",
		"你们谁喜欢香菜，有没有人养猫":    "",
		"奶茶的话喊小王，他超爱":       "1002 likes 奶茶",
		"给小王准备奶茶吧，他最喜欢":     "1002 likes 奶茶",
		"有钱的话我就搬到北京":        "",
		"要说最喜欢的，那肯定是奶茶":     "1001 likes 奶茶",
		"小王啊，奶茶铁粉一个":        "1002 likes 奶茶",
		"我呀，就是个厨师，挣点辛苦钱":    "1001 job 厨师",
		"奶茶？那是以前，我现在不喜欢了":   "1001 likes 奶茶 ends",
		"隔壁李姐讲小王现在做会计":      "1002 job 会计",
		"我们办公室小王最爱奶茶":       "1002 likes 奶茶",
	})
}

func TestExtract_Jobs(t *testing.T) {
	assertExtract(t, map[string]string{
		"我被腾讯裁了":               "1001 job  ends",
		"跟腾讯说拜拜了":              "1001 job  ends",
		"把腾讯的班辞了":              "1001 job  ends",
		"终于脱离腾讯的苦海了":           "1001 job  ends",
		"那个班我不上了，太受气":          "1001 job  ends",
		"离职之后去了腾讯":             "1001 job 腾讯",
		"面了三轮终于进腾讯了":           "1001 job 腾讯",
		"小王没上线是因为去腾讯上班了":       "1002 job 腾讯",
		"腾讯新来的那个就是小王":          "1002 job 腾讯",
		"我是做电商的，平时很忙":          "1001 job 电商",
		"我爸让我去腾讯，我就去了，已经上班一周了": "1001 job 腾讯",
		"公司倒闭了怎么办":             "",
		"奶茶店倒闭了":               "",
		"辞职的心都有了":              "",
		"我们小区超市今天打折":           "",
		"招聘保安两名":               "",
		"今天去河边摸鱼":              "",
		"明天不上班":                "",
		"手机被老妈收了":              "",
		"华为加班太狠了":              "",
		"给房东打工":                "",
		"当了一天司机":               "",
		"我找了个保洁":               "",
		"收到清华录取通知书了":           "",
		"我们KPI又加了":             "",
		"咱去当老师吧":               "",
	})
}

func TestExtract_Lives(t *testing.T) {
	assertExtract(t, map[string]string{
		"被小王甩了":         "1001 partner  ends",
		"结束了，我和小王":      "1001 partner  ends",
		"小王跟我表白了，我答应了":  "1001 partner 小王 @1002",
		"我有女朋友了，小王":     "1001 partner 小王 @1002",
		"恭喜小王和李四，今天订婚了": "1002 partner 李四 @1003",
		"分手大师这片子真好看":    "",
		"我们终于考试完了":      "",
		"离婚率又上升了":       "",
		"刚埋了我家橘猫":       "1001 pet 橘猫 ends",
		"儿子给我抱回来一只橘猫":   "1001 pet 橘猫",
		"小王又去遛柯基了":      "1002 pet 柯基",
		"终于逃离北京来成都了":    "1001 place 成都",
		"我现在算成都居民了":     "1001 place 成都",
		"服务器迁到深圳节点了":    "",
		"我决定了，考研":       "1001 plan 考研",
		"等发工资了就买车":      "1001 plan 买车",
		"打算过完这个月就考研":    "1001 plan 考研",
		"今晚要通宵写作业":      "",
		"我们下个月去云南吧":     "",
		"咱们一起考研吧～":      "",
		"我打算考研吧":        "1001 plan 考研",
		"上次说的考研，我反悔了":   "1001 plan 考研 ends",
		"本人老猫，叫这个就行":    "1001 alias 老猫",
		"改网名了，现在叫老猫":    "1001 alias 老猫",
		"叫我下楼":          "",
		"我叫外卖了":         "",
		"入了奶茶的坑，出不来了":   "1001 likes 奶茶",
		"我对奶茶的爱已经消失了":   "1001 likes 奶茶 ends",
		"又被拒绝了":         "",
		"蚊子好烦":          "",
		"就怕赶不上车":        "",
	})
}

// A weak word ends what somebody has, and nothing else.
func TestFacts_EndsWhatHolds(t *testing.T) {
	c := newChat(t)
	c.say(wang, "小王", "我打算考研")
	c.say(wang, "小王", "我喜欢奶茶")
	c.say(wang, "小王", "我养了一只橘猫")
	c.say(wang, "小王", "我在腾讯上班")
	c.say(li, "李四", "我打算考研")
	require.Equal(t, []string{"腾讯", "橘猫", "考研", "奶茶"}, c.known(wang))

	c.say(wang, "小王", "想考研的念头已经没了")
	c.say(wang, "小王", "没有奶茶我活不下去")
	c.say(wang, "小王", "腾讯楼下的奶茶涨价了，橘猫也在")
	require.Equal(t, []string{"腾讯", "橘猫", "奶茶"}, c.known(wang), "nothing says that the others are over")
	c.say(wang, "小王", "奶茶现在对我是过去式了")
	c.say(wang, "小王", "腾讯那边我不待了")
	c.say(wang, "小王", "橘猫昨晚在彩虹桥了")
	assert.Empty(t, c.known(wang))
	assert.Equal(t, []string{"考研"}, c.known(li), "said by another person")
}

// Everyday messages, most of them with words of statements, say nothing. An end with a value ends nothing that nobody said.
func TestExtract_Everyday(t *testing.T) {
	text, err := os.ReadFile("testdata/nothing.txt")
	require.NoError(t, err)
	messages, wrong := 0, 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		messages++
		for _, claim := range extract(line) {
			if !strings.HasSuffix(claim, " ends") || strings.HasSuffix(claim, "  ends") {
				wrong++
				t.Log(line, claim)
				break
			}
		}
	}
	require.Greater(t, messages, 1000)
	require.NotEmpty(t, extract("我在腾讯上班"), "control")
	assert.Less(t, float64(wrong)/float64(messages), .005)
}
