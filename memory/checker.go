package memory

import "fmt"

// A checker rejects records that the store or an index would reject later, for one batch.
type checker struct {
	e    *embedder
	dims int // vector length; 0: no vector yet
}

func (e *embedder) checker() *checker { return &checker{e, int(e.dims.Load())} }

func (c *checker) record(r *Record) error {
	if err := r.Validate(); err != nil || !c.e.comparable(r) {
		return err
	}
	if c.dims == 0 {
		c.dims = len(r.Vector)
	}
	if len(r.Vector) != c.dims {
		return fmt.Errorf("memory: vector of record %q has %d dimensions, want %d: %w", r.ID, len(r.Vector), c.dims, ErrVector)
	}
	return nil
}

// recordDims stores the vector length of an accepted batch, unless it is known already.
func (c *checker) recordDims() {
	if c.dims > 0 {
		c.e.dims.CompareAndSwap(0, int64(c.dims))
	}
}

// query rejects a vector that cannot be compared with the records.
func (c *checker) query(q *Query) error {
	switch {
	case len(q.Vector) == 0:
		return nil
	case !ValidVector(q.Vector):
		return fmt.Errorf("memory: vector of the query: %w", ErrVector)
	case c.dims > 0 && len(q.Vector) != c.dims:
		return fmt.Errorf("memory: vector of the query has %d dimensions, want %d: %w", len(q.Vector), c.dims, ErrVector)
	}
	return nil
}
