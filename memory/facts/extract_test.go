package facts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/memory/facts"
)

const me, wang, li = "1001", "1002", "1003"

func knownNames() *facts.Names {
	var n facts.Names
	n.Learn(me, "小满")
	n.Learn(wang, "小王")
	n.Learn(li, "李四")
	n.Learn("1006", "Nadia")
	n.Learn("1004", "双胞胎")
	n.Learn("1005", "双胞胎")
	return &n
}

// extract returns the claims of a message by me, in short.
func extract(text string) (short []string) {
	claims, _ := facts.Extract(facts.Message{ID: "m1", Person: me, Text: text, At: time.Unix(1, 0)}, knownNames())
	for _, c := range claims {
		one := fmt.Sprintf("%s %s %s", c.Subject, c.Relation, c.Value)
		if c.Ends {
			one += " ends"
		}
		if c.Person != "" {
			one += " @" + c.Person
		}
		short = append(short, one)
	}
	return short
}

func TestExtract(t *testing.T) {
	for text, want := range map[string]string{
		"我生日是3月5号":                  "1001 birthday 3月5日",
		"十二月二十一号是小王的生日，别忘了":         "1002 birthday 12月21日",
		"我换工作了，现在在腾讯上班":             "1001 job 腾讯",
		"听说小王当老师了":                  "1002 job 老师",
		"小王说他入职华为了":                 "1002 job 华为",
		"今天正式离职":                    "1001 job  ends",
		"我从北京搬到成都了":                 "1001 place 成都",
		"小王现在住在武汉":                  "1002 place 武汉",
		"我已经不在北京了，现在住上海":            "1001 place 上海",
		"最近迷上了桌游":                   "1001 likes 桌游",
		"我不喜欢香菜了":                   "1001 likes 香菜 ends",
		"我不喜欢香菜":                    "1001 dislikes 香菜",
		"香菜我真的受不了":                  "1001 dislikes 香菜",
		"我养了一只橘猫":                   "1001 pet 橘猫",
		"我把橘猫送人了":                   "1001 pet 橘猫 ends",
		"下个月我打算去云南玩":                "1001 plan 去云南玩",
		"算了，我不去云南玩了":                "1001 plan 去云南玩 ends",
		"我和小王在一起了":                  "1001 partner 小王 @1002",
		"李四是小王的对象":                  "1002 partner 李四 @1003",
		"我分手了":                      "1001 partner  ends",
		"李四跟我合租":                    "1001 roommate 李四 @1003",
		"大家叫我老猫就行":                  "1001 alias 老猫",
		"坐标昆山，求面基":                  "1001 place 昆山",
		"你找小王啊，他住保定，没在本地":           "1002 place 保定",
		"孩子转学到南昌，我们也跟着搬过来住了":        "1001 place 南昌",
		"我同事说小王跳槽到顺丰了":              "1002 job 顺丰",
		"退了休又让链家请去上班了":              "1001 job 链家",
		"以前是真爱追剧 现在完全没感觉了":          "1001 likes 追剧 ends",
		"说到榴莲我就头大":                  "1001 dislikes 榴莲",
		"奶茶？早不喝了":                   "1001 likes 奶茶 ends",
		"给我的仓鼠买了个新窝":                "1001 pet 仓鼠",
		"小王脱单了 跟李四":                 "1002 partner 李四 @1003",
		"之前说要考研，算了":                 "1001 plan 考研 ends",
		"can't get enough of chess": "1001 likes chess",
		"I work at Google now":      "1001 job Google",
		"小王 works at Nokia":         "1002 job Nokia",
	} {
		assert.Equal(t, want, strings.Join(extract(text), "|"), text)
	}
}

// These messages say nothing about a person of the chat.
func TestExtract_Nothing(t *testing.T) {
	for _, text := range []string{
		"", "在", "哈哈哈", "小王现在在哪上班", "你换工作了没", "谁住在上海", "我住在月球，骗你的", "我养了一只老虎[狗头]", "要是我住在成都就好了", "如果我当老师了",
		"我以前住在北京", "小时候我喜欢奥特曼", "他搬家了", "双胞胎搬到北京了", "我妈喜欢香菜", "我朋友在腾讯上班", "你喜欢香菜", "我住院了", "我在路上", "我去洗澡",
		"我同桌他哥在上海上班", "在上海出差呢", "周末去杭州玩了两天", "隔壁家的狗叫了一晚上", "抖音上说养乌龟招财", "我养了一百只猫，在游戏里", "等我有钱了我要在北京买房", "听说那个声优离职了", "my neighbour's dog won't shut up", "streamer got a new dog",
		"我是说刚才那个", "工作好多啊", "生日快乐", "喜欢的歌下架了", "爱了爱了", "我去，真的假的", "周末去看电影的举手", "我不想上班了", "准备睡觉", "I wish I lived in Paris", "do you work at Google?",
	} {
		assert.Empty(t, extract(text), text)
	}
	assert.NotEmpty(t, extract("我搬到北京了"), "a control")
}

func TestExtract_TakenBack(t *testing.T) {
	for text, want := range map[string]bool{"开玩笑的啦": true, "骗你们的": true, "just kidding": true, "好的": false, "我去，真的假的": false} {
		_, takenBack := facts.Extract(facts.Message{Person: me, Text: text}, nil)
		assert.Equal(t, want, takenBack, text)
	}
}

// Values are parts of the text, and no input makes a claim without a subject.
func FuzzExtract(f *testing.F) {
	for _, text := range []string{"我搬到北京了，现在在腾讯上班", "听说小王和李四在一起了", "叫我老猫就行", "我生日是十二月二十一号", "I'm planning to visit Japan", "left Tesco for Lidl, and my chess phase is over", "Ⱥ is where I live", "我不喜欢香菜了", "把猫送人了"} {
		f.Add(text)
	}
	names := knownNames()
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		claims, _ := facts.Extract(facts.Message{ID: "m", Person: me, Text: text}, names)
		for _, c := range claims {
			if c.Subject == "" || c.Relation == "" || c.Value == "" && !c.Ends || !utf8.ValidString(c.Value) || len(c.Value) > 200 {
				t.Errorf("%q: %+v", text, c)
			}
		}
	})
}
