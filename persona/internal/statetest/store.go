// Package statetest provides a persona.State in memory for tests. It can simulate crashes.
package statetest

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

var (
	T0        = time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	GroupChat = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123"}
	ErrCrash  = errors.New("the program died here")
)

// A Store is a State in memory. If After is set, it decides for each Apply whether the rows are written, and returns
// the error. n counts the calls of Apply from 1.
type Store struct {
	mu      sync.Mutex
	Rows    map[string][]byte
	Applies int
	After   func(n int) (write bool, err error)
}

func New(kept map[string][]byte) *Store { return &Store{Rows: maps.Clone(kept)} }

func (r *Store) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := make(map[string][]byte)
	for k, v := range r.Rows {
		if strings.HasPrefix(k, prefix) {
			found[k] = v
		}
	}
	return found, nil
}

func (r *Store) Apply(_ context.Context, changed map[string][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Applies++
	write, err := true, error(nil)
	if r.After != nil {
		write, err = r.After(r.Applies)
	}
	if !write {
		return err
	}
	if r.Rows == nil {
		r.Rows = make(map[string][]byte)
	}
	for k, v := range changed {
		if v == nil {
			delete(r.Rows, k)
		} else {
			r.Rows[k] = v
		}
	}
	return err
}
