package heartflow

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A party is several bots and some people in one group. Each bot works as in a real program: it observes every
// message, judges a batch a while later, and speaks after another delay.
type party struct {
	t      *testing.T
	r      *rand.Rand
	now    time.Time
	queue  todo
	n      int
	bots   []*partyBot
	known  bool                 // messages of bots have FromBot set
	think  time.Duration        // minimum duration of a model call
	slow   time.Duration        // maximum additional duration
	most   int                  // maximum messages per reply
	said   []int                // messages of each bot since the last human message
	total  []int                // messages of each bot
	direct func(from int) []int // bots that a message of bot from mentions
}

type partyBot struct {
	o      Options
	a      *Attention[int]
	judges bool // a judgement is scheduled
}

type todo []event

type event struct {
	at time.Time
	n  int // order of events at the same time
	do func()
}

func (q todo) Len() int { return len(q) }
func (q todo) Less(i, j int) bool {
	return q[i].at.Before(q[j].at) || q[i].at.Equal(q[j].at) && q[i].n < q[j].n
}
func (q todo) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *todo) Push(x any)   { *q = append(*q, x.(event)) }
func (q *todo) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func newParty(t *testing.T, seed uint64, bots int) *party {
	p := &party{t: t, r: rand.New(rand.NewPCG(seed, 13)), now: t0, said: make([]int, bots), total: make([]int, bots), slow: 10 * time.Second, most: 3}
	for i := range bots {
		o := Options{Policy: anyPolicy(p.r), Seed: seed*10 + uint64(i) + 1, Names: []string{fmt.Sprint("炉", i)}}
		p.bots = append(p.bots, &partyBot{o: o, a: newAttention[int](o)})
	}
	p.direct = func(from int) (to []int) { // all others
		for i := range p.bots {
			if i != from {
				to = append(to, i)
			}
		}
		return to
	}
	return p
}

func (p *party) after(d time.Duration, do func()) {
	p.n++
	heap.Push(&p.queue, event{p.now.Add(d), p.n, do})
}

// run plays events until none is left or that much time has passed. It reports whether none is left.
func (p *party) run(most time.Duration) (over bool) {
	end := p.now.Add(most)
	for len(p.queue) > 0 && !p.queue[0].at.After(end) {
		p.step()
	}
	return len(p.queue) == 0
}

// step plays the next event.
func (p *party) step() {
	e := heap.Pop(&p.queue).(event)
	p.now = e.at
	e.do()
}

// human sends a message that mentions those bots.
func (p *party) human(to ...int) {
	clear(p.said)
	for i := range p.bots {
		p.observe(i, Message{From: "human", AtMe: slices.Contains(to, i), Text: "大家好"})
	}
}

// observe passes m to bot i, and schedules a judgement.
func (p *party) observe(i int, m Message) {
	b := p.bots[i]
	if p.r.IntN(4) == 0 {
		p.restart(b)
	}
	b.a.Observe(p.now, 1, m)
	if !m.Own && !b.judges {
		b.judges = true
		p.after(time.Duration(p.r.IntN(5000))*time.Millisecond, func() { p.judge(i) })
	}
}

func (p *party) judge(i int) {
	b := p.bots[i]
	b.judges = false
	if b.a.Judge(p.now, 1).Do != Silent {
		p.after(p.think+time.Duration(p.r.Int64N(int64(p.slow))), func() { p.speak(i) })
	}
}

func (p *party) speak(i int) {
	for range 1 + p.r.IntN(p.most) { // a reply may have several messages
		if p.bots[i].a.Speak(p.now, 1, fmt.Sprint("话", p.n)) != nil {
			return
		}
		p.said[i]++
		p.total[i]++
		to := p.direct(i)
		for j := range p.bots {
			if j != i {
				p.observe(j, Message{From: fmt.Sprint("bot", i), AtMe: slices.Contains(to, j), FromBot: p.known, Text: "你好"})
			}
		}
	}
}

func (p *party) restart(b *partyBot) {
	s, err := b.a.Snapshot()
	require.NoError(p.t, err)
	b.a = newAttention[int](b.o)
	require.NoError(p.t, b.a.Restore(s))
}

func (p *party) sum() (n int) {
	for _, k := range p.said {
		n += k
	}
	return n
}

// seeds returns the number of random runs: a fifth in short mode, for the slow race detector.
func seeds(all uint64) uint64 {
	if testing.Short() {
		return all / 5
	}
	return all
}
