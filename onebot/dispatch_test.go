package onebot

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func inGroup(group, id int64) *GroupMessage {
	return &GroupMessage{Common: Common{SelfID: 10000, Time: time.Unix(id, 0)}, GroupID: group, MessageID: id}
}

func newDispatcher(workers, limit int) *dispatcher {
	d := new(dispatcher)
	o := Options{Workers: workers, QueueBytes: limit}
	d.init(o.withDefaults())
	return d
}

// whole checks that every event is counted.
func whole(t *testing.T, s Stats) {
	t.Helper()
	assert.Equal(t, s.Received, s.Handled+s.Dropped+uint64(s.Queued), "%+v", s)
	assert.Equal(t, s.Dropped, s.Overflowed+s.Unfinished, "%+v", s)
}

// With many conversations and workers, the events of each conversation come in order and one at a time, on at most
// Workers goroutines.
func TestDispatcher_OrderPerConversation(t *testing.T) {
	const chats, workers = 20, 4
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	d := newDispatcher(workers, -1)
	var at, most atomic.Int64
	var busy [chats]atomic.Bool
	var next [chats]int64
	require.True(t, d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
		m := e.(*GroupMessage)
		for now := at.Add(1); ; {
			if was := most.Load(); was >= now || most.CompareAndSwap(was, now) {
				break
			}
		}
		if !busy[m.GroupID-1].CompareAndSwap(false, true) {
			t.Error("two handlers of one conversation at once")
		}
		if next[m.GroupID-1] != m.MessageID {
			t.Errorf("group %d: message %d, want %d", m.GroupID, m.MessageID, next[m.GroupID-1])
		}
		next[m.GroupID-1]++
		busy[m.GroupID-1].Store(false)
		at.Add(-1)
	}))
	var sent [chats]int64
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		g := rng.IntN(chats)
		d.add(nil, inGroup(int64(g+1), sent[g]), 100)
		sent[g]++
	}
	eventually(t, func() bool { var s Stats; d.stats(&s); whole(t, s); return s.Queued == 0 })
	d.stop()
	var s Stats
	d.stats(&s)
	assert.Equal(t, uint64(n), s.Handled)
	assert.Zero(t, s.QueuedBytes)
	assert.Equal(t, sent, next)
	assert.LessOrEqual(t, most.Load(), int64(workers))
}

// A conversation with a hanging handler does not delay others while workers are left.
func TestDispatcher_OneSlowConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDispatcher(2, -1)
		release := make(chan struct{})
		var others atomic.Int64
		d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
			if e.(*GroupMessage).GroupID == 1 {
				<-release
				return
			}
			others.Add(1)
		})
		for i := range int64(50) {
			d.add(nil, inGroup(1, i), 10)
			d.add(nil, inGroup(2+i%5, i), 10)
		}
		synctest.Wait()
		assert.EqualValues(t, 50, others.Load())
		close(release)
		synctest.Wait()
		d.stop()
	})
}

// Two conversations that become ready at the same time get two workers, although only one was idle.
func TestDispatcher_WakesEnoughWorkers(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			d := newDispatcher(2, -1)
			met := make(chan struct{})
			d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
				if e.(*GroupMessage).GroupID == 9 {
					return
				}
				select { // each waits for the other
				case met <- struct{}{}:
				case <-met:
				case <-time.After(time.Second):
					t.Error("a conversation waits though there are workers")
				}
			})
			d.add(nil, inGroup(9, 0), 10)
			synctest.Wait()
			d.add(nil, inGroup(1, 0), 10)
			d.add(nil, inGroup(2, 0), 10)
			time.Sleep(2 * time.Second)
			d.stop()
		})
		if t.Failed() {
			return
		}
	}
}

