package main

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
)

// A room is what is known of one chat. Its mutex is not held while anybody is asked anything.
type room struct {
	chat chat
	o    *options

	speaking chan struct{} // holds a token while a reply is being sent
	repeats  repeats       // for who holds the token, as spoke is
	spoke    time.Time     // when the last message was sent

	mu       sync.Mutex
	name     string
	window   *buffer.Window[message]
	size     int    // of window
	fresh    int    // of its messages, how many others said since it was last summed up
	seen     recent // ids of what was in it
	live     bool   // it has been filled with what was said before
	catching bool   // its history is being read: what arrives meanwhile waits, so that all of it keeps its order
	behind   bool   // the history did not come: it is to be asked for again
	held     []message
	unheard  []uint32 // others' messages that its first history brought: one that arrives after all is news
	count    uint64   // of messages of others ever, for those who wait for one
	dirty    bool     // the database does not have it as it is
}

func newRoom(c chat, o *options) *room {
	return &room{
		chat: c, o: o, speaking: make(chan struct{}, 1), seen: recent{most: 4*o.buffer + maxPages*maxPage},
		window: buffer.NewWindow[message](buffer.WindowOptions{Size: o.buffer, Every: o.every}),
	}
}

// hear takes a message, and tells whether it is new. A message that is known already, by its id modulo 2³², is passed over.
func (r *room) hear(m message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.unheard, m.key()); i >= 0 {
		r.unheard = slices.Delete(r.unheard, i, i+1)
		r.count++
		return true
	}
	if r.seen.has(m.key()) || slices.ContainsFunc(r.held, func(h message) bool { return h.key() == m.key() }) {
		return false
	}
	if !m.self {
		r.count++
	}
	if r.catching {
		r.held = append(r.held, m)
		return true
	}
	r.add(m)
	return true
}

// add puts a message into the window.
func (r *room) add(m message) {
	r.seen.add(m.key())
	r.dirty = true
	if m.self && r.o.dropOwn {
		return
	}
	r.window.Add(m)
	r.size++
	if !m.self {
		r.fresh++
	}
}

// catch makes what arrives wait for the history. It is false when that is being read already.
func (r *room) catch() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.catching
	r.catching = true
	return !was
}

// waits tells whether it waits for its history.
func (r *room) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.catching
}

// isNew tells whether its history was never read.
func (r *room) isNew() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.live
}

// lacks tells whether its history is still to be read.
func (r *room) lacks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.live || r.behind
}

// caught puts what the history holds, oldest first, where it belongs: before what arrived meanwhile, but for what had arrived before
// the oldest that it holds of that. It tells how many messages were
// missing, and how many of them others had said. In a room whose first history it is it is no news: nothing of it counts as new.
func (r *room) caught(past []message) (missing, news int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.live
	r.live, r.catching, r.behind, r.unheard = true, false, false, nil
	early := max(0, slices.IndexFunc(r.held, func(h message) bool {
		return slices.ContainsFunc(past, func(m message) bool { return m.key() == h.key() })
	}))
	lacked := slices.Clone(r.held[:early])
	if r.held = slices.Delete(r.held, 0, early); r.o.dropOwn {
		lacked = slices.DeleteFunc(lacked, func(m message) bool { return m.self })
	}
	for _, m := range lacked {
		r.seen.add(m.key())
	}
	for _, m := range past {
		if r.seen.has(m.key()) {
			continue
		}
		r.seen.add(m.key())
		waited := len(r.held)
		r.held = slices.DeleteFunc(r.held, func(h message) bool { return h.key() == m.key() })
		if len(r.held) == waited { // what has waited has been counted
			missing++
			if !m.self && first {
				r.unheard = append(r.unheard, m.key())
			} else if !m.self {
				news++
			}
		}
		if !m.self || !r.o.dropOwn {
			lacked = append(lacked, m)
		}
	}
	r.count += uint64(news)
	slices.SortStableFunc(lacked, byTime)
	r.insert(lacked, first)
	for _, m := range r.held {
		r.add(m)
	}
	r.held = nil
	return missing, news
}

