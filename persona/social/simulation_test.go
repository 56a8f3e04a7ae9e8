package social_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
)

// TestSimulations runs a bot for hours in random simulations and checks invariants after each: see
// simulation_checks_test.go. -run 'TestSimulations/seed=N$' repeats one. The reconnect delays of a link are random, so
// a simulation with faults may need -count.
func TestSimulations(t *testing.T) {
	runSimulations(t, 200, 16, func(t *testing.T, seed uint64) { newSimulation(t, seed).play() })
}

// runSimulations runs many simulations in parallel, in short tests few.
func runSimulations(t *testing.T, many, few uint64, try func(t *testing.T, seed uint64)) {
	if testing.Short() {
		many = few
	}
	for seed := range many {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { try(t, seed) })
		})
	}
}

// TestSimulations_HFC is TestSimulations with Heart Flow Chat, half of them with a single call and half with three.
// Answers depend on willingness there, so messages to the bot may stay without an answer or a reason.
func TestSimulations_HFC(t *testing.T) {
	runSimulations(t, 60, 8, func(t *testing.T, seed uint64) {
		s := newSimulation(t, seed)
		s.hfc, s.threeCalls = true, seed/4%2 == 1
		s.play()
	})
}

// A simulation is a simulated QQ with people and their actions, and a bot that is stopped, killed and restarted.
type simulation struct {
	*testing.T
	seed                    uint64
	stops, faults, kills    bool // possible disturbances
	hfc, threeCalls, digest bool // configuration of the bot
	qq                      *onebottest.Server
	official                *qqbottest.Server // nil: the bot lives on one platform
	store                   *memory.MemStore
	chats                   []*simChat
	rng                     *rand.Rand     // used by the script's goroutine
	plans                   []plannedEvent // planned events of the script

	mu              sync.Mutex
	n               int // number of tokens
	lines           map[int]*simMessage
	order           []*simMessage
	byToken         map[int]*conversation // conversation by token
	conversations   []*conversation
	backgroundConvs []*conversation // background conversations
	effects         []effect
	traces          []heartflow.Trace
	notices         []string
	runs            []*botRun
	linkBroken      bool // the link is half-open
	over            bool
	finalMessages   []int        // final messages, which are answered
	violations      []string     // violations
	refused         map[int]bool // tokens in sends that QQ refused
}

// A simChat is a group or private chat. Its canary is its number, which every text in it contains.
type simChat struct {
	number int
	chat   onebottest.Chat
	name   persona.Chat
	group  *onebottest.Group // nil in private chats and on the official platform
	people []int64
	say    func(from int64, m onebot.Message) int64
	muted  time.Time // muted until then
	off    bool      // the bot is not allowed there
	first  int       // first message, which is never retracted

	officialGroup *qqbottest.Group // nil elsewhere
}

func (c *simChat) isOfficial() bool { return c.name.Platform == "qqbot" }

func (c *simChat) space() memory.Space { return memory.Space(c.name.String()) }

// A simMessage is a message by a person.
type simMessage struct {
	n           int
	chat        *simChat
	id, from    int64
	at          time.Time
	calls, old  bool
	sure        bool // the bot was there to receive it
	retractedAt time.Time
	retractSure bool
}

// A plannedEvent is an event at a later time.
type plannedEvent struct {
	at time.Time
	do func()
}

const (
	maxAge        = 2 * time.Minute
	unsure        = 8 * time.Second // before a disturbance: later messages may not have been handled
	robot         = 9001            // ids of other bots start here
	downLong      = 4 * time.Minute
	retractWithin = 6 * time.Minute
)

func newSimulation(t *testing.T, seed uint64) *simulation {
	s := &simulation{
		T: t, seed: seed, stops: seed%4 >= 1, faults: seed%4 >= 2, kills: seed%4 == 3,
		digest: seed%4 == seed/4%4, rng: rand.New(rand.NewPCG(seed, 1)), store: memory.NewMemStore(), lines: map[int]*simMessage{}, byToken: map[int]*conversation{},
	}
	s.qq = onebottest.New(onebottest.Options{
		SelfID: botID, Nickname: "小炉", Seed: seed, Heartbeat: time.Duration(s.rng.IntN(2)) * 15 * time.Second,
		Quirks: onebottest.Quirks{IDs: onebottest.IDRange(s.rng.IntN(3)), PushOwnMessages: s.rng.IntN(2) == 0, CQStrings: s.rng.IntN(3) == 0},
	})
	for i := range 2 + s.rng.IntN(2) {
		g := s.qq.Group(int64(1+i), fmt.Sprintf("群%d", i))
		c := &simChat{group: g, chat: g.Chat(), people: []int64{alice, bob, 1003, robot}, say: g.Say}
		if i == 1 {
			c.people = append(c.people, robot+1)
		}
		for _, who := range c.people {
			g.Member(who, fmt.Sprintf("人%d", who))
		}
		s.addChat(c)
	}
	s.chats[len(s.chats)-1].off = seed%5 == 0
	for i := range 1 + s.rng.IntN(2) { // alice is also a friend
		f := s.qq.Friend(alice+int64(3*i), fmt.Sprintf("人%d", alice+3*i))
		s.addChat(&simChat{chat: f.Chat(), people: []int64{f.ID}, say: func(_ int64, m onebot.Message) int64 { return f.Say(m) }})
	}
	stranger := s.chats[0].group.Member(1005, "生人")
	s.addChat(&simChat{chat: onebottest.PrivateChat(1005), people: []int64{1005}, say: func(_ int64, m onebot.Message) int64 { return stranger.SayPrivately(m) }})
	s.qq.OnSend(s.provoke)
	return s
}

