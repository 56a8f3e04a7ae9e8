package flat

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
)

// A scratch is what a search works with.
type scratch struct {
	asked  asked
	dots   [64]int32
	floors top[float64] // the least that the best k can be
	maybe  []maybe
	best   top[hit]
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
// that can reach the k-th best are computed exactly.
func (w *scratch) search(ctx context.Context, v *view, q *memory.Query, k int) ([]memory.Candidate, error) {
	k = min(k, v.count)
	w.asked.set(q.Vector, v.faces[0].width)
	w.floors = top[float64]{k, lower, w.floors.items[:0]}
	w.best = top[hit]{k, worse, w.best.items[:0]}
	w.maybe = w.maybe[:0]
	defer w.release()
	f := newFilter(q)
	for i := range v.faces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.scan(&v.faces[i], &f)
	}
	w.settle()
	return w.candidates(), nil
}

// release keeps no block alive.
func (w *scratch) release() {
	clear(w.maybe)
	clear(w.best.items)
}

// scan notes the rows of a block that can be among the best, as far as is known by then.
func (w *scratch) scan(c *face, f *filter) {
	reach, least := 1+w.asked.miss, w.asked.miss+slack
	floor := w.floor()
	for base := 0; base < c.n; base += 64 {
		n := min(64, c.n-base)
		rows := c.live[base/64]
		if f.on {
			rows &= f.pass(c.sieves[base:][:n])
		}
		w.multiply(c, base, rows)
		fits := c.fits[base:][:n]
		for ; rows != 0; rows &= rows - 1 {
			i := bits.TrailingZeros64(rows)
			cosine := float64(w.dots[i]) * float64(fits[i].step) * w.asked.step
			bound := float64(fits[i].miss)*reach + least
			if cosine+bound < floor || !f.admits(&c.recs[base+i]) {
				continue
			}
			w.floors.add(cosine - bound)
			w.maybe = append(w.maybe, maybe{c, base + i, cosine + bound})
			floor = w.floor()
		}
	}
}

// floor is what k rows reach for certain.
func (w *scratch) floor() float64 {
	if w.floors.full() {
		return w.floors.items[0]
	}
	return math.Inf(-1)
}

// multiply sets the dots of these rows, run by run.
func (w *scratch) multiply(c *face, base int, rows uint64) {
	for rows != 0 {
		i := bits.TrailingZeros64(rows)
		n := bits.TrailingZeros64(^(rows >> i))
		dot(w.dots[i:i+n], c.coarse[(base+i)*c.width:], w.asked.wide)
		rows &^= (1<<n - 1) << i
	}
}

// settle computes the cosines that matter, four at a time.
func (w *scratch) settle() {
	var four [4]*maybe
	n := 0
	for i := range w.maybe {
		if m := &w.maybe[i]; m.most >= w.bar() {
			four[n] = m
			n++
		}
		if n == len(four) || n > 0 && i == len(w.maybe)-1 {
			w.exact(four[:n])
			n = 0
		}
	}
}

// bar is what a row must reach to be among the best.
func (w *scratch) bar() float64 {
	if w.best.full() {
		return max(w.floor(), w.best.items[0].score)
	}
	return w.floor()
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
		w.best.add(hit{dots[i] / (w.asked.norm * m.face.norms[m.row]), m.face.recs[m.row].id})
	}
}

func (w *scratch) candidates() []memory.Candidate {
	slices.SortFunc(w.best.items, compare)
	cs := make([]memory.Candidate, len(w.best.items))
	for i, h := range w.best.items {
		cs[i] = memory.Candidate{ID: h.id, Score: h.score}
	}
	return cs
}