// insert puts messages into the window by their times. What was said before the first look counts as old, and only as much of it
// is taken as there is room for.
func (r *room) insert(lacked []message, old bool) {
	s := r.window.Snapshot()
	if old {
		lacked = lacked[max(len(lacked)-max(r.o.buffer-r.size, 0), 0):]
	}
	if len(lacked) == 0 {
		return
	}
	if n := len(s.Items); !old && (n == 0 || lacked[0].at >= s.Items[n-1].at) {
		for _, m := range lacked {
			r.add(m)
		}
		return
	}
	if !old {
		s.Fresh += len(lacked)
		for _, m := range lacked {
			if !m.self {
				r.fresh++
			}
		}
	}
	s.Items = append(s.Items, lacked...)
	slices.SortStableFunc(s.Items, byTime)
	r.window.Restore(s)
	r.size, r.dirty = len(s.Items), true
}

func byTime(a, b message) int { return cmp.Compare(a.at, b.at) }

// uncaught goes on without the history.
func (r *room) uncaught() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catching, r.behind = false, true
	for _, m := range r.held {
		r.add(m)
	}
	r.held = nil
}

// knows tells whether one of these was in the window before.
func (r *room) knows(past []message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(past, func(m message) bool { return r.seen.has(m.key()) })
}

// recall takes a message out for good.
func (r *room) recall(key uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	same := func(m message) bool { return m.key() == key }
	r.seen.add(key)
	r.unheard = slices.DeleteFunc(r.unheard, func(k uint32) bool { return k == key })
	r.held = slices.DeleteFunc(r.held, same)
	if n := r.window.Drop(same); n > 0 {
		r.size -= n
		r.fresh = min(r.fresh, r.size)
		r.dirty = true
	}
}

// A view is a room at a moment.
type view struct {
	name    string
	summary string
	all     []message // oldest first
	count   uint64
}

func (r *room) view() view {
	r.mu.Lock()
	defer r.mu.Unlock()
	return view{r.name, r.window.Summary(), append(r.window.Items(), r.held...), r.count}
}

// heard is how many messages others ever said.
func (r *room) heard() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// message gives one by its id.
func (r *room) message(key uint32) (message, bool) {
	all := r.view().all
	i := slices.IndexFunc(all, func(m message) bool { return m.key() == key })
	if i < 0 {
		return message{}, false
	}
	return all[i], true
}

// nameOf is the name by which somebody spoke here last; "" for somebody who did not.
func (r *room) nameOf(id int64) string {
	for _, m := range slices.Backward(r.view().all) {
		if m.sender == id {
			return m.name
		}
	}
	return ""
}

// rename tells whether the name is another.
func (r *room) rename(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "" || name == r.name {
		return false
	}
	r.name, r.dirty = name, true
	return true
}

// dueFold gives what is to be summed up: with so many new messages of others, or when there is more than the window holds.
func (r *room) dueFold() (buffer.Fold[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fresh < r.o.every && r.size <= r.o.buffer {
		return buffer.Fold[message]{}, false
	}
	return r.window.Fold()
}

// fold gives all but the newest keep.
func (r *room) fold(keep int) (buffer.Fold[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.FoldNow(keep)
}

// overfull tells that summing up has failed for so long that a rule has to do it.
func (r *room) overfull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size > 2*r.o.buffer
}

// folded answers a fold.
func (r *room) folded(f buffer.Fold[message], summary string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.window.Folded(f, summary, err) || err != nil {
		return
	}
	r.size -= len(f.Items)
	if r.fresh >= r.o.every {
		r.fresh -= r.o.every
	}
	r.fresh = min(r.fresh, r.size)
	r.dirty = true
}

// recent are the last so many ids.
type recent struct {
	most int
	keys []uint32
	next int // the oldest, once there are most
}

func (s *recent) has(key uint32) bool { return slices.Contains(s.keys, key) }

func (s *recent) add(key uint32) {
	switch {
	case s.has(key):
	case len(s.keys) < s.most:
		s.keys = append(s.keys, key)
	default:
		s.keys[s.next] = key
		s.next = (s.next + 1) % s.most
	}
}

// inOrder gives them oldest first.
func (s *recent) inOrder() []uint32 { return slices.Concat(s.keys[s.next:], s.keys[:s.next]) }
