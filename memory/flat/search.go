package flat

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/best"
)

// A scratch is what a search works with.
type scratch struct {
	asked  asked
	query  memory.Query
	filter filter
	scans  []scan
	floor  float64 // what k rows reach for certain
	best   best.Heap[hit]
}

// A scan goes over some of the blocks.
type scan struct {
	asked  *asked
	filter *filter
	dots   [64]int32
	floors best.Heap[float64] // the least that the best k can be
	maybe  []maybe
}

// A maybe is a row that may be among the best.
type maybe struct {
	face *face
	row  int
	most float64 // what its cosine can be
}

// A hit is a row and its cosine.
type hit struct {
	score float64
	id    string
}

func lower(a, b float64) bool { return a < b }

func compare(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.id, b.id)) }

func worse(a, b hit) bool { return compare(a, b) > 0 }

// search finds the best k in two steps: coarse products with all rows tell between what bounds each cosine lies; then those
// that can reach the k-th best are computed exactly. So many workers share the first step; what is found is the same.
func (w *scratch) search(ctx context.Context, v *view, q *memory.Query, k, workers int) ([]memory.Candidate, error) {
	k = min(k, v.count)
	w.asked.set(q.Vector, v.faces[0].width)
	w.best = best.Heap[hit]{K: k, Worse: worse, Items: w.best.Items[:0]}
	w.query = *q
	w.filter = newFilter(&w.query)
	w.scans = slices.Grow(w.scans[:0], workers)[:workers]
	defer w.release()
	for i := range w.scans {
		c := &w.scans[i]
		c.asked, c.filter, c.maybe = &w.asked, &w.filter, c.maybe[:0]
		c.floors = best.Heap[float64]{K: k, Worse: lower, Items: c.floors.Items[:0]}
	}
	w.run(ctx, v)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.settle()
	return w.candidates(), nil
}

// perWorker is how many bytes of coarse rows are worth a goroutine of their own: half a millisecond or so.
const perWorker = 8 << 20

// workers is the number of goroutines that go over a view.
func (v *view) workers() int {
	return max(1, min(runtime.GOMAXPROCS(0), len(v.faces), v.count*v.faces[0].width/perWorker))
}

// run goes over all blocks, with a goroutine for each scan if there are several, and returns after all have ended.
func (w *scratch) run(ctx context.Context, v *view) {
	first := &w.scans[0]
	if n := len(w.scans); n == 1 {
		first.run(ctx, v.faces)
	} else {
		var all sync.WaitGroup
		for i := range w.scans {
			all.Go(func() { w.scans[i].run(ctx, v.faces[i*len(v.faces)/n:(i+1)*len(v.faces)/n]) })
		}
		all.Wait()
		for _, other := range w.scans[1:] {
			for _, x := range other.floors.Items {
				first.floors.Add(x)
			}
		}
	}
	w.floor = first.floor()
}

// release keeps no block and no query alive.
func (w *scratch) release() {
	for i := range w.scans {
		clear(w.scans[i].maybe)
	}
	clear(w.best.Items)
	w.query = memory.Query{}
}

func (s *scan) run(ctx context.Context, faces []face) {
	for i := range faces {
		if ctx.Err() != nil {
			return
		}
		s.block(&faces[i])
	}
}

// block notes the rows of a block that can be among the best, as far as is known by then.
func (s *scan) block(c *face) {
	reach, least := 1+s.asked.miss, s.asked.miss+slack
	floor := s.floor()
	for base := 0; base < c.n; base += 64 {
		n := min(64, c.n-base)
		rows := c.live[base/64]
		if s.filter.on {
			rows &= s.filter.pass(c.sieves[base:][:n])
		}
		s.multiply(c, base, rows)
		fits := c.fits[base:][:n]
		for ; rows != 0; rows &= rows - 1 {
			i := bits.TrailingZeros64(rows)
			cosine := float64(s.dots[i]) * float64(fits[i].step) * s.asked.step
			bound := float64(fits[i].miss)*reach + least
			if cosine+bound < floor || !s.filter.admits(&c.recs[base+i]) {
				continue
			}
			s.floors.Add(cosine - bound)
			s.maybe = append(s.maybe, maybe{c, base + i, cosine + bound})
			floor = s.floor()
		}
	}
}

// floor is what k rows of this scan reach for certain.
func (s *scan) floor() float64 {
	if s.floors.Full() {
		return s.floors.Items[0]
	}
	return math.Inf(-1)
}

// multiply sets the dots of these rows, run by run.
func (s *scan) multiply(c *face, base int, rows uint64) {
	for rows != 0 {
		i := bits.TrailingZeros64(rows)
		n := bits.TrailingZeros64(^(rows >> i))
		dot(s.dots[i:i+n], c.coarse[(base+i)*c.width:], s.asked.wide)
		rows &^= (1<<n - 1) << i
	}
}

// settle computes the cosines that matter, four at a time.
func (w *scratch) settle() {
	var four [4]*maybe
	n := 0
	for i := range w.scans {
		for j := range w.scans[i].maybe {
			m := &w.scans[i].maybe[j]
			if m.most < w.bar() {
				continue
			}
			four[n] = m
			if n++; n == len(four) {
				w.exact(four[:])
				n = 0
			}
		}
	}
	if n > 0 {
		w.exact(four[:n])
	}
}

// bar is what a row must reach to be among the best.
func (w *scratch) bar() float64 {
	if w.best.Full() {
		return max(w.floor, w.best.Items[0].score)
	}
	return w.floor
}

func (w *scratch) exact(ms []*maybe) {
	var v [4][]float32
	for i := range v {
		m := ms[min(i, len(ms)-1)]
		v[i] = m.face.vector(m.row)
	}
	var dots [4]float64
	dots[0], dots[1], dots[2], dots[3] = products(w.asked.exact, v[0], v[1], v[2], v[3])
	for i, m := range ms {
		w.best.Add(hit{dots[i] / (w.asked.norm * m.face.norms[m.row]), m.face.recs[m.row].id})
	}
}

func (w *scratch) candidates() []memory.Candidate {
	slices.SortFunc(w.best.Items, compare)
	cs := make([]memory.Candidate, len(w.best.Items))
	for i, h := range w.best.Items {
		cs[i] = memory.Candidate{ID: h.id, Score: h.score}
	}
	return cs
}
