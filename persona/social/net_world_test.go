package social_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/require"
)

// A netWorld is a simulated QQ, the people in it, and a script of what they and the host do. All of it follows from the
// seed. Unlike a world it checks nothing: it is recorded.
type netWorld struct {
	*testing.T
	seed                 uint64
	stops, faults, kills bool
	rec                  *netRecord
	qq                   *onebottest.Server
	store                *memory.MemStore
	album                *album
	root                 *os.Root // of stickers
	groups               []*onebottest.Group
	friends              []*onebottest.Friend
	stranger             *onebottest.Member
	rng                  *rand.Rand // the script's, of one goroutine
	plans                []plan
	steps                int
	said                 []int64 // messages of people
	life                 *netLife
	calls                sync.WaitGroup // of the host

	mu       sync.Mutex
	handle   func(onebot.Event) // an event of the link
	requests []persona.Request  // that the host was given
}

func newNetWorld(t *testing.T, seed uint64, names *strings.Replacer, root *os.Root) *netWorld {
	w := &netWorld{
		T: t, seed: seed, stops: seed%4 >= 1, faults: seed%4 >= 2, kills: seed%4 == 3, root: root, album: &album{},
		rec: newNetRecord(names), rng: rand.New(rand.NewPCG(seed, 12)), store: memory.NewMemStore(),
	}
	w.qq = onebottest.New(onebottest.Options{
		SelfID: bot, Nickname: "小炉", Seed: seed, Heartbeat: time.Duration(seed%2) * 15 * time.Second,
		Quirks: onebottest.Quirks{IDs: onebottest.IDRange(seed % 3), PushOwnMessages: seed%4 < 2, CQStrings: seed%3 == 0},
	})
	for i, name := range []string{"技术群", "闲聊群", "树洞", "关着的群"} {
		g := w.qq.Group(int64(1+i), name)
		for j, nick := range []string{"张三", "李四", "王五", "机器人", "老王", "管家"} {
			g.Member([]int64{alice, bob, 1003, robot, netOwner, netAdmin}[j], nick)
		}
		w.groups = append(w.groups, g)
	}
	w.friends = []*onebottest.Friend{w.qq.Friend(alice, "张三"), w.qq.Friend(2001, "小满"), w.qq.Friend(netOwner, "老王")}
	w.stranger = w.groups[0].Member(1005, "生人")
	w.delay()
	w.qq.OnSend(func(s onebottest.ChatMessage) {
		r := w.rec.dice("provoke", s.Message.Text(), fmt.Sprint(s.Chat))
		if s.Chat.Kind == persona.Group && r.IntN(6) == 0 {
			time.AfterFunc(time.Duration(1+r.Int64N(int64(9*time.Second))), func() {
				w.qq.Group(s.Chat.ID, "").Say(robot, at(bot, fmt.Sprint("我也是机器人 ", r.IntN(100))))
			})
		} else if w.seed%3 == 1 && s.Chat.Kind == persona.Group && r.IntN(8) == 0 { // amid its parts
			time.AfterFunc(time.Duration(1+r.Int64N(int64(time.Second))), func() { w.qq.Group(s.Chat.ID, "").Ban(bot, time.Minute) })
		}
	})
	return w
}

// delay is how soon the platform usually answers a send: at once, or, where it also tells of it by an event, after that.
func (w *netWorld) delay() {
	d := 40 * time.Millisecond
	if w.seed%4 >= 2 {
		d = 0
	}
	w.qq.DelayResponse("send_group_msg", d)
	w.qq.DelayResponse("send_private_msg", d)
}

func (w *netWorld) now() time.Time { return time.Now() }

func (w *netWorld) mind(which string) netMind {
	return netMind{rec: w.rec, which: which, answer: w.answer}
}

// client dials at the next whole second, and a bit: how long it waits after a link dropped is drawn from no seed.
func (w *netWorld) client() *onebot.Client {
	dial := w.qq.HTTPClient().Transport.(*http.Transport).DialContext
	dials := 0
	c, err := onebot.NewClient("ws://qq.example/", onebot.Options{
		MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			const bit = 777_777_777 * time.Nanosecond
			now := time.Now()
			time.Sleep(now.Add(-bit).Truncate(time.Second).Add(time.Second + bit).Sub(now))
			conn, err := dial(ctx, network, addr)
			if err == nil && ctx.Err() == nil {
				dials++
				w.rec.note(netCall, "dial %d", dials)
			}
			return conn, err
		}}},
	})
	if err != nil {
		panic(err)
	}
	return c
}

