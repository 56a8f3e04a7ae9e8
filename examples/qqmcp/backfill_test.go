package main

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Missed messages go before their successors even with equal times. A message may have reached the window before the
// back-fill began, and a pending one may have been released without history.
func TestBackfill_EqualTimes(t *testing.T) {
	all := numbered(1, 9)
	for i := range all {
		all[i].at = 5
	}
	for _, known := range [][]message{all[:1], {all[0], all[3]}, {all[3], all[6]}, all[3:6], {all[8]}, nil} {
		for _, old := range []bool{false, true} {
			r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
			if !old {
				r.finishBackfill(nil, nil)
			}
			for _, m := range known {
				r.add(m)
			}
			r.beginBackfill()
			r.finishBackfill(all, nil)
			assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, ids(r))
		}
	}

	// Messages outside of the history are ordered by time, the others by time and history.
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	r.finishBackfill(nil, nil)
	for _, m := range []message{{id: 1, at: 1}, {id: 50, at: 6}, {id: 9, at: 9}} {
		r.add(m)
	}
	r.beginBackfill()
	r.finishBackfill([]message{{id: 1, at: 1}, {id: 2, at: 2}, {id: 3, at: 7}, {id: 9, at: 9}, {id: 10, at: 9}}, nil)
	assert.Equal(t, []int64{1, 2, 50, 3, 9, 10}, ids(r))
}

// Missing messages at the end leave a running summary valid, and earlier ones do not.
func TestBackfill_DuringSummary(t *testing.T) {
	for _, atEnd := range []bool{true, false} {
		r := newChatState(chat{id: 1}, &options{buffer: 100, every: 4})
		r.finishBackfill(nil, nil)
		for _, m := range []message{{id: 1, sender: 1, at: 1}, {id: 2, sender: 1, at: 2}, {id: 4, sender: 1, at: 4}, {id: 5, sender: 1, at: 5}} {
			r.add(m)
		}
		f, ok := r.fold(1)
		require.True(t, ok)
		past := numbered(1, 7)
		if atEnd {
			past = slices.Delete(past, 2, 3)
		}
		r.beginBackfill()
		missing, _, _ := r.finishBackfill(past, nil)
		assert.Equal(t, len(past)-4, missing)
		assert.Equal(t, atEnd, r.finishFold(f, "x", nil))
	}
}

// A new gap that opens while the history is read makes that history incomplete.
func TestBackfill_GapDuringReading(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	r.beginBackfill()
	assert.False(t, r.beginBackfill(), "asked for twice before it is read")
	r.readingBegins()
	r.add(message{id: 4, sender: 1, at: 4})
	assert.False(t, r.beginBackfill())
	for _, err := range []error{nil, assert.AnError} {
		_, _, last := r.finishBackfill(numbered(1, 2), err)
		assert.False(t, last)
		assert.True(t, r.isBackfilling() && r.needsHistory())
	}
	r.readingBegins()
	missing, _, last := r.finishBackfill(numbered(1, 4), nil)
	assert.True(t, last)
	assert.Equal(t, 3, missing)
	assert.Equal(t, []int64{1, 2, 3, 4}, ids(r))
	assert.False(t, r.isBackfilling())
}

// The first message of a chat waits for its history.
func TestBackfill_FirstMessageWaits(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	assert.True(t, r.beginFirstBackfill())
	assert.False(t, r.beginFirstBackfill(), "it waits already")
	r.abortBackfill()
	assert.False(t, r.beginFirstBackfill(), "it did not come, and nothing is held back for it")
	r.beginBackfill()
	r.finishBackfill(nil, nil)
	assert.False(t, r.beginFirstBackfill())
}

// An event of one chat detects a new connection. A simultaneous event of another chat finds its chat waiting for the
// history.
func TestBackfill_NewConnection(t *testing.T) {
	a := &account{chats: newChatStates(&options{buffer: 100, every: 30}), wakeups: make(chan struct{}, 1)}
	first, second := a.chats.open(chat{id: 1}), a.chats.open(chat{id: 2})
	first.mu.Lock() // blocks the goroutine that starts the back-fills
	noticed := make(chan bool, 2)
	for range 2 {
		go func() {
			a.checkLinkCount(1)
			noticed <- second.isBackfilling()
		}()
	}
	select {
	case <-noticed:
		t.Error("one went on while rooms did not wait")
		noticed <- true
	case <-time.After(50 * time.Millisecond):
	}
	first.mu.Unlock()
	for range 2 {
		assert.True(t, <-noticed)
	}
	assert.Equal(t, uint64(1), a.links.Load())
	a.checkLinkCount(1)
	assert.Len(t, a.wakeups, 1)
}

