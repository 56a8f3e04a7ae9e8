package main

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// The simulated QQ.
const (
	demoSelf   = 20001
	demoHearth = 714285
	demoAnime  = 714286
	demoFriend = 31002
)

// A demoQQ is the simulated QQ of the demo: two groups and a friend that keep talking.
type demoQQ struct {
	*onebottest.Server
	self    int64
	groups  map[int64]*onebottest.Group
	friend  *onebottest.Friend
	replies chan onebottest.ChatMessage
}

// A demoLine is a message of a member in a group, or of the friend if to is 0. "@bot " mentions the account.
type demoLine struct {
	to, who int64
	text    string
}

var demoPast = []demoLine{
	{demoHearth, 31001, "有人用过 Tauri 吗？"},
	{demoHearth, 31003, "用过，打包出来比 Electron 小很多，一个空壳 5 MB 左右"},
	{demoHearth, 31004, "性能呢？我看过一个 benchmark，内存省了一半"},
	{demoAnime, 31003, "新番第三集看了吗"},
	{demoAnime, 31004, "还没，别剧透"},
	{0, demoFriend, "最近那个 QQ Agent 做得怎么样了？"},
}

var demoScript = []demoLine{
	{demoHearth, 31001, "今天好冷啊"},
	{demoHearth, 31003, "我家的猫一直窝在暖气边，不肯动"},
	{demoAnime, 31004, "看完了，哭了"},
	{demoHearth, 31004, "@bot 在吗，推荐一部周末看的电影"},
	{demoHearth, 31002, "周末下雨，正好在家看电影"},
	{demoAnime, 31003, "作画是真的好"},
	{0, demoFriend, "晚上好呀，在忙吗？"},
	{demoHearth, 31003, "明天谁去图书馆"},
	{demoHearth, 31001, "我去，帮你占座"},
}

func newDemo(o *options) *demoQQ {
	if o.qq == 0 {
		o.qq = demoSelf
	}
	if o.friends == nil {
		o.friends = map[int64]bool{demoFriend: true}
	}
	w := &demoQQ{
		Server: onebottest.New(onebottest.Options{SelfID: o.qq, Nickname: "小炉", Token: o.token, Heartbeat: 5 * time.Second}),
		self:   o.qq, replies: make(chan onebottest.ChatMessage, 16),
	}
	w.groups = map[int64]*onebottest.Group{demoHearth: w.Group(demoHearth, "炉边夜话"), demoAnime: w.Group(demoAnime, "番剧研究所")}
	for _, g := range w.groups {
		for id, name := range map[int64]string{31001: "阿澈", 31002: "小满", 31003: "老王", 31004: "林夕"} {
			g.Member(id, name)
		}
	}
	w.friend = w.Friend(demoFriend, "小满")
	for i, l := range demoPast {
		w.say(l, time.Now().Add(time.Duration(i-len(demoPast))*time.Minute))
	}
	w.OnSend(func(s onebottest.ChatMessage) {
		select {
		case w.replies <- s:
		default:
		}
	})
	return w
}

// run sends messages until ctx ends, and lets somebody react to messages of the account.
func (w *demoQQ) run(ctx context.Context) {
	next := time.NewTicker(5 * time.Second)
	defer next.Stop()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			w.say(demoScript[n%len(demoScript)], time.Now())
			n++
		case s := <-w.replies:
			if loop.Sleep(ctx, 2*time.Second) != nil {
				return
			}
			l := demoLine{0, demoFriend, "哈哈，好"}
			if s.Chat.Kind == "group" {
				l = demoLine{s.Chat.ID, 31001, "说得对"}
			}
			w.say(l, time.Now())
		}
	}
}

func (w *demoQQ) say(l demoLine, at time.Time) {
	m := onebot.Message{onebot.Text(l.text)}
	if text, ok := strings.CutPrefix(l.text, "@bot"); ok {
		m = onebot.Message{onebot.At(w.self), onebot.Text(text)}
	}
	if g := w.groups[l.to]; g != nil {
		g.SayAt(l.who, at, m)
		return
	}
	w.friend.SayAt(at, m)
}
