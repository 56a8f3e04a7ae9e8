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

// Store is a State in memory. after is asked at each Apply whether it is written, and what it returns.
type Store struct {
	mu      sync.Mutex
	Kept    map[string][]byte
	Applied int
	After   func(n int) (write bool, err error)
}

func New(kept map[string][]byte) *Store { return &Store{Kept: maps.Clone(kept)} }

func (r *Store) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := make(map[string][]byte)
	for k, v := range r.Kept {
		if strings.HasPrefix(k, prefix) {
			found[k] = v
		}
	}
	return found, nil
}

func (r *Store) Apply(_ context.Context, changed map[string][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Applied++
	write, err := true, error(nil)
	if r.After != nil {
		write, err = r.After(r.Applied)
	}
	if !write {
		return err
	}
	if r.Kept == nil {
		r.Kept = make(map[string][]byte)
	}
	for k, v := range changed {
		if v == nil {
			delete(r.Kept, k)
		} else {
			r.Kept[k] = v
		}
	}
	return err
}
