package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A slowStore calls first before its first write.
type slowStore struct {
	Store
	first func()
}

func (s *slowStore) Apply(ctx context.Context, rows map[string][]byte) error {
	if f := s.first; f != nil {
		s.first = nil
		f()
	}
	return s.Store.Apply(ctx, rows)
}

// If two goroutines erase the same person, the later time stays, in any order of the writes.
func TestTombstones_ConcurrentAddKeepsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noon, later := time.Unix(1.8e9, 0), time.Unix(1.8e9+60, 0)
		store := &slowStore{Store: memory.NewMemStore()}
		g := tombstones{writeMu: NewMutex()}
		second := make(chan error, 1)
		store.first = func() {
			go func() { second <- g.Add(t.Context(), store, later, "who") }()
			synctest.Wait() // it has written, or waits for the lock
		}
		require.NoError(t, g.Add(t.Context(), store, noon, "who"))
		require.NoError(t, <-second)
		assert.True(t, later.Equal(g.erasedUntil("who")))
		var again tombstones
		require.NoError(t, again.load(t.Context(), store))
		assert.True(t, later.Equal(again.erasedUntil("who")))
	})
}