// Above the limit, the oldest event of the longest queue is dropped, and a Dropped takes its place.
func TestDispatcher_Overflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1000
		d := newDispatcher(1, 10*(size+itemOverhead))
		release := make(chan struct{})
		var got []string
		d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
			<-release
			switch e := e.(type) {
			case *GroupMessage:
				got = append(got, fmt.Sprintf("%d:%d", e.GroupID, e.MessageID))
			case *Dropped:
				got = append(got, fmt.Sprintf("%s dropped %d, %d to %d", e.Conversation, e.Count, e.Since.Unix(), e.Until.Unix()))
				assert.EqualValues(t, 10000, e.EventSelfID())
				assert.Equal(t, e.Until, e.EventTime())
				assert.Nil(t, e.Raw())
			}
		})
		d.add(nil, inGroup(9, 0), size) // the worker hangs in this one
		synctest.Wait()
		for i := range int64(3) {
			d.add(nil, inGroup(2, i), size)
		}
		for i := range int64(12) {
			d.add(nil, inGroup(1, i), size)
			var s Stats
			d.stats(&s)
			whole(t, s)
			assert.LessOrEqual(t, s.QueuedBytes, 10*(size+itemOverhead))
		}
		var s Stats
		d.stats(&s)
		assert.EqualValues(t, 6, s.Overflowed)
		close(release)
		synctest.Wait()
		assert.Equal(t, []string{"9:0", "2:0", "group_1 dropped 6, 0 to 5", "2:1", "1:6", "2:2", "1:7", "1:8", "1:9", "1:10", "1:11"}, got)
		d.stop()
		d.stats(&s)
		assert.EqualValues(t, 16, s.Received)
		assert.EqualValues(t, 10, s.Handled)
		whole(t, s)
	})
}

// One event larger than half of the limit, or than all of it, can be queued. A second one must fit.
func TestDispatcher_OversizedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDispatcher(1, 1<<20)
		release := make(chan struct{})
		var got []string
		d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
			<-release
			switch e := e.(type) {
			case *GroupMessage:
				got = append(got, fmt.Sprint(e.MessageID))
			case *Dropped:
				got = append(got, fmt.Sprint("dropped ", e.Count))
			}
		})
		var s Stats
		for i, size := range []int{100, 4 << 20, 100, 700 << 10, 4 << 20, 100} {
			d.add(nil, inGroup(1, int64(i)), size)
			synctest.Wait()
			d.stats(&s)
			whole(t, s)
			assert.LessOrEqual(t, s.QueuedBytes, 1<<20)
		}
		close(release)
		synctest.Wait()
		// the second large event dropped all earlier ones, including the first large one
		assert.Equal(t, []string{"0", "dropped 3", "4", "5"}, got)
		d.add(nil, inGroup(1, 6), 4<<20)
		d.add(nil, inGroup(1, 7), 100)
		synctest.Wait()
		assert.Equal(t, []string{"6", "7"}, got[4:], "there is room again")
		d.stop()
		d.stats(&s)
		whole(t, s)
	})
}

// FuzzDispatcher compares the dispatcher with a naive one. With one worker that continues at random, handled, dropped
// and remaining events make up exactly the added ones, in order.
func FuzzDispatcher(f *testing.F) {
	f.Add([]byte{1, 2, 3, 1, 1, 1, 1, 1, 0, 0, 2, 0})
	f.Add([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 200 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			const fits = 6
			d := newDispatcher(1, fits*(itemOverhead+10))
			turn := make(chan struct{})
			next := map[int64]int64{}
			handled, told := 0, 0
			d.start(t.Context(), func(ctx context.Context, _ *Bot, e Event) {
				select {
				case <-turn:
				case <-ctx.Done():
				}
				switch e := e.(type) {
				case *GroupMessage:
					require.Equal(t, next[e.GroupID], e.MessageID)
					next[e.GroupID]++
					handled++
				case *Dropped:
					require.Equal(t, next[e.GroupID], e.Since.Unix())
					next[e.GroupID] += int64(e.Count)
					require.Equal(t, next[e.GroupID]-1, e.Until.Unix())
					told += e.Count
				}
			})
			sent := map[int64]int64{}
			for _, s := range steps {
				if g := int64(s % 4); g > 0 {
					d.add(nil, inGroup(g, sent[g]), 10)
					sent[g]++
				} else {
					select {
					case turn <- struct{}{}:
					default:
					}
				}
				synctest.Wait()
				var st Stats
				d.stats(&st)
				whole(t, st)
				require.LessOrEqual(t, st.Queued, fits)
			}
			close(turn)
			synctest.Wait()
			d.stop()
			var st Stats
			d.stats(&st)
			require.EqualValues(t, st.Handled, handled)
			require.EqualValues(t, st.Overflowed, told)
			require.Equal(t, sent, next)
		})
	})
}

func TestDispatcher_StopLeavesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDispatcher(1, -1)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		h := func(ctx context.Context, _ *Bot, _ Event) { calls++; <-ctx.Done() }
		require.True(t, d.start(ctx, h))
		require.False(t, d.start(ctx, h), "twice")
		for i := range int64(5) {
			d.add(nil, inGroup(1, i), 10)
		}
		synctest.Wait()
		cancel()
		d.stop()
		d.add(nil, inGroup(1, 9), 10)
		assert.Equal(t, 1, calls)
		var s Stats
		d.stats(&s)
		assert.Equal(t, Stats{Received: 6, Handled: 1, Dropped: 5, Unfinished: 5}, s)
		require.True(t, d.start(t.Context(), func(context.Context, *Bot, Event) { calls++ }), "again")
		d.add(nil, inGroup(1, 10), 10)
		synctest.Wait()
		d.stop()
		assert.Equal(t, 2, calls)
	})
}

