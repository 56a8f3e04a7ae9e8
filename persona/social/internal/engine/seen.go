package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/dedupe"
)

const (
	Remembered = 512     // messages of a chat that are known again when they come a second time
	mostGone   = 128     // messages that are known to have been taken back
	backfilled = 800     // messages that fill a gap, at most, beside those
	ownSlack   = 10 * 60 // seconds between two times of one own message: that of sending it, and the platform's
	linkSlack  = 60      // seconds before a connection is handled within which a message may have come over it
)

// sightings are the messages of one chat that are known. They belong to the room's lock.
type sightings struct {
	known    *dedupe.Set[string]    // keys
	own      map[string]ownSighting // by id
	recalled *dedupe.Set[string]    // ids of messages that were recalled
	torn     *dedupe.Set[string]    // keys of messages whose writing failed
}

type ownSighting struct {
	sec       int64
	confirmed bool // the platform gave its id for what was sent
}

func newSightings() sightings {
	return sightings{
		known: dedupe.New[string](Remembered + backfilled), own: map[string]ownSighting{},
		recalled: dedupe.New[string](mostGone), torn: dedupe.New[string](Remembered),
	}
}

// first reports whether a message is new, and knows it from now on.
func (s *sightings) first(key string, own bool) bool {
	if s.known.Has(key) {
		return false
	}
	id, sec, _ := parseKey(key)
	if o, ok := s.own[id]; ok && own && sec-o.sec <= ownSlack && o.sec-sec <= ownSlack {
		return false
	}
	dropped, _ := s.known.Add(key)
	if old, at, ok := parseKey(dropped); ok && s.own[old].sec == at {
		delete(s.own, old)
	}
	if own {
		s.own[id] = ownSighting{sec: sec}
	}
	return true
}

// lose forgets a message that could not be kept: it is new when it comes again.
func (s *sightings) lose(key string) {
	s.known.Remove(key)
	delete(s.own, messageID(key))
	s.torn.Add(key)
}

// confirm notes that the platform gave this id for what was sent.
func (s *sightings) confirm(id string) {
	if o, ok := s.own[id]; ok {
		o.confirmed = true
		s.own[id] = o
	}
}

// connected opens a gap when a connection is handled. What was said shortly before that may have come over it already, and so after
// the gap; the oldest message that is known did not.
func (s *sightings) connected(now time.Time) {
	s.known.OpenGap()
	for i, key := range s.known.All() {
		if _, sec, _ := parseKey(key); i > 0 && sec >= now.Unix()-linkSlack {
			s.known.AddAfterGap(key)
		}
	}
}

// canEndGap reports whether the chat's history may hold a message that ends the gap.
func (s *sightings) canEndGap() bool {
	return slices.ContainsFunc(s.known.All(), func(key string) bool { return s.endsGap(key) && !s.recalled.Has(messageID(key)) })
}

// endsGap reports whether a history that holds a message reaches back to before the gap. An own message does not show that: it
// may have been sent while nothing was heard.
func (s *sightings) endsGap(key string) bool {
	_, own := s.own[messageID(key)]
	return !own && s.known.BeforeGap(key)
}

// messageID is the id to compare by, of a key; "" for what is no message's.
func messageID(key string) string {
	id, _, _ := parseKey(key)
	return id
}

// parseKey takes a message's key apart, which is the id of its record: short hashes are ids on some platforms, so it holds the
// second, too.
func parseKey(key string) (id string, sec int64, ok bool) {
	i := strings.LastIndexByte(key, '@')
	if i < 0 {
		return "", 0, false
	}
	sec, err := strconv.ParseInt(key[i+1:], 10, 64)
	return key[:i], sec, err == nil
}
