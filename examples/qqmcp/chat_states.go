package main

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// chatStates are the states of all known chats.
type chatStates struct {
	o *options

	mu          sync.Mutex
	all         map[chat]*chatState
	changedCh   chan struct{} // closed at the next message
	listChanged chan struct{} // holds a token after a change of the list or a name
}

func newChatStates(o *options) *chatStates {
	return &chatStates{o: o, all: map[chat]*chatState{}, changedCh: make(chan struct{}), listChanged: make(chan struct{}, 1)}
}

// find returns the state of a chat, or nil.
func (r *chatStates) find(c chat) *chatState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[c]
}

// open returns the state of a chat, and creates it if necessary. The chat must be allowed.
func (r *chatStates) open(c chat) *chatState {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[c] == nil {
		r.all[c] = newChatState(c, r.o)
		wakeUp(r.listChanged)
	}
	return r.all[c]
}

// setName sets the name of a chat.
func (r *chatStates) setName(c chat, name string) {
	if room := r.find(c); room != nil && room.setName(name) {
		wakeUp(r.listChanged)
	}
}

// list returns all chats in order of their numbers, groups first.
func (r *chatStates) list() []*chatState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.all), func(a, b *chatState) int {
		return cmp.Or(cmp.Compare(a.chat.kind(), b.chat.kind()), cmp.Compare(a.chat.id, b.chat.id))
	})
}

// changed returns a channel that is closed at the next message. Call it before checking for messages.
func (r *chatStates) changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changedCh
}

// notifyWaiters wakes up all waiting calls.
func (r *chatStates) notifyWaiters() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changedCh)
	r.changedCh = make(chan struct{})
}
