package buffer_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

// FuzzBuffer reads operations from the fuzz input and applies them to a buffer and to a naive model, which must agree
// after each step. It also keeps a ledger: at any end of the input, delivered + in flight + left + dropped = added,
// each item counts once, and the items of a key come in order.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0})
	for seed := range uint64(8) {
		f.Add(randomBytes(seed, 300))
	}
	f.Fuzz(checkBuffer)
}

func TestBuffer_MatchesNaiveModel(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		checkBuffer(t, randomBytes(seed, 50+int(seed%400)))
	}
}

func randomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

// tape reads decisions from bytes.
type tape []byte

func (p *tape) pick(n int) int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b) % n
}

var (
	steps  = []time.Duration{0, 0, 1, time.Second / 2, time.Second, 2 * time.Second, 5 * time.Second, 19 * time.Second, 20 * time.Second, 40 * time.Second, 60 * time.Second, -30 * time.Second}
	quiets = []time.Duration{0, -1, time.Second, 60 * time.Second}
	waits  = []time.Duration{0, -1, 20 * time.Second}
	fulls  = []int{0, -1, 1, 3}
)

// A pair is the buffer under test, the model, and the ledger.
type pair struct {
	t      require.TestingT
	buf    *buffer.Buffer[int, int]
	model  *naive
	now    time.Time
	added  int
	outs   map[int]intBatch // by key
	ended  map[int]string   // by item: its final place
	newest map[int]int      // by key: the newest item in a finished batch
}

func checkBuffer(t *testing.T, data []byte) {
	p := tape(data)
	o := buffer.Options{Debounce: quiets[p.pick(4)], UrgentDelay: quiets[p.pick(4)], MaxWait: waits[p.pick(3)], MaxItems: fulls[p.pick(4)]}
	c := &pair{t, buffer.New[int, int](o), newNaive(o), t0, 1, map[int]intBatch{}, map[int]string{}, map[int]int{}}
	c.buf.Add(t0, 9, 1) // so that both count time from t0
	c.model.Add(t0, 9, 1, false)
	for len(p) > 0 {
		c.step(&p)
		next, ok := c.buf.Next()
		wantNext, wantOK := c.model.Next()
		require.Equal(t, wantOK, ok)
		require.True(t, next.Equal(wantNext), "next %v, want %v", next, wantNext)
	}
	c.end()
}

func (c *pair) step(p *tape) {
	kind, key := p.pick(16), p.pick(4)
	c.now = c.now.Add(steps[p.pick(len(steps))])
	switch kind {
	case 0, 1, 2, 3, 4, 5:
		c.added++
		if kind == 5 {
			c.buf.AddUrgent(c.now, key, c.added)
		} else {
			c.buf.Add(c.now, key, c.added)
		}
		c.model.Add(c.now, key, c.added, kind == 5)
	case 6:
		d := steps[p.pick(len(steps))]
		c.buf.Hold(c.now, key, d)
		c.model.Hold(c.now, key, d)
	case 7:
		mod, rest := 1+p.pick(5), p.pick(5)
		drop := func(v int) bool { return v > 0 && v%mod == rest%mod }
		asked := func(v int) bool {
			if drop(v) {
				c.finish("dropped", key, v)
			}
			return drop(v)
		}
		require.Equal(c.t, c.model.Drop(key, drop), c.buf.Drop(key, asked))
	case 8, 9:
		c.buf.Done(c.now, key)
		c.model.Done(c.now, key)
		c.deliver(key)
	case 10:
		if b, ok := c.outs[key]; ok {
			c.giveBack(b, p)
		}
	case 11:
		c.close(p.pick(3))
	default:
		c.due(p)
	}
}

// due compares the due batches. The loop body may finish a batch or break out of the loop.
func (c *pair) due(p *tape) {
	handed := map[int]bool{}
	for got := range c.buf.Due(c.now) {
		want, ok := c.model.Due(c.now, handed)
		require.True(c.t, ok, "got %v", got)
		c.same(want, got)
		require.NotContains(c.t, c.outs, got.Key, "one batch at a time")
		c.outs[got.Key] = got
		switch p.pick(8) {
		case 0:
			c.buf.Done(c.now, got.Key)
			c.model.Done(c.now, got.Key)
			c.deliver(got.Key)
		case 1:
			c.giveBack(got, p)
		case 2:
			return
		}
	}
	_, ok := c.model.Due(c.now, handed)
	require.False(c.t, ok, "a due batch was not yielded")
}

func (c *pair) same(want, got intBatch) {
	require.True(c.t, want.FirstAt.Equal(got.FirstAt) && want.LastAt.Equal(got.LastAt), "got %v, want %v", got, want)
	got.FirstAt, got.LastAt = want.FirstAt, want.LastAt
	require.Equal(c.t, want, got)
}

func (c *pair) giveBack(b intBatch, p *tape) {
	delete(c.outs, b.Key)
	if p.pick(4) == 0 { // the receiver keeps some batches for good
		cut := p.pick(len(b.Items) + 1)
		for _, v := range b.Items[:cut] {
			c.finish("kept", b.Key, v)
		}
		b.Items = b.Items[cut:]
	}
	c.model.Return(c.now, b)
	c.buf.Requeue(c.now, b) // calls the predicates of Drop, which write to the ledger
}

func (c *pair) deliver(key int) {
	b, ok := c.outs[key]
	if !ok {
		return
	}
	delete(c.outs, key)
	for _, v := range b.Items {
		c.finish("delivered", key, v)
		require.Greater(c.t, v, c.newest[key], "in order")
		c.newest[key] = v
	}
}

func (c *pair) close(limit int) {
	want := c.model.Close()
	i := 0
	for got := range c.buf.Drain() {
		c.same(want[i], got)
		i++
		for _, v := range got.Items {
			c.finish("left", got.Key, v)
		}
		if i > limit { // a second call returns the rest
			limit = 1 << 30
			for got := range c.buf.Drain() {
				c.same(want[i], got)
				i++
				for _, v := range got.Items {
					c.finish("left", got.Key, v)
				}
			}
		}
	}
	require.Len(c.t, want, i)
}

func (c *pair) finish(how string, key, v int) {
	require.NotContains(c.t, c.ended, v, "item %d of key %d %s", v, key, how)
	c.ended[v] = how
}

func (c *pair) end() {
	c.close(1)
	for key, b := range c.outs {
		for _, v := range b.Items {
			c.finish("out", key, v)
		}
	}
	for v := 1; v <= c.added; v++ {
		require.Contains(c.t, c.ended, v, "item %d is lost", v)
	}
}
