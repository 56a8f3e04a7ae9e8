package flat

import (
	"math"
	"slices"

	"github.com/hearth-bot/hearth/memory"
)

// slack covers the rounding errors of float64 over MaxDimensions components, with a large margin.
//
// The bound of a quantized product is as follows. Let q and r be unit vectors, and q' and r' the vectors given by their
// quantized rows. Then
//
//	q·r = q'·r' + q'·(r−r') + (q−q')·r
//
// By the Cauchy-Schwarz inequality the last two terms are at most |q'|·|r−r'| + |q−q'|. |r−r'| is stored with each row.
const slack = 1e-9

// set fills the row from a record.
func (r *row) set(from *memory.Record) {
	r.rec = rec{from.ID, from.Person, from.Kind, slices.Clone(from.Tags), from.At}
	if r.space != from.Space {
		r.space, r.counterpart = from.Space, from.Space.Counterpart()
	}
	r.signature, r.vector = newSignature(from), nil
	if len(from.Vector) > 0 {
		r.vector, r.norm = from.Vector, length(from.Vector)
		r.quantize()
	}
}

// quantize computes the coarse row. Its largest component is 127 or -127.
func (r *row) quantize() {
	r.coarse = slices.Grow(r.coarse[:0], len(r.vector))[:len(r.vector)]
	r.quant.step = float32(largest(r.vector) / r.norm / math.MaxInt8)
	var sum float64
	for i, x := range r.vector {
		u := float64(x) / r.norm
		c := math.RoundToEven(u / float64(r.quant.step))
		r.coarse[i] = int8(c)
		e := u - c*float64(r.quant.step)
		sum += e * e
	}
	r.quant.quantError = math.Nextafter32(float32(math.Sqrt(sum)), math.MaxFloat32)
}

// A quantizedQuery is a query vector, exact and quantized. It has 16 bits per component, finer than the rows.
type quantizedQuery struct {
	exact      []float64
	norm       float64
	coarse     []int16 // padded
	step       float64 // value of one unit in coarse
	quantError float64
}

func (a *quantizedQuery) set(v []float32, width int) {
	a.norm = length(v)
	a.exact = a.exact[:0]
	a.coarse = slices.Grow(a.coarse[:0], width)[:width]
	clear(a.coarse)
	a.step = largest(v) / a.norm / float64(maxComponent(len(v)))
	var sum float64
	for i, x := range v {
		u := float64(x) / a.norm
		c := math.RoundToEven(u / a.step)
		a.exact, a.coarse[i] = append(a.exact, float64(x)), int16(c)
		e := u - c*a.step
		sum += e * e
	}
	a.quantError = math.Sqrt(sum)
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x) // the product is exact in float64
	}
	return math.Sqrt(sum)
}

func largest(v []float32) float64 {
	var m float32
	for _, x := range v {
		m = max(m, x, -x)
	}
	return float64(m)
}

// products computes four dot products with the query. Each sum runs from the first component to the last, as in a plain
// scan. Four independent sums run in parallel on the processor. Products of two float32 are exact in float64, with or
// without FMA, so all machines agree.
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
