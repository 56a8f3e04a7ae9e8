package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

type person struct {
	id   int64
	name string
}

var people = []person{{31001, "小满"}, {31002, "老王"}, {31003, "阿青"}, {31004, "豆包"}, {31005, "Kiki"}}

var groupNames = []string{"炉边夜话", "周末爬山", "读书会", "猫猫交流", "下班吃什么"}

var chats = []string{"今天好冷啊", "刚下班，累死了", "有人看昨晚的比赛没", "我家的猫又拆家了", "周末去不去爬山", "这家店的面不错", "明天要交报告", "哈哈哈哈", "我叫了外卖", "路上好堵"}

var questions = []string{"在吗", "你好呀", "今天吃什么？", "明天会下雨吗", "你是谁", "还记得我的猫吗", "早", "给个建议呗"}

// An utterance is what a person says. Its mark is unique in the account.
type utterance struct {
	account *account
	group   *onebottest.Group
	person  int64
	text    string
	asks    bool // it mentions the bot
}

// A chatter chooses what people say, from a seed.
type chatter struct {
	rng    *rand.Rand
	groups []utterance
	mean   time.Duration // between two messages of all groups
}

func newChatter(p *platform, every time.Duration, seed uint64) *chatter {
	c := &chatter{rng: rand.New(rand.NewPCG(seed, 7))}
	for _, a := range p.accounts {
		for _, g := range a.groups {
			c.groups = append(c.groups, utterance{account: a, group: g})
		}
	}
	c.mean = every / time.Duration(len(c.groups))
	return c
}

// next returns the next message, and the wait before it.
func (c *chatter) next() (u utterance, wait time.Duration) {
	u = c.groups[c.rng.IntN(len(c.groups))]
	return c.fill(u), time.Duration(c.rng.ExpFloat64() * float64(c.mean))
}

// fill chooses who says what in a group.
func (c *chatter) fill(u utterance) utterance {
	u.person = people[c.rng.IntN(len(people))].id
	if u.asks = c.rng.IntN(4) == 0; u.asks {
		u.text = questions[c.rng.IntN(len(questions))]
	} else {
		u.text = chats[c.rng.IntN(len(chats))]
	}
	return u
}

// say lets the person say it.
func (u utterance) say() {
	a := u.account
	a.mu.Lock()
	defer a.mu.Unlock()
	a.marks++
	m := onebot.Message{onebot.Text(u.text + " #" + digits(int64(a.marks)))}
	if u.asks {
		m = append(onebot.Message{onebot.At(a.qq.SelfID())}, onebot.Text(" "+u.text+" #"+digits(int64(a.marks))))
	}
	u.group.Say(u.person, m)
	a.said[u.group.ID] = append(a.said[u.group.ID], a.marks)
}

// greet lets one person say something in each group.
func (c *chatter) greet() {
	for _, u := range c.groups {
		c.fill(u).say()
	}
}

// run lets people talk until ctx ends.
func (c *chatter) run(ctx context.Context) {
	for {
		u, wait := c.next()
		if loop.Sleep(ctx, wait) != nil {
			return
		}
		u.say()
	}
}
