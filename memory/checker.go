package memory

import "fmt"

// A checker refuses what the store or an index would refuse later, in some records that are to be kept together.
type checker struct {
	e    *embedder
	dims int // of vectors; 0: none yet
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
		return fmt.Errorf("memory: vector of record %q has %d dimensions, others %d: %w", r.ID, len(r.Vector), c.dims, ErrVector)
	}
	return nil
}

// kept lets the records decide how long vectors are, where nothing has before: what is refused does not.
func (c *checker) kept() {
	if c.dims > 0 {
		c.e.dims.CompareAndSwap(0, int64(c.dims))
	}
}

// query refuses a vector that cannot be compared.
func (c *checker) query(q *Query) error {
	switch {
	case len(q.Vector) == 0:
		return nil
	case !ValidVector(q.Vector):
		return fmt.Errorf("memory: vector of the query: %w", ErrVector)
	case c.dims > 0 && len(q.Vector) != c.dims:
		return fmt.Errorf("memory: vector of the query has %d dimensions, others %d: %w", len(q.Vector), c.dims, ErrVector)
	}
	return nil
}
