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

// A party is several bots of ours and some people in one room, each bot driven as the assembly does it: a message that
// is said is heard by all, a batch is judged a while after, and the words are ready a while after that.
type party struct {
	t      *testing.T
	r      *rand.Rand
	now    time.Time
	queue  todo
	n      int
	bots   []*partyBot
	known  bool                 // bots know each other to be bots
	think  time.Duration        // the least that a model thinks
	slow   time.Duration        // and how much longer, at most
	most   int                  // messages of a reply
	said   []int                // by each bot since the last human message
	total  []int                // by each bot
	direct func(from int) []int // who is @ed by a message of bot from
}

type partyBot struct {
	o      Options
	a      *Attention[int]
	judges bool // a judgement is on its way
}

type todo []event

type event struct {
	at time.Time
	n  int // in order where the time is the same
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

// run goes on until nothing is left to happen, or until so much later.
func (p *party) run(most time.Duration) (over bool) {
	end := p.now.Add(most)
	for len(p.queue) > 0 && !p.queue[0].at.After(end) {
		p.step()
	}
	return len(p.queue) == 0
}

// step lets happen what is next.
func (p *party) step() {
	e := heap.Pop(&p.queue).(event)
	p.now = e.at
	e.do()
}

// human says something, to those bots.
func (p *party) human(to ...int) {
	clear(p.said)
	for i := range p.bots {
		p.hear(i, Message{From: "human", AtMe: slices.Contains(to, i), Text: "大家好"})
	}
}

// hear has bot i hear m, and judge it a little later with whatever else has come.
func (p *party) hear(i int, m Message) {
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
				p.hear(j, Message{From: fmt.Sprint("bot", i), AtMe: slices.Contains(to, j), FromBot: p.known, Text: "你好"})
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

// seeds is how many random stories are told: a fifth of them where the race detector, which takes long, is to see one of each kind.
func seeds(all uint64) uint64 {
	if testing.Short() {
		return all / 5
	}
	return all
}
