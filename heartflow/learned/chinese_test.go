package learned

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// Phrases for Chinese groups. The Chinese cues of lookback may be changed by the results with tuned; the others only measure.
type phrases struct{ questions, replies, backQuestions, confirmations, followUps, thanks, statements, laughs, chats []string }

var tuned = phrases{
	questions:     []string{"有人知道显卡驱动怎么装吗", "请问食堂几点关门", "谁有高数的笔记", "为什么我连不上校园网", "求推荐一个耳机", "明天要不要带伞啊"},
	replies:       []string{"去官网下一个", "九点半", "我有，晚上发你", "重启一下路由器", "看预算，三百以内都差不多", "带吧，预报说有雨"},
	backQuestions: []string{"你是什么系统？", "你在哪个校区", "你连的是几号楼的", "预算多少呢"},
	confirmations: []string{"对", "是的", "嗯嗯", "不是，是笔记本", "win11", "三百左右"},
	followUps:     []string{"那装完要重启吗", "然后呢", "那你用的是哪个版本", "可是还是不行", "我试了，报错了", "这样就可以了？"},
	thanks:        []string{"谢谢", "好的谢谢", "多谢大佬", "明白了"},
	statements:    []string{"我刚从图书馆回来", "今天的作业好多", "楼下的猫又胖了", "周末打算去爬山", "食堂的面涨价了"},
	laughs:        []string{"哈哈哈哈", "笑死", "草", "[表情]"},
	chats:         []string{"真的假的", "我也是", "你怎么去的", "下次叫上我", "太贵了吧", "它叫什么来着", "你不是昨天才去过吗"},
}

var unseen = phrases{
	questions:     []string{"打印机卡纸了咋办", "这周的例会改到哪天了呀", "有没有人一起拼车去机场", "哪位借我一根数据线", "快递站周日开不开", "想问下怎么改选课"},
	replies:       []string{"先把后盖打开抽出来", "改到周四下午了", "我可以，周五早上走", "来三楼拿", "开的，到六点", "教务系统里点退课再选"},
	backQuestions: []string{"你那台是啥型号", "你几点的飞机呀", "要 type-c 的吗", "你大几的"},
	confirmations: []string{"没错", "嗯", "是啊", "不对，是下周的", "惠普的", "大二"},
	followUps:     []string{"后盖打不开诶", "那我得提前说一声么", "之后还要做什么", "你也在那层吗", "我点了没反应", "所以周六不行咯"},
	thanks:        []string{"谢啦", "感谢感谢", "好嘞", "懂了，太感谢了"},
	statements:    []string{"刚跑完五公里", "宿舍又停水了", "我妈寄了一箱橙子", "昨天看了场电影", "新来的学弟好高"},
	laughs:        []string{"hhhh", "笑不活了", "好家伙", "[图片]"},
	chats:         []string{"哪部啊", "同停水", "给我留两个", "你这么能跑", "我上次也碰到了", "好不好看", "羡慕了"},
}

// A chineseGroup writes a group chat with known answers.
type chineseGroup struct {
	group
	phrases
	answers []int
	members int
}

// write adds a message that answers another one, or -1. to is the mentioned person, or "".
func (g *chineseGroup) write(from, text, to string, answers, wait int) int {
	if to != "" {
		text = "@" + to + " " + text
	}
	g.say(from, text, wait)
	e := &g.chat.Entries[len(g.chat.Entries)-1]
	if to != "" {
		e.Addressees = []string{to}
	}
	g.answers = append(g.answers, answers)
	return len(g.answers) - 1
}

func (g *chineseGroup) member(not ...string) string {
	for {
		who := fmt.Sprint(31001 + g.dice.IntN(g.members))
		if !slices.Contains(not, who) {
			return who
		}
	}
}

// chance reports true in one of n cases.
func (g *chineseGroup) chance(n int) bool { return g.dice.IntN(n) == 0 }

// aside lets somebody else write between two lines, sometimes.
func (g *chineseGroup) aside(not ...string) {
	if g.chance(3) {
		g.write(g.member(not...), g.pick([][]string{g.statements, g.laughs}[g.dice.IntN(2)]), "", -1, 8)
	}
}

