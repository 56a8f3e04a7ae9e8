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

// atOnce is the number of exact products that are computed together.
const atOnce = 8

// products computes dot products with the query. Each sum runs from the first component to the last, as in a plain scan. Independent
// sums run in parallel on the processor, and so do the reads of vectors that are not in its cache. Products of two float32 are exact
// in float64, with or without FMA, so all machines agree.
func products(q []float64, v *[atOnce][]float32) [atOnce]float64 {
	v0, v1, v2, v3, v4, v5, v6, v7 := v[0][:len(q)], v[1][:len(q)], v[2][:len(q)], v[3][:len(q)], v[4][:len(q)], v[5][:len(q)], v[6][:len(q)], v[7][:len(q)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for i, f := range q {
		s0 += f * float64(v0[i])
		s1 += f * float64(v1[i])
		s2 += f * float64(v2[i])
		s3 += f * float64(v3[i])
		s4 += f * float64(v4[i])
		s5 += f * float64(v5[i])
		s6 += f * float64(v6[i])
		s7 += f * float64(v7[i])
	}
	return [atOnce]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}
