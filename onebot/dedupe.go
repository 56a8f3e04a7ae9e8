package onebot

import (
	"hash/maphash"
	"sync"

	"github.com/hearth-bot/hearth/internal/dedupe"
)

// recentLimit is the number of events that a Webhook remembers. It exceeds the number of events within the seconds in
// which an implementation posts again.
const recentLimit = 8192

// recentEvents holds the latest events, for deduplication.
type recentEvents struct {
	seed maphash.Seed
	mu   sync.Mutex
	keys *dedupe.Set[eventKey]
}

// eventKey identifies an event. A message is identified by account, second and id, because ids repeat and come signed
// and unsigned. Any other event is identified by its bytes.
type eventKey struct {
	self, time int64
	message    uint32
	sum        uint64 // 0 for messages
}

func (r *recentEvents) init() {
	r.seed = maphash.MakeSeed()
	r.keys = dedupe.New[eventKey](recentLimit)
}

func (r *recentEvents) key(f *frame) eventKey {
	if (f.post == "message" || f.post == "message_sent") && f.messageID != 0 {
		return eventKey{self: f.selfID, time: f.time, message: MessageKey(f.messageID)}
	}
	return eventKey{self: f.selfID, time: f.time, sum: maphash.Bytes(r.seed, f.raw)}
}

// add returns false for a duplicate.
func (r *recentEvents) add(f *frame) bool {
	k := r.key(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.keys.Has(k)
	r.keys.Add(k)
	return !known
}