// A handler that ends its goroutine, as t.FailNow does, costs neither a worker nor the rest of its conversation.
func TestDispatcher_HandlerEndsGoroutine(t *testing.T) {
	for _, workers := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			d := newDispatcher(workers, -1)
			var got [4][]int64
			busy, most := 0, 0
			var mu sync.Mutex
			d.start(t.Context(), func(_ context.Context, _ *Bot, e Event) {
				mu.Lock()
				busy++
				most = max(most, busy)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				busy--
				m := e.(*GroupMessage)
				got[m.GroupID] = append(got[m.GroupID], m.MessageID)
				mu.Unlock()
				if m.MessageID%3 != 0 {
					runtime.Goexit()
				}
			})
			for i := range int64(20) {
				for g := range int64(4) {
					d.add(nil, inGroup(g, i), 10)
				}
			}
			time.Sleep(5 * time.Minute)
			d.stop()
			assert.Equal(t, workers, most)
			for g := range got {
				assert.Len(t, got[g], 20)
				assert.True(t, slices.IsSorted(got[g]))
			}
			var s Stats
			d.stats(&s)
			assert.EqualValues(t, 80, s.Handled)
			whole(t, s)
		})
	}
}

// The heap finds the same queue as a search of all queues.
func TestLongest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h longest
	var all []*queue
	for range 20_000 {
		switch op := rng.IntN(10); {
		case len(all) == 0 || op == 0:
			q := &queue{conv: conversation{group: rng.Int64()}}
			all = append(all, q)
			h.add(q)
		case op == 1 && len(all) > 20:
			i := rng.IntN(len(all))
			h.remove(all[i])
			all = slices.Delete(all, i, i+1)
		case op < 6:
			q := all[rng.IntN(len(all))]
			q.bytes += rng.IntN(5)
			h.grown(q)
		default:
			q := all[rng.IntN(len(all))]
			q.bytes = max(q.bytes-rng.IntN(9), 0)
		}
		want := slices.MaxFunc(all, func(a, b *queue) int {
			if c := cmp.Compare(a.bytes, b.bytes); c != 0 {
				return c
			}
			return cmp.Compare(b.conv.group, a.conv.group)
		})
		require.Same(t, want, h.top())
		require.Len(t, h, len(all))
	}
}

// The cost of an event for a full queue does not grow with the number of conversations.
func TestDispatcher_FullQueueCost(t *testing.T) {
	cost := func(chats int) time.Duration {
		d := newDispatcher(1, 2*chats*(100+itemOverhead))
		release := make(chan struct{})
		d.start(t.Context(), func(context.Context, *Bot, Event) { <-release })
		least := time.Hour
		for range 8 {
			began := time.Now()
			for i := range 3 * 10_000 {
				d.add(nil, inGroup(int64(i%chats), 0), 100)
			}
			least = min(least, time.Since(began))
		}
		close(release)
		d.stop()
		assert.NotZero(t, d.overflow)
		return least
	}
	assert.Less(t, float64(cost(2_000))/float64(cost(20)), 40.0, "a search of all queues takes about 90 times as long")
}

// BenchmarkFullQueue measures one event while the queue is full, with few and with many conversations.
func BenchmarkFullQueue(b *testing.B) {
	for _, chats := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(chats), func(b *testing.B) {
			d := newDispatcher(1, 2*chats*(100+itemOverhead))
			release := make(chan struct{})
			d.start(b.Context(), func(context.Context, *Bot, Event) { <-release })
			events := make([]Event, chats)
			for i := range events {
				events[i] = inGroup(int64(i), 0)
			}
			for i := range 3 * chats {
				d.add(nil, events[i%chats], 100)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d.add(nil, events[i%chats], 100)
			}
			close(release)
			d.stop()
			require.NotZero(b, d.overflow)
		})
	}
}

func BenchmarkDispatch(b *testing.B) {
	d := newDispatcher(4, -1)
	var wg sync.WaitGroup
	d.start(b.Context(), func(context.Context, *Bot, Event) { wg.Done() })
	var events [64]Event
	for i := range events {
		events[i] = inGroup(int64(i), 0)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		wg.Add(1)
		d.add(nil, events[i%len(events)], 1000)
	}
	wg.Wait()
	d.stop()
}
