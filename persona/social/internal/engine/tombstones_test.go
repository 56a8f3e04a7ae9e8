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

// slowly lets others write before it does.
type slowly struct {
	Store
	first func()
}

func (s *slowly) Apply(ctx context.Context, rows map[string][]byte) error {
	if f := s.first; f != nil {
		s.first = nil
		f()
	}
	return s.Store.Apply(ctx, rows)
}

// TestForgottenTwiceAtOnce: of two who forget the same person the later one counts, whichever of them writes last.
func TestForgottenTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noon, later := time.Unix(1.8e9, 0), time.Unix(1.8e9+60, 0)
		store := &slowly{Store: memory.NewMemStore()}
		g := tombstones{writing: NewLatch()}
		second := make(chan error, 1)
		store.first = func() {
			go func() { second <- g.Add(t.Context(), store, later, "who") }()
			synctest.Wait() // it has written, or waits
		}
		require.NoError(t, g.Add(t.Context(), store, noon, "who"))
		require.NoError(t, <-second)
		assert.True(t, later.Equal(g.at("who")))
		var again tombstones
		require.NoError(t, again.load(t.Context(), store))
		assert.True(t, later.Equal(again.at("who")))
	})
}
