package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running runs m until stop is called; stop waits for the end of Run.
func running(t *testing.T, m *memory.Memory) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		assert.NoError(t, <-ended)
	}
}

// countMissing counts the stored records without a vector of this embedder.
func countMissing(t *testing.T, s memory.Store) (n int) {
	t.Helper()
	spaces, err := s.Spaces(t.Context())
	require.NoError(t, err)
	for _, space := range spaces {
		for r, err := range s.Scan(t.Context(), space, 0) {
			require.NoError(t, err)
			if r.Embedder != "test-1" || len(r.Vector) == 0 {
				n++
			}
		}
	}
	return n
}

func TestRun_EmbedsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &embedder{}, memory.NewMemStore()
		m := withVectors(t, store, e)
		old := message(other, "of another embedder", "显卡")
		old.Vector, old.Embedder = []float32{1, 2, 3}, "test-0"
		require.NoError(t, store.Put(t.Context(), message(group, "before", "火锅"), old))
		stop := running(t, m)
		assert.Zero(t, countMissing(t, store), "records from before Run")
		put(t, m, message(group, "1", "吃火锅"), message(group.Secret(), "2", "火锅"))
		synctest.Wait()
		assert.Zero(t, countMissing(t, store))
		assert.EqualValues(t, 4, e.calls.Load())
		assert.Contains(t, terms(t, m.Reader(group), memory.Query{Text: "火锅"})["1"], "vector")
		put(t, m, message(group, "1", "改了"))
		synctest.Wait()
		assert.Equal(t, memorytest.Vector("改了"), get(t, store, "1").Vector)
		stop()
		put(t, m, message(group, "3", "火锅"))
		assert.Equal(t, 1, countMissing(t, store))
		stop = running(t, m)
		assert.Zero(t, countMissing(t, store), "records stored without Run")
		stop()
	})
}

// TestRun_RetriesWithBackoff: a failing embedder is retried after pauses, and nothing waits for it.
func TestRun_RetriesWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &embedder{}, memory.NewMemStore()
		m := withVectors(t, store, e)
		var down atomic.Bool
		down.Store(true)
		e.documents = func(texts []string) ([][]float32, error) {
			if down.Load() {
				return nil, errors.New("no network")
			}
			return vectorsOf(texts), nil
		}
		stop := running(t, m)
		for i := range 200 {
			put(t, m, message(group, fmt.Sprint(i), "火锅"))
			synctest.Wait()
		}
		assert.EqualValues(t, 2, e.calls.Load(), "two failing calls; new records wait")
		time.Sleep(10 * time.Minute)
		assert.LessOrEqual(t, e.calls.Load(), int64(22), "pauses grow")
		down.Store(false)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		assert.Zero(t, countMissing(t, store))
		stop()
	})
}

func vectorsOf(texts []string) (vs [][]float32) {
	for _, text := range texts {
		vs = append(vs, memorytest.Vector(text))
	}
	return vs
}

// TestRun_SkipsRejectedText: a text that the embedder rejects does not block other texts.
func TestRun_SkipsRejectedText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &embedder{}, memory.NewMemStore()
		m := withVectors(t, store, e)
		var word atomic.Value
		word.Store("毒")
		e.documents = func(texts []string) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, ""), word.Load().(string)) {
				return nil, errors.New("too long, or whatever")
			}
			return vectorsOf(texts), nil
		}
		for i := range 70 {
			put(t, m, message(group, fmt.Sprint(i), "火锅"))
		}
		put(t, m, message(group, "bad", "毒"), message(group, "good", "锅"))
		assert.ErrorIs(t, m.EmbedMissing(t.Context(), nil), memory.ErrNotIndexed)
		assert.Equal(t, 1, countMissing(t, store))
		stop := running(t, m)
		put(t, m, message(group, "later", "锅"))
		synctest.Wait()
		assert.Equal(t, 1, countMissing(t, store))
		word.Store("nothing")
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, countMissing(t, store), "it is retried")
		stop()
	})
}

// TestRun_BacklogOverflow puts more records than the backlog lists.
func TestRun_BacklogOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, store := &embedder{}, memory.NewMemStore()
		m := withVectors(t, store, e)
		stop := running(t, m)
		hold := make(chan struct{})
		e.documents = func(texts []string) ([][]float32, error) {
			<-hold
			return vectorsOf(texts), nil
		}
		put(t, m, message(group, "first", "火锅"))
		synctest.Wait() // the embedder is running
		for i := range 5000 {
			put(t, m, message(group, fmt.Sprint(i), "火锅"))
		}
		require.NoError(t, m.Hide(t.Context(), group, "17"))
		close(hold)
		synctest.Wait()
		assert.Zero(t, countMissing(t, store))
		stop()
	})
}

func TestEmbedMissing_Progress(t *testing.T) {
	e, store := &embedder{}, memory.NewMemStore()
	m := withVectors(t, store, e)
	for i := range 150 {
		put(t, m, message(group, fmt.Sprint(i), "火锅"), message(other, fmt.Sprint(i), ""))
	}
	var got [][2]int
	require.NoError(t, m.EmbedMissing(t.Context(), func(done, total int) { got = append(got, [2]int{done, total}) }))
	require.NotEmpty(t, got)
	assert.Equal(t, [2]int{0, 150}, got[0])
	assert.Equal(t, 150, got[len(got)-1][1])
	for i := 1; i < len(got); i++ {
		assert.Greater(t, got[i][0], got[i-1][0])
	}
	calls := e.calls.Load()
	require.NoError(t, m.EmbedMissing(t.Context(), nil))
	assert.Equal(t, calls, e.calls.Load(), "no record without a vector")
	assert.NoError(t, memorytest.New(t, store, memory.Options{}).EmbedMissing(t.Context(), nil), "no embedder")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	put(t, m, message(group, "new", "火锅"))
	assert.ErrorIs(t, m.EmbedMissing(ctx, nil), context.Canceled)
	assert.Equal(t, 151, countMissing(t, store), "texts without words have no vector")
}

func TestRun_WithoutEmbedder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running(t, memorytest.New(t, memory.NewMemStore(), memory.Options{}))()
	})
}
