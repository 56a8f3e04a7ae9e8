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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/require"
)

// A recordedWorld is a simulated QQ with people, and a script of what they and the host do. Everything depends on the
// seed only. It is recorded and, unlike a simulation, checks nothing.
type recordedWorld struct {
	*testing.T
	seed                 uint64
	stops, faults, kills bool
	rec                  *transcript
	codes                atomic.Int64 // see newCode
	qq                   *onebottest.Server
	store                *memory.MemStore
	images               *imageServer
	root                 *os.Root // stickers
	groups               []*onebottest.Group
	friends              []*onebottest.Friend
	stranger             *onebottest.Member
	rng                  *rand.Rand // used by the script's goroutine only
	plans                []plannedEvent
	steps                int
	said                 []int64 // messages of people
	current              *recordedRun
	calls                sync.WaitGroup // calls by the host

	mu       sync.Mutex
	handle   func(onebot.Event) // handles an event of the link
	requests []persona.Request  // requests given to the host
}

func newRecordedWorld(t *testing.T, seed uint64, names *strings.Replacer, root *os.Root) *recordedWorld {
	w := &recordedWorld{
		T: t, seed: seed, stops: seed%4 >= 1, faults: seed%4 >= 2, kills: seed%4 == 3, root: root, images: &imageServer{},
		rec: newTranscript(names), rng: rand.New(rand.NewPCG(seed, 12)), store: memory.NewMemStore(),
	}
	w.qq = onebottest.New(onebottest.Options{
		SelfID: botID, Nickname: "小炉", Seed: seed, Heartbeat: time.Duration(seed%2) * 15 * time.Second,
		Quirks: onebottest.Quirks{IDs: onebottest.IDRange(seed % 3), PushOwnMessages: seed%4 < 2, CQStrings: seed%3 == 0},
	})
	for i, name := range []string{"技术群", "闲聊群", "树洞", "关着的群"} {
		g := w.qq.Group(int64(1+i), name)
		for j, nick := range []string{"张三", "李四", "王五", "机器人", "老王", "管家"} {
			g.Member([]int64{alice, bob, 1003, robot, recordedOwner, recordedAdmin}[j], nick)
		}
		w.groups = append(w.groups, g)
	}
	w.friends = []*onebottest.Friend{w.qq.Friend(alice, "张三"), w.qq.Friend(2001, "小满"), w.qq.Friend(recordedOwner, "老王")}
	w.stranger = w.groups[0].Member(1005, "生人")
	w.delay()
	w.qq.OnSend(func(s onebottest.ChatMessage) {
		r := w.rec.dice("provoke", s.Message.Text(), fmt.Sprint(s.Chat))
		if s.Chat.Kind == persona.Group && r.IntN(6) == 0 {
			time.AfterFunc(time.Duration(1+r.Int64N(int64(9*time.Second))), func() {
				w.qq.Group(s.Chat.ID, "").Say(robot, at(botID, fmt.Sprint("我也是机器人 ", r.IntN(100))))
			})
		} else if w.seed%3 == 1 && s.Chat.Kind == persona.Group && r.IntN(8) == 0 { // between the parts of a reply
			time.AfterFunc(time.Duration(1+r.Int64N(int64(time.Second))), func() { w.qq.Group(s.Chat.ID, "").Ban(botID, time.Minute) })
		}
	})
	return w
}

// delay sets the platform's usual response time for a send: immediately, or if it also pushes an event for it, after
// that event.
func (w *recordedWorld) delay() {
	d := 40 * time.Millisecond
	if w.seed%4 >= 2 {
		d = 0
	}
	w.qq.DelayResponse("send_group_msg", d)
	w.qq.DelayResponse("send_private_msg", d)
}

func (w *recordedWorld) now() time.Time { return time.Now() }

func (w *recordedWorld) model(which string) recordingModel {
	return recordingModel{rec: w.rec, role: which, answer: w.answer}
}

