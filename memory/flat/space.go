package flat

import (
	"maps"
	"slices"
)

// A space is the writers' state of one memory.Space. Searches use a view of it.
type space struct {
	dims     int // of all vectors
	places   map[string]place
	peak     int        // largest size of places; a map never shrinks
	segments []*segment // all full except the last
	reserved int        // running calls of Put that rely on dims
	changed  bool       // since the last view
}

// A place is the position of a record.
type place struct {
	segment *segment
	row     int
}

// A segment is a block with its deleted rows.
type segment struct {
	blockView
	count  int  // number of live rows
	shared bool // a view uses live, too
}

// A blockView is an immutable view of a block: its first n rows without the deleted ones.
type blockView struct {
	*block
	n    int
	live []uint64 // one bit per row
}

// A view is a snapshot of a space.
type view struct {
	dims, count int
	blocks      []blockView
}

func newSpace(dims int) *space { return &space{dims: dims, places: map[string]place{}} }

// view returns a new snapshot.
func (s *space) view() *view {
	v := &view{dims: s.dims, count: len(s.places), blocks: make([]blockView, len(s.segments))}
	for i, p := range s.segments {
		v.blocks[i] = p.blockView
		p.shared = true
	}
	return v
}

// put adds a row and removes the old row of its ID.
func (s *space) put(r *row) {
	s.remove(r.id)
	p := s.writableSegment()
	p.set(p.n, r)
	s.commitRow(r.id, p)
}

// commitRow adds the row at position n, which the caller has filled.
func (s *space) commitRow(id string, p *segment) {
	p.unshare()
	if p.n%64 == 0 {
		p.live = append(p.live, 0)
	}
	p.live[p.n/64] |= 1 << (p.n % 64)
	s.places[id] = place{p, p.n}
	s.peak = max(s.peak, len(s.places))
	p.n++
	p.count++
	s.changed = true
}

func (s *space) remove(id string) {
	at, ok := s.places[id]
	if !ok {
		return
	}
	delete(s.places, id)
	at.segment.unshare()
	at.segment.live[at.row/64] &^= 1 << (at.row % 64)
	at.segment.count--
	s.changed = true
}

// unshare copies live if a view uses it.
func (p *segment) unshare() {
	if p.shared {
		p.live, p.shared = slices.Clone(p.live), false
	}
}

// writableSegment returns a segment with an empty row.
func (s *space) writableSegment() *segment {
	if len(s.segments) > 0 {
		p := s.segments[len(s.segments)-1]
		if p.n < p.rows() {
			return p
		}
		if p.rows() < maxBlockRows(s.dims) {
			p.block = p.grown(min(2*p.rows(), maxBlockRows(s.dims)))
			return p
		}
	}
	p := &segment{blockView: blockView{block: newBlock(s.dims, minBlockRows)}}
	s.segments = append(s.segments, p)
	return p
}

// compact frees the blocks with less than half live rows and moves these rows to the end.
func (s *space) compact() {
	var sparse []*segment
	s.segments = slices.DeleteFunc(s.segments, func(p *segment) bool {
		if p.count < (p.n+1)/2 {
			sparse = append(sparse, p)
			return true
		}
		return false
	})
	for _, old := range sparse {
		for i := range old.n {
			if old.live[i/64]>>(i%64)&1 == 1 {
				p := s.writableSegment()
				p.copy(p.n, old.block, i)
				s.commitRow(old.recs[i].id, p)
			}
		}
	}
	if s.peak > 4*len(s.places)+minBlockRows { // a map never shrinks
		at := make(map[string]place, len(s.places))
		maps.Copy(at, s.places)
		s.places, s.peak = at, len(at)
	}
}
