package persona_test

import (
	"context"
	"maps"
	"strings"
	"sync"
)

// rows is a State in memory. after is asked at each Apply whether it is written, and what it returns.
type rows struct {
	mu      sync.Mutex
	kept    map[string][]byte
	applied int
	after   func(n int) (write bool, err error)
}

func newRows(kept map[string][]byte) *rows { return &rows{kept: maps.Clone(kept)} }

func (r *rows) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := make(map[string][]byte)
	for k, v := range r.kept {
		if strings.HasPrefix(k, prefix) {
			found[k] = v
		}
	}
	return found, nil
}

func (r *rows) Apply(_ context.Context, changed map[string][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.applied++
	write, err := true, error(nil)
	if r.after != nil {
		write, err = r.after(r.applied)
	}
	if !write {
		return err
	}
	if r.kept == nil {
		r.kept = make(map[string][]byte)
	}
	for k, v := range changed {
		if v == nil {
			delete(r.kept, k)
		} else {
			r.kept[k] = v
		}
	}
	return err
}