// client dials at the next whole second and a bit, because reconnect delays are random.
func (w *recordedWorld) client() *onebot.Client {
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
				w.rec.note(eventCall, "dial %d", dials)
			}
			return conn, err
		}}},
	})
	if err != nil {
		panic(err)
	}
	return c
}

// run executes the script.
func (w *recordedWorld) run() {
	w.start()
	deck := w.deck()
	for range 45 {
		deck = append(deck, w.speak)
	}
	w.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	for _, g := range w.groups {
		w.advance(w.upTo(2 * time.Second))
		w.say(g, alice, say("大家好"))
	}
	for _, do := range deck {
		w.advance(w.gap())
		do()
	}
	w.advance(5 * time.Minute)
	w.heal()
	if w.current == nil {
		w.start()
	}
	w.advance(27 * time.Hour) // a night and the next morning
	w.say(w.groups[0], alice, at(botID, "早"))
	w.advance(10 * time.Minute)
	w.agenda()
	w.advance(time.Minute)
	calls := make(chan struct{})
	go func() { w.calls.Wait(); close(calls) }()
	await(w, "a call of the host", calls)
	w.stop()
	w.qq.Close()
	for _, c := range w.qq.Calls() {
		w.rec.noteAt(c.At, eventCall, "%s %d %s", c.Action, c.Retcode, c.Params)
	}
}

// instant returns a time that no other step has.
func (w *recordedWorld) instant(d time.Duration) time.Time {
	w.steps++
	return time.Now().Add(d).Truncate(time.Millisecond).Add(time.Duration(w.steps)*3*time.Microsecond + time.Millisecond)
}

func (w *recordedWorld) gap() time.Duration {
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		return w.upTo(3 * time.Second)
	case 3:
		return w.upTo(12 * time.Minute)
	}
	return w.upTo(40 * time.Second)
}

func (w *recordedWorld) upTo(d time.Duration) time.Duration {
	return time.Duration(1 + w.rng.Int64N(int64(d)))
}

