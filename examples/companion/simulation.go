package main

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/chatline"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// People of the simulated QQ.
const (
	botID   = 20001
	mingID  = 31001
	manID   = 31002
	wangID  = 31003
	linxiID = 31004
	groupID = 714285
)

const groupName = "炉边夜话"

// A simulation is the simulated QQ.
type simulation struct {
	*onebottest.Server
	name   string
	group  *onebottest.Group
	friend *onebottest.Friend
}

func newSimulation(o options) *simulation {
	name := o.character.Profile.Name
	w := &simulation{Server: onebottest.New(onebottest.Options{SelfID: botID, Nickname: name, Token: o.link.Token, Heartbeat: 5 * time.Second, Seed: o.seed}), name: name}
	w.group = w.Group(groupID, groupName)
	for id, nickname := range map[int64]string{manID: "小满", wangID: "老王", linxiID: "林夕"} {
		w.group.Member(id, nickname)
	}
	w.group.Member(botID, name).WithRole("admin") // needed to mute members
	w.group.Member(mingID, "小明")
	w.friend = w.Friend(mingID, "小明")
	return w
}

// A scriptLine is said at a time of the day.
type scriptLine struct {
	at      string // "07:10"
	who     int64  // 0 means the owner
	text    string // "@bot " is replaced by a mention, and "小炉" by the bot's name
	private bool   // in the private chat
}

// script is a day in which the owner asks for several things, people address the bot, and one of them looks for its owner.
var script = []scriptLine{
	{at: "07:15", text: "早，今天要赶一个发布"},
	{at: "07:40", text: "一个半小时后提醒我喝水"},
	{at: "08:20", who: manID, text: "今天好冷啊"},
	{at: "08:30", who: mingID, text: "@bot 早"},
	{at: "09:30", who: linxiID, text: "@bot 两小时后提醒我收衣服"},
	{at: "10:10", text: "我喜欢喝乌龙茶，不喝咖啡"},
	{at: "10:40", who: wangID, text: "优惠优惠，加我领红包"},
	{at: "10:41", who: wangID, text: "优惠优惠，加我领红包！！"},
	{at: "11:00", text: "mute 老王 for 10 min in 炉边夜话"},
	{at: "11:20", text: "tell 小明 下午三点开会"},
	{at: "11:50", who: mingID, text: "收到，三点见", private: true},
	{at: "12:00", text: "两小时后跟进一下发布"},
	{at: "13:10", who: manID, text: "@bot 你主人在吗？服务器好像挂了，很急"},
	{at: "17:30", who: linxiID, text: "我家的猫年糕把我的毛衣叼走了"},
	{at: "18:00", who: manID, text: "@bot 还记得谁家的猫叫年糕吗"},
	{at: "20:30", text: "今天辛苦了，谢谢"},
	{at: "22:30", who: manID, text: "@bot 晚安"},
}

// playScript plays the script. It starts once the bot is connected.
func (w *simulation) playScript(ctx context.Context, c clock, bot *companion) error {
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
		w.sayLine(ctx, l, bot)
	}
	<-ctx.Done()
	return nil
}

func (w *simulation) sayLine(ctx context.Context, l scriptLine, bot *companion) {
	switch {
	case l.who == 0:
		_ = bot.ownerTurn(ctx, l.text, nil, func(string) error { return nil }) // errors are in the event log
	case l.private:
		w.friend.Say(w.message(l.text))
	default:
		w.group.Say(l.who, w.message(l.text))
	}
}

// message replaces "@bot" by a mention.
func (w *simulation) message(text string) onebot.Message {
	if rest, ok := strings.CutPrefix(text, "@bot"); ok {
		return onebot.Message{onebot.At(botID), onebot.Text(rest)}
	}
	return onebot.Message{onebot.Text(strings.ReplaceAll(text, "小炉", w.name))}
}

// addMissedTask adds a task that was due yesterday while the program was off. The bot reports it in the morning.
func (w *simulation) addMissedTask(ctx context.Context, c clock, state persona.State) error {
	old := time.Now().Add(-c.scaled(10 * time.Hour))
	plans := schedule.NewTasks(state, schedule.TaskOptions{})
	if _, err := plans.Restore(ctx); err != nil {
		return err
	}
	if len(plans.List(schedule.Origin{Mode: persona.Agent}))+len(plans.History()) > 0 {
		return nil // not the first start
	}
	_, err := plans.Add(ctx, old, schedule.Task{
		Title: "和主人说晚安", Motivation: "睡前想说句话", Plan: "说「晚安，今天过得怎么样？」", ExpectedOutcome: "主人睡个好觉",
		Origin: schedule.Origin{Mode: persona.Agent}, ScheduledAt: old.Add(c.scaled(time.Hour)), OutdatedAt: old.Add(c.scaled(3 * time.Hour)),
	})
	return err
}

// madeUpActivity is the owner's activity in the demo.
func madeUpActivity(at time.Time) []social.OwnerActivity {
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

// recordEvents returns a handler that adds what people say and do to the event log.
func (w *simulation) recordEvents(d *eventLog) func(persona.Event) {
	lines := chatline.New(lang.Chinese, w.name)
	return func(e persona.Event) {
		m, isMessage := e.(persona.Message)
		line, ok := lines.Event(e)
		switch {
		case !ok || m.Own:
		case line.Chat.Kind == persona.Private:
			d.add(kindHeard, "私聊", "%v", line)
		case isMessage:
			d.add(kindHeard, m.ChatName, "%v", line)
		default:
			d.add(kindHeard, groupName, "%v", line)
		}
	}
}