// help is a question to all or to one person, with what follows.
func (g *chineseGroup) help() {
	asker := g.member()
	helper, to := g.member(asker), ""
	if g.chance(2) {
		to = helper
	}
	last := g.write(asker, g.pick(g.questions), to, -1, 120)
	if g.chance(6) {
		return // nobody answers
	}
	g.aside(asker, helper)
	if g.chance(3) {
		last = g.write(helper, g.pick(g.backQuestions), "", last, 15)
		last = g.write(asker, g.pick(g.confirmations), "", last, 10)
		g.aside(asker, helper)
	}
	last = g.write(helper, g.pick(g.replies), "", last, 15)
	for g.chance(2) {
		last = g.write(asker, g.pick(g.followUps), "", last, 15)
		g.aside(asker, helper)
		last = g.write(helper, g.pick(g.replies), "", last, 15)
	}
	if !g.chance(3) {
		g.write(asker, g.pick(g.thanks), "", last, 10)
	}
}

// talk is a talk of two or three people who mention nobody.
func (g *chineseGroup) talk() {
	a := g.member()
	b := g.member(a)
	last, who := g.write(a, g.pick(g.statements), "", -1, 150), b
	for range 1 + g.dice.IntN(5) {
		last = g.write(who, g.pick(g.chats), "", last, 12)
		if g.chance(4) {
			g.aside(a, b)
		}
		if who == a {
			who = b
		} else {
			who = a
		}
	}
	if g.chance(2) {
		g.write(g.member(a, b), g.pick(g.laughs), "", last, 10)
	}
}

func chineseChat(p phrases, seed uint64) *chineseGroup {
	g := &chineseGroup{group: group{chat: LogChat{ID: "714285"}, dice: rand.New(rand.NewPCG(seed, 11))}, phrases: p, members: 8}
	for day := range 4 {
		g.at = t0.AddDate(0, 0, day)
		for range 40 {
			if g.chance(2) {
				g.help()
			} else {
				g.talk()
			}
		}
	}
	return g
}

// A chineseResult has the scores of decisions about generated groups.
type chineseResult struct{ shipped, own, partner, mention Scores }

// measureChinese judges the last days of generated groups by their known answers. The own weights have seen the other days, without
// the known answers.
func measureChinese(t *testing.T, p phrases) chineseResult {
	model := must(parsed())
	var log []LogChat
	var answers [][]int
	for seed := range 2 {
		g := chineseChat(p, uint64(seed))
		g.chat.ID = fmt.Sprint(seed)
		log, answers = append(log, g.chat), append(answers, g.answers)
	}
	report, w, err := Train(t.Context(), log, TrainOptions{})
	require.NoError(t, err)
	assert.Equal(t, Better, report.Verdict)
	r := &logReader{model: model}
	r.read(log, .25)
	for i, c := range r.chats {
		c.answers = answers[i]
	}
	require.NoError(t, r.run(t.Context()))
	var shipped, own, partner, mention tally
	for i := range r.cases {
		c := &r.cases[i]
		if c.day < r.apart {
			continue
		}
		called := c.x.Kind() == lookback.Called
		with, toOthers := c.x.Mine(300)
		shipped.add(c.odds, logit(float64(model.Threshold)), c)
		own.add(c.odds+float64(w.own.Of(&c.x)), logit(float64(w.threshold)), c)
		mention.add(oddsOf(called), 0, c)
		partner.add(oddsOf(called || with && !toOthers), 0, c)
	}
	return chineseResult{shipped.scores(), own.scores(), partner.scores(), mention.scores()}
}

// oddsOf returns log odds for a rule without chances.
func oddsOf(speak bool) float64 {
	if speak {
		return 1
	}
	return -1
}

// In generated groups people mention nobody, as a rule. There the shipped weights are better than the mention rule, and own weights
// better than all others, also with phrases that nobody tuned anything on.
func TestTrain_ChineseGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("training takes a while with the race detector")
	}
	for _, p := range []phrases{unseen, tuned} {
		r := measureChinese(t, p)
		t.Logf("F1: own %.3f, shipped %.3f, partner rule %.3f, mention rule %.3f", r.own.F1, r.shipped.F1, r.partner.F1, r.mention.F1)
		assert.Greater(t, r.shipped.F1, r.mention.F1+.1)
		assert.Greater(t, r.own.F1, r.shipped.F1+.1)
		assert.Greater(t, r.own.F1, r.partner.F1)
	}
}
