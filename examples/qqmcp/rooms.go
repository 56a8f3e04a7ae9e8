package main

import (
	"cmp"
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
		r.relisted()
	}
	return r.all[c]
}

func (r *rooms) relisted() {
	select {
	case r.listed <- struct{}{}:
	default:
	}
}

// name tells what a chat is called.
func (r *rooms) name(c chat, name string) {
	if room := r.room(c); room != nil && room.rename(name) {
		r.relisted()
	}
}

// list gives them in the order of their numbers, groups first.
func (r *rooms) list() []*room {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*room, 0, len(r.all))
	for _, room := range r.all {
		list = append(list, room)
	}
	slices.SortFunc(list, func(a, b *room) int {
		if a.chat.private != b.chat.private {
			if b.chat.private {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.chat.id, b.chat.id)
	})
	return list
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
