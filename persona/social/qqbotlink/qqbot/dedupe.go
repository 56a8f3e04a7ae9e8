package qqbot

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

const (
	// seenLimit is the number of keys that are remembered at least.
	seenLimit = 1 << 15
	// seenFor is how long a key is remembered at least, unless too many follow. Events have been replayed minutes later.
	seenFor = time.Hour
)

// seen remembers recent events for deduplication, in two generations.
type seen struct {
	seed       maphash.Seed
	mu         sync.Mutex
	young, old map[uint64]struct{}
	turned     time.Time
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

// add records the keys of an event. It returns false if one of them is known: then the event is a repeat.
func (s *seen) add(now time.Time, keys []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil || len(s.young) >= seenLimit || now.Sub(s.turned) >= seenFor {
		s.young, s.old, s.turned = make(map[uint64]struct{}), s.young, now
	}
	fresh := true
	for _, k := range keys {
		h := maphash.String(s.seed, k)
		_, young := s.young[h]
		_, old := s.old[h]
		fresh = fresh && !young && !old
		s.young[h] = struct{}{}
	}
	return fresh
}

// remove forgets the keys of an event that could not be queued, so that its repeat is not lost.
func (s *seen) remove(keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		h := maphash.String(s.seed, k)
		delete(s.young, h)
		delete(s.old, h)
	}
}

// keys identifies an event. A message has the id in its data and the index in its chat, so that a message that comes as two
// events, or again after a resume, is known by either. Anything else has the event's id.
func (f frame) keys() (keys []string) {
	d, _ := parseObject(f.data)
	if id := d.text("id"); id != "" {
		keys = append(keys, "data "+id)
	}
	if index := messageIndex(d); index != "" {
		keys = append(keys, "index "+d.text("group_openid")+" "+d.object("author").text("id")+" "+index)
	}
	if len(keys) == 0 && f.id != "" {
		keys = append(keys, "event "+f.id)
	}
	return keys
}

// messageIndex returns the index of a message, by which others quote it.
func messageIndex(d object) string {
	return extension(d, "msg_idx")
}

// extension returns a value from the list "name=value" of a message's scene.
func extension(d object, name string) string {
	for _, e := range d.object("message_scene").texts("ext") {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}
