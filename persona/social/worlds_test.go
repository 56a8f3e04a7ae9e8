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
)

// TestWorlds lets a being live through hours in random worlds, and holds over each what must hold in all: see
// worlds_hold_test.go. A world that fails is lived again by -run 'TestWorlds/seed=N$'. What the reconnects of a link
// draw is not of the seed, so a world with faults may need -count.
func TestWorlds(t *testing.T) {
	inWorlds(t, 200, 16, func(t *testing.T, seed uint64) { newWorld(t, seed).live() })
}

// inWorlds tries many worlds, or in short tests few, side by side.
func inWorlds(t *testing.T, many, few uint64, try func(t *testing.T, seed uint64)) {
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

// TestFlowWorlds is TestWorlds for a being that lives by Heart Flow Chat, in half of the worlds in one call and in half
// in three. What it answers there is a matter of its will, so who calls may be left without an answer, or a reason.
func TestFlowWorlds(t *testing.T) {
	inWorlds(t, 60, 8, func(t *testing.T, seed uint64) {
		w := newWorld(t, seed)
		w.flow, w.three = true, seed/4%2 == 1
		w.live()
	})
}

// A world is a simulated QQ, the people in it, what they do, and a being that lives, dies and lives again there.
type world struct {
	*testing.T
	seed                 uint64
	stops, faults, kills bool // what may happen to the being
	flow, three, layers  bool // how it lives
	qq                   *onebottest.Server
	store                *memory.MemStore
	places               []*place
	rng                  *rand.Rand // the script's, of one goroutine
	plans                []plan     // of the script, what is to come

	mu      sync.Mutex
	n       int // numbers given
	lines   map[int]*line
	order   []*line
	minted  map[int]*conv // whose words they are
	convs   []*conv
	asides  []*conv // what was made in the background
	acts    []act
	traces  []heartflow.Trace
	told    []string
	lives   []*life
	dead    bool // no link is whole: half-open
	over    bool
	last    []int        // lines of the end: they are answered
	broken  []string     // what does not hold
	refused map[int]bool // words that QQ did not take
}

// A place is a chat: a group, or a private one. Its canary is its number, which every text in it holds.
type place struct {
	no     int
	chat   onebottest.Chat
	name   persona.Chat
	group  *onebottest.Group
	people []int64
	say    func(from int64, m onebot.Message) int64
	muted  time.Time // until then
	off    bool      // the being is not to be there
	first  int       // the first line, which is never recalled
}

func (p *place) space() memory.Space { return memory.Space(p.name.String()) }

// A line is what somebody said.
type line struct {
	n          int
	place      *place
	id, from   int64
	at         time.Time
	calls, old bool
	sure       bool // the bot was there to hear it
	gone       time.Time
	goneSure   bool
}

// A plan is something that happens later.
type plan struct {
	at time.Time
	do func()
}

const (
	maxAge    = 2 * time.Minute
	unsure    = 8 * time.Second // before a disturbance: what came then may not have been dealt with
	robot     = 9001            // and above: other bots
	downLong  = 4 * time.Minute
	recallFor = 6 * time.Minute
)

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		T: t, seed: seed, stops: seed%4 >= 1, faults: seed%4 >= 2, kills: seed%4 == 3,
		layers: seed%4 == seed/4%4, rng: rand.New(rand.NewPCG(seed, 1)), store: memory.NewMemStore(), lines: map[int]*line{}, minted: map[int]*conv{},
	}
	w.qq = onebottest.New(onebottest.Options{
		SelfID: bot, Nickname: "小炉", Seed: seed, Heartbeat: time.Duration(w.rng.IntN(2)) * 15 * time.Second,
		Quirks: onebottest.Quirks{IDs: onebottest.IDRange(w.rng.IntN(3)), PushOwnMessages: w.rng.IntN(2) == 0, CQStrings: w.rng.IntN(3) == 0},
	})
	for i := range 2 + w.rng.IntN(2) {
		g := w.qq.Group(int64(1+i), fmt.Sprintf("群%d", i))
		p := &place{group: g, chat: g.Chat(), people: []int64{alice, bob, 1003, robot}, say: g.Say}
		if i == 1 {
			p.people = append(p.people, robot+1)
		}
		for _, who := range p.people {
			g.Member(who, fmt.Sprintf("人%d", who))
		}
		w.settle(p)
	}
	w.places[len(w.places)-1].off = seed%5 == 0
	for i := range 1 + w.rng.IntN(2) { // alice is a friend, too
		f := w.qq.Friend(alice+int64(3*i), fmt.Sprintf("人%d", alice+3*i))
		w.settle(&place{chat: f.Chat(), people: []int64{f.ID}, say: func(_ int64, m onebot.Message) int64 { return f.Say(m) }})
	}
	stranger := w.places[0].group.Member(1005, "生人")
	w.settle(&place{chat: onebottest.PrivateChat(1005), people: []int64{1005}, say: func(_ int64, m onebot.Message) int64 { return stranger.SayPrivately(m) }})
	w.qq.OnSend(w.provoke)
	return w
}

