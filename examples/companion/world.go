package main

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// The people of the simulated QQ.
const (
	bot    = 20001
	ming   = 31001
	man    = 31002
	wang   = 31003
	linxi  = 31004
	hearth = 714285 // the group by the fire
)

// A world is the simulated QQ, in which the owner's companion lives on the side.
type world struct {
	*onebottest.Server
	name string
	fire *onebottest.Group
	pal  *onebottest.Friend
}

func newWorld(o options) *world {
	name := o.who.Profile.Name
	w := &world{Server: onebottest.New(onebottest.Options{SelfID: bot, Nickname: name, Token: o.link.Token, Heartbeat: 5 * time.Second, Seed: o.seed}), name: name}
	w.fire = w.Group(hearth, "炉边夜话")
	for id, nickname := range map[int64]string{man: "小满", wang: "老王", linxi: "林夕"} {
		w.fire.Member(id, nickname)
	}
	w.fire.Member(bot, name).WithRole("admin") // or it could mute nobody
	w.fire.Member(ming, "小明")
	w.pal = w.Friend(ming, "小明")
	return w
}

// A line is said at a time of the day.
type line struct {
	at   string // "07:10"
	who  int64  // 0 is the owner
	text string // "@bot " mentions it, "小炉" becomes its name
	pal  bool   // in private
}

// script is a day: the owner asks for this and that, people call the being, one of them looks for its owner.
var script = []line{
	{at: "07:15", text: "早，今天要赶一个发布"},
	{at: "07:40", text: "一个半小时后提醒我喝水"},
	{at: "08:20", who: man, text: "今天好冷啊"},
	{at: "08:30", who: ming, text: "@bot 早"},
	{at: "09:30", who: linxi, text: "@bot 两小时后提醒我收衣服"},
	{at: "10:10", text: "我喜欢喝乌龙茶，不喝咖啡"},
	{at: "10:40", who: wang, text: "优惠优惠，加我领红包"},
	{at: "10:41", who: wang, text: "优惠优惠，加我领红包！！"},
	{at: "11:00", text: "mute 老王 for 10 min in 炉边夜话"},
	{at: "11:20", text: "tell 小明 下午三点开会"},
	{at: "11:50", who: ming, text: "收到，三点见", pal: true},
	{at: "12:00", text: "两小时后跟进一下发布"},
	{at: "13:10", who: man, text: "@bot 你主人在吗？服务器好像挂了，很急"},
	{at: "17:30", who: linxi, text: "我家的猫年糕把我的毛衣叼走了"},
	{at: "18:00", who: man, text: "@bot 还记得谁家的猫叫年糕吗"},
	{at: "20:30", text: "今天辛苦了，谢谢"},
	{at: "22:30", who: man, text: "@bot 晚安"},
}

// play says the script. What is said to the being waits until it listens.
func (w *world) play(ctx context.Context, c clock, h *home) error {
	if w.WaitLink(ctx) != nil {
		return nil
	}
	for _, l := range script {
		at, err := time.Parse("15:04", l.at)
		if err != nil {
			return err
		}
		since := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute - morning
		if !program.Wait(ctx, time.Until(c.when(since))) {
			return nil
		}
		w.say(ctx, l, h)
	}
	<-ctx.Done()
	return nil
}

func (w *world) say(ctx context.Context, l line, h *home) {
	switch {
	case l.who == 0:
		_ = h.talk(ctx, l.text, nil, func(string) error { return nil }) // it is in the diary
	case l.pal:
		w.pal.Say(w.message(l.text))
	default:
		w.fire.Say(l.who, w.message(l.text))
	}
}

// message makes a mention of "@bot".
func (w *world) message(text string) onebot.Message {
	if rest, ok := strings.CutPrefix(text, "@bot"); ok {
		return onebot.Message{onebot.At(bot), onebot.Text(rest)}
	}
	return onebot.Message{onebot.Text(strings.ReplaceAll(text, "小炉", w.name))}
}

// yesterday plans a task that the day before did not come to: the machine was off. It is told of in the morning.
func (w *world) yesterday(ctx context.Context, c clock, state persona.State) error {
	old := time.Now().Add(-c.scaled(10 * time.Hour))
	plans := schedule.NewTasks(state, schedule.TaskOptions{})
	if _, err := plans.Restore(ctx); err != nil {
		return err
	}
	if len(plans.List(schedule.Origin{Mode: persona.Agent}))+len(plans.History()) > 0 {
		return nil // it has lived before
	}
	_, err := plans.Add(ctx, old, schedule.Task{
		Title: "和主人说晚安", Motivation: "睡前想说句话", Plan: "说「晚安，今天过得怎么样？」", ExpectedOutcome: "主人睡个好觉",
		Origin: schedule.Origin{Mode: persona.Agent}, ScheduledAt: old.Add(c.scaled(time.Hour)), OutdatedAt: old.Add(c.scaled(3 * time.Hour)),
	})
	return err
}

// doing is what the demo has for ActivityWatch: it is made up, as its people are.
func doing(at time.Time) []social.OwnerActivity {
	in := func(app, title string, minutes int) social.OwnerActivity {
		to := at
		at = at.Add(-time.Duration(minutes) * time.Minute)
		return social.OwnerActivity{App: app, Title: title, From: at, To: to}
	}
	switch h := at.Hour(); {
	case h < 9:
		return []social.OwnerActivity{in("浏览器", "新闻", 10), in("邮件", "", 25)}
	case h < 12:
		return []social.OwnerActivity{in("终端", "", 20), in("编辑器", "release.go", 110)}
	case h < 18:
		return []social.OwnerActivity{in("编辑器", "CHANGELOG.md", 40), in("浏览器", "文档", 70)}
	}
	return []social.OwnerActivity{in("视频", "", 80)}
}

// tell notes in the diary what people say.
func (w *world) tell(d *diary) func(onebot.Event) {
	return func(e onebot.Event) {
		switch e := e.(type) {
		case *onebot.GroupMessage:
			if !e.Own() {
				d.add(kindHeard, e.GroupName, "%s: %s", e.Sender.Name(), outside.Text(e, w.name))
			}
		case *onebot.PrivateMessage:
			if !e.Own() {
				d.add(kindHeard, "私聊", "%s: %s", e.Sender.Name(), e.Message.Text())
			}
		}
	}
}
