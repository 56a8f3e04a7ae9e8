package social_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What was taken back is not read in what others quote of it either.
func TestRecalledQuoteIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), counted()
		_, stop := liveOn(t, f, model, memory.NewMemStore(), nil)
		f.in <- heard("1", "a", "秘密四十二")
		asked := heard("2", "b", "小炉 你看")
		asked.ReplyTo = "1"
		f.in <- asked
		after(time.Second)
		f.in <- persona.Retracted{Chat: room1, MessageID: "1"}
		after(time.Minute)
		stop()
		require.Len(t, model.Prompts(), 1)
		assert.NotContains(t, model.Prompts()[0].Text(), "四十二")
	})
}

// A kill after a recall was noted, and before the message was forgotten, does not keep it.
func TestKilledWhileForgetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := liveOn(t, f, counted(), undying{Store: store}, nil)
		f.in <- heard("1", "a", "秘密四十二")
		f.in <- persona.Retracted{Chat: room1, MessageID: "1"}
		after(time.Second)
		stop()
		require.Equal(t, []string{"秘密四十二"}, kept(t, store), "it was not forgotten before the kill")
		_, stop = liveOn(t, f, counted(), store, nil)
		after(time.Second)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Empty(t, spaces)
	})
}

// A message whose writing failed may be in the journal all the same: taken back, it is not.
func TestRecalledAfterAFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := liveOn(t, f, counted(), tearing(store), nil)
		f.in <- heard("1", "a", "秘密四十二")
		synctest.Wait()
		require.Equal(t, []string{"秘密四十二"}, kept(t, store), "it was written all the same")
		f.in <- persona.Retracted{Chat: room1, MessageID: "1"}
		after(time.Second)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Empty(t, spaces)
	})
}

// What came again after such a write is as new in the journal: the cursor that it moves does not go back.
func TestFailedWriteKeepsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, model := pastLink{fakeLink: fake()}, memory.NewMemStore(), counted()
		first := heard("1", "a", "小炉 一")
		_, stop := liveOn(t, f, model, tearing(store), nil)
		f.in <- first
		f.in <- heard("2", "b", "小炉 二")
		after(10 * time.Second)
		require.Len(t, f.said, 1)
		f.past[room1] = []persona.Message{first}
		f.in <- persona.MessagesLost{Chat: room1, Count: 1}
		after(10 * time.Second)
		require.Len(t, f.said, 2)
		stop()
		_, stop = liveOn(t, f, model, store, nil)
		f.in <- heard("3", "c", "嗯")
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 2, "what was answered is not answered again")
	})
}

// A tearingStore writes, and says that it failed, the first time.
type tearingStore struct {
	social.Store
	torn *atomic.Bool
}

func tearing(s social.Store) tearingStore { return tearingStore{Store: s, torn: new(atomic.Bool)} }

func (s tearingStore) Put(ctx context.Context, recs ...memory.Record) error {
	err := s.Store.Put(ctx, recs...)
	if s.torn.CompareAndSwap(false, true) {
		return errFull
	}
	return err
}

// An undying store is killed before every deletion.
type undying struct{ social.Store }

func (undying) Delete(context.Context, memory.Space, ...string) error { return errKilled }

// meanwhile does something while the first row with a prefix is written.
type meanwhile struct {
	*memory.MemStore
	prefix string
	once   sync.Once
	do     func()
}

func (s *meanwhile) Apply(ctx context.Context, rows map[string][]byte) error {
	for key := range rows {
		if strings.HasPrefix(key, s.prefix) {
			s.once.Do(s.do)
		}
	}
	return s.MemStore.Apply(ctx, rows)
}

// TestRecalledWhileItBegins: a message that is taken back while the turn that would answer it is being written down is not
// answered, and no model is asked.
func TestRecalledWhileItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.Always(modeltest.Say("嗯"))
		store := &meanwhile{MemStore: memory.NewMemStore(), prefix: "errand/batch/"}
		recalled := false
		store.do = func() {
			recalled = true
			f.in <- persona.Retracted{Chat: room1, MessageID: "1"}
			time.Sleep(time.Second)
		}
		_, stop := liveOn(t, f, model, store, nil)
		defer stop()
		m := heard("1", "a", "小炉 在吗")
		m.AtMe = true
		f.in <- m
		after(time.Minute)
		assert.True(t, recalled)
		assert.Empty(t, model.Prompts())
		assert.Empty(t, f.said)
	})
}
