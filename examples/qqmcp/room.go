package main

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/internal/dedupe"
	"github.com/hearth-bot/hearth/onebot/history"
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
	size     int                 // of window
	fresh    int                 // of its messages, how many others said since it was last summed up
	seen     *dedupe.Set[uint32] // ids of what was in it; its gap is open while the history is still to be read
	live     bool                // it has been filled with what was said before
	catching bool                // its history is being read: what arrives meanwhile waits, so that all of it keeps its order
	stale    bool                // what is being read may be of before what else it is to bring
	held     []message
	unheard  []uint32  // others' messages that its first history brought: one that arrives after all is news
	count    uint64    // of messages of others ever, for those who wait for one
	news     []message // the last of those, in the order in which they were counted; one that was recalled is empty
	dirty    bool      // the database does not have it as it is
}

func newRoom(c chat, o *options) *room {
	return &room{
		chat: c, o: o, speaking: make(chan struct{}, 1), seen: dedupe.New[uint32](4*o.buffer + history.MaxPages*history.PageSize),
		window: buffer.NewWindow[message](buffer.WindowOptions{MaxItems: o.buffer, SummarizeEvery: o.every}),
	}
}

// hear takes a message, and tells whether it is new. A message that is known already, by its id modulo 2³², is passed over.
func (r *room) hear(m message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.unheard, m.key()); i >= 0 {
		r.unheard = slices.Delete(r.unheard, i, i+1)
		r.counted(m)
		return true
	}
	if r.seen.Has(m.key()) || slices.ContainsFunc(r.held, func(h message) bool { return h.key() == m.key() }) {
		return false
	}
	if r.catching { // it is counted after those that the history has before it
		r.held = append(r.held, m)
		return true
	}
	r.counted(m)
	r.add(m)
	return true
}

// counted counts a message, which is news if it is not an own one.
func (r *room) counted(m message) {
	if m.self {
		return
	}
	r.count++
	r.news = append(r.news, m)
	r.news = slices.Delete(r.news, 0, max(len(r.news)-maxLimit, 0))
}

// add puts a message into the window.
func (r *room) add(m message) {
	r.seen.Add(m.key())
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

// waits tells whether it waits for its history.
func (r *room) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.catching
}

// lacks tells whether its history is still to be read.
func (r *room) lacks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.live || r.seen.Gap() > 0
}

// knows tells whether one of these was in the window before, so that what is older is known, too. In a new room that is of no matter. Own
// messages show nothing: they can be sent while the link is down.
func (r *room) knows(past []message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.live || slices.ContainsFunc(past, func(m message) bool { return !m.self && r.seen.BeforeGap(m.key()) })
}

// recall takes a message out for good.
func (r *room) recall(key uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	same := func(m message) bool { return m.key() == key }
	if !r.seen.Has(key) {
		r.seen.AddAfterGap(key)
	}
	r.unheard = slices.DeleteFunc(r.unheard, func(k uint32) bool { return k == key })
	r.held = slices.DeleteFunc(r.held, same)
	for i := range r.news {
		if same(r.news[i]) {
			r.news[i] = message{}
		}
	}
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
}

func (r *room) view() view {
	r.mu.Lock()
	defer r.mu.Unlock()
	return view{r.name, r.window.Summary(), append(r.window.Items(), r.held...)}
}

// heard is how many messages others ever said, less those that wait for the history.
func (r *room) heard() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// since gives what others said since so many were counted, be it summed up by now, and how many are counted. History may have put it
// before what was there.
func (r *room) since(count uint64) (news []message, now uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last(int(min(r.count-count, uint64(len(r.news))))), r.count
}

// last gives the last n that were counted, oldest first.
func (r *room) last(n int) []message {
	news := slices.Clone(r.news[len(r.news)-n:])
	news = slices.DeleteFunc(news, func(m message) bool { return m == message{} })
	all := r.window.Items()
	place := map[uint32]int{} // what is summed up was before all of them
	for i := range all {
		place[all[i].key()] = i + 1
	}
	slices.SortStableFunc(news, func(a, b message) int { return cmp.Compare(place[a.key()], place[b.key()]) })
	return news
}

// waiting is what waits for the history.
func (r *room) waiting() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.held)
}

// following gives what was said after a message: if it is among the last news what was counted after it, else what is behind it in the
// window. It is nil for one that is not known any more.
func (r *room) following(key uint32) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := func(m message) bool { return m.key() == key }
	if i := slices.IndexFunc(r.news, is); i >= 0 {
		return r.last(len(r.news) - i - 1)
	}
	all := r.window.Items()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i+1:]
	}
	return nil
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
func (r *room) dueFold() (buffer.SummaryRequest[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fresh < r.o.every && r.size <= r.o.buffer {
		return buffer.SummaryRequest[message]{}, false
	}
	return r.window.DueSummary()
}

// fold gives all but the newest keep.
func (r *room) fold(keep int) (buffer.SummaryRequest[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.RequestSummary(keep)
}

// overfull tells that summing up has failed for so long that a rule has to do it.
func (r *room) overfull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size > 2*r.o.buffer
}

// folded answers a fold. It is false, and nothing has changed, when something of it was recalled, or put among it, meanwhile.
func (r *room) folded(f buffer.SummaryRequest[message], summary string, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if taken := r.window.CompleteSummary(f, summary, err); !taken || err != nil {
		return taken
	}
	r.size -= len(f.Items)
	if r.fresh >= r.o.every {
		r.fresh -= r.o.every
	}
	r.fresh = min(r.fresh, r.size)
	r.dirty = true
	return true
}
