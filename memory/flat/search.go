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

// A scratch holds the buffers of one search.
type scratch struct {
	vector     quantizedQuery
	query      memory.Query
	filter     filter
	scans      []scan
	lowerBound float64 // a guaranteed lower bound of the k-th best cosine
	best       best.Heap[scoredID]
}

// A scan processes some of the blocks.
type scan struct {
	vector      *quantizedQuery
	filter      *filter
	dots        [64]int32
	lowerBounds best.Heap[float64] // the k largest lower bounds
	rows        []boundedRow
}

// A boundedRow may be among the best.
type boundedRow struct {
	block      *blockView
	row        int
	upperBound float64 // of its cosine
}

// A scoredID is a result.
type scoredID struct {
	score float64
	id    string
}

func lower(a, b float64) bool { return a < b }

func compare(a, b scoredID) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return strings.Compare(a.id, b.id)
}

func worse(a, b scoredID) bool { return compare(a, b) > 0 }

// search finds the best k in two steps. First it computes bounds of all cosines from the quantized rows, with the given
// number of workers. Then it computes the exact cosine of each row that can be among the best k. The result does not
// depend on workers.
func (w *scratch) search(ctx context.Context, v *view, q *memory.Query, k, workers int) ([]memory.Candidate, error) {
	k = min(k, v.count)
	w.vector.set(q.Vector, v.blocks[0].width)
	w.best = best.Heap[scoredID]{K: k, Worse: worse, Items: w.best.Items[:0]}
	w.query = *q
	w.filter = newFilter(&w.query)
	w.scans = slices.Grow(w.scans[:0], workers)[:workers]
	defer w.release()
	for i := range w.scans {
		c := &w.scans[i]
		c.vector, c.filter, c.rows = &w.vector, &w.filter, c.rows[:0]
		c.lowerBounds = best.Heap[float64]{K: k, Worse: lower, Items: c.lowerBounds.Items[:0]}
	}
	w.run(ctx, v)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.computeExact()
	return w.candidates(), nil
}

// bytesPerWorker is the minimum size of quantized rows for each goroutine, about half a millisecond of work.
const bytesPerWorker = 8 << 20

// workers returns the number of goroutines for a view.
func (v *view) workers() int {
	return max(1, min(runtime.GOMAXPROCS(0), len(v.blocks), v.count*v.blocks[0].width/bytesPerWorker))
}

// run scans all blocks, with one goroutine for each of several scans, and returns after all have ended.
func (w *scratch) run(ctx context.Context, v *view) {
	first := &w.scans[0]
	if n := len(w.scans); n == 1 {
		first.run(ctx, v.blocks)
	} else {
		var all sync.WaitGroup
		for i := range w.scans {
			all.Go(func() { w.scans[i].run(ctx, v.blocks[i*len(v.blocks)/n:(i+1)*len(v.blocks)/n]) })
		}
		all.Wait()
		for _, other := range w.scans[1:] {
			for _, x := range other.lowerBounds.Items {
				first.lowerBounds.Add(x)
			}
		}
	}
	w.lowerBound = first.kthLowerBound()
}

// release drops references to blocks and to the query.
func (w *scratch) release() {
	for i := range w.scans {
		clear(w.scans[i].rows)
	}
	clear(w.best.Items)
	w.query = memory.Query{}
}

func (s *scan) run(ctx context.Context, blocks []blockView) {
	for i := range blocks {
		if ctx.Err() != nil {
			return
		}
		s.block(&blocks[i])
	}
}

// block collects the rows of a block that can still be among the best.
func (s *scan) block(c *blockView) {
	factor, constant := 1+s.vector.quantError, s.vector.quantError+slack
	kth := s.kthLowerBound()
	for base := 0; base < c.n; base += 64 {
		n := min(64, c.n-base)
		rows := c.live[base/64]
		if s.filter.active {
			rows &= s.filter.pass(c.signatures[base:][:n])
		}
		s.multiply(c, base, rows)
		quants := c.quants[base:][:n]
		for ; rows != 0; rows &= rows - 1 {
			i := bits.TrailingZeros64(rows)
			cosine := float64(s.dots[i]) * float64(quants[i].step) * s.vector.step
			bound := float64(quants[i].quantError)*factor + constant
			if cosine+bound < kth || !s.filter.admits(&c.recs[base+i]) {
				continue
			}
			s.lowerBounds.Add(cosine - bound)
			s.rows = append(s.rows, boundedRow{c, base + i, cosine + bound})
			kth = s.kthLowerBound()
		}
	}
}

// kthLowerBound returns a guaranteed lower bound of the k-th best cosine of this scan.
func (s *scan) kthLowerBound() float64 {
	if s.lowerBounds.Full() {
		return s.lowerBounds.Items[0]
	}
	return math.Inf(-1)
}

// multiply computes the dots of these rows, one run of adjacent rows at a time.
func (s *scan) multiply(c *blockView, base int, rows uint64) {
	for rows != 0 {
		i := bits.TrailingZeros64(rows)
		n := bits.TrailingZeros64(^(rows >> i))
		dot(s.dots[i:i+n], c.coarse[(base+i)*c.width:], s.vector.coarse)
		rows &^= (1<<n - 1) << i
	}
}

// computeExact computes the remaining cosines, atOnce at a time.
func (w *scratch) computeExact() {
	var batch [atOnce]*boundedRow
	n := 0
	for i := range w.scans {
		for j := range w.scans[i].rows {
			m := &w.scans[i].rows[j]
			if m.upperBound < w.threshold() {
				continue
			}
			batch[n] = m
			if n++; n == len(batch) {
				w.exactBatch(batch[:])
				n = 0
			}
		}
	}
	if n > 0 {
		w.exactBatch(batch[:n])
	}
}

// threshold returns the minimum cosine for the result.
func (w *scratch) threshold() float64 {
	if w.best.Full() {
		return max(w.lowerBound, w.best.Items[0].score)
	}
	return w.lowerBound
}

func (w *scratch) exactBatch(ms []*boundedRow) {
	var v [atOnce][]float32
	for i := range v {
		m := ms[min(i, len(ms)-1)]
		v[i] = m.block.vector(m.row)
	}
	dots := products(w.vector.exact, &v)
	for i, m := range ms {
		w.best.Add(scoredID{dots[i] / (w.vector.norm * m.block.norms[m.row]), m.block.recs[m.row].id})
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
