package flat

import (
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A block stores rows in one array per property. Writers append rows behind the rows of all views.
type block struct {
	dims, width int       // components of a vector, without and with padding
	exact       []float32 // unchanged
	norms       []float64 // lengths of the vectors
	coarse      []int8    // unit vectors, in units of quants.step
	quants      []quantization
	signatures  []signature
	recs        []rec
}

// A quantization relates a coarse row to its unit vector.
type quantization struct {
	step       float32 // value of one unit in the coarse row
	quantError float32 // distance between the two, rounded up
}

// A rec holds the fields that a query can filter by.
type rec struct {
	id, person, kind string
	tags             []string
	at               time.Time
}

// minBlockRows is the size of a space's first block.
const minBlockRows = 8

// maxBlockRows is the size of a full block. It is limited to a few megabytes, so that copying is fast.
func maxBlockRows(dims int) int { return min(max(8<<20/(5*dims), 64), 4096) &^ 63 }

func newBlock(dims, rows int) *block {
	width := (dims + kernelStep - 1) / kernelStep * kernelStep
	return &block{
		dims: dims, width: width,
		exact: make([]float32, rows*dims), norms: make([]float64, rows),
		coarse: make([]int8, rows*width), quants: make([]quantization, rows),
		signatures: make([]signature, rows), recs: make([]rec, rows),
	}
}

func (b *block) rows() int { return len(b.recs) }

func (b *block) vector(i int) []float32 { return b.exact[i*b.dims:][:b.dims] }

// grown returns a larger block with the same rows.
func (b *block) grown(rows int) *block {
	g := newBlock(b.dims, rows)
	copy(g.exact, b.exact)
	copy(g.norms, b.norms)
	copy(g.coarse, b.coarse)
	copy(g.quants, b.quants)
	copy(g.signatures, b.signatures)
	copy(g.recs, b.recs)
	return g
}

// copy copies row j of another block to row i.
func (b *block) copy(i int, from *block, j int) {
	copy(b.vector(i), from.vector(j))
	copy(b.coarse[i*b.width:][:b.width], from.coarse[j*b.width:])
	b.norms[i], b.quants[i], b.signatures[i], b.recs[i] = from.norms[j], from.quants[j], from.signatures[j], from.recs[j]
}

// A row is a record before it is written to a block.
type row struct {
	rec
	space       memory.Space
	counterpart memory.Space
	vector      []float32 // the caller's slice; nil: none
	norm        float64
	coarse      []int8
	quant       quantization
	signature   signature
}

func (b *block) set(i int, r *row) {
	copy(b.vector(i), r.vector)
	copy(b.coarse[i*b.width:], r.coarse) // the padding stays zero
	b.norms[i], b.quants[i], b.signatures[i], b.recs[i] = r.norm, r.quant, r.signature, r.rec
}