// run is the whole story.
func (w *netWorld) run() {
	w.start()
	deck := w.deck()
	for range 45 {
		deck = append(deck, w.speak)
	}
	w.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	for _, g := range w.groups {
		w.pass(w.upTo(2 * time.Second))
		w.say(g, alice, say("大家好"))
	}
	for _, do := range deck {
		w.pass(w.gap())
		do()
	}
	w.pass(5 * time.Minute)
	w.heal()
	if w.life == nil {
		w.start()
	}
	w.pass(27 * time.Hour) // a night, and the morning after it
	w.say(w.groups[0], alice, at(bot, "早"))
	w.pass(10 * time.Minute)
	w.day()
	w.pass(time.Minute)
	calls := make(chan struct{})
	go func() { w.calls.Wait(); close(calls) }()
	ended(w, "a call of the host", calls)
	w.stop()
	w.qq.Close()
	for _, c := range w.qq.Calls() {
		w.rec.noteAt(c.At, netCall, "%s %d %s", c.Action, c.Retcode, c.Params)
	}
}

// instant is one that is not of any other step.
func (w *netWorld) instant(d time.Duration) time.Time {
	w.steps++
	return time.Now().Add(d).Truncate(time.Millisecond).Add(time.Duration(w.steps)*3*time.Microsecond + time.Millisecond)
}

func (w *netWorld) gap() time.Duration {
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		return w.upTo(3 * time.Second)
	case 3:
		return w.upTo(12 * time.Minute)
	}
	return w.upTo(40 * time.Second)
}

func (w *netWorld) upTo(d time.Duration) time.Duration {
	return time.Duration(1 + w.rng.Int64N(int64(d)))
}

// pass lets time go by, with what is planned for it. A being that was killed meanwhile is buried, and comes again.
func (w *netWorld) pass(d time.Duration) {
	until := w.instant(d)
	for {
		next, i := until, -1
		for j, p := range w.plans {
			if p.at.Before(next) {
				next, i = p.at, j
			}
		}
		var killed chan struct{}
		if w.life != nil {
			killed = w.life.killed
		}
		pause := time.NewTimer(time.Until(next))
		select {
		case <-killed:
			pause.Stop()
			w.end(true)
			w.qq.DropLinks()
			w.later(w.upTo(time.Minute), w.start)
			continue
		case <-pause.C:
		}
		synctest.Wait()
		if i < 0 {
			return
		}
		do := w.plans[i].do
		w.plans = append(w.plans[:i:i], w.plans[i+1:]...)
		do()
	}
}

func (w *netWorld) later(d time.Duration, do func()) {
	w.plans = append(w.plans, plan{at: w.instant(d), do: do})
}

func (w *netWorld) start() {
	if w.life != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &netLife{cancel: cancel, ended: make(chan error, 1), killed: make(chan struct{})}
	l.store = &mortal{MemStore: w.store, dead: func() { close(l.killed); cancel() }}
	l.counts = w.counts()
	l.being = w.newBeing(l)
	w.life = l
	w.rec.note(netHost, "started")
	go func() { l.ended <- l.being.Run(ctx) }()
	synctest.Wait()
}

func (w *netWorld) stop() {
	if w.life != nil {
		busy := w.rec.busy()
		w.life.cancel()
		w.end(busy)
	}
}

// end waits for the end of a being that was stopped or killed.
func (w *netWorld) end(busy bool) {
	l := w.life
	err := ended(w, "a being that was stopped", l.ended)
	w.life = nil
	synctest.Wait()
	w.mu.Lock()
	w.handle = nil
	w.mu.Unlock()
	if l.store.died() {
		w.rec.note(netHost, "killed")
	} else {
		w.tally(l, err)
	}
	if busy {
		require.NoError(w, w.store.Apply(w.Context(), l.counts))
		return
	}
	rows := w.counts()
	for _, key := range netCounts {
		w.rec.note(netRow, "kept %s = %s", key, rows[key])
	}
	w.rec.keep(rows)
}

// ended waits for the end of what is under way. What has no end would keep the virtual clock running for ever.
func ended[T any](w *netWorld, what string, over <-chan T) (v T) {
	late := time.NewTimer(time.Hour)
	defer late.Stop()
	select {
	case v = <-over:
	case <-late.C:
		netHangs(w.seed, what+" has not ended after an hour of its time")
	}
	return v
}

// netHangs ends the test program, and shows what all goroutines do: a world that hangs cannot be left behind.
func netHangs(seed uint64, why string) {
	debug.SetTraceback("all")
	panic(fmt.Sprintf("world %d hangs: %s", seed, why))
}

