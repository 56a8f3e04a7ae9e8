package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/dedupe"
)

const (
	Remembered       = 512     // messages of a chat that are deduplicated
	maxRetracted     = 128     // retracted messages that are known
	maxBackfill      = 800     // messages of one back-fill, in addition to Remembered
	ownTolerance     = 10 * 60 // seconds between the time of a send and the platform's time of its echo
	connectTolerance = 60      // seconds before Connected is handled in which a message may have come over the new connection
)

// seenMessages holds the known messages of a chat, to deduplicate. Chat.mu guards it.
type seenMessages struct {
	known    *dedupe.Set[string]   // keys
	own      map[string]ownMessage // by id
	recalled *dedupe.Set[string]   // ids of retracted messages
	failed   *dedupe.Set[string]   // keys of messages whose write failed
}

type ownMessage struct {
	sec       int64
	confirmed bool // the platform returned this id for a send
}

func newSeenMessages() seenMessages {
	return seenMessages{
		known: dedupe.New[string](Remembered + maxBackfill), own: map[string]ownMessage{},
		recalled: dedupe.New[string](maxRetracted), failed: dedupe.New[string](Remembered),
	}
}

// add adds a message, and reports whether it is new.
func (s *seenMessages) add(key string, own bool) bool {
	if s.known.Has(key) {
		return false
	}
	id, sec, _ := parseKey(key)
	if o, ok := s.own[id]; ok && own && sec-o.sec <= ownTolerance && o.sec-sec <= ownTolerance {
		return false
	}
	dropped, _ := s.known.Add(key)
	if old, at, ok := parseKey(dropped); ok && s.own[old].sec == at {
		delete(s.own, old)
	}
	if own {
		s.own[id] = ownMessage{sec: sec}
	}
	return true
}

// remove removes a message whose write failed. It is new when it comes again.
func (s *seenMessages) remove(key string) {
	s.known.Remove(key)
	delete(s.own, messageID(key))
	s.failed.Add(key)
}

// confirm notes that the platform returned this id for a send.
func (s *seenMessages) confirm(id string) {
	if o, ok := s.own[id]; ok {
		o.confirmed = true
		s.own[id] = o
	}
}

// connected opens a gap when a connection is handled. Messages of the last seconds may have come over that
// connection, and so after the gap, except the oldest known one.
func (s *seenMessages) connected(now time.Time) {
	s.known.OpenGap()
	for i, key := range s.known.All() {
		if _, sec, _ := parseKey(key); i > 0 && sec >= now.Unix()-connectTolerance {
			s.known.AddAfterGap(key)
		}
	}
}

// canEndGap reports whether the chat's history may contain a message that ends the gap.
func (s *seenMessages) canEndGap() bool {
	return slices.ContainsFunc(s.known.All(), func(key string) bool { return s.endsGap(key) && !s.recalled.Has(messageID(key)) })
}

// endsGap reports whether a history that contains this message reaches back to before the gap. The bot's own messages
// do not show that, because they may have been sent during the gap.
func (s *seenMessages) endsGap(key string) bool {
	_, own := s.own[messageID(key)]
	return !own && !isAct(key) && s.known.BeforeGap(key)
}

// actPrefix begins the ids of acts, such as pokes. No history of a platform contains them.
const actPrefix = "act:"

func isAct(key string) bool { return strings.HasPrefix(key, actPrefix) }

// messageID returns the id in a message key, or "" for the key of another record.
func messageID(key string) string {
	id, _, _ := parseKey(key)
	return id
}

// parseKey splits a message key, the id of its record, into the platform's id and the second. The second is part of
// the key because some platforms have short hashes as ids.
func parseKey(key string) (id string, sec int64, ok bool) {
	i := strings.LastIndexByte(key, '@')
	if i < 0 {
		return "", 0, false
	}
	sec, err := strconv.ParseInt(key[i+1:], 10, 64)
	return key[:i], sec, err == nil
}
