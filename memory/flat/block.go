package flat

import (
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A block holds rows in one array for each thing known of them. Who writes fills it from the front, beyond what any view shows.
type block struct {
	dims, width int       // components of a vector; the same with padding
	exact       []float32 // as given
	norms       []float64 // lengths of the vectors
	coarse      []int8    // the vectors of length 1, in steps
	fits        []fit
	sieves      []sieve
	recs        []rec
}

// A fit says how a coarse row stands for a vector of length 1.
type fit struct {
	step float32 // of one in the coarse row
	miss float32 // the distance between the two, rounded up
}

// A rec is what a query may ask of a record.
type rec struct {
	id, person, kind string
	tags             []string
	at               time.Time
}

// leastRows is the size of the first block of a space.
const leastRows = 8

// mostRows is the size of a full block: some megabytes, so that no copying takes long.
func mostRows(dims int) int { return min(max(8<<20/(5*dims), 64), 4096) &^ 63 }

func newBlock(dims, rows int) *block {
	width := (dims + step - 1) / step * step
	return &block{
		dims: dims, width: width,
		exact: make([]float32, rows*dims), norms: make([]float64, rows),
		coarse: make([]int8, rows*width), fits: make([]fit, rows),
		sieves: make([]sieve, rows), recs: make([]rec, rows),
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
	copy(g.fits, b.fits)
	copy(g.sieves, b.sieves)
	copy(g.recs, b.recs)
	return g
}

// copy sets row i from row j of another block.
func (b *block) copy(i int, from *block, j int) {
	copy(b.vector(i), from.vector(j))
	copy(b.coarse[i*b.width:][:b.width], from.coarse[j*b.width:])
	b.norms[i], b.fits[i], b.sieves[i], b.recs[i] = from.norms[j], from.fits[j], from.sieves[j], from.recs[j]
}

// A row is a record on its way into a block.
type row struct {
	rec
	space  memory.Space
	twin   memory.Space
	vector []float32 // the caller's; nil: none
	norm   float64
	coarse []int8
	fit    fit
	sieve  sieve
}

func (b *block) set(i int, r *row) {
	copy(b.vector(i), r.vector)
	copy(b.coarse[i*b.width:], r.coarse) // the padding is zero
	b.norms[i], b.fits[i], b.sieves[i], b.recs[i] = r.norm, r.fit, r.sieve, r.rec
}