// counts are the rows of what was counted; nil: there is none.
func (w *netWorld) counts() map[string][]byte {
	all := map[string][]byte{}
	for _, key := range netCounts {
		rows, err := w.store.Load(w.Context(), key)
		require.NoError(w, err)
		all[key] = rows[key]
	}
	return all
}

func (w *netWorld) say(g *onebottest.Group, who int64, m onebot.Message) {
	w.said = append(w.said, g.Say(who, m))
}

func (w *netWorld) asked(r persona.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
}

var netPhrases = []string{"今天天气真冷", "周末去爬山吗", "炉火真旺", "我昨天没睡好", "这个报错怎么修", "哈哈哈", "晚上吃什么", "张三说得对"}

func (w *netWorld) phrase() string { return fmt.Sprint(pick(w.rng, netPhrases...), " ", w.steps) }

func (w *netWorld) group() *onebottest.Group {
	return w.groups[[]int{0, 0, 0, 0, 1, 1, 2, 2, 3}[w.rng.IntN(9)]]
}

// recent is one of the last messages of a chat that ok says yes to.
func (w *netWorld) recent(c onebottest.Chat, own bool) int64 {
	past := w.qq.History(c)
	for i := len(past) - 1 - w.rng.IntN(3); i >= 0; i-- {
		if !past[i].Retracted && (past[i].UserID == bot) == own {
			return past[i].MessageID
		}
	}
	return 0
}

// speak lets somebody say something of some kind.
func (w *netWorld) speak() {
	g, who := w.group(), pick[int64](w.rng, alice, alice, bob, 1003, robot, netOwner)
	text := w.phrase()
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		w.say(g, who, at(bot, text))
	case 3:
		w.say(g, who, say("小炉，"+text))
	case 4:
		w.said = append(w.said, w.friends[w.rng.IntN(len(w.friends))].Say(say(text)))
	case 5:
		if id := w.recent(g.Chat(), true); id != 0 {
			w.say(g, who, onebot.Message{onebot.Reply(id), onebot.Text(text)})
		}
	case 6:
		if id := w.recent(g.Chat(), false); id != 0 {
			w.say(g, who, onebot.Message{onebot.Reply(id), onebot.At(bot), onebot.Text(" 你看" + text)})
		}
	default:
		w.say(g, who, say(text))
	}
}