// advance sleeps and executes planned steps. A bot killed meanwhile is cleaned up and restarted.
func (w *recordedWorld) advance(d time.Duration) {
	until := w.instant(d)
	for {
		next, i := until, -1
		for j, p := range w.plans {
			if p.at.Before(next) {
				next, i = p.at, j
			}
		}
		var killed chan struct{}
		if w.current != nil {
			killed = w.current.killed
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

func (w *recordedWorld) later(d time.Duration, do func()) {
	w.plans = append(w.plans, plannedEvent{at: w.instant(d), do: do})
}

func (w *recordedWorld) start() {
	if w.current != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &recordedRun{cancel: cancel, ended: make(chan error, 1), killed: make(chan struct{})}
	r.store = &crashingStore{MemStore: w.store, onCrash: func() { close(r.killed); cancel() }}
	r.counters = w.counters()
	r.bot = w.newBot(r)
	w.current = r
	w.rec.note(eventHost, "started")
	go func() { r.ended <- r.bot.Run(ctx) }()
	synctest.Wait()
}

func (w *recordedWorld) stop() {
	if w.current != nil {
		busy := w.rec.busy()
		w.current.cancel()
		w.end(busy)
	}
}

// end waits for a stopped or killed bot.
func (w *recordedWorld) end(busy bool) {
	r := w.current
	err := await(w, "a stopped bot", r.ended)
	w.current = nil
	synctest.Wait()
	w.mu.Lock()
	w.handle = nil
	w.mu.Unlock()
	if r.store.hasCrashed() {
		w.rec.note(eventHost, "killed")
	} else {
		w.recordStats(r, err)
	}
	if busy {
		require.NoError(w, w.store.Apply(w.Context(), r.counters))
		return
	}
	rows := w.counters()
	for _, key := range counterRows {
		w.rec.note(eventRow, "kept %s = %s", key, rows[key])
	}
	w.rec.keep(rows)
}

// await waits for a result. Without a limit, a missing result would keep the virtual clock running for ever.
func await[T any](w *recordedWorld, what string, over <-chan T) (v T) {
	late := time.NewTimer(time.Hour)
	defer late.Stop()
	select {
	case v = <-over:
	case <-late.C:
		failHang(w.seed, what+" has not ended after an hour of its time")
	}
	return v
}

// failHang ends the test program with the stacks of all goroutines, because a hanging world cannot be abandoned.
func failHang(seed uint64, why string) {
	debug.SetTraceback("all")
	panic(fmt.Sprintf("world %d hangs: %s", seed, why))
}

// counters returns the rows of counters; nil for missing rows.
func (w *recordedWorld) counters() map[string][]byte {
	all := map[string][]byte{}
	for _, key := range counterRows {
		rows, err := w.store.Load(w.Context(), key)
		require.NoError(w, err)
		all[key] = rows[key]
	}
	return all
}

func (w *recordedWorld) say(g *onebottest.Group, who int64, m onebot.Message) {
	w.said = append(w.said, g.Say(who, m))
}

func (w *recordedWorld) requested(r persona.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
}

var phrases = []string{"今天天气真冷", "周末去爬山吗", "炉火真旺", "我昨天没睡好", "这个报错怎么修", "哈哈哈", "晚上吃什么", "张三说得对"}

func (w *recordedWorld) phrase() string { return fmt.Sprint(pick(w.rng, phrases...), " ", w.steps) }

func (w *recordedWorld) group() *onebottest.Group {
	return w.groups[[]int{0, 0, 0, 0, 1, 1, 2, 2, 3}[w.rng.IntN(9)]]
}

// recent returns one of the last messages of a chat, by the bot if own is true.
func (w *recordedWorld) recent(c onebottest.Chat, own bool) int64 {
	past := w.qq.History(c)
	for i := len(past) - 1 - w.rng.IntN(3); i >= 0; i-- {
		if !past[i].Retracted && (past[i].UserID == botID) == own {
			return past[i].MessageID
		}
	}
	return 0
}

// speak lets a person write a message of a random kind.
func (w *recordedWorld) speak() {
	g, who := w.group(), pick[int64](w.rng, alice, alice, bob, 1003, robot, recordedOwner)
	text := w.phrase()
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		w.say(g, who, at(botID, text))
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
			w.say(g, who, onebot.Message{onebot.Reply(id), onebot.At(botID), onebot.Text(" 你看" + text)})
		}
	default:
		w.say(g, who, say(text))
	}
}

// deck returns events that happen once in each world, in addition to messages.
func (w *recordedWorld) deck() []func() {
	g := w.groups
	order := func(who int64, text string) func() {
		return func() { w.say(g[w.rng.IntN(2)], who, at(botID, text)) }
	}
	private := func(text string) func() { return func() { w.friends[2].Say(say(text)) } }
	deck := []func(){
		// commands
		order(recordedOwner, "安静 2分钟"), order(recordedAdmin, "安静"), order(recordedAdmin, "说话"), order(recordedOwner, "speak"), order(recordedAdmin, "状态"), order(alice, "安静"),
		private("status"), private("睡觉 1分钟"), private("起床"), order(recordedOwner, "忘记我"), order(recordedOwner, "确认忘记我"), private("quiet 30s"),
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
		func() { w.stream("说说今天 " + w.phrase()) }, func() { w.stream("整理一下") }, func() { w.appOpened(2 * time.Minute) }, w.agenda,
		func() { w.erasePerson(1003) }, func() { w.eraseChat(qqChat(persona.Group, 3)) },
		// people
		func() {
			w.say(g[0], alice, onebot.Message{onebot.At(botID), onebot.Text(" 看这个"), picture("猫")})
		},
		func() { w.say(g[0], bob, onebot.Message{picture("missing"), onebot.Text("小炉看")}) },
		func() { w.say(g[0], bob, say("违禁词 "+w.phrase())) }, func() { w.say(g[2], bob, at(botID, "别的词")) },
		func() { w.say(g[0], alice, say("老王在吗，急事 "+w.phrase())) }, func() { w.say(g[1], 1003, say("在吗")) },
		func() { w.stranger.SayPrivately(say("你好，" + w.phrase())) },
		func() {
			w.said = append(w.said, g[0].SayAt(alice, time.Now().Add(-5*time.Minute), at(botID, "早就问过的")))
		},
		func() { w.qq.RepeatMessage(w.said[len(w.said)-1]) },
		w.retract, w.retract, w.retract, w.burst, w.burst,
		// the account
		func() { g[0].Ban(botID, 3*time.Minute) }, func() { g[1].Ban(0, time.Hour); w.later(2*time.Minute, func() { g[1].Ban(0, 0) }) },
		func() { g[2].Kick(botID, alice); w.later(5*time.Minute, func() { g[2].Join(botID, "小炉") }) },
		func() { w.qq.SetOnline(false); w.later(time.Minute, func() { w.qq.SetOnline(true) }) },
		w.lost, w.drop,
		// sends
		func() { w.qq.Fail("send_group_msg", 1200, 1) }, func() { w.qq.WithholdResponse("send_group_msg", 1) }, func() { w.qq.UnconfirmSends(1) },
	}
	if w.seed%10 == 6 { // tools are plugins
		deck = append(deck, func() { w.switchPlugin(true); w.later(5*time.Minute, func() { w.switchPlugin(false) }) })
	}
	if w.stops {
		deck = append(deck, w.restart, w.restart, func() { w.advance(10 * time.Minute); w.restart() })
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
				if r := w.current; r != nil {
					r.store.failWrites(true)
					w.later(20*time.Second, func() { r.store.failWrites(false) })
				}
			})
	}
	if w.kills {
		for range 3 {
			deck = append(deck, func() {
				if w.current != nil {
					w.current.store.crashAt(1+w.rng.IntN(10), w.rng.IntN(3))
					w.say(g[0], alice, at(botID, w.phrase()))
				}
			})
		}
	}
	return deck
}

