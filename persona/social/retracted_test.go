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

// The text of a retracted message is also removed from quotes.
func TestRetract_Quotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), numbered()
		_, stop := startBot(t, f, model, memory.NewMemStore(), nil)
		f.events <- newMessage("1", "a", "秘密四十二")
		asked := newMessage("2", "b", "小炉 你看")
		asked.ReplyTo = "1"
		f.events <- asked
		advance(time.Second)
		f.events <- persona.Retracted{Chat: group1, MessageID: "1"}
		advance(time.Minute)
		stop()
		require.Len(t, model.Prompts(), 1)
		assert.NotContains(t, model.Prompts()[0].Text(), "四十二")
	})
}

// A crash after a retraction was recorded and before the message was deleted does not keep the message.
func TestRetract_CrashBeforeDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := startBot(t, f, numbered(), crashOnDelete{Store: store}, nil)
		f.events <- newMessage("1", "a", "秘密四十二")
		f.events <- persona.Retracted{Chat: group1, MessageID: "1"}
		advance(time.Second)
		stop()
		require.Equal(t, []string{"秘密四十二"}, stored(t, store), "not deleted before the crash")
		_, stop = startBot(t, f, numbered(), store, nil)
		advance(time.Second)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Empty(t, spaces)
	})
}

// A message whose write failed may still be stored. A retraction deletes it.
func TestRetract_AfterFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := startBot(t, f, numbered(), newTearingStore(store), nil)
		f.events <- newMessage("1", "a", "秘密四十二")
		synctest.Wait()
		require.Equal(t, []string{"秘密四十二"}, stored(t, store), "the write was executed")
		f.events <- persona.Retracted{Chat: group1, MessageID: "1"}
		advance(time.Second)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Empty(t, spaces)
	})
}

// A message that is received again after such a write counts as newly stored: the cursor does not go back.
func TestJournal_CursorAfterFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, model := pastLink{fakeLink: fake()}, memory.NewMemStore(), numbered()
		first := newMessage("1", "a", "小炉 一")
		_, stop := startBot(t, f, model, newTearingStore(store), nil)
		f.events <- first
		f.events <- newMessage("2", "b", "小炉 二")
		advance(10 * time.Second)
		require.Len(t, f.sent, 1)
		f.past[group1] = []persona.Message{first}
		f.events <- persona.MessagesLost{Chat: group1, Count: 1}
		advance(10 * time.Second)
		require.Len(t, f.sent, 2)
		stop()
		_, stop = startBot(t, f, model, store, nil)
		f.events <- newMessage("3", "c", "嗯")
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 2, "answered once")
	})
}

// A tearingStore executes the first write but returns an error.
type tearingStore struct {
	social.Store
	torn *atomic.Bool
}

func newTearingStore(s social.Store) tearingStore {
	return tearingStore{Store: s, torn: new(atomic.Bool)}
}

func (s tearingStore) Put(ctx context.Context, recs ...memory.Record) error {
	err := s.Store.Put(ctx, recs...)
	if s.torn.CompareAndSwap(false, true) {
		return errFull
	}
	return err
}

// A crashOnDelete store fails before every deletion.
type crashOnDelete struct{ social.Store }

func (crashOnDelete) Delete(context.Context, memory.Space, ...string) error { return errKilled }

// A hookStore calls a function while the first row with a prefix is written.
type hookStore struct {
	*memory.MemStore
	prefix string
	once   sync.Once
	do     func()
}

func (s *hookStore) Apply(ctx context.Context, rows map[string][]byte) error {
	for key := range rows {
		if strings.HasPrefix(key, s.prefix) {
			s.once.Do(s.do)
		}
	}
	return s.MemStore.Apply(ctx, rows)
}

// If a message is retracted while the turn that would answer it is being recorded, it is not answered and no model is
// asked.
func TestRetract_WhileTurnBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.Always(modeltest.Say("嗯"))
		store := &hookStore{MemStore: memory.NewMemStore(), prefix: "errand/batch/"}
		retracted := false
		store.do = func() {
			retracted = true
			f.events <- persona.Retracted{Chat: group1, MessageID: "1"}
			time.Sleep(time.Second)
		}
		_, stop := startBot(t, f, model, store, nil)
		defer stop()
		m := newMessage("1", "a", "小炉 在吗")
		m.AtMe = true
		f.events <- m
		advance(time.Minute)
		assert.True(t, retracted)
		assert.Empty(t, model.Prompts())
		assert.Empty(t, f.sent)
	})
}