// deck is what happens once in each world, beside talk.
func (w *netWorld) deck() []func() {
	g := w.groups
	order := func(who int64, text string) func() {
		return func() { w.say(g[w.rng.IntN(2)], who, at(bot, text)) }
	}
	private := func(text string) func() { return func() { w.friends[2].Say(say(text)) } }
	deck := []func(){
		// commands
		order(netOwner, "安静 2分钟"), order(netAdmin, "安静"), order(netAdmin, "说话"), order(netOwner, "speak"), order(netAdmin, "状态"), order(alice, "安静"),
		private("status"), private("睡觉 1分钟"), private("起床"), order(netOwner, "忘记我"), order(netOwner, "确认忘记我"), private("quiet 30s"),
		// requests
		func() { w.qq.FriendRequest(3001, "新人", "我是张三的朋友") }, func() { w.qq.FriendRequest(alice, "张三", "小号") }, func() { w.qq.FriendRequest(3003, "推销", "") },
		func() { w.qq.GroupInvite(71, "新群", alice) }, func() { g[0].JoinRequest(3004, "让我进") },
		func() {
			w.mu.Lock()
			all := append([]persona.Request(nil), w.requests...)
			w.mu.Unlock()
			for _, r := range all {
				w.answerRequest(r, w.rng.IntN(2) == 0)
			}
		},
		// the host
		func() { w.owner("记住我的电话 " + w.phrase()) }, func() { w.owner("替我问问大家 " + w.phrase()) }, func() { w.owner("明天八点叫我，睡一会") },
		func() { w.talk("说说今天 " + w.phrase()) }, func() { w.talk("整理一下") }, func() { w.appOpened(2 * time.Minute) }, w.day,
		func() { w.forgetPerson(1003) }, func() { w.forgetChat(netChat(persona.Group, 3)) },
		// what people do
		func() { w.say(g[0], alice, onebot.Message{onebot.At(bot), onebot.Text(" 看这个"), picture("猫")}) },
		func() { w.say(g[0], bob, onebot.Message{picture("missing"), onebot.Text("小炉看")}) },
		func() { w.say(g[0], bob, say("违禁词 "+w.phrase())) }, func() { w.say(g[2], bob, at(bot, "别的词")) },
		func() { w.say(g[0], alice, say("老王在吗，急事 "+w.phrase())) }, func() { w.say(g[1], 1003, say("在吗")) },
		func() { w.stranger.SayPrivately(say("你好，" + w.phrase())) },
		func() {
			w.said = append(w.said, g[0].SayAt(alice, time.Now().Add(-5*time.Minute), at(bot, "早就问过的")))
		},
		func() { w.qq.RepeatMessage(w.said[len(w.said)-1]) },
		w.recall, w.recall, w.recall, w.burst, w.burst,
		// what happens to the account
		func() { g[0].Ban(bot, 3*time.Minute) }, func() { g[1].Ban(0, time.Hour); w.later(2*time.Minute, func() { g[1].Ban(0, 0) }) },
		func() { g[2].Kick(bot, alice); w.later(5*time.Minute, func() { g[2].Join(bot, "小炉") }) },
		func() { w.qq.SetOnline(false); w.later(time.Minute, func() { w.qq.SetOnline(true) }) },
		w.lost, w.drop,
		// sends
		func() { w.qq.Fail("send_group_msg", 1200, 1) }, func() { w.qq.WithholdResponse("send_group_msg", 1) }, func() { w.qq.UnconfirmSends(1) },
	}
	if w.seed%10 == 6 { // tools are plugins
		deck = append(deck, func() { w.switchPlugin(true); w.later(5*time.Minute, func() { w.switchPlugin(false) }) })
	}
	if w.stops {
		deck = append(deck, w.restart, w.restart, func() { w.pass(10 * time.Minute); w.restart() })
	}
	if w.faults {
		deck = append(deck,
			func() {
				w.qq.RefuseConnections(true)
				w.drop()
				w.later(time.Minute, func() { w.qq.RefuseConnections(false) })
			},
			func() { w.qq.HalfOpen(true); w.later(time.Minute, func() { w.qq.HalfOpen(false); w.qq.DropLinks() }) },
			func() {
				w.qq.DelayResponse("send_group_msg", 20*time.Second)
				w.later(time.Minute, func() { w.qq.DelayResponse("send_group_msg", 0) })
			},
			func() { w.qq.Fail("get_group_msg_history", 1200, 2); w.drop() },
			func() { w.qq.WithholdResponse("set_friend_add_request", 1) },
			func() {
				if l := w.life; l != nil {
					l.store.ail(true)
					w.later(20*time.Second, func() { l.store.ail(false) })
				}
			})
	}
	if w.kills {
		for range 3 {
			deck = append(deck, func() {
				if w.life != nil {
					w.life.store.doom(1+w.rng.IntN(10), w.rng.IntN(3))
					w.say(g[0], alice, at(bot, w.phrase()))
				}
			})
		}
	}
	return deck
}

func (w *netWorld) burst() {
	g := w.group()
	for range 3 + w.rng.IntN(10) {
		w.later(w.upTo(12*time.Second), func() { w.say(g, pick[int64](w.rng, alice, bob), say(w.phrase())) })
	}
}

// recall takes a message back: a late one, or one that calls and is being answered.
func (w *netWorld) recall() {
	if w.rng.IntN(2) == 0 {
		w.qq.Recall(w.said[max(0, len(w.said)-1-w.rng.IntN(8))])
		return
	}
	w.say(w.groups[0], alice, at(bot, w.phrase()))
	id := w.said[len(w.said)-1]
	w.later(w.upTo(6*time.Second), func() { w.qq.Recall(id) })
}

func (w *netWorld) drop() {
	w.qq.DropLinks()
	w.say(w.groups[0], bob, at(bot, w.phrase())) // nobody hears it but by the history
}

// lost tells the being that the link could not queue what was said.
func (w *netWorld) lost() {
	w.mu.Lock()
	handle := w.handle
	w.mu.Unlock()
	now := time.Now()
	if handle != nil && w.qq.Links() > 0 {
		w.calls.Go(func() { handle(&onebot.Dropped{GroupID: 1, Count: 2, Since: now.Add(-time.Minute), Until: now}) })
	}
}

func (w *netWorld) restart() {
	w.stop()
	down := w.upTo(10 * time.Second)
	if w.rng.IntN(3) == 0 {
		down = w.upTo(downLong)
	}
	w.later(down, w.start)
}

func (w *netWorld) heal() {
	w.qq.RefuseConnections(false)
	w.qq.HalfOpen(false)
	w.qq.SetOnline(true)
	for _, action := range []string{"send_group_msg", "get_group_msg_history", "set_friend_add_request"} {
		w.qq.WithholdResponse(action, 0)
		w.qq.Fail(action, 0, 0)
	}
	w.delay()
	w.qq.UnconfirmSends(0)
	if w.life != nil {
		w.life.store.spare()
	}
}
