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

// A chatState is the state of one chat. Its mutex is not held during requests.
type chatState struct {
	chat chat
	o    *options

	sending  chan struct{} // holds a token while a reply is sent
	repeats  recentTexts   // guarded by sending, like lastSent
	lastSent time.Time     // time of the last sent message

	mu          sync.Mutex
	name        string
	window      *buffer.Window[message]
	seen        *dedupe.Set[uint32] // ids of known messages; the gap is open while the history is missing
	initialized bool                // the first history was merged
	backfilling bool                // the history is being read; new messages are pending, to keep the order
	readAgain   bool                // another gap began during the reading
	pending     []message
	uncounted   []uint32  // messages of the first history; they count as new if they also arrive as events
	received    uint64    // number of messages of others so far, for waiting calls
	latest      []message // the last counted messages in order; recalled ones are empty
	dirty       bool      // not saved yet
}

func newChatState(c chat, o *options) *chatState {
	return &chatState{
		chat: c, o: o, sending: make(chan struct{}, 1), seen: dedupe.New[uint32](4*o.buffer + history.MaxPages*history.PageSize),
		window: buffer.NewWindow[message](buffer.WindowOptions{KeepRecent: o.buffer, SummarizeEvery: o.every}),
	}
}

// add adds a message and reports whether it is new. It ignores a message with a known id modulo 2³².
func (r *chatState) add(m message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.uncounted, m.key()); i >= 0 {
		r.uncounted = slices.Delete(r.uncounted, i, i+1)
		r.countMessage(m)
		return true
	}
	if r.seen.Has(m.key()) || slices.ContainsFunc(r.pending, func(h message) bool { return h.key() == m.key() }) {
		return false
	}
	if r.backfilling { // counted after the messages of the history
		r.pending = append(r.pending, m)
		return true
	}
	r.countMessage(m)
	r.addToWindow(m)
	return true
}

// countMessage counts a message of others.
func (r *chatState) countMessage(m message) {
	if m.self {
		return
	}
	r.received++
	r.latest = append(r.latest, m)
	r.latest = slices.Delete(r.latest, 0, max(len(r.latest)-maxLimit, 0))
}

// addToWindow adds a message to the window.
func (r *chatState) addToWindow(m message) {
	r.seen.Add(m.key())
	r.dirty = true
	if m.self && r.o.dropOwn {
		return
	}
	r.window.Add(m)
}

// isBackfilling reports whether the chat waits for its history.
func (r *chatState) isBackfilling() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backfilling
}

// needsHistory reports whether the history is still to be read.
func (r *chatState) needsHistory() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.initialized || r.seen.Gap() > 0
}

// overlaps reports whether the window contained one of these messages before the gap, so that all older ones are known. It
// is always true in a new chat. Own messages do not count, because they can be sent while the connection is down.
func (r *chatState) overlaps(past []message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.initialized || slices.ContainsFunc(past, func(m message) bool { return !m.self && r.seen.BeforeGap(m.key()) })
}

// remove removes a message permanently.
func (r *chatState) remove(key uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	same := func(m message) bool { return m.key() == key }
	if !r.seen.Has(key) {
		r.seen.AddAfterGap(key)
	}
	r.uncounted = slices.DeleteFunc(r.uncounted, func(k uint32) bool { return k == key })
	r.pending = slices.DeleteFunc(r.pending, same)
	for i := range r.latest {
		if same(r.latest[i]) {
			r.latest[i] = message{}
		}
	}
	if r.window.Drop(same) > 0 {
		r.dirty = true
	}
}

// A view is a snapshot of a chat.
type view struct {
	name    string
	summary string
	dropped int       // messages before all that no summary covers
	all     []message // oldest first
}

func (r *chatState) view() view {
	r.mu.Lock()
	defer r.mu.Unlock()
	return view{r.name, r.window.Summary(), r.window.Dropped(), append(r.window.Items(), r.pending...)}
}

// size returns the number of stored messages.
func (r *chatState) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.Len() + len(r.pending)
}

// receivedCount returns the number of messages of others so far, without pending ones.
func (r *chatState) receivedCount() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.received
}

// newSince returns the messages of others after the first count ones, including summarized ones, and the new count. Messages
// of the history may be among them.
func (r *chatState) newSince(count uint64) (news []message, now uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastNew(int(min(r.received-count, uint64(len(r.latest))))), r.received
}

// lastNew returns the last n counted messages, in the order of the window.
func (r *chatState) lastNew(n int) []message {
	news := slices.Clone(r.latest[len(r.latest)-n:])
	news = slices.DeleteFunc(news, func(m message) bool { return m == message{} })
	all := r.window.Items()
	place := map[uint32]int{} // summarized messages come first
	for i := range all {
		place[all[i].key()] = i + 1
	}
	slices.SortStableFunc(news, func(a, b message) int { return cmp.Compare(place[a.key()], place[b.key()]) })
	return news
}

// pendingMessages returns the messages that wait for the history.
func (r *chatState) pendingMessages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.pending)
}

// after returns the messages after one. If that is among the latest messages, it returns those counted later, else those
// behind it in the window. It returns nil if the message is unknown.
func (r *chatState) after(key uint32) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := func(m message) bool { return m.key() == key }
	if i := slices.IndexFunc(r.latest, is); i >= 0 {
		return r.lastNew(len(r.latest) - i - 1)
	}
	all := r.window.Items()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i+1:]
	}
	return nil
}

// message returns a message by its id.
func (r *chatState) message(key uint32) (message, bool) {
	all := r.view().all
	i := slices.IndexFunc(all, func(m message) bool { return m.key() == key })
	if i < 0 {
		return message{}, false
	}
	return all[i], true
}

// nameOf returns the last known name of a sender in this chat, or "".
func (r *chatState) nameOf(id int64) string {
	for _, m := range slices.Backward(r.view().all) {
		if m.sender == id {
			return m.name
		}
	}
	return ""
}

// setName sets the name and reports whether it changed.
func (r *chatState) setName(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "" || name == r.name {
		return false
	}
	r.name, r.dirty = name, true
	return true
}

// dueFold returns the oldest messages to summarize, if there are enough more than the window keeps.
func (r *chatState) dueFold() (buffer.SummaryRequest[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.DueSummary()
}

// fold returns all messages except the newest keep.
func (r *chatState) fold(keep int) (buffer.SummaryRequest[message], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.RequestSummary(keep)
}

// overfull is the number of messages of a chat at which the rule summarizes the oldest, although there is a model.
func (o *options) overfull() int { return 2 * (o.buffer + o.every) }

// overfull reports whether so many messages are left that the rule has to summarize them.
func (r *chatState) overfull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.Len() >= r.o.overfull()
}

// finishFold replaces the messages of a fold by their summary. It returns false, and changes nothing, if one of them was
// recalled or another was inserted meanwhile.
func (r *chatState) finishFold(f buffer.SummaryRequest[message], summary string, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.window.CompleteSummary(f, summary, err)
	r.dirty = r.dirty || taken && err == nil
	return taken
}
