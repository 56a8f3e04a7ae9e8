package flat

import (
	"maps"
	"slices"
)

// A space is the writers' side of one memory.Space. Searches see a view of it.
type space struct {
	dims     int // of all vectors
	at       map[string]place
	most     int     // that at has held
	parts    []*part // full blocks but for the last
	reserved int     // calls of Put that count on dims
	changed  bool    // since the last view
}

// A place is where a record's row is.
type place struct {
	part *part
	row  int
}

// A part is a block that is being filled, or is full.
type part struct {
	face
	count int  // rows that are alive
	shown bool // a view has live as well
}

// A face is what is seen of a block: its first n rows, but for those that are dead. It never changes.
type face struct {
	*block
	n    int
	live []uint64 // a bit for each row
}

// A view is a space at some moment.
type view struct {
	dims, count int
	faces       []face
}

func newSpace(dims int) *space { return &space{dims: dims, at: map[string]place{}} }

// view is what searches see until the next one.
func (s *space) view() *view {
	v := &view{dims: s.dims, count: len(s.at), faces: make([]face, len(s.parts))}
	for i, p := range s.parts {
		v.faces[i] = p.face
		p.shown = true
	}
	return v
}

// put enters a row, instead of the former one of its ID.
func (s *space) put(r *row) {
	s.remove(r.id)
	p := s.room()
	p.set(p.n, r)
	s.enter(r.id, p)
}

// enter makes known that the row after the last is filled.
func (s *space) enter(id string, p *part) {
	p.own()
	if p.n%64 == 0 {
		p.live = append(p.live, 0)
	}
	p.live[p.n/64] |= 1 << (p.n % 64)
	s.at[id] = place{p, p.n}
	s.most = max(s.most, len(s.at))
	p.n++
	p.count++
	s.changed = true
}

func (s *space) remove(id string) {
	at, ok := s.at[id]
	if !ok {
		return
	}
	delete(s.at, id)
	at.part.own()
	at.part.live[at.row/64] &^= 1 << (at.row % 64)
	at.part.count--
	s.changed = true
}

// own makes live the writers' alone.
func (p *part) own() {
	if p.shown {
		p.live, p.shown = slices.Clone(p.live), false
	}
}

// room returns a part with an empty row.
func (s *space) room() *part {
	if len(s.parts) > 0 {
		p := s.parts[len(s.parts)-1]
		if p.n < p.rows() {
			return p
		}
		if p.rows() < mostRows(s.dims) {
			p.block = p.grown(min(2*p.rows(), mostRows(s.dims)))
			return p
		}
	}
	p := &part{face: face{block: newBlock(s.dims, leastRows)}}
	s.parts = append(s.parts, p)
	return p
}

// tidy gives back the blocks that are less than half alive; their rows move to the end.
func (s *space) tidy() {
	var sparse []*part
	s.parts = slices.DeleteFunc(s.parts, func(p *part) bool {
		if p.count < (p.n+1)/2 {
			sparse = append(sparse, p)
			return true
		}
		return false
	})
	for _, old := range sparse {
		for i := range old.n {
			if old.live[i/64]>>(i%64)&1 == 1 {
				p := s.room()
				p.copy(p.n, old.block, i)
				s.enter(old.recs[i].id, p)
			}
		}
	}
	if s.most > 4*len(s.at)+leastRows { // a map never shrinks
		at := make(map[string]place, len(s.at))
		maps.Copy(at, s.at)
		s.at, s.most = at, len(at)
	}
}