func (w *recordedWorld) burst() {
	g := w.group()
	for range 3 + w.rng.IntN(10) {
		w.later(w.upTo(12*time.Second), func() { w.say(g, pick[int64](w.rng, alice, bob), say(w.phrase())) })
	}
}

// retract retracts an older message, or one that is being answered.
func (w *recordedWorld) retract() {
	if w.rng.IntN(2) == 0 {
		w.qq.Recall(w.said[max(0, len(w.said)-1-w.rng.IntN(8))])
		return
	}
	w.say(w.groups[0], alice, at(botID, w.phrase()))
	id := w.said[len(w.said)-1]
	w.later(w.upTo(6*time.Second), func() { w.qq.Recall(id) })
}

func (w *recordedWorld) drop() {
	w.qq.DropLinks()
	w.say(w.groups[0], bob, at(botID, w.phrase())) // received only from the history
}

// lost reports to the bot that the link dropped messages.
func (w *recordedWorld) lost() {
	w.mu.Lock()
	handle := w.handle
	w.mu.Unlock()
	now := time.Now()
	if handle != nil && w.qq.Links() > 0 {
		w.calls.Go(func() { handle(&onebot.Dropped{GroupID: 1, Count: 2, Since: now.Add(-time.Minute), Until: now}) })
	}
}

func (w *recordedWorld) restart() {
	w.stop()
	down := w.upTo(10 * time.Second)
	if w.rng.IntN(3) == 0 {
		down = w.upTo(downLong)
	}
	w.later(down, w.start)
}

func (w *recordedWorld) heal() {
	w.qq.RefuseConnections(false)
	w.qq.HalfOpen(false)
	w.qq.SetOnline(true)
	for _, action := range []string{"send_group_msg", "get_group_msg_history", "set_friend_add_request"} {
		w.qq.WithholdResponse(action, 0)
		w.qq.Fail(action, 0, 0)
	}
	w.delay()
	w.qq.UnconfirmSends(0)
	if w.current != nil {
		w.current.store.recover()
	}
}
