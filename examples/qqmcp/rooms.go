package main

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// rooms are all chats that something is known of.
type rooms struct {
	o *options

	mu     sync.Mutex
	all    map[chat]*room
	news   chan struct{} // closed when somebody said something
	listed chan struct{} // holds a token when the list, or a name on it, is another
}

func newRooms(o *options) *rooms {
	return &rooms{o: o, all: map[chat]*room{}, news: make(chan struct{}), listed: make(chan struct{}, 1)}
}

// room gives one that is there; nil for one that is not.
func (r *rooms) room(c chat) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[c]
}

// open gives a room, made if there was none. The chat must be allowed.
func (r *rooms) open(c chat) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[c] == nil {
		r.all[c] = newRoom(c, r.o)
		nudge(r.listed)
	}
	return r.all[c]
}

// name tells what a chat is called.
func (r *rooms) name(c chat, name string) {
	if room := r.room(c); room != nil && room.rename(name) {
		nudge(r.listed)
	}
}

// list gives them in the order of their numbers, groups first.
func (r *rooms) list() []*room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.all), func(a, b *room) int {
		return cmp.Or(cmp.Compare(a.chat.kind(), b.chat.kind()), cmp.Compare(a.chat.id, b.chat.id))
	})
}

// changed gives a channel that is closed when somebody next says something. Take it before looking.
func (r *rooms) changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.news
}

// tell wakes those who wait.
func (r *rooms) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.news)
	r.news = make(chan struct{})
}
