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

// TestCaughtInOneSecond: what was missed goes before what came after it, though the times do not tell; a message may have come into the
// window before anybody knew that there was something to wait for, and one that waited may have been let in without its history.
func TestCaughtInOneSecond(t *testing.T) {
	all := numbered(1, 9)
	for i := range all {
		all[i].at = 5
	}
	for _, known := range [][]message{all[:1], {all[0], all[3]}, {all[3], all[6]}, all[3:6], {all[8]}, nil} {
		for _, old := range []bool{false, true} {
			r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
			if !old {
				r.caught(nil, nil)
			}
			for _, m := range known {
				r.hear(m)
			}
			r.catch()
			r.caught(all, nil)
			assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, ids(r))
		}
	}

	// What history does not have goes by its time, and what history has by both.
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	r.caught(nil, nil)
	for _, m := range []message{{id: 1, at: 1}, {id: 50, at: 6}, {id: 9, at: 9}} {
		r.hear(m)
	}
	r.catch()
	r.caught([]message{{id: 1, at: 1}, {id: 2, at: 2}, {id: 3, at: 7}, {id: 9, at: 9}, {id: 10, at: 9}}, nil)
	assert.Equal(t, []int64{1, 2, 50, 3, 9, 10}, ids(r))
}

// TestCaughtWhileSummedUp: what is missing at the end leaves a summary that is being made valid, what is missing before that does not.
func TestCaughtWhileSummedUp(t *testing.T) {
	for _, atEnd := range []bool{true, false} {
		r := newRoom(chat{id: 1}, &options{buffer: 100, every: 4})
		r.caught(nil, nil)
		for _, m := range []message{{id: 1, sender: 1, at: 1}, {id: 2, sender: 1, at: 2}, {id: 4, sender: 1, at: 4}, {id: 5, sender: 1, at: 5}} {
			r.hear(m)
		}
		f, ok := r.fold(1)
		require.True(t, ok)
		past := numbered(1, 7)
		if atEnd {
			past = slices.Delete(past, 2, 3)
		}
		r.catch()
		missing, _, _ := r.caught(past, nil)
		assert.Equal(t, len(past)-4, missing)
		assert.Equal(t, atEnd, r.folded(f, "x", nil))
	}
}

// TestReadAnew: there is more to be caught up with since the history was asked for, so what comes of it is not the last word.
func TestReadAnew(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	r.catch()
	assert.False(t, r.catch(), "asked for twice before it is read")
	r.read()
	r.hear(message{id: 4, sender: 1, at: 4})
	assert.False(t, r.catch())
	for _, err := range []error{nil, assert.AnError} {
		_, _, last := r.caught(numbered(1, 2), err)
		assert.False(t, last)
		assert.True(t, r.waits() && r.lacks())
	}
	r.read()
	missing, _, last := r.caught(numbered(1, 4), nil)
	assert.True(t, last)
	assert.Equal(t, 3, missing)
	assert.Equal(t, []int64{1, 2, 3, 4}, ids(r))
	assert.False(t, r.waits())
}

// TestFirstMessageWaits: whoever has opened the room meanwhile, what is said first in a chat waits for what was said before.
func TestFirstMessageWaits(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	assert.True(t, r.begin())
	assert.False(t, r.begin(), "it waits already")
	r.uncaught()
	assert.False(t, r.begin(), "it did not come, and nothing is held back for it")
	r.catch()
	r.caught(nil, nil)
	assert.False(t, r.begin())
}

// TestAllWaitForANewLink: it is noticed by an event of one chat; one of another chat, at the same time, finds its room waiting.
func TestAllWaitForANewLink(t *testing.T) {
	a := &account{rooms: newRooms(&options{buffer: 100, every: 30}), nudges: make(chan struct{}, 1)}
	first, second := a.rooms.open(chat{id: 1}), a.rooms.open(chat{id: 2})
	first.mu.Lock() // whoever makes them wait gets no further
	noticed := make(chan bool, 2)
	for range 2 {
		go func() {
			a.notice(1)
			noticed <- second.waits()
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
	a.notice(1)
	assert.Len(t, a.nudges, 1)
}

// TestBackOnline: the account was put out of QQ while the link stayed; what was said meanwhile did not come over it.
func TestBackOnline(t *testing.T) {
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
		call[statusOut](s, "check_status", nil) // which is told before a heartbeat tells it
		s.settle()
		assert.Len(t, qq.Calls("get_group_msg_history"), read+2)
	})
}