func (s *simulation) addChat(c *simChat) {
	c.number = len(s.chats)
	if !c.isOfficial() {
		c.name = persona.Chat{Platform: "qq", Kind: c.chat.Kind, ID: fmt.Sprint(c.chat.ID)}
	}
	s.chats = append(s.chats, c)
}

func (s *simulation) chatOf(c persona.Chat) *simChat {
	return s.chats[slices.IndexFunc(s.chats, func(p *simChat) bool { return p.name == c })]
}

// play runs the script, heals the simulation, and checks the invariants.
func (s *simulation) play() {
	s.start()
	for _, c := range s.chats {
		s.advance(s.upTo(2 * time.Second))
		c.first = s.say(c, c.people[0], "大家好", false)
	}
	for range 110 + s.rng.IntN(60) {
		s.advance(s.gap())
		s.something()
	}
	s.advance(time.Minute)
	s.end()
	s.check()
	s.qq.Close()
	if s.official != nil {
		s.official.Close()
	}
	for _, b := range s.violations {
		s.Errorf("seed %d: %s", s.seed, b)
	}
}

// end heals the simulation, lets the bot fill its gaps, and stops it.
func (s *simulation) end() {
	s.stop() // a bot that is away does not receive the end of a mute
	s.heal()
	s.plans = nil
	s.mu.Lock()
	s.over = true
	runs := slices.Clone(s.runs)
	s.mu.Unlock()
	for _, r := range runs {
		r.store.recover()
	}
	s.advance(0)
	if s.run() == nil {
		s.start()
	}
	s.advance(5 * time.Minute)
	if s.faults { // failed writes are retried after a start
		s.stop()
		s.start()
	}
	s.switchOn()
	s.advance(time.Hour)
	for _, c := range s.chats {
		s.finalMessages = append(s.finalMessages, s.say(c, c.people[0], "还在吗", !c.off, onebot.At(botID)))
	}
	s.advance(5 * time.Minute)
	s.drop()
	s.advance(5 * time.Minute)
	s.stop()
}

func (s *simulation) gap() time.Duration {
	switch s.rng.IntN(12) {
	case 0, 1, 2:
		return s.upTo(3 * time.Second)
	case 3:
		return s.upTo(8 * time.Minute)
	}
	return s.upTo(40 * time.Second)
}

func (s *simulation) upTo(d time.Duration) time.Duration {
	return time.Duration(1 + s.rng.Int64N(int64(d)))
}

// advance sleeps and runs planned events. A bot killed meanwhile is reaped and restarted.
func (s *simulation) advance(d time.Duration) {
	until := time.Now().Add(d)
	for {
		next, i := until, -1
		for j, p := range s.plans {
			if p.at.Before(next) {
				next, i = p.at, j
			}
		}
		var killed chan struct{}
		if r := s.run(); r != nil {
			killed = r.killed
		}
		pause := time.NewTimer(time.Until(next))
		select {
		case <-killed:
			pause.Stop()
			s.reap()
			continue
		case <-pause.C:
		}
		synctest.Wait()
		if r := s.run(); r != nil && r.wasKilled() {
			continue
		}
		if i < 0 {
			return
		}
		do := s.plans[i].do
		s.plans = slices.Delete(s.plans, i, i+1)
		do()
	}
}

func (s *simulation) later(d time.Duration, do func()) {
	s.plans = append(s.plans, plannedEvent{at: time.Now().Add(d), do: do})
}

// connected reports whether new messages of a chat reach the bot. s.mu must be held.
func (s *simulation) connected(c *simChat) bool {
	r, links := s.runs[len(s.runs)-1], s.qq.Links()
	if c.isOfficial() {
		links = s.official.GatewayStats().Ready
	}
	return !s.linkBroken && r.alive() && !r.failing && links > 0
}

// dice depends on its arguments, not on the order of goroutines.
func (s *simulation) dice(what ...string) *rand.Rand {
	h := fnv.New64a()
	for _, s := range what {
		h.Write([]byte(s + "\n"))
	}
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

func token(c *simChat, n int) string { return fmt.Sprintf("k%dx%dz", c.number, n) }