// The account was offline while the connection stayed. The messages of that time are back-filled.
func TestBackfill_AfterOffline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{Heartbeat: time.Second})
		s := start(t, qq)
		g.Say(zhang, says("第1"))
		s.settle()
		read := len(qq.Calls("get_group_msg_history"))
		s.settle()
		assert.Len(t, qq.Calls("get_group_msg_history"), read, "as long as it stays online nothing is asked for")
		qq.SetOnline(false)
		s.settle()
		qq.SetOnline(true)
		s.settle()
		assert.Len(t, qq.Calls("get_group_msg_history"), read+1)
		qq.SetOnline(false)
		s.settle()
		qq.SetOnline(true)
		call[statusOut](s, "check_status", nil) // check_status notices it before the heartbeat
		s.settle()
		assert.Len(t, qq.Calls("get_group_msg_history"), read+2)
	})
}

// The connection drops again after the history was read and before it was merged.
func TestBackfill_DropDuringMerge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--buffer-size", "20")
		r := s.p.chats.find(chat{id: 123456})
		var want []string
		say := func(text string) {
			g.Say(zhang, says(text))
			want = append(want, text)
		}
		say("第1")
		synctest.Wait()
		r.beginBackfill()
		say("第2")
		synctest.Wait()
		r.readingBegins()
		past, err := s.p.account.readHistory(t.Context(), r)
		require.NoError(t, err)
		qq.RefuseConnections(true)
		qq.DropLinks()
		say("第3")
		qq.RefuseConnections(false)
		synctest.Wait()
		s.p.account.checkLinkCount(s.p.account.links.Load() + 1) // an event of the new connection arrives before the history
		_, _, last := r.finishBackfill(past, nil)
		assert.False(t, last)
		s.settle()
		s.settle()
		assert.Equal(t, want, contents(s.context(20).Messages))
	})
}

// wait_for_message returns the messages counted since its start, and not the last ones of the chat.
func TestWait_CountedOrder(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	r.beginBackfill()
	r.finishBackfill(numbered(1, 2), nil) // both are known before they arrive
	var told []int64
	hear := func(m message) {
		before := r.receivedCount()
		r.add(m)
		news, now := r.newSince(before)
		assert.Equal(t, r.receivedCount(), now)
		for _, m := range news {
			told = append(told, m.id)
		}
	}
	for _, m := range numbered(1, 2) {
		hear(m)
	}
	r.beginBackfill()
	hear(message{id: 5, sender: 1, at: 5})
	hear(message{id: 6, sender: 1, at: 6, self: true})
	before := r.receivedCount()
	r.finishBackfill(numbered(3, 6), nil)
	news, _ := r.newSince(before)
	for _, m := range news {
		told = append(told, m.id)
	}
	assert.Equal(t, []int64{1, 2, 3, 4, 5}, told)
	for _, m := range numbered(7, 90) {
		r.add(m)
	}
	news, _ = r.newSince(0)
	assert.Len(t, news, maxLimit)
	assert.True(t, slices.IsSortedFunc(news, byTime))
}

// Only messages from before the gap show its end.
func TestBackfill_EndOfGap(t *testing.T) {
	r := newChatState(chat{id: 1}, &options{buffer: 100, every: 30})
	r.finishBackfill(numbered(1, 2), nil)
	assert.True(t, r.overlaps(numbered(2, 3)))
	r.add(message{id: 20, self: true, at: 20}) // over HTTP while the connection was down
	r.remove(21)
	assert.False(t, r.overlaps([]message{{id: 20, self: true, at: 20}, {id: 21, sender: 1, at: 21}}))
	r.beginBackfill()
	r.add(message{id: 22, sender: 1, at: 22})
	r.abortBackfill()
	r.add(message{id: 23, sender: 1, at: 23})
	k, _ := r.toStored()
	again := newChatState(chat{id: 1}, r.o)
	again.restore(k)
	for _, r := range []*chatState{r, again} {
		assert.False(t, r.overlaps(numbered(21, 23)))
		r.beginBackfill()
		r.finishBackfill(numbered(18, 19), assert.AnError) // only one page
		assert.Equal(t, []int64{1, 2, 18, 19, 20, 22, 23}, ids(r))
		assert.True(t, r.needsHistory())
		assert.False(t, r.overlaps(slices.Concat(numbered(18, 19), numbered(21, 23))))
		assert.True(t, r.overlaps(numbered(2, 23)))
		r.beginBackfill()
		r.finishBackfill(numbered(3, 18), nil)
		assert.False(t, r.needsHistory())
		assert.True(t, r.overlaps(numbered(23, 24)))
	}
}