func (w *world) settle(p *place) {
	p.no = len(w.places)
	p.name = persona.Chat{Platform: "qq", Kind: p.chat.Kind, ID: fmt.Sprint(p.chat.ID)}
	w.places = append(w.places, p)
}

func (w *world) placeOf(c persona.Chat) *place {
	return w.places[slices.IndexFunc(w.places, func(p *place) bool { return p.name == c })]
}

// live is the whole story: the script, then all is well again, then what must hold.
func (w *world) live() {
	w.start()
	for _, p := range w.places {
		w.pass(w.upTo(2 * time.Second))
		p.first = w.say(p, p.people[0], "大家好", false)
	}
	for range 110 + w.rng.IntN(60) {
		w.pass(w.gap())
		w.something()
	}
	w.pass(time.Minute)
	w.end()
	w.hold()
	w.qq.Close()
	for _, b := range w.broken {
		w.Errorf("seed %d: %s", w.seed, b)
	}
}

// end heals the world, lets the being fill its gaps, and stops it.
func (w *world) end() {
	w.stop() // whoever is away when a mute is lifted is not told
	w.heal()
	w.plans = nil
	w.mu.Lock()
	w.over = true
	lives := slices.Clone(w.lives)
	w.mu.Unlock()
	for _, l := range lives {
		l.store.spare()
	}
	w.pass(0)
	if w.life() == nil {
		w.start()
	}
	w.pass(5 * time.Minute)
	if w.faults { // what could not be written down is taken up after a start
		w.stop()
		w.start()
	}
	w.pass(time.Hour)
	for _, p := range w.places {
		w.last = append(w.last, w.say(p, p.people[0], "还在吗", !p.off, onebot.At(bot)))
	}
	w.pass(5 * time.Minute)
	w.drop()
	w.pass(5 * time.Minute)
	w.stop()
}

func (w *world) gap() time.Duration {
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		return w.upTo(3 * time.Second)
	case 3:
		return w.upTo(8 * time.Minute)
	}
	return w.upTo(40 * time.Second)
}

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(1 + w.rng.Int64N(int64(d))) }

// pass lets time go by, with what is planned for it. A being that was killed meanwhile is buried, and comes again.
func (w *world) pass(d time.Duration) {
	until := time.Now().Add(d)
	for {
		next, i := until, -1
		for j, p := range w.plans {
			if p.at.Before(next) {
				next, i = p.at, j
			}
		}
		var killed chan struct{}
		if l := w.life(); l != nil {
			killed = l.killed
		}
		pause := time.NewTimer(time.Until(next))
		select {
		case <-killed:
			pause.Stop()
			w.bury()
			continue
		case <-pause.C:
		}
		synctest.Wait()
		if l := w.life(); l != nil && l.wasKilled() {
			continue
		}
		if i < 0 {
			return
		}
		do := w.plans[i].do
		w.plans = slices.Delete(w.plans, i, i+1)
		do()
	}
}

func (w *world) later(d time.Duration, do func()) {
	w.plans = append(w.plans, plan{at: time.Now().Add(d), do: do})
}

// whole reports whether what is said now is heard. w.mu is held.
func (w *world) whole() bool {
	l := w.lives[len(w.lives)-1]
	return !w.dead && l.alive() && !l.sick && w.qq.Links() > 0
}

// dice are thrown by what they are for, not in the order in which goroutines happen to run.
func (w *world) dice(what ...string) *rand.Rand {
	h := fnv.New64a()
	for _, s := range what {
		h.Write([]byte(s + "\n"))
	}
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

func token(p *place, n int) string { return fmt.Sprintf("k%dx%dz", p.no, n) }
