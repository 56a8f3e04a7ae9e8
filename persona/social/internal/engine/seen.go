package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/persona"
)

const (
	Remembered = 512     // messages of a chat that are known again when they come a second time
	mostGone   = 128     // messages that are known to have been taken back
	ownSlack   = 10 * 60 // seconds between two times of one own message: that of sending it, and the platform's
)

// A sighting is how a message is known again: ids are short hashes on some platforms, so never by id alone.
type sighting struct {
	key string // of the id
	sec int64
}

// recordID is the id of the message's record.
func (s sighting) recordID() string { return s.key + "@" + strconv.FormatInt(s.sec, 10) }

// sightingOf is how a message that was identified is known again.
func sightingOf(m persona.Message) sighting {
	s, _ := parseSighting(m.Key)
	return s
}

// parseSighting reads a message's key back, which is the id of its record.
func parseSighting(recordID string) (sighting, bool) {
	i := strings.LastIndexByte(recordID, '@')
	if i < 0 {
		return sighting{}, false
	}
	sec, err := strconv.ParseInt(recordID[i+1:], 10, 64)
	return sighting{recordID[:i], sec}, err == nil
}

// messageID is the id to compare by, of a key; "" for what is no message's.
func messageID(key string) string {
	s, _ := parseSighting(key)
	return s.key
}

// Identify gives a message its key, once, where it enters.
func (b *Engine) Identify(m *persona.Message) {
	m.Key = sighting{b.key(m.ID), m.At.Unix()}.recordID()
	if m.Quote != nil {
		m.Quote.Key = b.key(m.Quote.ID)
	}
}

// key is the id to compare by.
func (b *Engine) key(id string) string {
	if b.Options.Features.Key != nil {
		return b.Options.Features.Key(id)
	}
	return id
}

// sightings are the messages of one chat that are known. They belong to the room's lock.
type sightings struct {
	known    map[sighting]struct{}
	order    []sighting // a ring once it is full; next is its oldest
	next     int
	own      map[string]ownSighting // by key
	recalled []string               // keys of what was taken back, the newest last
	torn     []sighting             // whose writing failed, the newest last
}

type ownSighting struct {
	sec       int64
	confirmed bool // the platform gave its id for what was sent
}

func newSightings() sightings {
	return sightings{known: map[sighting]struct{}{}, own: map[string]ownSighting{}}
}

// first reports whether a message is new, and knows it from now on.
func (s *sightings) first(m sighting, own bool) bool {
	if _, ok := s.known[m]; ok {
		return false
	}
	if o, ok := s.own[m.key]; ok && own && m.sec-o.sec <= ownSlack && o.sec-m.sec <= ownSlack {
		return false
	}
	if len(s.order) < Remembered {
		s.order = append(s.order, m)
	} else {
		old := s.order[s.next]
		delete(s.known, old)
		if o, ok := s.own[old.key]; ok && o.sec == old.sec {
			delete(s.own, old.key)
		}
		s.order[s.next], s.next = m, (s.next+1)%Remembered
	}
	s.known[m] = struct{}{}
	if own {
		s.own[m.key] = ownSighting{sec: m.sec}
	}
	return true
}

// lose forgets a message that could not be kept: it is new when it comes again.
func (s *sightings) lose(m sighting) {
	delete(s.known, m)
	delete(s.own, m.key)
	s.torn = append(s.torn, m)
	s.torn = s.torn[max(0, len(s.torn)-Remembered):]
}

// isTorn reports whether a message could not be kept when it came before.
func (s *sightings) isTorn(m sighting) bool { return slices.Contains(s.torn, m) }

// confirm notes that the platform gave this id for what was sent.
func (s *sightings) confirm(key string) {
	if o, ok := s.own[key]; ok {
		o.confirmed = true
		s.own[key] = o
	}
}

// recall notes that a message was taken back.
func (s *sightings) recall(key string) {
	if !slices.Contains(s.recalled, key) {
		s.recalled = append(s.recalled, key)
		s.recalled = s.recalled[max(0, len(s.recalled)-mostGone):]
	}
}

func (s *sightings) isRecalled(key string) bool { return slices.Contains(s.recalled, key) }
