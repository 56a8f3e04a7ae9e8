package onebot

import (
	"hash/maphash"
	"sync"

	"github.com/hearth-bot/hearth/internal/dedupe"
)

// remembered is how many events a Webhook knows again: more than come in the seconds within which one is posted again.
const remembered = 8192

// recent are the events of late.
type recent struct {
	seed maphash.Seed
	mu   sync.Mutex
	keys *dedupe.Set[eventKey]
}

// eventKey knows an event again: a message by account, second and id, because ids repeat and come signed and
// unsigned; anything else by its bytes, as one event is posted again.
type eventKey struct {
	self, time int64
	message    uint32
	sum        uint64 // 0 for messages
}

func (r *recent) init() {
	r.seed = maphash.MakeSeed()
	r.keys = dedupe.New[eventKey](remembered)
}

func (r *recent) key(f *frame) eventKey {
	if (f.post == "message" || f.post == "message_sent") && f.messageID != 0 {
		return eventKey{self: f.selfID, time: f.time, message: MessageKey(f.messageID)}
	}
	return eventKey{self: f.selfID, time: f.time, sum: maphash.Bytes(r.seed, f.raw)}
}

// add is false for an event that is there already.
func (r *recent) add(f *frame) bool {
	k := r.key(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.keys.Has(k)
	r.keys.Add(k)
	return !known
}