// TestDropsWhileItCatchesUp: the link drops again after the history was read and before that has been taken.
func TestDropsWhileItCatchesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--buffer-size", "20")
		r := s.p.rooms.room(chat{id: 123456})
		var want []string
		say := func(text string) {
			g.Say(zhang, says(text))
			want = append(want, text)
		}
		say("第1")
		synctest.Wait()
		r.catch()
		say("第2")
		synctest.Wait()
		r.read()
		past, err := s.p.account.past(t.Context(), r)
		require.NoError(t, err)
		qq.RefuseConnections(true)
		qq.DropLinks()
		say("第3")
		qq.RefuseConnections(false)
		synctest.Wait()
		s.p.account.notice(s.p.account.links.Load() + 1) // an event over the new link is quicker than the history
		_, _, last := r.caught(past, nil)
		assert.False(t, last)
		s.settle()
		s.settle()
		assert.Equal(t, want, contents(s.context(20).Messages))
	})
}

// TestNewsInTheirOrder: who waits is told what was counted since, and not what is last in the room.
func TestNewsInTheirOrder(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	r.catch()
	r.caught(numbered(1, 2), nil) // both are there before either has arrived
	var told []int64
	hear := func(m message) {
		before := r.heard()
		r.hear(m)
		news, now := r.since(before)
		assert.Equal(t, r.heard(), now)
		for _, m := range news {
			told = append(told, m.id)
		}
	}
	for _, m := range numbered(1, 2) {
		hear(m)
	}
	r.catch()
	hear(message{id: 5, sender: 1, at: 5})
	hear(message{id: 6, sender: 1, at: 6, self: true})
	before := r.heard()
	r.caught(numbered(3, 6), nil)
	news, _ := r.since(before)
	for _, m := range news {
		told = append(told, m.id)
	}
	assert.Equal(t, []int64{1, 2, 3, 4, 5}, told)
	for _, m := range numbered(7, 90) {
		r.hear(m)
	}
	news, _ = r.since(0)
	assert.Len(t, news, maxLimit)
	assert.True(t, slices.IsSortedFunc(news, byTime))
}

// TestWhatShowsTheEndOfAGap: only what was in the room before it fell behind does.
func TestWhatShowsTheEndOfAGap(t *testing.T) {
	r := newRoom(chat{id: 1}, &options{buffer: 100, every: 30})
	r.caught(numbered(1, 2), nil)
	assert.True(t, r.knows(numbered(2, 3)))
	r.hear(message{id: 20, self: true, at: 20}) // over HTTP, while the link was down
	r.recall(21)
	assert.False(t, r.knows([]message{{id: 20, self: true, at: 20}, {id: 21, sender: 1, at: 21}}))
	r.catch()
	r.hear(message{id: 22, sender: 1, at: 22})
	r.uncaught()
	r.hear(message{id: 23, sender: 1, at: 23})
	k, _ := r.keep()
	again := newRoom(chat{id: 1}, r.o)
	again.restore(k)
	for _, r := range []*room{r, again} {
		assert.False(t, r.knows(numbered(21, 23)))
		r.catch()
		r.caught(numbered(18, 19), assert.AnError) // a page, and no more
		assert.Equal(t, []int64{1, 2, 18, 19, 20, 22, 23}, ids(r))
		assert.True(t, r.lacks())
		assert.False(t, r.knows(slices.Concat(numbered(18, 19), numbered(21, 23))))
		assert.True(t, r.knows(numbered(2, 23)))
		r.catch()
		r.caught(numbered(3, 18), nil)
		assert.False(t, r.lacks())
		assert.True(t, r.knows(numbered(23, 24)))
	}
}
