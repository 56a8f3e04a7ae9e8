package flat

import (
	"math"
	"slices"

	"github.com/hearth-bot/hearth/memory"
)

// How far the product of coarse vectors may be from the cosine. Let q and r be vectors of length 1, q' and r' what the coarse ones stand for. Then
//
//	q·r = q'·r' + q'·(r−r') + (q−q')·r
//
// and by Cauchy and Schwarz the rest is at most |q'|·|r−r'| + |q−q'|, of which |r−r'| is stored with the row. slack is far more than
// float64 loses over MaxDims components.
const slack = 1e-9

// set readies a record for a block.
func (r *row) set(from *memory.Record) {
	r.rec = rec{from.ID, from.Person, from.Kind, slices.Clone(from.Tags), from.At}
	if r.space != from.Space {
		r.space, r.twin = from.Space, from.Space.Counterpart()
	}
	r.sieve, r.vector = newSieve(from), nil
	if len(from.Vector) > 0 {
		r.vector, r.norm = from.Vector, length(from.Vector)
		r.quantise()
	}
}

// quantise makes the coarse row. Its largest component is 127 or -127.
func (r *row) quantise() {
	r.coarse = slices.Grow(r.coarse[:0], len(r.vector))[:len(r.vector)]
	r.fit.step = float32(largest(r.vector) / r.norm / math.MaxInt8)
	var sum float64
	for i, x := range r.vector {
		u := float64(x) / r.norm
		c := math.RoundToEven(u / float64(r.fit.step))
		r.coarse[i] = int8(c)
		miss := u - c*float64(r.fit.step)
		sum += miss * miss
	}
	r.fit.miss = math.Nextafter32(float32(math.Sqrt(sum)), math.MaxFloat32)
}

// An asked is the vector of a query: exact, and in steps finer than those of rows, since there is only one.
type asked struct {
	exact []float64
	norm  float64
	wide  []int16 // padded
	step  float64 // of one in wide
	miss  float64
}

func (a *asked) set(v []float32, width int) {
	a.norm = length(v)
	a.exact = a.exact[:0]
	a.wide = slices.Grow(a.wide[:0], width)[:width]
	clear(a.wide)
	a.step = largest(v) / a.norm / float64(widest(len(v)))
	var sum float64
	for i, x := range v {
		u := float64(x) / a.norm
		c := math.RoundToEven(u / a.step)
		a.exact, a.wide[i] = append(a.exact, float64(x)), int16(c)
		miss := u - c*a.step
		sum += miss * miss
	}
	a.miss = math.Sqrt(sum)
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x) // exact, fused or not
	}
	return math.Sqrt(sum)
}

func largest(v []float32) float64 {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	return float64(most)
}

// products multiplies the query with four rows. Each sum goes from the first component to the last, as a plain scan's does;
// four at once do not wait for each other. Every product of two float32 is exact in float64, fused or not, so that all machines agree.
func products(q []float64, a, b, c, d []float32) (w, x, y, z float64) {
	a, b, c, d = a[:len(q)], b[:len(q)], c[:len(q)], d[:len(q)]
	for i, f := range q {
		w += f * float64(a[i])
		x += f * float64(b[i])
		y += f * float64(c[i])
		z += f * float64(d[i])
	}
	return w, x, y, z
}
